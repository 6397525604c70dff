// SPDX-License-Identifier: Apache-2.0
//
// Chips for a mesh. Worked example, a Galaxy of 8 x 4 whose axes are rings:
// 4x2 turned round takes all of the axis of four, which is closed, and two of
// the eight; 8x1 is the first column, a ring; 6x1 would be a line in the
// column, so it is the walk round 3 x 2 chips, 0 1 5 9 8 4, a ring.

#include "ring/Machine/MeshOnMachine.h"

#include <algorithm>
#include <numeric>

namespace ring::machine {

namespace {

using Shape = std::vector<int64_t>;

int64_t productOf(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

int64_t countSides(const Shape &shape) {
  return std::count_if(shape.begin(), shape.end(),
                       [](int64_t size) { return size > 1; });
}

const char *withArticle(Topology topology) {
  return topology == Topology::Ring ? "a ring" : "a line";
}

/// "2 x 4".
std::string sidesText(const Shape &shape) {
  std::string out;
  for (int64_t size : shape)
    out += (out.empty() ? "" : " x ") + std::to_string(size);
  return out;
}

/// Lays one mesh on one machine.
class Layer {
public:
  Layer(const Machine &machine, const Shape &shape)
      : machine(machine), shape(shape), chipsOfHost(productOf(machine.mesh)),
        severalHosts(machine.chips() > chipsOfHost) {}

  MeshOnMachine run() {
    // Counted so that no product of sides overflows.
    int64_t left = machine.chips();
    for (int64_t size : shape)
      left /= std::max<int64_t>(size, 1);
    int64_t sides = countSides(shape);
    if (left == 0)
      fail("at most the " +
           (machine.chips() == 1 ? "one chip"
                                 : std::to_string(machine.chips()) + " chips") +
           " of " + shapeText(machine.shape()));
    else if (sides > 1 || shape == machine.shape())
      layBlock();
    else if (sides == 1)
      layRow();
    else
      layOne();
    return std::move(result);
  }

private:
  void fail(const std::string &expected) {
    result.axes.clear();
    result.error = "expects " + expected + " for machine '" + machine.name +
                   "', but got " + shapeText(shape);
  }

  //===--------------------------------------------------------------------===//
  // Blocks
  //===--------------------------------------------------------------------===//

  /// `size` chips along an axis of the machine, if there are so many: some of
  /// one host, or whole hosts.
  std::optional<Axis> partOf(size_t index, int64_t size) const {
    int64_t ofHost = machine.mesh[index], all = ofHost * machine.hosts[index];
    Axis axis = wired(size, std::min(size, ofHost));
    axis.wiring = machine.hostWiring;
    axis.insideTopology = machine.topology[index];
    if (size > all || (size > ofHost && size % ofHost != 0))
      return std::nullopt;
    // Two chips have one bundle of links, whichever way one goes.
    if (size > 2 && size == ofHost && (size < all || all == ofHost))
      axis.topology = machine.topology[index];
    else if (size > 2 && size == all)
      axis.topology = machine.hostTopology[index];
    return axis;
  }

  Axis wired(int64_t ranks, int64_t perHost) const {
    Axis axis;
    axis.ranks = ranks;
    axis.perHost = perHost;
    axis.inside = machine.links;
    axis.between = machine.betweenHosts;
    return axis;
  }

  /// The machine's axes in every order, its own first; the first with the most
  /// closed axes is taken.
  void layBlock() {
    Shape sides;
    bool asItStands = shape == machine.shape();
    for (int64_t size : shape)
      if (size > 1 || asItStands)
        sides.push_back(size);
    std::vector<size_t> order(machine.mesh.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<Axis> best;
    std::vector<size_t> bestOrder;
    int64_t most = -1;
    do {
      std::vector<Axis> axes;
      for (size_t i = 0; i < sides.size() && i < order.size(); ++i)
        if (auto axis = partOf(order[i], sides[i]))
          axes.push_back(*axis);
      int64_t closed =
          std::count_if(axes.begin(), axes.end(), [](const Axis &axis) {
            return axis.topology == Topology::Ring;
          });
      if (axes.size() == sides.size() && closed > most) {
        most = closed;
        best = axes;
        bestOrder = order;
      }
    } while (!asItStands && std::next_permutation(order.begin(), order.end()));
    if (best.empty()) {
      std::string hosts = severalHosts
                              ? ", and whole hosts of " +
                                    shapeText(machine.mesh) + " beyond one"
                              : "";
      return fail("a part of " + shapeText(machine.shape()) +
                  ", as it is or turned round, or chips in a row" + hosts);
    }
    size_t next = 0;
    for (int64_t size : shape)
      result.axes.push_back(size > 1 || asItStands ? best[next++] : Axis());
    if (!asItStands)
      describeBlock(sides, best, bestOrder);
  }

  void describeBlock(const Shape &sides, const std::vector<Axis> &axes,
                     const std::vector<size_t> &order) {
    Shape block(machine.mesh.size(), 1);
    for (size_t i = 0; i < sides.size(); ++i)
      block[order[i]] = sides[i];
    bool turned = !std::is_sorted(order.begin(), order.begin() + sides.size());
    result.chips = block == machine.shape()
                       ? "all chips"
                       : "the first " + sidesText(block) + " chips";
    if (turned)
      result.chips += " turned round";
    for (size_t i = 0; i < axes.size(); ++i)
      result.chips += (i == 0 ? ", " : " and ") +
                      std::string(withArticle(axes[i].topology));
  }

  //===--------------------------------------------------------------------===//
  // Rows
  //===--------------------------------------------------------------------===//

  /// Whether the walk through a block of a host comes back to its beginning: a
  /// side goes all round a closed axis, or it is even and another is there to
  /// come back on. Example, 2 x 4: 0 1 2 3 7 6 5 4.
  bool closes(const Shape &block) const {
    bool even = false;
    for (size_t i = 0; i < block.size(); ++i) {
      if (block[i] > 2 && block[i] == machine.mesh[i] &&
          machine.topology[i] == Topology::Ring)
        return true;
      even |= block[i] % 2 == 0;
    }
    return even && countSides(block) > 1;
  }

  /// All blocks of a host with `count` chips.
  std::vector<Shape> blocksOf(int64_t count) const {
    std::vector<Shape> blocks = {{}};
    for (int64_t most : machine.mesh) {
      std::vector<Shape> longer;
      for (const Shape &block : blocks)
        for (int64_t size = 1; size <= most; ++size)
          if (count % (productOf(block) * size) == 0) {
            longer.push_back(block);
            longer.back().push_back(size);
          }
      blocks = std::move(longer);
    }
    blocks.erase(std::remove_if(blocks.begin(), blocks.end(),
                                [count](const Shape &block) {
                                  return productOf(block) != count;
                                }),
                 blocks.end());
    return blocks;
  }

  /// Rings come first, then straight ways, those along the program's own axis,
  /// and those that take most of the first axis.
  bool isBetter(const Shape &a, const Shape &b, size_t own) const {
    if (closes(a) != closes(b))
      return closes(a);
    if (countSides(a) != countSides(b))
      return countSides(a) < countSides(b);
    if (own < a.size() && countSides(a) == 1 && (a[own] > 1) != (b[own] > 1))
      return a[own] > 1;
    return a > b;
  }

  void layRow() {
    size_t own = static_cast<size_t>(
        std::find_if(shape.begin(), shape.end(),
                     [](int64_t size) { return size > 1; }) -
        shape.begin());
    int64_t count = shape[own];
    if (count > chipsOfHost && count % chipsOfHost != 0)
      return fail("whole hosts of " + std::to_string(chipsOfHost) +
                  " chips where a row is longer than one");
    Axis row = wired(count, std::min(count, chipsOfHost));
    if (count > chipsOfHost)
      walkHosts(row);
    else
      walkHost(row, own);
    for (int64_t size : shape)
      result.axes.push_back(size > 1 ? row : Axis());
    result.chips += std::string(", ") + withArticle(row.topology);
  }

  void walkHosts(Axis &row) {
    bool close = row.ranks == machine.chips();
    for (size_t i = 0; i < machine.hosts.size(); ++i)
      close &=
          machine.hosts[i] == 1 || machine.hostTopology[i] == Topology::Ring;
    row.topology = close ? Topology::Ring : Topology::Line;
    result.chips = std::to_string(row.ranks / chipsOfHost) + " hosts of " +
                   std::to_string(chipsOfHost) + " chips, one after the other";
  }

  void walkHost(Axis &row, size_t own) {
    std::vector<Shape> blocks = blocksOf(row.ranks);
    auto best = std::min_element(
        blocks.begin(), blocks.end(),
        [&](const Shape &a, const Shape &b) { return isBetter(a, b, own); });
    std::string all = std::to_string(row.ranks);
    if (best == blocks.end()) {
      result.chips = "the first " + all + " chips of a walk over all";
    } else {
      if (row.ranks > 2 && closes(*best))
        row.topology = Topology::Ring;
      bool straight = countSides(*best) == 1;
      if (row.ranks == machine.chips())
        result.chips = "all " + all + " chips";
      else
        result.chips = straight ? straightText(*best)
                                : "the first " + sidesText(*best) + " chips";
    }
    if (severalHosts)
      result.chips += " of a host";
    if (best != blocks.end() && countSides(*best) > 1)
      result.chips += " walked round";
  }

  /// "the first column", "the first 3 chips of the first row".
  std::string straightText(const Shape &block) const {
    size_t along = static_cast<size_t>(
        std::max_element(block.begin(), block.end()) - block.begin());
    std::string first = "the first " + std::to_string(block[along]) + " chips";
    if (block.size() != 2)
      return first +
             (block.size() > 2 ? " along axis " + std::to_string(along) : "");
    std::string whole = along == 0 ? "the first column" : "the first row";
    return block[along] == machine.mesh[along] ? whole : first + " of " + whole;
  }

  void layOne() {
    result.axes.assign(shape.size(), Axis());
    if (machine.chips() > 1)
      result.chips = "one chip";
  }

  const Machine &machine;
  const Shape &shape;
  int64_t chipsOfHost;
  bool severalHosts;
  MeshOnMachine result;
};

} // namespace

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string out;
  for (int64_t size : shape)
    out += (out.empty() ? "" : "x") + std::to_string(size);
  return out;
}

MeshOnMachine layMesh(const Machine &machine,
                      const std::vector<int64_t> &shape) {
  if (!machine.takesAnyMesh())
    return Layer(machine, shape).run();
  MeshOnMachine result;
  for (int64_t size : shape) {
    Axis axis;
    axis.ranks = axis.perHost = size;
    axis.topology = size > 2 ? Topology::Ring : Topology::Line;
    axis.inside = machine.links;
    axis.processor = machine.processor;
    result.axes.push_back(axis);
  }
  return result;
}

} // namespace ring::machine

// SPDX-License-Identifier: Apache-2.0
// An operand of a product, traced back to the query, key or value that it is.

#include "AttentionOperand.h"
#include "RowwiseOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include <cmath>

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static std::optional<double> numberOf(Attribute attribute) {
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return number.getValueAsDouble();
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!number)
    return std::nullopt;
  // Truth values are 0 and 1.
  bool isUnsigned =
      number.getType().isInteger(1) || number.getType().isUnsignedInteger();
  return isUnsigned ? static_cast<double>(number.getValue().getZExtValue())
                    : static_cast<double>(number.getValue().getSExtValue());
}

std::optional<double> uniformValue(Value value) {
  Value before = beforeBroadcast(value);
  Operation *op = before.getDefiningOp();
  // Floats that become integers on the way are other numbers then.
  if (!op || (isa<FloatType>(TTIRBuilder::typeOf(before).getElementType()) &&
              !isa<FloatType>(TTIRBuilder::typeOf(value).getElementType())))
    return std::nullopt;
  if (auto constant = dyn_cast<ttir::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return std::nullopt;
    return numberOf(elements.getSplatValue<Attribute>());
  }
  if (auto full = dyn_cast<ttir::FullOp>(op))
    return numberOf(full.getFillValue());
  if (isa<ttir::ZerosOp, ttir::OnesOp>(op))
    return isa<ttir::OnesOp>(op) ? 1.0 : 0.0;
  // Models also write 1 / sqrt(dim) as it stands.
  if (!isa<ttir::SqrtOp, ttir::RsqrtOp, ttir::ReciprocalOp>(op))
    return std::nullopt;
  std::optional<double> input = uniformValue(op->getOperand(0));
  if (!input)
    return std::nullopt;
  double root = isa<ttir::ReciprocalOp>(op) ? *input : std::sqrt(*input);
  return isa<ttir::SqrtOp>(op) ? root : 1 / root;
}

/// The dimensions that are not 1, in order.
static SmallVector<int64_t> withoutUnits(Value value) {
  SmallVector<int64_t> shape;
  for (int64_t size : TTIRBuilder::typeOf(value).getShape())
    if (size != 1)
      shape.push_back(size);
  return shape;
}

Value beforeBroadcast(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool keepsOrder =
        isa<ttir::TypecastOp, ttir::BroadcastOp>(op) ||
        (isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp>(op) &&
         withoutUnits(value) == withoutUnits(op->getOperand(0)));
    if (!keepsOrder)
      break;
    value = op->getOperand(0);
  }
  return value;
}

int64_t AttentionOperand::sizeOf(Role role) const {
  for (auto [index, own] : llvm::enumerate(roles))
    if (own == role)
      return TTIRBuilder::typeOf(value).getDimSize(index);
  return 1;
}

std::optional<int64_t> AttentionOperand::batch() const {
  if (llvm::is_contained(roles, Role::BatchHeads))
    return std::nullopt;
  return sizeOf(Role::Batch);
}

int64_t AttentionOperand::batchTimesHeads() const {
  return sizeOf(Role::Batch) * sizeOf(Role::Heads) * sizeOf(Role::BatchHeads);
}

/// Whether the tensor is `[batch, heads, rows, dim]` as it stands.
bool AttentionOperand::isInOrder() const {
  if (roles.size() != 4 || keptRows)
    return false;
  // Batch and heads in one are heads behind a batch of 1.
  bool joined = roles[0] == Role::Unit && roles[1] == Role::BatchHeads;
  const Role order[] = {Role::Batch, joined ? Role::BatchHeads : Role::Heads,
                        Role::Rows, Role::Dim};
  for (auto [role, wanted] : llvm::zip_equal(roles, order))
    if (role != wanted && (role != Role::Unit || sizeOf(wanted) != 1))
      return false;
  return true;
}

/// Assigns roles to the dimensions of a reshape's input, group by group of
/// dimensions that hold as many numbers: a group of one has the role of the
/// result's, one dimension of batch and heads may come from both of them, and
/// one of heads from heads and how often each is repeated.
bool AttentionOperand::throughReshape(Value input) {
  ArrayRef<int64_t> from = TTIRBuilder::typeOf(input).getShape(),
                    to = TTIRBuilder::typeOf(value).getShape();
  SmallVector<Role> before(from.size(), Role::Unit);
  size_t next = 0;
  auto skipUnits = [&] {
    while (next < from.size() && from[next] == 1)
      ++next;
  };
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 1)
      continue;
    skipUnits();
    if (next == from.size())
      return false;
    // Batch and heads that were one before.
    if (from[next] > to[i]) {
      size_t last = i + 1;
      while (last < to.size() && to[last] == 1)
        ++last;
      if (last == to.size() || roles[i] != Role::Batch ||
          roles[last] != Role::Heads || from[next] != to[i] * to[last])
        return false;
      before[next++] = Role::BatchHeads;
      i = last;
      continue;
    }
    SmallVector<size_t> group;
    for (int64_t numbers = 1; numbers < to[i]; skipUnits()) {
      if (next == from.size())
        return false;
      numbers *= from[next];
      group.push_back(next++);
      if (numbers > to[i])
        return false;
    }
    if (group.size() == 1) {
      before[group[0]] = roles[i];
      continue;
    }
    SmallVector<Role> parts;
    if (roles[i] == Role::Heads)
      parts = {Role::Heads, Role::Repeat};
    else if (roles[i] == Role::BatchHeads)
      parts = {Role::Batch, Role::Heads, Role::Repeat};
    if (group.size() > parts.size())
      return false;
    for (auto [dim, role] : llvm::zip(group, parts))
      before[dim] = role;
  }
  value = input;
  roles = before;
  return true;
}

/// Only heads may be repeated, each behind itself.
bool AttentionOperand::throughRepeat(Value input) {
  ArrayRef<int64_t> from = TTIRBuilder::typeOf(input).getShape(),
                    to = TTIRBuilder::typeOf(value).getShape();
  SmallVector<Role> before(roles);
  for (size_t i = 0; i < to.size(); ++i) {
    if (from[i] == to[i])
      continue;
    if (from[i] != 1 || (roles[i] != Role::Heads && roles[i] != Role::Repeat))
      return false;
    before[i] = Role::Unit;
  }
  value = input;
  roles = before;
  return true;
}

/// Only rows may be cut off, and only the last of them.
bool AttentionOperand::throughSlice(Value input) {
  for (auto [dim, role] : llvm::enumerate(roles)) {
    std::optional<Rows> before =
        beforeRowwiseOp({value, static_cast<int64_t>(dim)});
    int64_t size = TTIRBuilder::typeOf(value).getDimSize(dim);
    if (!before || (role != Role::Rows && before->size() != size))
      return false;
    if (before->size() != size)
      keptRows = rows();
  }
  value = input;
  return true;
}

/// Goes on to what an op that only forms the operand has as its input.
bool AttentionOperand::step(Through through) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return false;
  auto input = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!input || !input.hasStaticShape())
    return false;
  if (auto cast = dyn_cast<ttir::TypecastOp>(op)) {
    Type from = TTIRBuilder::typeOf(cast.getInput()).getElementType();
    // A narrower type was chosen to be moved about, and rounds.
    if (!through.casts || !isa<FloatType>(from) ||
        !isa<FloatType>(elementType()) ||
        from.getIntOrFloatBitWidth() > elementType().getIntOrFloatBitWidth())
      return false;
    value = cast.getInput();
    return true;
  }
  if (isa<ttir::MultiplyOp, ttir::DivOp>(op)) {
    for (auto [tensor, number] : {std::pair(0, 1), std::pair(1, 0)}) {
      Value input = op->getOperand(tensor);
      std::optional<double> by = uniformValue(op->getOperand(number));
      if (!through.scales || !by || *by == 0 || !std::isfinite(*by) ||
          input.getType() != value.getType() ||
          (tensor == 1 && isa<ttir::DivOp>(op)))
        continue;
      factor *= isa<ttir::DivOp>(op) ? 1 / *by : *by;
      value = input;
      return true;
    }
    return false;
  }
  if (auto permute = dyn_cast<ttir::PermuteOp>(op)) {
    SmallVector<Role> before(roles);
    for (auto [index, dim] : llvm::enumerate(permute.getPermutation()))
      before[dim] = roles[index];
    value = permute.getInput();
    roles = before;
    return true;
  }
  if (auto transpose = dyn_cast<ttir::TransposeOp>(op)) {
    int64_t rank = roles.size();
    std::swap(roles[(transpose.getDim0() + rank) % rank],
              roles[(transpose.getDim1() + rank) % rank]);
    value = transpose.getInput();
    return true;
  }
  if (isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp>(op))
    return throughReshape(op->getOperand(0));
  if (isa<ttir::BroadcastOp, ttir::RepeatOp>(op))
    return throughRepeat(op->getOperand(0));
  if (isa<ttir::SliceStaticOp>(op))
    return throughSlice(op->getOperand(0));
  if (auto repeat = dyn_cast<ttir::RepeatInterleaveOp>(op)) {
    int64_t rank = roles.size();
    Role role = roles[(repeat.getDim() + rank) % rank];
    if (role != Role::Heads && role != Role::BatchHeads)
      return false;
    value = repeat.getInput();
    return true;
  }
  return false;
}

AttentionOperand AttentionOperand::trace(Value value, ArrayRef<Role> roles,
                                         Through through) {
  AttentionOperand at(value, roles), best = at;
  // A tensor that needs no further op is better than a deeper one that does,
  // unless that has a narrower type.
  auto width = [](const AttentionOperand &operand) {
    Type type = operand.elementType();
    return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  };
  while (at.step(through))
    if (at.isComplete() &&
        (at.isInOrder() || !best.isInOrder() || width(at) < width(best)))
      best = at;
  return best;
}

Value AttentionOperand::materialize(TTIRBuilder &tensors, int64_t batch) const {
  SmallVector<int64_t> order;
  for (auto [index, role] : llvm::enumerate(roles))
    if (role != Role::Unit)
      order.push_back(index);
  auto byRole = [&](int64_t a, int64_t b) { return roles[a] < roles[b]; };
  Value sorted = value;
  if (!llvm::is_sorted(order, byRole)) {
    // Dimensions of 1 go first; the reshape puts them where they belong.
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, roles.size()));
    llvm::sort(permutation, [&](int64_t a, int64_t b) {
      return std::pair(roles[a], a) < std::pair(roles[b], b);
    });
    sorted = tensors.permute(value, permutation);
  }
  Value formed = tensors.reshape(
      sorted, {batch, batchTimesHeads() / batch, sizeOf(Role::Rows), dim()});
  return tensors.slice(formed, /*dim=*/2, 0, rows());
}

} // namespace mlir::ring

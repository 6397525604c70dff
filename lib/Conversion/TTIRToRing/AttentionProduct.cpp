// SPDX-License-Identifier: Apache-2.0
// The products of an attention, as matmul or dot_general.

#include "AttentionProduct.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/SmallSet.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

bool isProduct(Operation *op) {
  return isa<ttir::MatmulOp, ttir::DotGeneralOp>(op);
}

/// What the leading dimensions of scores are, by how many there are.
static ArrayRef<Role> leadingRoles(size_t count) {
  static constexpr Role one[] = {Role::BatchHeads};
  static constexpr Role two[] = {Role::Batch, Role::Heads};
  return count == 2 ? ArrayRef<Role>(two)
                    : ArrayRef<Role>(one).take_front(count);
}

/// The dimension that is neither among `leading` nor `contracted`.
static int64_t remaining(ArrayRef<int64_t> leading, int64_t contracted) {
  int64_t dim = 0;
  while (dim == contracted || llvm::is_contained(leading, dim))
    ++dim;
  return dim;
}

std::optional<AttentionProduct> AttentionProduct::read(Operation *op) {
  AttentionProduct product;
  product.lhs = op->getOperand(0);
  product.rhs = op->getOperand(1);
  RankedTensorType lhs = TTIRBuilder::typeOf(product.lhs),
                   rhs = TTIRBuilder::typeOf(product.rhs);
  int64_t rank = lhs.getRank();
  if (rank < 2 || rank > 4 || rhs.getRank() != rank || !lhs.hasStaticShape() ||
      !rhs.hasStaticShape())
    return std::nullopt;
  if (auto matmul = dyn_cast<ttir::MatmulOp>(op)) {
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      product.leading.push_back({dim, dim});
    product.contracted = {rank - (matmul.getTransposeA() ? 2 : 1),
                          rank - (matmul.getTransposeB() ? 1 : 2)};
    product.rows = {2 * rank - 3 - product.contracted.first,
                    2 * rank - 3 - product.contracted.second};
    return product;
  }
  auto dot = cast<ttir::DotGeneralOp>(op);
  ArrayRef<int64_t> leadingLhs = dot.getBatchDimsLhs(),
                    leadingRhs = dot.getBatchDimsRhs();
  if (dot.getContractDimsLhs().size() != 1 ||
      dot.getContractDimsRhs().size() != 1 ||
      static_cast<int64_t>(leadingLhs.size()) != rank - 2 ||
      static_cast<int64_t>(leadingRhs.size()) != rank - 2)
    return std::nullopt;
  product.contracted = {dot.getContractDimsLhs()[0],
                        dot.getContractDimsRhs()[0]};
  // The op has no verifier: its dimensions may be any numbers.
  auto areDims = [&](ArrayRef<int64_t> leading, int64_t contracted) {
    llvm::SmallSet<int64_t, 4> dims(leading.begin(), leading.end());
    dims.insert(contracted);
    return static_cast<int64_t>(dims.size()) == rank - 1 &&
           llvm::all_of(dims,
                        [&](int64_t dim) { return dim >= 0 && dim < rank; });
  };
  if (!areDims(leadingLhs, product.contracted.first) ||
      !areDims(leadingRhs, product.contracted.second))
    return std::nullopt;
  for (auto pair : llvm::zip_equal(leadingLhs, leadingRhs))
    product.leading.push_back({std::get<0>(pair), std::get<1>(pair)});
  product.rows = {remaining(leadingLhs, product.contracted.first),
                  remaining(leadingRhs, product.contracted.second)};
  return product;
}

SmallVector<Role> AttentionProduct::rolesOfQuery() const {
  SmallVector<Role> roles(leading.size() + 2);
  for (auto [pair, role] :
       llvm::zip_equal(leading, leadingRoles(leading.size())))
    roles[pair.first] = role;
  roles[rows.first] = Role::Rows;
  roles[contracted.first] = Role::Dim;
  return roles;
}

SmallVector<Role> AttentionProduct::rolesOfKey() const {
  SmallVector<Role> roles(leading.size() + 2);
  for (auto [pair, role] :
       llvm::zip_equal(leading, leadingRoles(leading.size())))
    roles[pair.second] = role;
  roles[rows.second] = Role::Rows;
  roles[contracted.second] = Role::Dim;
  return roles;
}

bool AttentionProduct::contractsLast(Value probabilities) {
  if (lhs == rhs)
    return false;
  weightsFirst = probabilities == lhs;
  int64_t rank = leading.size() + 2;
  return rank - 1 == (weightsFirst ? contracted.first : contracted.second) &&
         rank - 2 == (weightsFirst ? rows.first : rows.second);
}

SmallVector<Role> AttentionProduct::rolesOfValue() const {
  SmallVector<Role> roles(leading.size() + 2);
  for (auto [first, second] : leading) {
    // The weights' leading dimensions are in order.
    auto [weight, value] =
        weightsFirst ? std::pair(first, second) : std::pair(second, first);
    roles[value] = leadingRoles(leading.size())[weight];
  }
  roles[weightsFirst ? contracted.second : contracted.first] = Role::Rows;
  roles[weightsFirst ? rows.second : rows.first] = Role::Dim;
  return roles;
}

SmallVector<int64_t> AttentionProduct::orderOfOutput() const {
  SmallVector<int64_t> order;
  if (leading.size() < 2)
    order = {0, 1};
  else
    for (auto [first, second] : leading)
      order.push_back(weightsFirst ? first : second);
  order.push_back(weightsFirst ? 2 : 3);
  order.push_back(weightsFirst ? 3 : 2);
  return llvm::is_sorted(order) ? SmallVector<int64_t>() : order;
}

} // namespace mlir::ring

// SPDX-License-Identifier: Apache-2.0
// Products that several layers share, such as queries, keys and values in one.

#include "FusedProducts.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

/// Whether an op takes some of the last dimension, all of the others, and each
/// number once.
static bool slicesFeatures(Operation *op) {
  auto slice = dyn_cast<ttir::SliceStaticOp>(op);
  return slice &&
         typeOf(slice.getInput()).getShape().drop_back() ==
             typeOf(slice).getShape().drop_back() &&
         llvm::all_of(slice.getStep(), [](Attribute step) {
           return cast<IntegerAttr>(step).getInt() == 1;
         });
}

/// The part of a weight or bias that makes the features of a slice; `dim` is
/// that of the features.
static Value partFor(ttir::SliceStaticOp slice, Value weight, int64_t dim) {
  OpBuilder builder(slice);
  int64_t features = typeOf(slice.getInput()).getShape().back();
  if (typeOf(weight).getDimSize(dim) != features)
    return weight;
  int64_t begin =
      cast<IntegerAttr>(slice.getBegins().getValue().back()).getInt();
  begin = begin < 0 ? begin + features : begin;
  return TTIRBuilder(builder, slice.getLoc())
      .slice(weight, dim, begin, begin + typeOf(slice).getShape().back());
}

template <typename ProductOp>
static void cut(ProductOp product) {
  if (typeOf(product.getB()).getRank() != 2 || product->use_empty() ||
      !llvm::all_of(product->getUsers(), slicesFeatures))
    return;
  for (Operation *user : llvm::make_early_inc_range(product->getUsers())) {
    auto slice = cast<ttir::SliceStaticOp>(user);
    SmallVector<Value> operands = {
        product.getA(),
        partFor(slice, product.getB(), product.getTransposeB() ? 0 : 1)};
    for (Value bias : product->getOperands().drop_front(2))
      operands.push_back(partFor(slice, bias, typeOf(bias).getRank() - 1));
    OpBuilder builder(slice);
    Operation *part = builder.clone(*product);
    part->setOperands(operands);
    part->getResult(0).setType(slice.getType());
    slice.replaceAllUsesWith(part->getResult(0));
    slice.erase();
  }
  product.erase();
}

void cutFusedProducts(Block &block) {
  // The slices behind a product go with it.
  SmallVector<Operation *> products;
  for (Operation &op : block)
    if (isa<ttir::MatmulOp, ttir::LinearOp>(op))
      products.push_back(&op);
  for (Operation *op : products) {
    if (auto product = dyn_cast<ttir::MatmulOp>(op))
      cut(product);
    else
      cut(cast<ttir::LinearOp>(op));
  }
}

} // namespace mlir::ring

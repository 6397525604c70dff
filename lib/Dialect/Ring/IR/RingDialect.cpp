// SPDX-License-Identifier: Apache-2.0
// Registration of the ring dialect, and the rule for its one discardable
// attribute.

#include "ring/Dialect/Ring/IR/RingDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "ring/Dialect/Ring/IR/InPlace.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "llvm/ADT/StringSet.h"

#include "ring/Dialect/Ring/IR/RingDialect.cpp.inc"

namespace mlir::ring {

void RingDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "ring/Dialect/Ring/IR/RingOps.cpp.inc"
      >();
}

/// Whether an op of this name is an attention that can be distributed. By name,
/// so that the ring dialect does not depend on the dialects it is raised from.
static bool isAnnotatableAttention(StringRef name) {
  static const llvm::StringSet<> kAttentions = {
      "ttir.scaled_dot_product_attention",
      "ttir.scaled_dot_product_attention_decode",
      "ttir.paged_scaled_dot_product_attention_decode",
      "ttir.paged_flash_multi_latent_attention_decode",
      "ttir.chunked_scaled_dot_product_attention",
      "ttir.sdpa_fw",
      "ttir.sdpa_bw",
      "ttcore.composite"};
  return kAttentions.contains(name);
}

LogicalResult RingDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kInPlaceAttrName && op->getNumResults() == 1 &&
      op->getNumOperands() > 0 &&
      op->getOperand(0).getType() == op->getResult(0).getType())
    return success();
  if (attribute.getName() != kParallelAttrName)
    return op->emitOpError("has an unknown attribute '")
           << attribute.getName().getValue()
           << "'; the ring dialect expects only '" << kParallelAttrName
           << "' on other dialects' ops";
  if (!isa<ParallelAttr>(attribute.getValue()))
    return op->emitOpError("expects '")
           << kParallelAttrName << "' to be a #ring.parallel, but got "
           << attribute.getValue();
  if (!isa<ModuleOp, FunctionOpInterface>(op) &&
      !isAnnotatableAttention(op->getName().getStringRef()))
    return op->emitOpError("cannot carry '")
           << kParallelAttrName
           << "'; expected an attention, a function or a module";
  return success();
}

/// An attribute of ours on an argument or a result would be a wish that nobody
/// reads.
static LogicalResult rejectAttribute(Operation *op, NamedAttribute attribute,
                                     StringRef place) {
  return op->emitOpError("cannot carry '")
         << attribute.getName().getValue() << "' on " << place
         << "; expected an attention, a function or a module";
}

LogicalResult RingDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned,
                                                    NamedAttribute attribute) {
  return rejectAttribute(op, attribute, "an argument");
}

LogicalResult
RingDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned,
                                         NamedAttribute attribute) {
  return rejectAttribute(op, attribute, "a result");
}

} // namespace mlir::ring

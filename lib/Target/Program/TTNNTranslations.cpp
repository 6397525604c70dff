// SPDX-License-Identifier: Apache-2.0
// Ops of TTNN beyond those that it shares with TTIR: devices, layouts and
// transfers between devices.

#include "OpTranslations.h"
#include "TensorTranslations.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {
namespace {

namespace ttnn = mlir::tt::ttnn;

/// Devices, semaphores and deallocations are the runtime's own business.
LogicalResult writeNothing(Operation *, ProgramWriter &) { return success(); }

LogicalResult writeCopy(Operation *op, ProgramWriter &writer) {
  FailureOr<int32_t> input =
      writer.operand(op, op->getOperand(0), writer.placement());
  if (failed(input))
    return failure();
  return writer.write(op, "typecast", {*input}, {});
}

LogicalResult writePointToPoint(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  rt::Attributes attributes;
  if (failed(inputs) ||
      failed(writeAttribute(op, "sender", op->getAttr("sender_coord"),
                            attributes)) ||
      failed(writeAttribute(op, "receiver", op->getAttr("receiver_coord"),
                            attributes)))
    return failure();
  return writer.write(op, "point_to_point", *inputs, std::move(attributes));
}

} // namespace

void addTTNNTranslations(OpTranslations &translations) {
  addTensorTranslations(translations, "ttnn");
  for (StringRef name :
       {"ttnn.get_device", "ttnn.deallocate", "ttnn.create_global_semaphore",
        "ttnn.reset_global_semaphore"})
    translations.add(name, writeNothing);
  for (StringRef name : {"ttnn.to_device", "ttnn.from_device", "ttnn.to_layout",
                         "ttnn.to_tensor_spec", "ttnn.assign"})
    translations.add(name, writeCopy);
  translations.add("ttnn.point_to_point", writePointToPoint, Runs::OnDevices);
}

} // namespace mlir::ring

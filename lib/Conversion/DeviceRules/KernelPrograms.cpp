// SPDX-License-Identifier: Apache-2.0
// Programs are read as text: our subset keeps them so, and a real tt-mlir
// prints the same.

#include "KernelPrograms.h"
#include "llvm/ADT/SmallVector.h"

#include <array>

namespace mlir::ring {

namespace {

std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream);
  return text;
}

/// The numbers that stand behind each `word` of a text, up to `end`, apart from
/// all that is no digit: {0, 1, 0, 3} for "(0,1), (0,3)".
template <size_t Count>
SmallVector<std::array<int64_t, Count>>
numbersBehind(StringRef text, StringRef word, char end) {
  constexpr StringLiteral kDigits = "0123456789";
  SmallVector<std::array<int64_t, Count>> found;
  for (size_t at = text.find(word); at != StringRef::npos;
       at = text.find(word)) {
    text = text.drop_front(at + word.size());
    StringRef body = text.take_until([&](char c) { return c == end; });
    std::array<int64_t, Count> numbers;
    bool complete = true;
    for (int64_t &number : numbers) {
      body =
          body.drop_front(std::min(body.find_first_of(kDigits), body.size()));
      complete &= !body.consumeInteger(10, number);
    }
    if (complete)
      found.push_back(numbers);
  }
  return found;
}

/// First row, first column, last row, last column.
using MeshRange = std::array<int64_t, 4>;

bool overlap(const MeshRange &one, const MeshRange &other) {
  return one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] &&
         other[1] <= one[3];
}

} // namespace

LogicalResult verifyProgram(tt::ttnn::GenericOp op) {
  const std::string text = textOf(op.getProgram());
  const unsigned tensors = op.getInputsAndOutputs().size();
  for (auto [number] :
       numbersBehind<1>(text, "#ttnn.kernel_arg_global_semaphore<", '>'))
    if (number < tensors || number >= op->getNumOperands())
      return op.emitOpError("breaks rule D9: expects global semaphores to be "
                            "operands from ")
             << tensors << " to " << op->getNumOperands() - 1 << ", but got "
             << number;
  SmallVector<MeshRange> ranges =
      numbersBehind<4>(text, "#ttnn.mesh_range<", '>');
  for (auto [i, one] : llvm::enumerate(ranges))
    for (const MeshRange &other : ArrayRef(ranges).take_front(i))
      if (overlap(one, other))
        return op.emitOpError("breaks rule D9: expects one program for each "
                              "device, but got two for row ")
               << std::max(one[0], other[0]) << ", column "
               << std::max(one[1], other[1]);
  return success();
}

LogicalResult verifyProgram(tt::ttmetal::EnqueueProgramOp op) {
  const int64_t buffers = op.getCbPorts().size();
  for (Attribute kernel : op.getKernelConfigs())
    for (auto [number] : numbersBehind<1>(textOf(kernel), "cb_port[", ']'))
      if (number >= buffers)
        return op.emitOpError("breaks rule D10: expects kernels to name "
                              "circular buffers below ")
               << buffers << ", but got " << number;
  return success();
}

} // namespace mlir::ring

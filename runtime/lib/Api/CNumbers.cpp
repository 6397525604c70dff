// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs as numbers for C, whatever type they are held in.

#include "Data/BlockTensor.h"
#include "Data/Numbers.h"
#include "ring-runtime/Session.h"

using namespace ring::rt;

namespace {

/// The tensor of a port that has so many numbers; otherwise the handle has the
/// reason.
const Tensor *tensorOf(ring_session *session,
                       const std::vector<PortTensors> &ports, size_t port,
                       size_t tensor, size_t count) {
  if (port >= ports.size() || tensor >= ports[port].size() ||
      !ports[port][tensor].data())
    return fail(session, "expects a tensor of the program that is there"),
           nullptr;
  const Tensor &found = ports[port][tensor];
  if (static_cast<int64_t>(count) != found.count())
    return fail(session,
                error("expects ", found.count(), " numbers, but got ", count)
                    .message()),
           nullptr;
  return &found;
}

void copyNumbers(const Tensor &tensor, float *numbers) {
  int64_t count = tensor.count();
  if (!isBlockFormat(tensor.element()))
    return loadNumbers(tensor.data(), tensor.element(), 0, 1, numbers, count);
  std::vector<uint16_t> bf16(count);
  BlockTensor blocks(tensor.element(), tensor.shape());
  blocks.unpack(tensor.data(), bf16.data(), 0, blocks.strips());
  loadNumbers(bf16.data(), ElementType::BF16, 0, 1, numbers, count);
}

} // namespace

extern "C" {

int ring_bind_numbers(ring_session *session, size_t input, size_t tensor,
                      const float *numbers, size_t count) {
  if (input >= session->inputs.size() ||
      tensor >= session->inputs[input].size())
    return fail(session, "expects an input and tensor of the program");
  const ValueType &type =
      session->program->values()[session->program->inputs()[input].value];
  Result<Tensor> made = Tensor::zeros(type.element, type.shape);
  if (!made)
    return fail(session, made.message());
  if (static_cast<int64_t>(count) != made->count())
    return fail(session,
                error("expects ", made->count(), " numbers, but got ", count)
                    .message());
  if (isBlockFormat(type.element)) {
    BlockTensor blocks(type.element, type.shape);
    blocks.pack(numbers, made->data(), 0, blocks.strips());
  } else {
    storeNumbers(made->data(), type.element, 0, numbers, made->count());
  }
  session->inputs[input][tensor] = *made;
  return succeed(session);
}

int ring_input_numbers(ring_session *session, size_t input, size_t tensor,
                       float *numbers, size_t count) {
  const Tensor *found =
      tensorOf(session, session->inputs, input, tensor, count);
  if (!found)
    return 1;
  copyNumbers(*found, numbers);
  return succeed(session);
}

int ring_read_numbers(ring_session *session, size_t output, size_t tensor,
                      float *numbers, size_t count) {
  if (!session->result)
    return fail(session, "expects a finished run");
  const Tensor *found =
      tensorOf(session, session->result->outputs, output, tensor, count);
  if (!found)
    return 1;
  copyNumbers(*found, numbers);
  return succeed(session);
}

} // extern "C"

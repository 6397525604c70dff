// SPDX-License-Identifier: Apache-2.0
//
// The C interface on top of the C++ one: a program, its inputs, a run.

#include "ring-runtime/Session.h"
#include "ring/Support/NearestName.h"

#include <cstring>
#include <iterator>
#include <sstream>

using namespace ring::rt;

namespace {

const ValueType *typeOf(const ring_session *session, size_t port,
                        bool isInput) {
  if (!session->program)
    return nullptr;
  const std::vector<Port> &ports =
      isInput ? session->program->inputs() : session->program->outputs();
  if (port >= ports.size())
    return nullptr;
  return &session->program->values()[ports[port].value];
}

size_t tensorsOf(const ring_session *session, size_t port, bool isInput) {
  const ValueType *type = typeOf(session, port, isInput);
  if (!type)
    return 0;
  return type->placement == Placement::Whole
             ? 1
             : static_cast<size_t>(session->program->deviceCount());
}

size_t shapeOf(const ring_session *session, size_t port, bool isInput,
               const int64_t **shape) {
  const ValueType *type = typeOf(session, port, isInput);
  *shape = type ? type->shape.data() : nullptr;
  return type ? type->shape.size() : 0;
}

int take(ring_session *session, Result<Program> program) {
  if (!program)
    return fail(session, program.message());
  session->program = *program;
  session->result.reset();
  session->judged.reset();
  session->inputs.assign(program->inputs().size(), {});
  for (size_t i = 0; i < session->inputs.size(); ++i)
    session->inputs[i].resize(tensorsOf(session, i, true));
  return succeed(session);
}

/// The type of an input that takes so many bytes; otherwise the handle has the
/// reason.
const ValueType *bindable(ring_session *session, size_t input, size_t tensor,
                          size_t size) {
  const ValueType *type = typeOf(session, input, true);
  if (!type || tensor >= tensorsOf(session, input, true))
    return fail(session, "expects an input and tensor of the program"), nullptr;
  if (static_cast<int64_t>(size) != heldBytes(*type))
    return fail(session,
                error("expects ", heldBytes(*type), " bytes, but got ", size)
                    .message()),
           nullptr;
  return type;
}

const void *dataOf(const std::vector<PortTensors> &ports, size_t port,
                   size_t tensor, size_t *size) {
  if (port >= ports.size() || tensor >= ports[port].size() ||
      !ports[port][tensor].data())
    return nullptr;
  *size = static_cast<size_t>(ports[port][tensor].bytes());
  return ports[port][tensor].data();
}

} // namespace

extern "C" {

const char *ring_version(void) { return RING_VERSION; }

const char *ring_did_you_mean(const char *name, const char *known) {
  thread_local std::string text;
  std::istringstream words(known);
  text =
      ring::didYouMean(name, {std::istream_iterator<std::string>(words), {}});
  return text.c_str();
}

ring_session *ring_create(void) { return new ring_session; }
void ring_destroy(ring_session *session) { delete session; }

ring_session *ring_share(const ring_session *session) {
  auto *other = new ring_session;
  other->options = session->options;
  if (session->program)
    take(other, *session->program);
  return other;
}

const char *ring_error(const ring_session *session) {
  return session->message.c_str();
}

int ring_load(ring_session *session, const void *data, size_t size) {
  return take(session, Program::load(data, size));
}

int ring_load_file(ring_session *session, const char *path) {
  return take(session, Program::loadFile(path));
}

int64_t ring_device_count(const ring_session *session) {
  return session->program ? session->program->deviceCount() : 0;
}

size_t ring_input_count(const ring_session *session) {
  return session->program ? session->program->inputs().size() : 0;
}

size_t ring_output_count(const ring_session *session) {
  return session->program ? session->program->outputs().size() : 0;
}

const char *ring_input_name(const ring_session *session, size_t input) {
  return input < ring_input_count(session)
             ? session->program->inputs()[input].name.c_str()
             : nullptr;
}

const char *ring_output_name(const ring_session *session, size_t output) {
  return output < ring_output_count(session)
             ? session->program->outputs()[output].name.c_str()
             : nullptr;
}

size_t ring_input_tensors(const ring_session *session, size_t input) {
  return tensorsOf(session, input, true);
}

size_t ring_output_tensors(const ring_session *session, size_t output) {
  return tensorsOf(session, output, false);
}

int ring_input_type(const ring_session *session, size_t input) {
  const ValueType *type = typeOf(session, input, true);
  return type ? static_cast<int>(type->element) : -1;
}

int ring_output_type(const ring_session *session, size_t output) {
  const ValueType *type = typeOf(session, output, false);
  return type ? static_cast<int>(type->element) : -1;
}

size_t ring_input_shape(const ring_session *session, size_t input,
                        const int64_t **shape) {
  return shapeOf(session, input, true, shape);
}

size_t ring_output_shape(const ring_session *session, size_t output,
                         const int64_t **shape) {
  return shapeOf(session, output, false, shape);
}

int ring_bind(ring_session *session, size_t input, size_t tensor,
              const void *data, size_t size) {
  const ValueType *type = bindable(session, input, tensor, size);
  if (!type)
    return 1;
  Result<Tensor> copy = Tensor::copyOf(type->element, type->shape, data);
  if (!copy)
    return fail(session, copy.message());
  session->inputs[input][tensor] = *copy;
  return succeed(session);
}

int ring_bind_shared(ring_session *session, size_t input, size_t tensor,
                     const void *data, size_t size) {
  const ValueType *type = bindable(session, input, tensor, size);
  if (!type)
    return 1;
  // A run does not write to what it is given.
  auto *bytes = const_cast<uint8_t *>(static_cast<const uint8_t *>(data));
  session->inputs[input][tensor] =
      Tensor::share(type->element, type->shape,
                    std::shared_ptr<uint8_t>(bytes, [](uint8_t *) {}));
  return succeed(session);
}

const void *ring_input_data(const ring_session *session, size_t input,
                            size_t tensor, size_t *size) {
  return dataOf(session->inputs, input, tensor, size);
}

int ring_generate(ring_session *session, uint64_t seed) {
  if (!session->program)
    return fail(session, "expects a loaded program");
  Result<std::vector<PortTensors>> inputs =
      generateInputs(*session->program, seed);
  if (!inputs)
    return fail(session, inputs.message());
  session->inputs = std::move(*inputs);
  return succeed(session);
}

int ring_set_backend(ring_session *session, const char *name) {
  Result<std::unique_ptr<Backend>> backend = makeBackend(name);
  if (!backend)
    return fail(session, backend.message());
  session->options.backend = name;
  return succeed(session);
}

void ring_set_machine(ring_session *session, const char *machine) {
  session->options.machine = machine;
}

void ring_set_device_memory(ring_session *session, int64_t bytes) {
  session->options.deviceMemory = bytes;
}

void ring_set_threads(ring_session *session, int threads) {
  session->options.threads = threads;
}

void ring_set_trace(ring_session *session, int trace) {
  session->options.trace = trace != 0;
}

int ring_run(ring_session *session) {
  if (!session->program)
    return fail(session, "expects a loaded program");
  bool simulates = session->options.backend == "sim";
  Result<RunResult> result =
      run(*session->program,
          simulates ? std::vector<PortTensors>() : session->inputs,
          session->options);
  session->shortage.reset();
  session->result.reset();
  session->judged.reset();
  if (!result) {
    if (const MemoryShortage *shortage = result.status().shortage())
      session->shortage = shortage->what;
    return fail(session, result.message());
  }
  session->result = std::move(*result);
  return succeed(session);
}

const char *ring_memory_shortage(const ring_session *session) {
  return session->shortage ? session->shortage->c_str() : nullptr;
}

int ring_read(ring_session *session, size_t output, size_t tensor, void *data,
              size_t size) {
  if (!session->result)
    return fail(session, "expects a finished run");
  if (output >= session->result->outputs.size() ||
      tensor >= session->result->outputs[output].size())
    return fail(session, "expects an output and tensor of the program");
  const Tensor &found = session->result->outputs[output][tensor];
  if (static_cast<int64_t>(size) != found.bytes())
    return fail(
        session,
        error("expects ", found.bytes(), " bytes, but got ", size).message());
  std::memcpy(data, found.data(), size);
  return succeed(session);
}

const void *ring_output_data(const ring_session *session, size_t output,
                             size_t tensor, size_t *size) {
  return session->result
             ? dataOf(session->result->outputs, output, tensor, size)
             : nullptr;
}

double ring_seconds(const ring_session *session) {
  return session->result ? session->result->seconds : 0;
}

int ring_read_statistics(ring_session *session, int64_t device,
                         ring_device_statistics *statistics) {
  if (!session->result)
    return fail(session, "expects a finished run");
  const std::vector<DeviceStatistics> &devices = session->result->devices;
  if (device < 0 || device >= static_cast<int64_t>(devices.size()))
    return fail(session, error("expects a device of ", devices.size(),
                               ", but got ", device)
                             .message());
  const DeviceStatistics &from = devices[device];
  *statistics = {from.seconds,           from.busySeconds,   from.flops,
                 from.bytesSent,         from.bytesReceived, from.peakBytes,
                 from.peakKeyValueBytes, from.scratchBytes};
  return succeed(session);
}

} // extern "C"

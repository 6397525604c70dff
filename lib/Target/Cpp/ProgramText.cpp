// SPDX-License-Identifier: Apache-2.0
// The parts of a C++ program that are the same in all of them.

#include "ProgramText.h"

namespace mlir::ring {

const char kProgramTensors[] = R"cpp(template <typename T>
std::vector<T> numbersAs(const std::vector<double> &numbers) {
  return std::vector<T>(numbers.begin(), numbers.end());
}

/// The numbers as a tensor of the host, or as a copy on every device.
ttnn::Tensor tensorOf(const std::vector<double> &numbers, const ttnn::Shape &shape,
                      ttnn::DataType type, ttnn::MeshDevice *device = nullptr) {
  tt::tt_metal::TensorSpec spec(
      shape, tt::tt_metal::TensorLayout(type, tt::tt_metal::PageConfig(ttnn::Layout::TILE),
                                        ttnn::DRAM_MEMORY_CONFIG));
  auto made = [&] {
    switch (type) {
    case ttnn::DataType::INT32:
      return ttnn::Tensor::from_vector(numbersAs<int32_t>(numbers), spec);
    case ttnn::DataType::UINT32:
      return ttnn::Tensor::from_vector(numbersAs<uint32_t>(numbers), spec);
    case ttnn::DataType::UINT16:
      return ttnn::Tensor::from_vector(numbersAs<uint16_t>(numbers), spec);
    case ttnn::DataType::UINT8:
      return ttnn::Tensor::from_vector(numbersAs<uint8_t>(numbers), spec);
    default:
      return ttnn::Tensor::from_vector(numbersAs<float>(numbers), spec);
    }
  }();
  return device ? made.to_device(device, ttnn::DRAM_MEMORY_CONFIG) : made;
}

template <typename T>
std::vector<double> numbersFrom(const std::vector<T> &numbers) {
  return std::vector<double>(numbers.begin(), numbers.end());
}

/// The numbers of a tensor of the host.
std::vector<double> numbersOf(const ttnn::Tensor &tensor) {
  switch (tensor.dtype()) {
  case ttnn::DataType::INT32:
    return numbersFrom(tensor.to_vector<int32_t>());
  case ttnn::DataType::UINT32:
    return numbersFrom(tensor.to_vector<uint32_t>());
  case ttnn::DataType::UINT16:
    return numbersFrom(tensor.to_vector<uint16_t>());
  case ttnn::DataType::UINT8:
    return numbersFrom(tensor.to_vector<uint8_t>());
  default:
    return numbersFrom(tensor.to_vector<float>());
  }
}
)cpp";

const char kProgramMain[] = R"cpp(struct Arguments {
  std::vector<std::string> inputs, outputs, expected, functions;
  uint64_t seed = 1;
  int repeat = 1;
  double pcc = 0.999, error = 0.05;
};

constexpr char kUsage[] =
    "  --input=F.npy     a file for each input in order; the rest is made from the seed\n"
    "  --output=F.npy    a file to write each output to, in order\n"
    "  --expected=F.npy  a file to compare each output with, in order\n"
    "  --function=NAME   what to run; without, all functions in order\n"
    "  --seed=N          of the inputs that are made\n"
    "  --repeat=N        how often to run\n"
    "  --pcc=X           the least correlation (0.999)\n"
    "  --error=X         the largest error, root mean square over that of the numbers (0.05)\n";

/// The arguments, or nothing where the usage was asked for.
std::optional<Arguments> parseArguments(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    if (text == "--help")
      return std::nullopt;
    size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (name == "--input")
      arguments.inputs.push_back(value);
    else if (name == "--output")
      arguments.outputs.push_back(value);
    else if (name == "--expected")
      arguments.expected.push_back(value);
    else if (name == "--function")
      arguments.functions.push_back(value);
    else if (name == "--seed")
      arguments.seed = std::stoull(value);
    else if (name == "--repeat")
      arguments.repeat = std::max(1, std::stoi(value));
    else if (name == "--pcc")
      arguments.pcc = std::stod(value);
    else if (name == "--error")
      arguments.error = std::stod(value);
    else
      throw std::invalid_argument("expects options of --help, but got '" + text + "'");
  }
  return arguments;
}

/// The next of the files, or nothing behind the last.
class Files {
public:
  explicit Files(const std::vector<std::string> &paths) : paths(paths) {}
  const std::string *next() { return at < paths.size() ? &paths[at++] : nullptr; }

private:
  const std::vector<std::string> &paths;
  size_t at = 0;
};

/// The mesh, open for as long as this lives, and the fabric with it.
class OpenMesh {
public:
  OpenMesh() {
    tt::tt_fabric::SetFabricConfig(kFabric);
    device = ttnn::distributed::open_mesh_device(
        kMesh, DEFAULT_L1_SMALL_SIZE, DEFAULT_TRACE_REGION_SIZE, /*num_command_queues=*/1,
        ttnn::device::create_cluster_aware_dispatch_config());
  }
  ~OpenMesh() {
    ttnn::distributed::close_mesh_device(device);
    tt::tt_fabric::SetFabricConfig(tt::tt_fabric::FabricConfig::DISABLED);
  }
  OpenMesh(const OpenMesh &) = delete;
  OpenMesh &operator=(const OpenMesh &) = delete;

  std::shared_ptr<ttnn::MeshDevice> device;
};

/// The shape that a tensor has in a file: what differs by device has one more
/// dimension in front, the devices row by row.
std::vector<uint32_t> fileShape(const Port &port) {
  std::vector<uint32_t> shape = port.shape;
  if (port.place == Place::Devices)
    shape.insert(shape.begin(), kMesh[0] * kMesh[1]);
  return shape;
}

/// A tensor from a file, or of seeded numbers: normal ones, and zeros where
/// numbers count something.
ttnn::Tensor makeInput(ttnn::MeshDevice &device, const Port &port, const std::string *path,
                       std::mt19937_64 &generator) {
  Array array;
  if (path) {
    array = readNpy(*path);
  } else {
    array.shape = fileShape(port);
    size_t count = 1;
    for (uint32_t size : array.shape)
      count *= size;
    array.numbers.resize(count);
    std::normal_distribution<double> normal;
    if (port.type == ttnn::DataType::BFLOAT16 || port.type == ttnn::DataType::FLOAT32)
      for (double &number : array.numbers)
        number = normal(generator);
  }
  if (array.shape != fileShape(port))
    throw std::runtime_error("expects " + describe(fileShape(port)) + ", but got " +
                             describe(array.shape) + (path ? " in '" + *path + "'" : ""));
  ttnn::Shape shape(ttsl::SmallVector<uint32_t>(port.shape.begin(), port.shape.end()));
  if (port.place != Place::Devices)
    return tensorOf(array.numbers, shape, port.type,
                    port.place == Place::EveryDevice ? &device : nullptr);
  std::vector<ttnn::Tensor> shards;
  size_t size = array.numbers.size() / array.shape[0];
  for (uint32_t i = 0; i < array.shape[0]; ++i) {
    auto begin = array.numbers.begin() + static_cast<std::ptrdiff_t>(i * size);
    shards.push_back(tensorOf(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size)),
                              shape, port.type));
  }
  return ttnn::distributed::from_host_shards(shards, kMesh)
      .to_device(&device, ttnn::DRAM_MEMORY_CONFIG);
}

/// The numbers of a result, in the shape that files have.
Array fetch(const ttnn::Tensor &tensor, const Port &port) {
  Array array{fileShape(port), {}};
  if (port.place == Place::Host) {
    array.numbers = numbersOf(tensor);
    return array;
  }
  for (const ttnn::Tensor &part : ttnn::distributed::get_device_tensors(tensor.cpu())) {
    std::vector<double> numbers = numbersOf(part);
    array.numbers.insert(array.numbers.end(), numbers.begin(), numbers.end());
    if (port.place == Place::EveryDevice)
      break;
  }
  return array;
}

/// The correlation with what is expected, and the root of the mean square of
/// the errors over that of the numbers.
std::pair<double, double> compare(const std::vector<double> &found,
                                  const std::vector<double> &expected) {
  double count = static_cast<double>(found.size()), foundSum = 0, expectedSum = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    foundSum += found[i];
    expectedSum += expected[i];
  }
  double both = 0, foundSquares = 0, expectedSquares = 0, errors = 0, squares = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    double x = found[i] - foundSum / count, y = expected[i] - expectedSum / count;
    both += x * y;
    foundSquares += x * x;
    expectedSquares += y * y;
    errors += (found[i] - expected[i]) * (found[i] - expected[i]);
    squares += expected[i] * expected[i];
  }
  double error = std::sqrt(errors / (squares > 0 ? squares : count));
  if (foundSquares == 0 || expectedSquares == 0)
    return {error == 0 ? 1.0 : 0.0, error};
  return {both / std::sqrt(foundSquares * expectedSquares), error};
}

/// Prints what is to be said of one result; whether it is right.
bool judge(const std::string &name, const Array &found, const std::string *path,
           const Arguments &arguments) {
  bool finite = std::all_of(found.numbers.begin(), found.numbers.end(),
                            [](double x) { return std::isfinite(x); });
  std::printf("%s: %s: ", name.c_str(), describe(found.shape).c_str());
  if (!path) {
    std::printf("%s\n", finite ? "finite, compared with nothing" : "NOT FINITE");
    return finite;
  }
  Array expected = readNpy(*path);
  if (expected.shape != found.shape) {
    std::printf("WRONG, %s has %s\n", path->c_str(), describe(expected.shape).c_str());
    return false;
  }
  auto [pcc, error] = compare(found.numbers, expected.numbers);
  bool right = finite && pcc >= arguments.pcc && error <= arguments.error;
  std::printf("pcc %.6f, error %.2e: %s\n", pcc, error, right ? "right" : "WRONG");
  return right;
}

/// The functions that the arguments ask for.
std::vector<const Function *> chosenFunctions(const Arguments &arguments) {
  std::vector<const Function *> chosen;
  for (const Function &function : kFunctions)
    if (arguments.functions.empty())
      chosen.push_back(&function);
  for (const std::string &name : arguments.functions) {
    auto found = std::find_if(kFunctions.begin(), kFunctions.end(),
                              [&](const Function &function) { return function.name == name; });
    if (found == kFunctions.end())
      throw std::invalid_argument("expects a function of the program, but got '" + name + "'");
    chosen.push_back(&*found);
  }
  size_t inputs = 0, outputs = 0;
  for (const Function *function : chosen) {
    inputs += function->inputs.size();
    outputs += function->outputs.size();
  }
  if (arguments.inputs.size() > inputs || arguments.outputs.size() > outputs ||
      arguments.expected.size() > outputs)
    throw std::invalid_argument("expects at most " + std::to_string(inputs) + " inputs and " +
                                std::to_string(outputs) + " outputs");
  return chosen;
}

/// Runs what the arguments ask for; whether all results are right.
bool runAll(const Arguments &arguments) {
  std::vector<const Function *> functions = chosenFunctions(arguments);
  Files inputs(arguments.inputs), outputs(arguments.outputs), expected(arguments.expected);
  std::mt19937_64 generator(arguments.seed);
  OpenMesh mesh;
  ttnn::MeshDevice &device = *mesh.device;
  Rings rings(device);
  bool right = true;
  for (const Function *function : functions) {
    std::vector<ttnn::Tensor> given, results;
    for (const Port &port : function->inputs)
      given.push_back(makeInput(device, port, inputs.next(), generator));
    tt::tt_metal::distributed::Synchronize(device, std::nullopt);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < arguments.repeat; ++i)
      results = function->run(device, rings, given);
    tt::tt_metal::distributed::Synchronize(device, std::nullopt);
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("%s: %.3f s\n", function->name.c_str(), taken.count() / arguments.repeat);
    for (size_t i = 0; i < results.size(); ++i) {
      Array array = fetch(results[i], function->outputs[i]);
      if (const std::string *path = outputs.next())
        writeNpy(*path, array);
      right &= judge(function->name + " out" + std::to_string(i), array, expected.next(), arguments);
    }
  }
  return right;
}

} // namespace

int main(int argc, char **argv) {
  try {
    std::optional<Arguments> arguments = parseArguments(argc, argv);
    if (!arguments) {
      std::printf("usage: %s [OPTIONS]\n%s", argv[0], kUsage);
      return 0;
    }
    bool right = runAll(*arguments);
    std::printf("%s\n", right ? "passed" : "FAILED");
    return right ? 0 : 1;
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
}
)cpp";

} // namespace mlir::ring

// SPDX-License-Identifier: Apache-2.0
// Runs launches one after the other and checks each of them; files and numbers
// for what the function takes and gives.

#ifndef RING_METALIUM_PROGRAM_H
#define RING_METALIUM_PROGRAM_H

#include "Launch.h"
#include "Reference.h"
#include "Tiles.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace ring {

/// The mesh with what has been found out on it.
class Runner {
public:
  Runner(uint32_t rows, uint32_t columns, bool closes) : columns(columns) {
    if (rows * columns > 1)
      tt::tt_fabric::SetFabricConfig(
          closes ? tt::tt_fabric::FabricConfig::FABRIC_1D_RING
                 : tt::tt_fabric::FabricConfig::FABRIC_1D);
    mesh = MeshDevice::create(MeshDeviceConfig(MeshShape(rows, columns)));
  }
  ~Runner() { mesh->close(); }
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Runs a launch and holds it to the reference: output and log-sum-exps.
  std::vector<Shards> launch(const LaunchTable &table,
                             const std::vector<Shards> &inputs) {
    Launch launch(*mesh, columns, table);
    const size_t devices = table.devices.size();
    const std::vector<uint32_t> shape = inputs[table.queries.input][0].shape;
    for (size_t device = 0; device < devices; ++device) {
      auto write = [&](const Input &input, uint32_t rows) {
        launch.write(input.buffer, device,
                     tilesOf(inputs[input.input][device], rows));
      };
      write(table.queries, table.queryRows);
      for (const Store &store : table.stores) {
        write(store.keys, store.rows);
        write(store.values, store.rows);
      }
      for (const Input &sink : table.sinks)
        launch.write(sink.buffer, device,
                     sinkTilesOf(inputs[sink.input][device], shape[0], shape[1],
                                 table.scale));
    }
    for (const Mask &mask : table.masks)
      for (size_t device = 0; device < devices; ++device)
        launch.write(mask.tensor.buffer, device,
                     maskTilesOf(inputs[mask.tensor.input][device], mask.parts,
                                 table.scale));
    launch.run();

    std::vector<Shards> results(2);
    for (size_t device = 0; device < devices; ++device) {
      results[0].push_back(
          fromTiles(launch.read(table.outputs, device),
                    {shape[0], shape[1], shape[2], table.valueDim},
                    table.queryRows, table.valueDim, table.wideOutputs));
      results[1].push_back(fromTiles(launch.read(table.logSums, device),
                                     {shape[0], shape[1], shape[2], 1},
                                     table.queryRows, 32, true));
      // What the kernels leave for rows without keys.
      for (double &number : results[1].back().numbers)
        if (number < -0x1p65 * table.scale)
          number = -INFINITY;
    }
    check(table, inputs, results);
    return results;
  }

  bool passed() const { return right; }

private:
  void check(const LaunchTable &table, const std::vector<Shards> &inputs,
             const std::vector<Shards> &results) {
    const Reference reference(table, inputs);
    double squares = 0, wrong = 0, worst = 0, worstLogSum = 0;
    for (size_t device = 0; device < table.devices.size(); ++device) {
      const Array &outputs = results[0][device];
      const uint32_t rows = outputs.shape[2];
      for (uint32_t head = 0; head < outputs.shape[0] * outputs.shape[1];
           ++head)
        for (uint32_t row = 0; row < rows; ++row) {
          const ReferenceRow expected = reference.row(device, head, row);
          const size_t number = size_t{head} * rows + row;
          for (uint32_t d = 0; d < table.valueDim; ++d) {
            const double off = outputs.numbers[number * table.valueDim + d] -
                               expected.output[d];
            squares += expected.output[d] * expected.output[d];
            wrong += off * off;
            worst =
                std::isfinite(off) ? std::max(worst, std::fabs(off)) : INFINITY;
          }
          const double logSum = results[1][device].numbers[number];
          const double off = logSum == expected.logSum
                                 ? 0
                                 : std::fabs(logSum - expected.logSum);
          worstLogSum =
              std::isfinite(off) ? std::max(worstLogSum, off) : INFINITY;
        }
    }
    // Where nobody sees a key all is 0.
    const double relative = std::sqrt(wrong / (squares > 0 ? squares : 1));
    const bool passes =
        std::isfinite(relative) && relative < 0.02 && worstLogSum < 0.05;
    std::printf("%s: %s: relative rms %.3g, worst %.3g, worst log-sum-exp "
                "%.3g\n",
                passes ? "passed" : "FAILED", table.name, relative, worst,
                worstLogSum);
    right &= passes;
  }

  std::shared_ptr<MeshDevice> mesh;
  uint32_t columns;
  bool right = true;
};

/// What a function takes or gives.
struct Port {
  std::vector<uint32_t> shape; ///< with the devices in front, if it has one
  bool wide;                   ///< f32, else bf16
};

struct Function {
  std::string name;
  uint32_t rows, columns; ///< of the mesh
  bool closes;            ///< whether transfers go round the mesh's ends
  std::vector<Port> inputs, outputs;
  std::vector<Array> (*run)(Runner &, const std::vector<Array> &);
};

inline void printUsage(const char *program, const Function &function) {
  std::printf("usage: %s [OPTIONS]\nruns %s on a mesh of %u x %u\n"
              "  --input=F.npy   a file for each input in order; the rest is "
              "drawn by the seed\n"
              "  --output=F.npy  a file to write each output to, in order\n"
              "  --seed=N        of the inputs that are drawn (1)\n",
              program, function.name.c_str(), function.rows, function.columns);
  for (const auto *ports : {&function.inputs, &function.outputs})
    for (size_t i = 0; i < ports->size(); ++i)
      std::printf("%s %zu: %s %s\n",
                  ports == &function.inputs ? "input" : "output", i,
                  describe((*ports)[i].shape).c_str(),
                  (*ports)[i].wide ? "f32" : "bf16");
}

inline Array inputOf(const Port &port, const std::string *path,
                     std::mt19937_64 &generator) {
  Array array;
  if (path) {
    array = readNpy(*path);
  } else {
    array.shape = port.shape;
    std::normal_distribution<double> normal;
    for (size_t i = 0; i < countOf(port.shape); ++i)
      array.numbers.push_back(normal(generator));
  }
  if (array.shape != port.shape)
    throw std::runtime_error("expects " + describe(port.shape) + ", but got " +
                             describe(array.shape) + " in '" + *path + "'");
  return port.wide ? array : rounded(array);
}

inline int runFunction(const Function &function, int argc, char **argv) {
  std::vector<std::string> inputs, outputs;
  uint64_t seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text == "--help") {
      printUsage(argv[0], function);
      return 0;
    }
    if (text.rfind("--input=", 0) == 0)
      inputs.push_back(text.substr(8));
    else if (text.rfind("--output=", 0) == 0)
      outputs.push_back(text.substr(9));
    else if (text.rfind("--seed=", 0) == 0)
      seed = std::strtoull(text.c_str() + 7, nullptr, 10);
    else
      throw std::runtime_error("expects options of --help, but got '" + text +
                               "'");
  }
  if (inputs.size() > function.inputs.size() ||
      outputs.size() > function.outputs.size())
    throw std::runtime_error(
        "expects at most " + std::to_string(function.inputs.size()) +
        " inputs and " + std::to_string(function.outputs.size()) + " outputs");
  std::mt19937_64 generator(seed);
  std::vector<Array> given;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    given.push_back(inputOf(function.inputs[i],
                            i < inputs.size() ? &inputs[i] : nullptr,
                            generator));
  Runner runner(function.rows, function.columns, function.closes);
  const std::vector<Array> results = function.run(runner, given);
  for (size_t i = 0; i < outputs.size(); ++i)
    writeNpy(outputs[i], results[i]);
  return runner.passed() ? 0 : 1;
}

} // namespace ring

#endif // RING_METALIUM_PROGRAM_H

// SPDX-License-Identifier: Apache-2.0
//
// The streams that one process runs: all of a mesh, or its share of one.

#ifndef RING_RUNTIME_MESH_LOCALSTREAMS_H
#define RING_RUNTIME_MESH_LOCALSTREAMS_H

#include "Mesh/DeviceStream.h"

namespace ring::rt {

/// Sets the streams of this process up, runs them, and gives what they leave.
class LocalStreams {
public:
  /// Streams for everything that `mesh` says is here.
  explicit LocalStreams(MeshRun &mesh);

  /// Gives the streams of this process their inputs. The others' are ignored.
  Status bind(const std::vector<PortTensors> &inputs);
  /// Runs all to their ends.
  Status run();

  /// Whether `stream` is in this process.
  bool has(int64_t stream) const;
  /// A stream of this process.
  DeviceStream &at(int64_t stream);
  /// A result of a stream of this process.
  Tensor tensorOf(int64_t stream, int32_t value);

private:
  MeshRun &mesh;
  std::vector<std::unique_ptr<DeviceStream>> streams; ///< in the mesh's order
};

/// The streams that hold a value of that placement: the host, or all devices.
std::vector<int64_t> holdersOf(const Program &program, Placement placement);

/// The threads to use where the options leave it open.
int threadsOr(const RunOptions &options, int otherwise);

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_LOCALSTREAMS_H

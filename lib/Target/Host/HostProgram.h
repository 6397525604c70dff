// SPDX-License-Identifier: Apache-2.0
// A host program that calls ttnn, in no language yet: functions of calls in
// order, what they are given and give back, and what fused rings share.

#ifndef RING_LIB_TARGET_HOST_HOSTPROGRAM_H
#define RING_LIB_TARGET_HOST_HOSTPROGRAM_H

#include "Expression.h"
#include "mlir/IR/BuiltinOps.h"
#include "ring/Target/HostOptions.h"

#include <map>

namespace mlir::ring::host {

struct Statement {
  enum class Kind {
    Assign,   ///< `results` = `value`; empty names are results that nobody uses
    TakeRing, ///< results[0] = the set of ring resources whose turn it is
    Return,   ///< the variables `results`
  };
  Kind kind = Kind::Assign;
  std::vector<std::string> results;
  Expression value;
};

/// Where a tensor of a function's interface is.
enum class Place {
  Host,        ///< whole, in the host's memory
  EveryDevice, ///< whole, a copy on every device of the mesh
  Devices,     ///< something of its own on every device
};

/// A tensor that a function takes or gives.
struct Port {
  std::string name;
  std::vector<int64_t> shape;
  /// The constant of its element type.
  std::string type;
  Place place = Place::EveryDevice;
};

struct Function {
  std::string name;
  /// Why it is there, for those who read the program.
  std::string comment;
  std::vector<Port> parameters, results;
  std::vector<Statement> body;
  /// Whether the program's main function runs it.
  bool isPublic = false;
  bool takesRings = false;
};

/// What fused rings write into and synchronise with. Every call takes one of
/// two sets in turn: a neighbour may begin the next ring while this device
/// still reads from the last one.
struct RingResources {
  /// The name of each buffer, and the call that allocates it.
  std::map<std::string, Expression> buffers;
  int64_t semaphores = 0;
  /// Whether a call leaves its cores to the program.
  bool choosesCores = false;
};

/// How the devices' fabric has to be set up before the mesh is opened.
enum class Fabric { Disabled, Line, Ring };

struct HostProgram {
  std::vector<int64_t> mesh;
  Fabric fabric = Fabric::Disabled;
  /// Callees before their callers.
  std::vector<Function> functions;
  RingResources rings;
};

/// Describes the public functions of a module in TTNN and what they call. An
/// op that ttnn has no call for is an error at its location.
FailureOr<HostProgram> describeHostProgram(ModuleOp module,
                                           const HostOptions &options);

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_HOSTPROGRAM_H

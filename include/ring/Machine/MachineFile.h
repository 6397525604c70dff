// SPDX-License-Identifier: Apache-2.0
//
// Machine files: reading them, and the machines that are built in. The format
// is described in docs/MachineModel.md.

#ifndef RING_MACHINE_MACHINEFILE_H
#define RING_MACHINE_MACHINEFILE_H

#include "ring/Machine/Machine.h"

namespace ring::machine {

/// A machine, or why there is none: "file:line: expects ..., but got ...".
struct MachineOrError {
  std::optional<Machine> machine;
  std::string error; ///< empty if there is a machine

  explicit operator bool() const { return machine.has_value(); }
  const Machine &operator*() const { return *machine; }
  const Machine *operator->() const { return &*machine; }
};

/// The machine of a text; `file` is its name in errors.
MachineOrError parseMachine(const std::string &text, const std::string &file);

/// A built-in machine by its name, or a file by its path. A name has neither
/// '/' nor '.'. The error for "help" is the table of all machines.
MachineOrError loadMachine(const std::string &nameOrPath);

/// The names of the built-in machines, in alphabetical order.
std::vector<std::string> builtInMachines();

/// A line for each of them: name, chips, mesh and description.
std::string machineTable();

} // namespace ring::machine

#endif // RING_MACHINE_MACHINEFILE_H

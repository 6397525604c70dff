// SPDX-License-Identifier: Apache-2.0
//
// A program as text, for people.

#include "ring-runtime/Program.h"

#include <cmath>
#include <sstream>

namespace ring::rt {

namespace {

template <typename T>
void printList(std::ostream &out, const std::vector<T> &list) {
  out << "[";
  for (size_t i = 0; i < list.size(); ++i)
    out << (i ? ", " : "") << list[i];
  out << "]";
}

void print(std::ostream &out, const Attribute &attribute) {
  if (auto *value = std::get_if<int64_t>(&attribute))
    out << *value;
  else if (auto *value = std::get_if<double>(&attribute))
    out << *value << (std::floor(*value) == *value ? ".0" : "");
  else if (auto *value = std::get_if<std::string>(&attribute))
    out << '"' << *value << '"';
  else if (auto *value = std::get_if<std::vector<int64_t>>(&attribute))
    printList(out, *value);
  else if (auto *value = std::get_if<std::vector<double>>(&attribute))
    printList(out, *value);
  else if (auto *value = std::get_if<std::vector<bool>>(&attribute))
    printList(out, *value);
}

void printOperands(std::ostream &out, const std::vector<int32_t> &operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    out << (i ? ", " : "");
    if (operands[i] == kAbsent)
      out << "-";
    else
      out << "%" << operands[i];
  }
}

} // namespace

std::string Program::text(size_t instruction) const {
  const Instruction &step = steps[instruction];
  std::ostringstream out;
  if (!step.outputs.empty()) {
    printOperands(out, step.outputs);
    out << " = ";
  }
  out << step.op;
  if (!step.inputs.empty()) {
    out << " ";
    printOperands(out, step.inputs);
  }
  if (!step.attributes.empty()) {
    out << " {";
    bool first = true;
    for (const auto &[name, attribute] : step.attributes) {
      out << (first ? "" : ", ") << name << " = ";
      print(out, attribute);
      first = false;
    }
    out << "}";
  }
  bool first = true;
  for (int32_t value : step.outputs) {
    if (value == kAbsent)
      continue;
    out << (first ? " : " : ", ") << describe(valueTypes[value]);
    first = false;
  }
  return out.str();
}

std::string Program::text() const {
  std::ostringstream out;
  out << "program \"" << title << "\" mesh " << describe(meshShape) << "\n";
  for (const Port &port : inputPorts)
    out << "input %" << port.value << " \"" << port.name
        << "\" : " << describe(valueTypes[port.value]) << "\n";
  auto composite = compositeList.begin();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (composite != compositeList.end() && composite->first == i) {
      out << "composite " << composite->name << " of " << composite->count
          << " instructions\n";
      ++composite;
    }
    out << text(i) << "\n";
  }
  for (const Port &port : outputPorts)
    out << "output %" << port.value << " \"" << port.name
        << "\" : " << describe(valueTypes[port.value]) << "\n";
  return out.str();
}

} // namespace ring::rt

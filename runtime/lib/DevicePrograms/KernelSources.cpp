// SPDX-License-Identifier: Apache-2.0
//
// Puts kernels and their headers together to one text each.

#include "ring-runtime/KernelSources.h"

#include "DeviceFiles.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace ring::rt {

namespace {

/// The text of a file of runtime/device; null if there is no such file.
const char *deviceFile(std::string_view name) {
  for (const auto &[file, text] : kDeviceFiles)
    if (name == file)
      return text;
  return nullptr;
}

/// The name in a line `#include "name"`; nothing in any other line.
std::string_view includedName(std::string_view line) {
  constexpr std::string_view start = "#include \"";
  if (line.substr(0, start.size()) != start)
    return {};
  line.remove_prefix(start.size());
  return line.substr(0, line.find('"'));
}

/// Appends a file. A header of ours takes the place of the line that includes
/// it first; lines that include it again go. Other headers are the device's.
void appendFile(std::string_view rest, std::set<std::string_view> &taken,
                std::string &text) {
  while (!rest.empty()) {
    const size_t length = rest.find('\n') + 1;
    const std::string_view line = rest.substr(0, length ? length : rest.size());
    rest.remove_prefix(line.size());
    const std::string_view name = includedName(line);
    const char *included = name.empty() ? nullptr : deviceFile(name);
    if (!included)
      text += line;
    else if (taken.insert(name).second)
      appendFile(included, taken, text);
  }
}

} // namespace

Result<std::string> kernelText(const std::string &source,
                               const std::vector<std::string> &defines) {
  const char *kernel = deviceFile(source);
  if (!kernel)
    return error("expects a kernel of runtime/device, but got '", source, "'");
  std::string text;
  for (const std::string &define : defines) {
    const size_t equals = define.find('=');
    text += "#define " + define.substr(0, equals) + " ";
    // As a compiler's -D has it.
    text += equals == std::string::npos ? "1" : define.substr(equals + 1);
    text += "\n";
  }
  std::set<std::string_view> taken;
  appendFile(kernel, taken, text);
  return text;
}

std::string withoutComments(const std::string &text) {
  std::string shorter;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    line = line.substr(0, line.find("//"));
    const size_t end = line.find_last_not_of(" \t");
    if (end == std::string_view::npos)
      continue;
    shorter += line.substr(0, end + 1);
    shorter += '\n';
  }
  return shorter;
}

} // namespace ring::rt

// SPDX-License-Identifier: Apache-2.0
//
// Files of a command line that must not be the same, however they are written:
// a report in place of the model is lost work.

#include "ring-runtime/Tooling.h"

#include <filesystem>

namespace ring::rt::tooling {

namespace {

namespace fs = std::filesystem;

/// What lies there is a device, or a file that a shell has opened: written to,
/// not replaced.
bool isDevice(const std::string &path) { return path.rfind("/dev/", 0) == 0; }

/// Whether both are one file, or will be.
bool isSame(const std::string &a, const std::string &b) {
  if (a.empty() || b.empty() || isDevice(a) || isDevice(b))
    return false;
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error))
    return fs::equivalent(a, b, error) && fs::is_regular_file(a, error);
  fs::path one = fs::weakly_canonical(fs::absolute(a, error), error);
  return !error && one == fs::weakly_canonical(fs::absolute(b, error), error);
}

} // namespace

Status checkApart(const std::vector<std::string> &read,
                  const std::vector<NamedFile> &written) {
  for (size_t i = 0; i < written.size(); ++i) {
    const auto &[option, path] = written[i];
    auto refuse = [&, &option = option, &path = path](const std::string &why) {
      return error("expects a file of its own for ", option, ", but got '",
                   path, "', which ", why);
    };
    std::error_code ignored;
    for (const std::string &source : read)
      // The name of a machine is none of a file.
      if (fs::exists(source, ignored) && isSame(source, path))
        return refuse("is read");
    for (size_t other = 0; other < i; ++other)
      if (isSame(written[other].path, path))
        return refuse(written[other].option + " names too");
  }
  return Status::success();
}

} // namespace ring::rt::tooling

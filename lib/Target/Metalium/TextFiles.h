// SPDX-License-Identifier: Apache-2.0
// The files of a program.

#ifndef RING_LIB_TARGET_METALIUM_TEXTFILES_H
#define RING_LIB_TARGET_METALIUM_TEXTFILES_H

#include <string>
#include <vector>

namespace mlir::ring {

struct TextFile {
  std::string path; ///< in the folder
  std::string text;
};

using TextFiles = std::vector<TextFile>;

} // namespace mlir::ring

#endif // RING_LIB_TARGET_METALIUM_TEXTFILES_H

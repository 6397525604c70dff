# SPDX-License-Identifier: Apache-2.0
# Stands in for the package of TT-NN: our own declarations of it, and nothing to
# link with.
add_library(TTNN::TTNN INTERFACE IMPORTED)
set_target_properties(TTNN::TTNN PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${TTNN_DECLARATIONS}")

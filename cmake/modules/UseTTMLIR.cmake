# SPDX-License-Identifier: Apache-2.0
# Compiles against a real tt-mlir in place of the compatible subset. RING_TTMLIR_DIR is the build
# or the install tree of one. Afterwards its headers come before ours, and the targets
# MLIRTTCoreDialect, MLIRTTIRDialect, MLIRTTNNDialect and MLIRTTMetalDialect are its libraries.

set(ring_ttmlir_dialects TTCore TTIR TTNN TTMetal)

# A build tree has the generated headers only; the rest are in the source tree that its cache names.
set(ring_ttmlir_include_dirs ${RING_TTMLIR_DIR}/include)
if(EXISTS ${RING_TTMLIR_DIR}/CMakeCache.txt)
  file(STRINGS ${RING_TTMLIR_DIR}/CMakeCache.txt ring_ttmlir_home
       REGEX "^CMAKE_HOME_DIRECTORY:INTERNAL=")
  string(REPLACE "CMAKE_HOME_DIRECTORY:INTERNAL=" "" ring_ttmlir_home "${ring_ttmlir_home}")
  list(APPEND ring_ttmlir_include_dirs ${ring_ttmlir_home}/include)
endif()

foreach(dialect ${ring_ttmlir_dialects})
  foreach(header ${dialect}.h ${dialect}Ops.h ${dialect}Ops.h.inc ${dialect}OpsDialect.h.inc)
    unset(ring_ttmlir_found CACHE)
    find_path(ring_ttmlir_found ttmlir/Dialect/${dialect}/IR/${header}
              PATHS ${ring_ttmlir_include_dirs} NO_DEFAULT_PATH)
    if(NOT ring_ttmlir_found)
      message(FATAL_ERROR
        "RING_TTMLIR_DIR expects a tt-mlir build or install tree with the header "
        "ttmlir/Dialect/${dialect}/IR/${header}, but ${RING_TTMLIR_DIR} has none "
        "(looked in: ${ring_ttmlir_include_dirs})")
    endif()
  endforeach()
endforeach()
unset(ring_ttmlir_found CACHE)
include_directories(BEFORE ${ring_ttmlir_include_dirs})

# The package that tt-mlir installs knows what its libraries depend on. It puts them in a namespace;
# the exports of a build tree do not.
find_package(TTMLIR QUIET CONFIG PATHS ${RING_TTMLIR_DIR}/lib/cmake/ttmlir NO_DEFAULT_PATH)
foreach(dialect ${ring_ttmlir_dialects})
  set(library MLIR${dialect}Dialect)
  if(TARGET ${library})
    continue()
  endif()
  if(TARGET TTMLIR::${library})
    add_library(${library} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(${library} INTERFACE TTMLIR::${library})
    continue()
  endif()
  # Without the package there is the archive, and what the dialects need of each other.
  unset(ring_ttmlir_archive CACHE)
  find_library(ring_ttmlir_archive ${library} PATHS ${RING_TTMLIR_DIR}/lib NO_DEFAULT_PATH)
  if(NOT ring_ttmlir_archive)
    message(FATAL_ERROR
      "RING_TTMLIR_DIR expects a tt-mlir build or install tree with the library ${library}, but "
      "${RING_TTMLIR_DIR} has neither the target in lib/cmake/ttmlir nor the archive in lib")
  endif()
  add_library(${library} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${library} PROPERTIES IMPORTED_LOCATION ${ring_ttmlir_archive})
  if(NOT dialect STREQUAL TTCore)
    target_link_libraries(${library} INTERFACE MLIRTTCoreDialect)
  endif()
endforeach()
unset(ring_ttmlir_archive CACHE)

# Targets of ours name these as dependencies; a real tt-mlir has generated its headers already.
foreach(dialect ${ring_ttmlir_dialects})
  if(NOT TARGET MLIR${dialect}OpsIncGen)
    add_custom_target(MLIR${dialect}OpsIncGen)
  endif()
endforeach()
message(STATUS "Using tt-mlir from ${RING_TTMLIR_DIR}")

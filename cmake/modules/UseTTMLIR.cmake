# SPDX-License-Identifier: Apache-2.0
# Compiles against a real tt-mlir in place of the compatible subset. RING_TTMLIR_DIR is the build
# or the install tree of one. Afterwards its headers are on the path, the targets MLIRTTCoreDialect,
# MLIRTTIRDialect, MLIRTTNNDialect, MLIRTTKernelDialect and MLIRTTMetalDialect are its libraries, and
# RingTTMLIR is all of it: dialects, passes, pipelines and translations.

set(ring_ttmlir_dialects TTCore TTIR TTNN TTMetal)

# A build tree has the generated headers only; the rest are in the source tree that its cache names.
set(ring_ttmlir_include_dirs ${RING_TTMLIR_DIR}/include)
if(EXISTS ${RING_TTMLIR_DIR}/CMakeCache.txt)
  file(STRINGS ${RING_TTMLIR_DIR}/CMakeCache.txt ring_ttmlir_home
       REGEX "^CMAKE_HOME_DIRECTORY:INTERNAL=")
  string(REPLACE "CMAKE_HOME_DIRECTORY:INTERNAL=" "" ring_ttmlir_home "${ring_ttmlir_home}")
  list(APPEND ring_ttmlir_include_dirs ${ring_ttmlir_home}/include)
endif()

set(ring_ttmlir_headers ttmlir/RegisterAll.h ttmlir/Dialect/TTKernel/IR/TTKernel.h)
foreach(dialect ${ring_ttmlir_dialects})
  foreach(header ${dialect}.h ${dialect}Ops.h ${dialect}Ops.h.inc ${dialect}OpsDialect.h.inc)
    list(APPEND ring_ttmlir_headers ttmlir/Dialect/${dialect}/IR/${header})
  endforeach()
endforeach()
foreach(header ${ring_ttmlir_headers})
  unset(ring_ttmlir_found CACHE)
  find_path(ring_ttmlir_found ${header} PATHS ${ring_ttmlir_include_dirs} NO_DEFAULT_PATH)
  if(NOT ring_ttmlir_found)
    message(FATAL_ERROR
      "RING_TTMLIR_DIR expects a tt-mlir build or install tree with the header ${header}, but "
      "${RING_TTMLIR_DIR} has none (looked in: ${ring_ttmlir_include_dirs})")
  endif()
endforeach()
unset(ring_ttmlir_found CACHE)
# As system headers: their warnings are not ours to mend.
include_directories(SYSTEM ${ring_ttmlir_include_dirs})

# Either tree lists its libraries, with what they depend on, in one file: the build tree by their
# names, the install tree in a namespace. They may name Python, which some passes call, and the
# linker, which it makes libraries with.
set(ring_ttmlir_targets ${RING_TTMLIR_DIR}/lib/cmake/ttmlir/TTMLIRTargets.cmake)
if(NOT EXISTS ${ring_ttmlir_targets})
  message(FATAL_ERROR
    "RING_TTMLIR_DIR expects a tt-mlir build or install tree with its list of libraries, but there "
    "is no ${ring_ttmlir_targets}")
endif()
find_package(Python3 QUIET COMPONENTS Interpreter Development)
find_package(LLD QUIET CONFIG HINTS ${LLVM_DIR}/../lld)
include(${ring_ttmlir_targets})

# ring_find_ttmlir(<library> <variable>): the target of that name, or nothing.
function(ring_find_ttmlir library variable)
  foreach(name ${library} TTMLIR::${library})
    if(TARGET ${name})
      set(${variable} ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${variable} "" PARENT_SCOPE)
endfunction()

foreach(dialect ${ring_ttmlir_dialects} TTKernel)
  set(library MLIR${dialect}Dialect)
  ring_find_ttmlir(${library} found)
  if(NOT found)
    message(FATAL_ERROR
      "RING_TTMLIR_DIR expects a tt-mlir build or install tree with the library ${library}, but "
      "${ring_ttmlir_targets} does not list it")
  endif()
  if(NOT found STREQUAL library)
    add_library(${library} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(${library} INTERFACE ${found})
  endif()
  # Targets of ours name these as dependencies; a real tt-mlir has generated its headers already.
  add_custom_target(MLIR${dialect}OpsIncGen)
endforeach()

# What registers everything is an archive of its own, which a build tree does not list.
add_library(RingTTMLIR INTERFACE IMPORTED GLOBAL)
ring_find_ttmlir(TTMLIRCompilerStatic ring_ttmlir_all)
if(NOT ring_ttmlir_all)
  unset(ring_ttmlir_archive CACHE)
  find_library(ring_ttmlir_archive TTMLIRCompilerStatic PATHS ${RING_TTMLIR_DIR}/lib NO_DEFAULT_PATH)
  if(NOT ring_ttmlir_archive)
    message(FATAL_ERROR
      "RING_TTMLIR_DIR expects a tt-mlir build or install tree with the library "
      "TTMLIRCompilerStatic, but ${RING_TTMLIR_DIR} has none in lib")
  endif()
  file(STRINGS ${ring_ttmlir_targets} ring_ttmlir_lines REGEX "^add_library\\(")
  foreach(line ${ring_ttmlir_lines})
    string(REGEX REPLACE "^add_library\\(([^ ]+) .*" "\\1" name "${line}")
    list(APPEND ring_ttmlir_all ${name})
  endforeach()
  list(PREPEND ring_ttmlir_all ${ring_ttmlir_archive})
  unset(ring_ttmlir_archive CACHE)
endif()
if(TARGET Python3::Python)
  list(APPEND ring_ttmlir_all Python3::Python)
endif()
# It registers much of MLIR too. Of this, what tests and executes would bring libMLIR.so as well.
foreach(kind DIALECT CONVERSION EXTENSION TRANSLATION)
  get_property(ring_mlir_libs GLOBAL PROPERTY MLIR_${kind}_LIBS)
  list(FILTER ring_mlir_libs EXCLUDE REGEX "Test|ExecutionEngine|JitRunner|^Ring|^MLIRTT")
  list(APPEND ring_ttmlir_all ${ring_mlir_libs})
endforeach()
target_link_libraries(RingTTMLIR INTERFACE ${ring_ttmlir_all})
message(STATUS "Using tt-mlir from ${RING_TTMLIR_DIR}")

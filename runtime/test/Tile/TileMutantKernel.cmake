# SPDX-License-Identifier: Apache-2.0
#
# Kernels with one mistake each, made from the real ones when the build is
# configured: the kernels themselves know nothing of tests.

# Compiles `source` of runtime/device with `old` replaced by `new`, as the
# function ring_kernel_<name>. `old` must stand exactly once there or in
# ComputeTiles.h, which the text includes. Defines may follow.
function(ring_tile_mutant objects name source old new)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${RING_DEVICE_DIR}/${source})
  file(READ ${RING_DEVICE_DIR}/${source} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${RING_DEVICE_DIR}/ComputeTiles.h)
  file(READ ${RING_DEVICE_DIR}/ComputeTiles.h tiles)
  string(REPLACE "#include \"ComputeTiles.h\"\n" "${tiles}" text "${text}")
  string(FIND "${text}" "${old}" first)
  string(FIND "${text}" "${old}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name} expects its text once in ${source}")
  endif()
  string(REPLACE "${old}" "${new}" text "${text}")
  set(mutant ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}.cpp)
  file(CONFIGURE OUTPUT ${mutant} CONTENT "${text}" @ONLY)
  set(target RingTileMutant${name})
  add_library(${target} OBJECT ${mutant})
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_compile_definitions(${target} PRIVATE
    kernel_main=ring_kernel_${name} ${ARGN})
  target_compile_options(${target} PRIVATE -O1 -w)
  target_include_directories(${target} PRIVATE ${RING_DEVICE_DIR}
    ${RING_TILE_DIR} ${RING_TILE_DIR}/include)
  set(${objects} ${${objects}} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY RING_TILE_MUTANTS ${name})
endfunction()

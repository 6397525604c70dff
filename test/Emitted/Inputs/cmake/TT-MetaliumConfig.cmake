# SPDX-License-Identifier: Apache-2.0
# TT-Metalium as a package of our own: its calls on the tile machine of
# RING_BUILD, from the sources in RING_SOURCE.
add_library(TT::Metalium INTERFACE IMPORTED)
target_include_directories(TT::Metalium INTERFACE
  ${CMAKE_CURRENT_LIST_DIR}/../metalium ${RING_SOURCE}/runtime/include ${RING_SOURCE}/include)
find_package(Threads REQUIRED)
target_link_libraries(TT::Metalium INTERFACE
  ${RING_BUILD}/lib/libRingTile.a ${RING_BUILD}/lib/libRingDevicePrograms.a
  ${RING_BUILD}/lib/libRingPositions.a Threads::Threads)

# SPDX-License-Identifier: Apache-2.0
# `cmake --install` gives a package that another project finds with find_package(RingMLIR).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(ring_libraries GLOBAL PROPERTY RING_LIBRARIES)
get_property(ring_tools GLOBAL PROPERTY RING_TOOLS)
get_property(ring_plugins GLOBAL PROPERTY RING_PLUGINS)

foreach(library ${ring_libraries})
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
install(TARGETS ${ring_libraries} EXPORT RingMLIRTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${ring_tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${ring_plugins} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

if(TARGET RingCompilerC)
  install(TARGETS RingCompilerC EXPORT RingMLIRTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ring-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

set(ring_headers ring)
if(NOT RING_TTMLIR_DIR)
  list(APPEND ring_headers subset/ttmlir)
endif()
foreach(headers ${ring_headers})
  foreach(root ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    install(DIRECTORY ${root}/include/${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
            PATTERN "CMakeFiles" EXCLUDE)
  endforeach()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/RingMLIR)
install(EXPORT RingMLIRTargets NAMESPACE RingMLIR:: DESTINATION ${package_dir})
configure_package_config_file(${RING_CMAKE_DIR}/RingMLIRConfig.cmake.in
  ${PROJECT_BINARY_DIR}/RingMLIRConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RingMLIRConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RingMLIRConfig.cmake
              ${PROJECT_BINARY_DIR}/RingMLIRConfigVersion.cmake
        DESTINATION ${package_dir})

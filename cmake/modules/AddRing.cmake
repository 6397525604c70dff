# SPDX-License-Identifier: Apache-2.0
# Thin wrappers over MLIR's CMake functions, so that each CMakeLists.txt below says only what is
# special about its directory.

# add_ring_dialect(<Stem> <namespace>): ops and types of one dialect from <Stem>Ops.td. Optional
# arguments after the namespace name what else it has: ATTRS ENUMS OP_INTERFACES ATTR_INTERFACES.
function(add_ring_dialect stem namespace)
  cmake_parse_arguments(ARG "ATTRS;ENUMS;OP_INTERFACES;ATTR_INTERFACES" "" "" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${stem}Ops.td)
  mlir_tablegen(${stem}Ops.h.inc -gen-op-decls -dialect=${namespace})
  mlir_tablegen(${stem}Ops.cpp.inc -gen-op-defs -dialect=${namespace})
  mlir_tablegen(${stem}Dialect.h.inc -gen-dialect-decls -dialect=${namespace})
  mlir_tablegen(${stem}Dialect.cpp.inc -gen-dialect-defs -dialect=${namespace})
  mlir_tablegen(${stem}Types.h.inc -gen-typedef-decls -typedefs-dialect=${namespace})
  mlir_tablegen(${stem}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${namespace})
  if(ARG_ATTRS)
    mlir_tablegen(${stem}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${namespace})
    mlir_tablegen(${stem}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${namespace})
  endif()
  if(ARG_ENUMS)
    set(LLVM_TARGET_DEFINITIONS ${stem}Enums.td)
    mlir_tablegen(${stem}Enums.h.inc -gen-enum-decls)
    mlir_tablegen(${stem}Enums.cpp.inc -gen-enum-defs)
  endif()
  if(ARG_OP_INTERFACES)
    set(LLVM_TARGET_DEFINITIONS ${stem}Interfaces.td)
    mlir_tablegen(${stem}OpInterfaces.h.inc -gen-op-interface-decls)
    mlir_tablegen(${stem}OpInterfaces.cpp.inc -gen-op-interface-defs)
  endif()
  if(ARG_ATTR_INTERFACES)
    set(LLVM_TARGET_DEFINITIONS ${stem}Interfaces.td)
    mlir_tablegen(${stem}AttrInterfaces.h.inc -gen-attr-interface-decls)
    mlir_tablegen(${stem}AttrInterfaces.cpp.inc -gen-attr-interface-defs)
  endif()
  add_public_tablegen_target(MLIR${stem}IncGen)
  add_dependencies(mlir-headers MLIR${stem}IncGen)
endfunction()

# add_ring_library(<name> <sources> [DEPENDS ...] [LINK_LIBS ...] [MLIR_LIBS ...]): a static library
# of ours. MLIR_LIBS become the one libMLIR.so. Installed and exported with the package.
function(add_ring_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_mlir_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS} EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL
                   DEPENDS ${ARG_DEPENDS} LINK_LIBS PUBLIC ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY RING_LIBRARIES ${name})
endfunction()

# add_ring_tool(<name> <sources> [LINK_LIBS ...] [MLIR_LIBS ...]): an executable in build/bin that
# is installed with the package.
function(add_ring_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS} DISABLE_LLVM_LINK_LLVM_DYLIB)
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY RING_TOOLS ${name})
endfunction()

# add_ring_unittest(<Name>Tests <sources> [LINK_LIBS ...] [MLIR_LIBS ...]): a GoogleTest program in
# build/unittests that lit finds by its name.
function(add_ring_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY RING_UNIT_TESTS ${name})
endfunction()

# add_ring_passes(<Group>): the declarations of the passes in Passes.td of this directory.
function(add_ring_passes group)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name Ring${group})
  add_public_tablegen_target(Ring${group}PassIncGen)
endfunction()

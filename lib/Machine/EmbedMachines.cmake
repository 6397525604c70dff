# SPDX-License-Identifier: Apache-2.0
#
# Writes the machine files into a header, so that their names work wherever the
# tools are. cmake -DFILES=... -DOUTPUT=... -P EmbedMachines.cmake
set(text "// SPDX-License-Identifier: Apache-2.0
//
// Written by the build from machines/*.machine.
namespace ring::machine {

/// A machine file that is part of the program.
struct BuiltInMachine {
  const char *name;
  const char *text;
};

static const BuiltInMachine kBuiltInMachines[] = {
")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"machine(${content})machine\"},\n")
endforeach()
string(APPEND text "};\n\n} // namespace ring::machine\n")
file(WRITE ${OUTPUT} "${text}")

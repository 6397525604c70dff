# SPDX-License-Identifier: Apache-2.0
#
# Text files as part of a library: pages of reports, sources of device kernels.
# Included, this file has the function below. Run as a script, as the build does
# with it, it writes the header.
#   ring_embed_files(output table file...)
# writes `output`, a header in namespace ring::rt with the text of every file,
# report.html as kReportHtml, and `table`, an array of names and texts.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(RING_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  function(ring_embed_files output table)
    get_filename_component(header ${output} NAME)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DTABLE=${table}
              -DOUTPUT=${output} -P ${RING_EMBED_SCRIPT}
      DEPENDS ${ARGN} ${RING_EMBED_SCRIPT}
      COMMENT "Embedding files in ${header}"
      VERBATIM)
  endfunction()
  return()
endif()

set(text "// SPDX-License-Identifier: Apache-2.0
//
// Written by the build from the files whose text it has.
namespace ring::rt {

")
set(rows "")
foreach(file ${FILES})
  # report.html is kReportHtml, timeline.js is kTimelineJs.
  get_filename_component(base ${file} NAME_WE)
  get_filename_component(extension ${file} EXT)
  set(name "")
  foreach(piece ${base} ${extension})
    string(REPLACE "." "" piece ${piece})
    string(SUBSTRING ${piece} 0 1 first)
    string(SUBSTRING ${piece} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name "${first}${rest}")
  endforeach()
  file(READ ${file} content)
  string(APPEND text "static const char k${name}[] = R\"file(${content})file\";\n\n")
  string(APPEND rows "    {\"${base}${extension}\", k${name}},\n")
endforeach()
string(APPEND text "[[maybe_unused]] static const char *const ${TABLE}[][2] = {
${rows}};

} // namespace ring::rt\n")
file(WRITE ${OUTPUT} "${text}")

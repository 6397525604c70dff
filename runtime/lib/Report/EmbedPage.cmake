# SPDX-License-Identifier: Apache-2.0
#
# Writes the page's files into a header, so that a report needs no file beside
# the tool. cmake -DFILES=... -DOUTPUT=... -P EmbedPage.cmake
set(text "// SPDX-License-Identifier: Apache-2.0
//
// Written by the build from report.html and the files it takes in.
namespace ring::rt {

")
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
  string(APPEND text "static const char k${name}[] = R\"page(${content})page\";\n\n")
endforeach()
string(APPEND text "} // namespace ring::rt\n")
file(WRITE ${OUTPUT} "${text}")

# SPDX-License-Identifier: Apache-2.0
#
# Writes the table of published figures into a header, so that every prediction
# can say what it was held against. cmake -DFILE=... -DOUTPUT=... -P
# EmbedFigures.cmake
file(READ ${FILE} content)
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
//
// Written by the build from bench/machine/published.csv.
namespace ring::machine {

static const char *const kBuiltInFigures = R\"figures(${content})figures\";

} // namespace ring::machine
")

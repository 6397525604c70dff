// SPDX-License-Identifier: Apache-2.0
//
// Writes the samples as pages into a folder, for the tests that read pages.

#include "Report/SampleReports.h"

#include <cstdio>

using namespace ring::rt;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: ring-report-samples FOLDER\n");
    return 2;
  }
  const std::pair<const char *, Report> samples[] = {
      {"ring2", test::ringReport(2)},     {"ring8", test::ringReport(8)},
      {"ring32", test::ringReport(32)},   {"long", test::longReport(20000)},
      {"classes", test::classesReport()}, {"smallest", test::smallestReport()},
  };
  for (const auto &[name, report] : samples)
    if (Status status =
            writeReport(std::string(argv[1]) + "/" + name + ".html", report);
        !status) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      return 1;
    }
  return 0;
}

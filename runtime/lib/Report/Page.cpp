// SPDX-License-Identifier: Apache-2.0
//
// Puts the page together: the template, its style and scripts, which are part
// of the program, and the numbers.

#include "Report/Page.h"
#include "Data/Files.h"
#include "Report/Template.h"
#include "Report/Units.h"
#include "ReportPageFiles.h"

namespace ring::rt {

namespace {

/// What of the timeline is not as it was, in words.
std::string condensedText(const CondensedRows &rows) {
  std::string text;
  if (rows.rowsLeftOut > 0)
    text += " " + countText(rows.rowsLeftOut) +
            " further devices are not drawn; the table has all.";
  if (rows.eventsMerged)
    text += " Events too short to be seen are drawn together.";
  return text;
}

} // namespace

std::string reportPage(const Report &report) {
  CondensedRows rows = condense(report);
  bool hasTransferLane = false, hasWaits = false, hasMemory = false;
  for (const ReportRow &row : rows.rows) {
    hasMemory |= !row.memory.empty();
    for (const ReportEvent &event : row.events) {
      hasTransferLane |= event.kind == ReportKind::Transfer;
      hasWaits |= event.kind == ReportKind::Wait;
    }
  }
  auto flag = [](bool value) { return std::string(value ? "yes" : ""); };
  TemplateValues values;
  values["title"] = escapedHtml(titleText(report));
  values["provenance"] = provenanceHtml(report);
  values["measured"] = flag(report.prediction.empty());
  values["predicted"] = flag(!report.prediction.empty());
  values["check"] = checkHtml(report);
  values["wrong"] = flag(report.check.verdict == ReportCheck::Verdict::Wrong);
  values["check-lines"] = escapedHtml(report.check.lines);
  values["summary"] = summaryHtml(report);
  values["bound"] = escapedHtml(report.bound);
  values["advice"] = adviceHtml(report);
  values["key-figures"] = keyFiguresHtml(report);
  values["strategies"] = strategyRowsHtml(report);
  values["strategies-note"] = noteHtml(report.strategiesNote);
  values["timeline"] = flag(!rows.rows.empty());
  values["timeline-condensed"] = condensedText(rows);
  values["has-transfers"] = flag(hasTransferLane);
  values["has-waits"] = flag(hasWaits);
  values["steps"] = rows.rows.empty() ? "" : stepRowsHtml(report);
  values["devices"] = deviceRowsHtml(report);
  values["ops"] = opRowsHtml(report);
  values["whole"] = wholeHtml(report);
  values["whole-rows"] = wholeRowsHtml(report);
  values["rings"] = ringTablesHtml(report);
  values["memory"] = flag(hasMemory);
  values["links-timed"] = flag(linksAreTimed(report));
  values["links"] = linkRowsHtml(report);
  values["scaling"] = scalingTablesHtml(report);
  values["scaling-note"] = noteHtml(report.scalingNote);
  values["sweeps"] = sweepsHtml(report);
  values["data"] = pageData(report, rows);
  values["style"] = kReportCss;
  values["script"] =
      std::string(kReportJs) + kTimelineJs + kRingviewJs + kFiguresJs;
  return fillTemplate(kReportHtml, values);
}

Status writeReport(const std::string &path, const Report &report) {
  return writeFile(path, {reportPage(report)});
}

} // namespace ring::rt

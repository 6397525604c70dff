// SPDX-License-Identifier: Apache-2.0
//
// What of a report can be seen without a browser: units, classes, merging,
// escaping, and that a measurement is never called a prediction or the other
// way round.

#include "Report/Condense.h"
#include "Report/Page.h"
#include "Report/SampleReports.h"
#include "Report/Template.h"
#include "Report/Units.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace ring::rt;

namespace {

/// With spaces that may be broken at.
std::string plain(std::string text) {
  for (size_t at; (at = text.find("\xC2\xA0")) != std::string::npos;)
    text.replace(at, 2, " ");
  return text;
}

TEST(ReportUnits, KeepThreeDigits) {
  EXPECT_EQ(plain(secondsText(0.01714)), "17.1 ms");
  EXPECT_EQ(plain(secondsText(0)), "0 s");
  EXPECT_EQ(plain(secondsText(2e-7)), "200 ns");
  EXPECT_EQ(plain(secondsText(0.99999)), "1.00 s");
  EXPECT_EQ(plain(secondsText(75)), "75.0 s");
  EXPECT_EQ(plain(bytesText(512)), "512 B");
  EXPECT_EQ(plain(bytesText(1536)), "1.50 KiB");
  EXPECT_EQ(plain(bytesText(12.0 * (1 << 30))), "12.0 GiB");
  EXPECT_EQ(plain(flopsText(2.314e12)), "2.31 TFLOP");
  EXPECT_EQ(plain(percentText(0.714)), "71 %");
  EXPECT_EQ(plain(percentText(0.0042)), "0.4 %");
  EXPECT_EQ(plain(countText(75600)), "75 600");
  EXPECT_EQ(plain(countText(999)), "999");
  EXPECT_EQ(plain(countText(-1000)), "-1 000");
}

TEST(ReportTemplate, FillsAndLeavesOut) {
  TemplateValues values = {{"a", "1"}, {"empty", ""}};
  EXPECT_EQ(fillTemplate("x{{a}}y", values), "x1y");
  EXPECT_EQ(fillTemplate("{{#a}}in{{/a}}{{#empty}}out{{/empty}}.", values),
            "in.");
  EXPECT_EQ(fillTemplate("{{#empty}}{{#a}}out{{/a}}{{/empty}}.", values), ".");
  EXPECT_EQ(fillTemplate("{{unknown}}.", values), ".");
  // A value is no template.
  EXPECT_EQ(fillTemplate("{{v}}", {{"v", "{{a}}"}, {"a", "1"}}), "{{a}}");
}

TEST(ReportUnits, StayWithTheirNumbers) {
  EXPECT_EQ(withNumbersWhole("all_gather takes 1.11 times as long, 12.5 us on "
                             "8 devices, 40 % hidden"),
            "all_gather takes 1.11\xC2\xA0times as long, 12.5\xC2\xA0\xC2\xB5s "
            "on 8\xC2\xA0"
            "devices, 40\xC2\xA0% hidden");
  // What only begins like a unit is a word of its own.
  EXPECT_EQ(withNumbersWhole("rank 3 sends, 2 used, a s"),
            "rank 3 sends, 2 used, a s");
}

TEST(ReportCondense, DevicesThatDidTheSameAreOneRow) {
  CondensedRows rows = condense(test::classesReport());
  ASSERT_EQ(rows.rows.size(), 4u);
  EXPECT_EQ(rows.rowsLeftOut, 0);
  for (const ReportRow &row : rows.rows)
    EXPECT_EQ(row.devices.size(), 256u);
  EXPECT_EQ(rows.rows[1].name, "1 and 255 alike");
  EXPECT_EQ(classifyLinks(test::classesReport()).size(), 1u);
}

TEST(ReportCondense, MergingKeepsTimeCountAndPeak) {
  constexpr int64_t kEvents = 20000;
  Report report = test::longReport(kEvents);
  CondensedRows rows = condense(report);
  EXPECT_TRUE(rows.eventsMerged);
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const ReportRow &row = rows.rows[i];
    EXPECT_LE(row.events.size(), 2 * 480u); // two kinds
    int64_t count = 0, peak = 0;
    double busy = 0;
    for (const ReportEvent &event : row.events) {
      count += event.count;
      busy += event.busySeconds();
      EXPECT_LE(event.busySeconds(), event.end - event.start + 1e-12);
    }
    for (const ReportMemory &sample : row.memory)
      peak = std::max(peak, sample.bytes);
    EXPECT_EQ(count, kEvents);
    EXPECT_NEAR(busy, report.devices[i].busySeconds, 1e-9);
    EXPECT_LE(row.memory.size(), 241u);
    EXPECT_EQ(peak, report.devices[i].peakBytes);
  }
}

TEST(ReportCondense, TooManyDifferentRowsAreThinnedOut) {
  Report report = test::ringReport(200);
  CondensedRows rows = condense(report);
  EXPECT_LE(rows.rows.size(), 65u);
  EXPECT_EQ(rows.rows.size() + rows.rowsLeftOut, 200u);
  // The slowest is there: nothing ends later.
  auto slowest = std::max_element(
      report.devices.begin(), report.devices.end(),
      [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
  int64_t number = slowest - report.devices.begin();
  EXPECT_TRUE(std::any_of(
      rows.rows.begin(), rows.rows.end(),
      [&](const ReportRow &row) { return row.devices[0] == number; }));
}

TEST(ReportCondense, StepsAddUp) {
  Report report = test::ringReport(8);
  std::vector<StepFigures> steps = figuresOfSteps(report, 64);
  ASSERT_EQ(steps.size(), 8u);
  EXPECT_DOUBLE_EQ(steps[1].computeSeconds, 1.25e-3);
  EXPECT_EQ(steps[7].bytes, 0);
  EXPECT_EQ(figuresOfSteps(report, 3).size(), 3u);
  EXPECT_EQ(figuresOfSteps(report, 3)[2].last, 7);
}

TEST(ReportCondense, NamesLists) {
  EXPECT_EQ(listText({0}), "0");
  EXPECT_EQ(listText({0, 1}), "0 and 1");
  EXPECT_EQ(listText({0, 1, 2, 3}), "0 to 3");
  EXPECT_EQ(listText({0, 2, 3, 4, 9}), "0, 2 to 4 and 9");
}

TEST(ReportPage, SaysWhetherItWasMeasured) {
  std::string predicted = reportPage(test::ringReport(8));
  EXPECT_NE(
      predicted.find("<strong>Predicted</strong>: 1.9\xC2\xA0ms predicted "
                     "(9\xC2\xA0% math utilisation), \xC2\xB1"
                     "8\xC2\xA0%. Nothing on this page was measured."),
      std::string::npos);
  EXPECT_EQ(predicted.find("<strong>Measured"), std::string::npos);
  std::string measured = reportPage(test::longReport(10));
  EXPECT_NE(measured.find("<strong>Measured</strong>"), std::string::npos);
  EXPECT_EQ(measured.find("redicted</"), std::string::npos);
}

TEST(ReportPage, SaysFirstWhetherResultsAreRight) {
  EXPECT_NE(plain(reportPage(test::longReport(10)))
                .find("<strong class=\"right\">Right where sampled.</strong> "
                      "Compared with the same in double precision, 64 of 4096 "
                      "rows, a sample, are within their bounds, and use up 12 "
                      "% of the bound at most."),
            std::string::npos);
  // What is wrong is shown without a click, and before anything else.
  std::string wrong = reportPage(test::smallestReport());
  EXPECT_NE(wrong.find("<strong class=\"wrong\">Wrong.</strong>"),
            std::string::npos);
  EXPECT_NE(wrong.find("<details id=\"check-details\" open>"),
            std::string::npos);
  EXPECT_LT(wrong.find("id=\"check\""), wrong.find("id=\"provenance\""));
  EXPECT_NE(reportPage(test::ringReport(2))
                .find("Not checked.</strong> A "
                      "prediction computes no"),
            std::string::npos);
  Report report = test::longReport(10);
  addCheck({"  out: ok\n", true, 0.5, 4096, 4096, {}}, report);
  std::string page = plain(reportPage(report));
  EXPECT_NE(page.find("all numbers are within their bounds, and use up 50 %"),
            std::string::npos);
  EXPECT_NE(page.find("<pre tabindex=\"0\">  out: ok\n"), std::string::npos);
  EXPECT_NE(page.find("<details id=\"check-details\">"), std::string::npos);
  addCheck({"  out: ok\n", true, 0.5, 4096, 64, {}}, report);
  page = plain(reportPage(report));
  EXPECT_NE(page.find("Right where sampled."), std::string::npos);
  EXPECT_NE(page.find("64 of 4096 rows, a sample,"), std::string::npos);
}

TEST(ReportPage, MeasuredDevicesAreNotCalledBusy) {
  Report measured = test::longReport(10);
  std::string words = summaryHtml(measured) + keyFiguresHtml(measured);
  EXPECT_EQ(words.find("bus"), std::string::npos) << words;
  EXPECT_EQ(reportPage(measured).find("<th scope=\"col\">busy"),
            std::string::npos);
  Report predicted = test::ringReport(8);
  EXPECT_NE(keyFiguresHtml(predicted).find("busy"), std::string::npos);
}

TEST(ReportPage, OfNothingDistributedSaysSo) {
  Report report = test::ringReport(4);
  for (DeviceStatistics &device : report.devices)
    device = DeviceStatistics();
  std::string words = plain(summaryHtml(report) + keyFiguresHtml(report));
  EXPECT_NE(words.find("nothing is distributed"), std::string::npos) << words;
  EXPECT_NE(words.find("3.67 TFLOP"), std::string::npos) << words;
  for (const char *idle : {"busiest", "hides", "holds", "0 B", "0 %"})
    EXPECT_EQ(words.find(idle), std::string::npos) << words;
  EXPECT_EQ(summaryHtml(test::ringReport(4)).find("nothing is distributed"),
            std::string::npos);
}

TEST(ReportPage, HasAdviceAndSweeps) {
  std::string page = reportPage(test::ringReport(2));
  EXPECT_NE(page.find("<li>Try &lt;another&gt; machine &amp; compare.</li>"),
            std::string::npos);
  // Cells know their columns, for phones, where a row is a block.
  EXPECT_NE(page.find("<tr class=\"chosen\"><th scope=\"row\" "
                      "data-label=\"machine\">sample-machine</th>"
                      "<td data-label=\"devices\">"),
            std::string::npos);
  EXPECT_NE(plain(page).find("The program computes 3.67 TFLOP on whole "),
            std::string::npos);
}

TEST(ReportPage, LeavesOutWhatIsNotThere) {
  std::string page = reportPage(test::smallestReport());
  for (const char *id :
       {"strategies", "links", "scaling", "advice", "rings", "sweeps", "whole"})
    EXPECT_EQ(page.find("<section id=\"" + std::string(id)), std::string::npos);
  Report empty;
  empty.program = "nothing";
  page = reportPage(empty);
  EXPECT_EQ(page.find("<section id=\"timeline"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

TEST(ReportPage, NamesCannotBreakOut) {
  std::string page = reportPage(test::smallestReport());
  EXPECT_EQ(page.find("<b>&\"'"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;b&gt;&amp;&quot;&#39;{{title}}"),
            std::string::npos);
  std::string data = pageData(test::smallestReport(), {});
  EXPECT_EQ(data.find('<'), std::string::npos);
}

TEST(ReportPage, CannotWrite) {
  Status status = writeReport("/no/such/folder/report.html", Report());
  EXPECT_FALSE(status);
  EXPECT_EQ(status.message(),
            "cannot write '/no/such/folder/report.html': No such file or "
            "directory");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page that are made of words, numbers and tables; figures are
// drawn in the browser from the same numbers.

#ifndef RING_RUNTIME_REPORT_PAGE_H
#define RING_RUNTIME_REPORT_PAGE_H

#include "Report/Condense.h"

#include <iosfwd>

namespace ring::rt {

/// "attention on 2 x 4 devices", as text.
std::string titleText(const Report &report);
/// A model's words about itself, as they are set: a real sign for "more or
/// less", and numbers that stay with their units.
std::string noteHtml(std::string note);
/// Whether the numbers were measured, and by whom they were predicted.
std::string provenanceHtml(const Report &report);
/// Whether the results are right, and how that is known.
std::string checkHtml(const Report &report);
/// The run in a paragraph.
std::string summaryHtml(const Report &report);
/// The advice, as the entries of a list.
std::string adviceHtml(const Report &report);
/// The most important numbers, as the entries of a <dl>.
std::string keyFiguresHtml(const Report &report);

// Rows of tables, empty where there is nothing to tell.
std::string strategyRowsHtml(const Report &report);
std::string stepRowsHtml(const Report &report);
std::string deviceRowsHtml(const Report &report);
std::string opRowsHtml(const Report &report);
/// What is done on whole tensors: in a sentence, and op by op.
std::string wholeHtml(const Report &report);
std::string wholeRowsHtml(const Report &report);
/// Who computes with whose keys in each round.
std::string ringTablesHtml(const Report &report);
/// Whether it is known for any link how long it was busy.
bool linksAreTimed(const Report &report);
std::string linkRowsHtml(const Report &report);
std::string scalingTablesHtml(const Report &report);
std::string sweepsHtml(const Report &report);

/// What the time of a run goes into, in a sentence or two; see Report::bound.
std::string boundText(const RunResult &result);

/// The rings as JSON.
void printRings(std::ostream &out, const Report &report);
/// What the figures are drawn from, as JSON that is safe within <script>.
std::string pageData(const Report &report, const CondensedRows &rows);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_PAGE_H

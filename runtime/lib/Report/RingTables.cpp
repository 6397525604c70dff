// SPDX-License-Identifier: Apache-2.0
//
// The rounds of rings in words, for those who read rather than look, and as
// the data that the figure is drawn from.

#include "Api/JsonText.h"
#include "Report/Page.h"
#include "Report/Template.h"
#include "Report/Units.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace ring::rt {

namespace {

/// Sends of a kind that are named one by one.
constexpr size_t kMostNamed = 4;

std::string holdingText(const ReportRing &ring, const ReportHolding &holding) {
  if (holding.flops == 0)
    return "nothing";
  bool all = holding.keysOf.empty() || holding.keysOf == ring.devices;
  std::string text = all ? "all" : listText(holding.keysOf);
  if (!holding.queriesOf.empty() &&
      holding.queriesOf != std::vector<int64_t>{holding.device} &&
      holding.queriesOf != holding.keysOf)
    text += ", for queries of " + listText(holding.queriesOf);
  return text;
}

/// "keys and values, 64 KiB each: 0 → 1, 1 → 2, 2 → 3, 3 → 0 and 4 more".
std::string sendsText(const std::vector<ReportSend> &sends) {
  std::map<std::pair<std::string, int64_t>, std::vector<std::string>> kinds;
  for (const ReportSend &send : sends)
    kinds[{send.what, send.bytes}].push_back(std::to_string(send.source) +
                                             "\xC2\xA0\xE2\x86\x92\xC2\xA0" +
                                             std::to_string(send.target));
  std::string text;
  for (const auto &[kind, pairs] : kinds) {
    text += (text.empty() ? "" : "; ") + kind.first + ", " +
            bytesText(double(kind.second)) +
            (pairs.size() > 1 ? " each: " : ": ");
    size_t named = std::min(pairs.size(), kMostNamed);
    for (size_t i = 0; i < named; ++i)
      text += (i > 0 ? ", " : "") + pairs[i];
    if (named < pairs.size())
      text += " and " + countText(int64_t(pairs.size() - named)) + " more";
  }
  return text.empty() ? "nothing" : text;
}

std::string roundRow(const ReportRing &ring, size_t number) {
  const ReportRound &round = ring.rounds[number];
  std::string out =
      "<tr><th scope=\"row\">" + std::to_string(number + 1) + "</th>";
  for (int64_t device : ring.devices) {
    auto found = std::find_if(
        round.holdings.begin(), round.holdings.end(),
        [&](const ReportHolding &holding) { return holding.device == device; });
    out += "<td>" +
           (found == round.holdings.end() ? std::string("\xE2\x80\x93")
                                          : holdingText(ring, *found)) +
           "</td>";
  }
  return out + "<td class=\"words\">" + sendsText(round.sends) + "</td></tr>\n";
}

std::string ringTitle(const ReportRing &ring) {
  std::string text = "devices " + listText(ring.devices);
  if (ring.alike > 0)
    text += ", and " + countText(ring.alike) +
            (ring.alike > 1 ? " further groups that do the same"
                            : " further group that does the same");
  return text;
}

void printNumbers(std::ostream &out, const std::vector<int64_t> &numbers) {
  printList(out, numbers, [&](int64_t number) { out << number; });
}

void printPositions(std::ostream &out,
                    const std::vector<ReportPositions> &ranges) {
  printList(out, ranges, [&](const ReportPositions &range) {
    out << "[" << range.begin << "," << range.size << "," << range.stride
        << "]";
  });
}

void printRound(std::ostream &out, const ReportRound &round) {
  out << "\n{\"step\":" << round.step << ",\"holdings\":";
  printList(out, round.holdings, [&](const ReportHolding &holding) {
    out << "[" << holding.device << ",";
    printNumbers(out, holding.keysOf);
    out << ",";
    printNumbers(out, holding.queriesOf);
    out << ",";
    printPositions(out, holding.keys);
    out << ",";
    printPositions(out, holding.queries);
    out << "," << holding.flops << "]";
  });
  out << ",\"sends\":";
  printList(out, round.sends, [&](const ReportSend &send) {
    out << "[" << send.source << "," << send.target << "," << send.bytes << ",";
    printNumbers(out, send.shardsOf);
    out << "," << quoted(send.what) << "]";
  });
  out << "}";
}

} // namespace

std::string ringTablesHtml(const Report &report) {
  std::string out;
  for (const ReportRing &ring : report.rings) {
    std::string title = ringTitle(ring);
    out += "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" +
           title + "\"><table><caption>Whose keys each of the " + title +
           ", computes with</caption><thead><tr><th scope=\"col\">round</th>";
    for (int64_t device : ring.devices)
      out +=
          "<th scope=\"col\">device\xC2\xA0" + std::to_string(device) + "</th>";
    out += "<th scope=\"col\" class=\"words\">meanwhile sent</th></tr></thead>"
           "<tbody>\n";
    for (size_t i = 0; i < ring.rounds.size(); ++i)
      out += roundRow(ring, i);
    if (ring.roundsLeftOut > 0)
      out += "<tr><td class=\"words\" colspan=\"" +
             std::to_string(ring.devices.size() + 2) + "\">and " +
             countText(ring.roundsLeftOut) + " further rounds</td></tr>\n";
    out += "</tbody></table></div>\n";
  }
  return out;
}

void printRings(std::ostream &out, const Report &report) {
  printList(out, report.rings, [&](const ReportRing &ring) {
    out << "\n{\"title\":" << quoted(ringTitle(ring)) << ",\"devices\":";
    printNumbers(out, ring.devices);
    out << ",\"leftOut\":" << ring.roundsLeftOut << ",\"rounds\":";
    printList(out, ring.rounds,
              [&](const ReportRound &round) { printRound(out, round); });
    out << "}";
  });
}

} // namespace ring::rt

// SPDX-License-Identifier: Apache-2.0
//
// What is said of a run, for C: texts and judgements.

#include "Api/StatisticsText.h"
#include "ring-runtime/Session.h"
#include "ring-runtime/Tooling.h"

using namespace ring::rt;

namespace ring::rt {

Result<Report> reportOf(const ring_session &session) {
  if (!session.result)
    return error("expects a finished run");
  if (session.result->trace.empty())
    return error("expects a run that was traced for a report");
  Report report =
      tooling::makeReport(*session.program, *session.result, session.options);
  if (session.judged)
    addCheck(*session.judged, report);
  return report;
}

} // namespace ring::rt

namespace {

/// Keeps a text, or says that there is no run to speak of.
template <typename Write>
const char *say(ring_session *session, Write write) {
  if (!session->result)
    return fail(session, "expects a finished run"), nullptr;
  session->text = write(*session->program, *session->result);
  succeed(session);
  return session->text.c_str();
}

} // namespace

extern "C" {

const char *ring_summary(ring_session *session) {
  return say(session, tooling::summaryOf);
}

const char *ring_statistics(ring_session *session) {
  return say(session, statisticsText);
}

const char *ring_report(ring_session *session) {
  Result<Report> report = reportOf(*session);
  if (!report)
    return fail(session, report.message()), nullptr;
  session->text = reportPage(*report);
  succeed(session);
  return session->text.c_str();
}

int ring_check(ring_session *session, const ring_session *meaning,
               double tolerance) {
  if (!session->result)
    return fail(session, "expects a finished run");
  if (session->result->prediction)
    return fail(session, "expects a run that computes, but got a prediction");
  if (meaning && !meaning->program)
    return fail(session, "expects a loaded program to judge by");
  Result<tooling::Truth> truth = tooling::findTruth(
      *session->program, meaning ? *meaning->program : *session->program,
      session->inputs);
  if (!truth)
    return fail(session, truth.message());
  session->judged = judge(*session->program, *session->result, truth->meaning,
                          truth->outputs, tolerance);
  return succeed(session);
}

int ring_read_judgement(ring_session *session, size_t output,
                        ring_judgement *judgement) {
  if (!session->judged)
    return fail(session, "expects a run that was checked");
  if (output >= session->judged->outputs.size())
    return fail(session, "expects an output of the program");
  const Judgement &found = session->judged->outputs[output];
  const Comparison &comparison = found.comparison;
  *judgement = {
      found.passed(),      comparison.finite,  comparison.relativeError,
      comparison.maxError, comparison.rmse,    comparison.pcc,
      found.worst,         found.fault.c_str()};
  return succeed(session);
}

const char *ring_check_text(ring_session *session) {
  if (!session->judged)
    return fail(session, "expects a run that was checked"), nullptr;
  succeed(session);
  return session->judged->text.c_str();
}

} // extern "C"

// SPDX-License-Identifier: Apache-2.0
//
// What a handle of ring_runtime.h holds, for C++ that has one in hand: the
// compiler's interface for C adds to a report what the planner knows.

#ifndef RING_RUNTIME_SESSION_H
#define RING_RUNTIME_SESSION_H

#include "ring-runtime/Judgement.h"
#include "ring-runtime/Report.h"
#include "ring-runtime/ring_runtime.h"

#include <optional>
#include <string>
#include <vector>

struct ring_session {
  std::optional<ring::rt::Program> program;
  std::vector<ring::rt::PortTensors> inputs;
  ring::rt::RunOptions options;
  std::optional<ring::rt::RunResult> result;
  /// Of the last result, if it was judged.
  std::optional<ring::rt::OutputJudgements> judged;
  std::string message;
  std::optional<std::string> shortage; ///< of the last run
  std::string text;                    ///< the last one that was asked for
};

namespace ring::rt {

/// What a call on a handle returns, with the reason kept in it.
inline int fail(ring_session *session, std::string message) {
  session->message = std::move(message);
  return 1;
}
inline int succeed(ring_session *session) {
  session->message.clear();
  return 0;
}

/// The page of the last run, which was traced, before it is printed; a failure
/// where there is none.
Result<Report> reportOf(const ring_session &session);

} // namespace ring::rt

#endif // RING_RUNTIME_SESSION_H

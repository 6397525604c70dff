// SPDX-License-Identifier: Apache-2.0
//
// Made-up runs that reach the corners of the report: many devices, many events,
// one of each, and hostile names.

#ifndef RING_RUNTIME_TEST_REPORT_SAMPLEREPORTS_H
#define RING_RUNTIME_TEST_REPORT_SAMPLEREPORTS_H

#include "ring-runtime/Report.h"

namespace ring::rt::test {

/// A causal ring of `ranks` in contiguous order, which is uneven: at step s the
/// ranks below s have nothing to compute. Predicted, with everything a report
/// can have.
Report ringReport(int64_t ranks);
/// Four devices with so many events each.
Report longReport(int64_t events);
/// 1024 devices in four classes.
Report classesReport();
/// One device, one event, and names that would break a careless page.
Report smallestReport();

} // namespace ring::rt::test

#endif // RING_RUNTIME_TEST_REPORT_SAMPLEREPORTS_H

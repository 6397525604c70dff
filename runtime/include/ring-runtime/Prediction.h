// SPDX-License-Identifier: Apache-2.0
//
// What the simulator says of a run, beside what every backend says. Nothing in
// here was measured.

#ifndef RING_RUNTIME_PREDICTION_H
#define RING_RUNTIME_PREDICTION_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ring::rt {

/// Where one device's time goes.
struct PredictedDevice {
  double computeSeconds = 0;
  /// Compute stood still while a transfer that it needed was on its way.
  double exposedSeconds = 0;
  /// Compute stood still for anything else, such as a late peer.
  double waitingSeconds = 0;
  double linkSeconds = 0; ///< of its busiest link, each direction on its own
  double dramSeconds = 0; ///< of reading and writing at full bandwidth
};

/// One block of attention on the device that ends last.
struct PredictedStep {
  size_t instruction = 0;
  size_t layer = 0; ///< counts attentions of the source, from 0
  double begin = 0;
  double end = 0;
  double exposedSeconds = 0; ///< before it
  double flops = 0;
  double utilisation = 0; ///< by tt-metal's definition, of this step alone
  std::string bound;      ///< what binds it
};

/// A link of a device, as a lane of the trace.
struct PredictedLink {
  int64_t device = 0;
  int64_t axis = 0;
  bool forward = true;
  bool leavesHost = false; ///< to the counterpart on the next host
};

/// What goes between hosts and chips. Weights go once and activations every
/// time, which a program does not say: so it is told apart from the run.
struct PredictedHost {
  double bytesIn = 0; ///< to the chips, copies for each of them counted
  double bytesOut = 0;
  double seconds = 0;
  double bandwidth = 0; ///< of one host and its chips; 0 without chips
  bool bandwidthAssumed = false;
};

/// A simulated run.
struct Prediction {
  std::string machine;
  /// Which of its chips the mesh takes, in words; empty where it is the machine
  /// as it stands.
  std::string chips;
  /// The prediction in one line, with its error: "38.9 us predicted (6 % math
  /// utilisation; transfers hidden 92 %), +-8 %".
  std::string note;
  /// Useful operations of attention over cores * clock * 2048 * time, on all
  /// devices.
  double utilisation = 0;
  /// How chips do transfers that may run beside blocks of attention, in words;
  /// empty where there are none.
  std::string transfers;
  int64_t dramBytes = 0; ///< that a chip has; 0 if it is not known
  bool fitsDram = true;
  bool fitsL1 = true; ///< all attentions, with the chunks that were taken
  std::vector<PredictedDevice> devices;
  size_t lastDevice = 0; ///< the one that ends last
  PredictedHost host;
  int64_t ops = 0; ///< instructions that do anything
  /// Those of them that take no time here though they should, by name.
  std::map<std::string, int64_t> untimed;
  std::vector<PredictedStep> steps;
  std::vector<PredictedLink> links; ///< by lane of the trace, from 1 on
};

} // namespace ring::rt

#endif // RING_RUNTIME_PREDICTION_H

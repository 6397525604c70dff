// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes.

#include "ring/Machine/Machine.h"

namespace ring::machine {

void Links::scaleBandwidth(double times) {
  for (PacketLaw *law : {&line, &ring}) {
    law->packetSeconds /= times;
    law->bandwidth *= times;
  }
}

const char *nameOf(Fidelity fidelity) {
  constexpr const char *kNames[kFidelities] = {"lofi", "hifi2", "hifi3",
                                               "hifi4"};
  return kNames[static_cast<size_t>(fidelity)];
}

const char *nameOf(Topology topology) {
  return topology == Topology::Ring ? "ring" : "line";
}

const char *nameOf(Wiring wiring) {
  return wiring == Wiring::Counterparts ? "counterparts" : "ends";
}

std::vector<int64_t> Machine::shape() const {
  std::vector<int64_t> whole = mesh;
  for (size_t i = 0; i < whole.size(); ++i)
    whole[i] *= hosts[i];
  return whole;
}

int64_t Machine::chips() const {
  int64_t count = 1;
  for (int64_t size : shape())
    count *= size;
  return count;
}

double Machine::hostSeconds(double bytes, int64_t devices) const {
  int64_t ofHost = 1;
  for (int64_t along : mesh)
    ofHost *= along;
  int64_t count = (devices + ofHost - 1) / ofHost;
  return bytes / (static_cast<double>(count) * hostBandwidth);
}

} // namespace ring::machine

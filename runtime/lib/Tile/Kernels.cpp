// SPDX-License-Identifier: Apache-2.0
//
// The kernels of runtime/device, by name.

#include "ring-runtime/TileMachine.h"

void ring_kernel_AttentionReader();
void ring_kernel_AttentionCompute();
void ring_kernel_AttentionComputeApproximate();
void ring_kernel_AttentionWriter();
void ring_kernel_RingMover();

const ring::rt::KernelTable &ring::rt::tileKernels() {
  static const KernelTable table = {
      {"AttentionReader.cpp", ring_kernel_AttentionReader},
      {"AttentionCompute.cpp", ring_kernel_AttentionCompute},
      {"AttentionCompute.cpp RING_APPROXIMATE_EXP",
       ring_kernel_AttentionComputeApproximate},
      {"AttentionWriter.cpp", ring_kernel_AttentionWriter},
      {"RingMover.cpp", ring_kernel_RingMover}};
  return table;
}

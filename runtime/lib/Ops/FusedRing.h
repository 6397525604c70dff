// SPDX-License-Identifier: Apache-2.0
//
// The device ops that know a ring, as instructions: what the CPU mesh computes
// for them, and how their rows lie in the sequence.

#ifndef RING_RUNTIME_OPS_FUSEDRING_H
#define RING_RUNTIME_OPS_FUSEDRING_H

#include "Ops/Op.h"

namespace ring::rt {

/// The rows of `ring_joint_sdpa` on a rank: contiguous shards, or with
/// `balanced` chunks r and 2P-1-r of 2P.
Positions ringJointRows(const OpTypes &types, size_t operand, int64_t rank);
/// Which keys its queries see.
Band ringJointBand(const OpTypes &types);
/// The query rows that a rank computes in `ring_distributed_sdpa`: chunks r and
/// 2P-1-r of 2P, in this order.
Positions ringDistributedRows(const OpTypes &types, int64_t rank);

void registerFusedRingOps(OpTable &table);

namespace reference {
class Call;
Status ringJoint(Call &call);
Status ringDistributed(Call &call);
} // namespace reference

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_FUSEDRING_H

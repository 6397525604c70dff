// SPDX-License-Identifier: Apache-2.0
//
// The reference of dilated attention.

#ifndef RING_RUNTIME_REFERENCE_DILATED_H
#define RING_RUNTIME_REFERENCE_DILATED_H

#include "Reference/Reference.h"

namespace ring::rt::reference {

/// ring.attention with a dilated pattern.
Status dilated(Call &call);

/// ring.attention_backward: its gradients.
Status rowSetGradients(Call &call);

} // namespace ring::rt::reference

#endif // RING_RUNTIME_REFERENCE_DILATED_H

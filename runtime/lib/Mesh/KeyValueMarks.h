// SPDX-License-Identifier: Apache-2.0
//
// Which values of a program are keys and values of an attention: what a ring
// keeps small, and so what memory is measured of besides the sum of all.

#ifndef RING_RUNTIME_MESH_KEYVALUEMARKS_H
#define RING_RUNTIME_MESH_KEYVALUEMARKS_H

#include "ring-runtime/Program.h"

namespace ring::rt {

/// For every value, whether it is attended to, sent for that end, or a buffer
/// that such arrive in.
std::vector<bool> markKeysAndValues(const Program &program);

/// For every value, whether it is nothing but the first columns of keys, cut
/// out of them as values of attentions to these keys, and read there: then it
/// takes no memory. Of block formats columns are packed anew, and do.
std::vector<bool> markValuesInKeys(const Program &program);

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_KEYVALUEMARKS_H

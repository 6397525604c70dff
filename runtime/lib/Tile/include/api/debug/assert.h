// SPDX-License-Identifier: Apache-2.0
//
// Assertions of kernels, on the host: one that fails is a fault.

#pragma once

#include "KernelApi.h"

#define ASSERT(condition, ...)                                                 \
  ring::tile::assertion((condition), #condition, {__FILE__, __LINE__})

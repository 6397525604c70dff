// SPDX-License-Identifier: Apache-2.0
//
// Sizes that a device is opened with.

#pragma once

#include <cstddef>

constexpr static std::size_t DEFAULT_L1_SMALL_SIZE = 0;
constexpr static std::size_t DEFAULT_TRACE_REGION_SIZE = 0;
constexpr static std::size_t DEFAULT_WORKER_L1_SIZE = 0;

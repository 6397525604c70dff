// SPDX-License-Identifier: Apache-2.0
//
// Where ttnn has this header.

#pragma once

#include <tt-metalium/tensor/spec/memory_config/memory_config.hpp>

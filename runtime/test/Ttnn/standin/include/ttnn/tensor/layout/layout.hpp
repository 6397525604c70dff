// SPDX-License-Identifier: Apache-2.0
//
// Where ttnn has this header.

#pragma once

#include <tt-metalium/tensor/spec/layout/layout.hpp>

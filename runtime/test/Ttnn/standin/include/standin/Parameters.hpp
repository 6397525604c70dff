// SPDX-License-Identifier: Apache-2.0
//
// Types of parameters that many calls share. The calls are declared with these
// for brevity; the types are tt-metal's.

#pragma once

#include "ttnn/types.hpp"

#include <functional>
#include <optional>

namespace standin {

using Memory = const std::optional<tt::tt_metal::MemoryConfig> &;
using ConstMemory = const std::optional<const tt::tt_metal::MemoryConfig> &;
using MaybeTensor = const std::optional<ttnn::Tensor> &;
using MaybeConstTensor = const std::optional<const ttnn::Tensor> &;
using Cores = const std::optional<tt::tt_metal::CoreRangeSet> &;
using SubDevice = const std::optional<tt::tt_metal::SubDeviceId> &;
using Type = const std::optional<tt::tt_metal::DataType> &;
using ConstType = std::optional<const tt::tt_metal::DataType>;
using ConstTypeRef = const std::optional<const tt::tt_metal::DataType> &;
using Stored = const std::optional<tt::tt_metal::Layout> &;
using Device = std::optional<std::reference_wrapper<ttnn::MeshDevice>>;

} // namespace standin

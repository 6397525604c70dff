# SPDX-License-Identifier: Apache-2.0
"""Values that calls are given: types, layouts, coordinates, configurations."""

import enum

from .rules import check_flag, check_int, check_type


class DataType(enum.Enum):
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    UINT32 = "uint32"
    BFLOAT8_B = "bfloat8_b"
    BFLOAT4_B = "bfloat4_b"
    UINT8 = "uint8"
    UINT16 = "uint16"
    INT32 = "int32"


# Bytes of a number; block floats share an exponent among 16.
BYTES = {DataType.BFLOAT16: 2, DataType.FLOAT32: 4, DataType.UINT32: 4, DataType.BFLOAT8_B: 1.0625,
         DataType.BFLOAT4_B: 0.5625, DataType.UINT8: 1, DataType.UINT16: 2, DataType.INT32: 4}
FLOATS = (DataType.BFLOAT16, DataType.FLOAT32, DataType.BFLOAT8_B, DataType.BFLOAT4_B)
ATTENTION_TYPES = (DataType.BFLOAT16, DataType.BFLOAT8_B, DataType.BFLOAT4_B)


class Layout(enum.Enum):
    ROW_MAJOR = 0
    TILE = 1


class BufferType(enum.Enum):
    DRAM = 0
    L1 = 1


class MathFidelity(enum.Enum):
    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4


class Topology(enum.Enum):
    Ring = 0
    Linear = 1


class FabricConfig(enum.Enum):
    DISABLED = 0
    FABRIC_1D = 1
    FABRIC_1D_RING = 2


class Arch(enum.Enum):
    WORMHOLE_B0 = 0
    BLACKHOLE = 1


class MemoryConfig:
    def __init__(self, buffer_type=BufferType.DRAM):
        self.buffer_type = buffer_type


DRAM_MEMORY_CONFIG = MemoryConfig(BufferType.DRAM)
L1_MEMORY_CONFIG = MemoryConfig(BufferType.L1)


class _Pair:
    """Two numbers, by position as the bindings of coordinates take them."""

    def __init__(self, first, second):
        self.numbers = (check_int(first, "coordinate"), check_int(second, "coordinate"))
        if min(self.numbers) < 0:
            raise TypeError("incompatible function arguments: a coordinate is negative")

    def __getitem__(self, index):
        return self.numbers[index]

    def __iter__(self):
        return iter(self.numbers)

    def __eq__(self, other):
        return type(self) is type(other) and self.numbers == other.numbers

    def __hash__(self):
        return hash(self.numbers)

    def __repr__(self):
        return f"{type(self).__name__}{self.numbers}"


class MeshShape(_Pair):
    def mesh_size(self):
        return self.numbers[0] * self.numbers[1]


class MeshCoordinate(_Pair):
    pass


class CoreCoord(_Pair):
    x = property(lambda self: self.numbers[0])
    y = property(lambda self: self.numbers[1])


class CoreRange:
    def __init__(self, start, end):
        self.start = check_type(start, CoreCoord, "start")
        self.end = check_type(end, CoreCoord, "end")


class CoreRangeSet:
    def __init__(self, core_ranges):
        self.ranges = [check_type(one, CoreRange, "core range") for one in core_ranges]


class PlacementShard:
    def __init__(self, dim):
        self.dim = check_int(dim, "dim")


class PlacementReplicate:
    pass


class MeshMapperConfig:
    def __init__(self, placements, mesh_shape_override=None):
        for placement in placements:
            check_type(placement, (PlacementShard, PlacementReplicate), "placement")
        self.placements = list(placements)
        self.mesh_shape_override = mesh_shape_override


class MeshComposerConfig:
    def __init__(self, dims, mesh_shape_override=None):
        self.dims = [check_int(dim, "dim") for dim in dims]
        self.mesh_shape_override = mesh_shape_override


class SDPAProgramConfig:
    def __init__(self, *, compute_with_storage_grid_size, sub_core_grids=None, q_chunk_size,
                 k_chunk_size, exp_approx_mode=None, max_cores_per_head_batch=16):
        self.grid = check_type(compute_with_storage_grid_size, CoreCoord, "grid")
        self.sub_core_grids = sub_core_grids
        self.q_chunk_size = check_int(q_chunk_size, "q_chunk_size")
        self.k_chunk_size = check_int(k_chunk_size, "k_chunk_size")
        self.exp_approx_mode = exp_approx_mode
        self.max_cores_per_head_batch = max_cores_per_head_batch


class DeviceComputeKernelConfig:
    def __init__(self, math_fidelity, math_approx_mode, fp32_dest_acc_en, packer_l1_acc):
        self.math_fidelity = math_fidelity
        self.math_approx_mode = math_approx_mode
        self.fp32_dest_acc_en = fp32_dest_acc_en
        self.packer_l1_acc = packer_l1_acc


def init_device_compute_kernel_config(
        arch, device_kernel_config=None, *, math_fidelity=MathFidelity.LoFi, math_approx_mode=True,
        fp32_dest_acc_en=False, packer_l1_acc=False, dst_full_sync_en=False, throttle_level=None):
    check_type(arch, Arch, "arch")
    check_type(math_fidelity, MathFidelity, "math_fidelity")
    for name, value in (("math_approx_mode", math_approx_mode), ("fp32_dest_acc_en", fp32_dest_acc_en),
                        ("packer_l1_acc", packer_l1_acc), ("dst_full_sync_en", dst_full_sync_en)):
        check_flag(value, name)
    return device_kernel_config or DeviceComputeKernelConfig(
        math_fidelity, math_approx_mode, fp32_dest_acc_en, packer_l1_acc)

# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ttnn: see README.md."""

from . import stand_in, transformer  # noqa: F401
from .creation import arange, empty, full, ones, zeros  # noqa: F401
from .distributed import (  # noqa: F401
    aggregate_tensor, all_gather, all_reduce, create_mesh_composer, create_mesh_mapper,
    distribute_tensor, mesh_partition, point_to_point, reduce_scatter)
from .elementwise import *  # noqa: F401,F403
from .mesh import (  # noqa: F401
    MeshDevice, close_mesh_device, create_global_semaphore, open_mesh_device, set_fabric_config,
    synchronize_device)
from .products import (  # noqa: F401
    embedding, layer_norm, linear, matmul, max, mean, min, rms_norm, softmax, sum)
from .shapes import (  # noqa: F401
    clone, concat, pad, permute, repeat, repeat_interleave, reshape, slice, to_layout, transpose,
    tril, typecast)
from .tensor import (  # noqa: F401
    Tensor, deallocate, from_device, from_host_shards, get_device_tensors, to_device, to_dtype)
from .values import (  # noqa: F401
    Arch, BufferType, CoreCoord, CoreRange, CoreRangeSet, DataType, DRAM_MEMORY_CONFIG,
    FabricConfig, L1_MEMORY_CONFIG, Layout, MathFidelity, MemoryConfig, MeshComposerConfig,
    MeshCoordinate, MeshMapperConfig, MeshShape, PlacementReplicate, PlacementShard,
    SDPAProgramConfig, Topology, init_device_compute_kernel_config)

bfloat16, float32 = DataType.BFLOAT16, DataType.FLOAT32
int32, uint32 = DataType.INT32, DataType.UINT32
uint16, uint8 = DataType.UINT16, DataType.UINT8
bfloat8_b, bfloat4_b = DataType.BFLOAT8_B, DataType.BFLOAT4_B
TILE_LAYOUT, ROW_MAJOR_LAYOUT = Layout.TILE, Layout.ROW_MAJOR

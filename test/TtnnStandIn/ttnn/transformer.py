# SPDX-License-Identifier: Apache-2.0
"""Attention on a device's tensors, and the device ops that know a ring."""

import math

import numpy as np

from .attention import attend
from .mesh import GlobalSemaphore, MeshDevice
from .rules import TILE, TRACING, check_flag, check_int, check_type, require
from .tensor import check_device, compute, is_in_dram, on_device, shards_of, stored
from .values import (ATTENTION_TYPES, CoreCoord, DataType, Layout, SDPAProgramConfig, Topology)

# Where circular buffers may be in a Wormhole core's memory.
_BUFFERS_BEGIN, _BUFFERS_END = 105664, 1499136


def _check_operands(tensors, op):
    for tensor in tensors:
        check_device(tensor, op)
        require(tensor._dtype in ATTENTION_TYPES, f"{op}: expects bf16 or block floats")
        require(len(tensor._shape) == 4, f"{op}: expects four dimensions")
        require(tensor._shape[3] % TILE == 0, f"{op}: expects a head dimension of whole tiles")
        require(is_in_dram(tensor), f"{op}: expects operands in DRAM")


def _check_program(config, device, op):
    check_type(config, SDPAProgramConfig, "program_config")
    grid = device.compute_with_storage_grid_size()
    require(config.grid.x <= grid.x and config.grid.y <= grid.y and min(config.grid) > 0,
            f"{op}: expects a grid of the device's cores")
    for chunk in (config.q_chunk_size, config.k_chunk_size):
        require(chunk > 0 and chunk % TILE == 0, f"{op}: expects chunks of whole tiles")


def scaled_dot_product_attention(
        input_tensor_q, input_tensor_k, input_tensor_v, *, attn_mask=None, is_causal=True,
        scale=None, sliding_window_size=None, memory_config=None, program_config=None,
        compute_kernel_config=None, attention_sink=None, cu_window_seqlens=None):
    op = "scaled_dot_product_attention"
    q, k, v = input_tensor_q, input_tensor_k, input_tensor_v
    _check_operands((q, k, v), op)
    check_flag(is_causal, "is_causal")
    require(v._shape == k._shape, f"{op}: expects keys and values of one shape")
    require(k._shape[0] == q._shape[0] and k._shape[3] == q._shape[3],
            f"{op}: expects keys that fit the queries")
    require(q._shape[1] % k._shape[1] == 0, f"{op}: expects key heads to divide query heads")
    require(not is_causal or q._shape[2] == k._shape[2],
            f"{op}: expects as many queries as keys for a causal attention")
    require(not (is_causal and attn_mask is not None), f"{op}: expects no mask with is_causal")
    require(not (sliding_window_size and attn_mask is not None),
            f"{op}: expects no mask with a window")
    if program_config is not None:
        _check_program(program_config, q._device, op)
    operands = [q, k, v]
    if attn_mask is not None:
        check_device(attn_mask, op, dtypes=ATTENTION_TYPES)
        require(is_in_dram(attn_mask), f"{op}: expects a mask in DRAM")
        require(attn_mask._shape[0] in (1, q._shape[0]) and attn_mask._shape[1] in (1, q._shape[1])
                and attn_mask._shape[2:] == (q._shape[2], k._shape[2]),
                f"{op}: expects a mask of all queries and keys")
        operands.append(attn_mask)
    if attention_sink is not None:
        check_device(attention_sink, op, dtypes=ATTENTION_TYPES)
        operands.append(attention_sink)
    factor = scale if scale is not None else 1 / math.sqrt(q._shape[3])

    def run(q_, k_, v_, *more):
        more = list(more)
        added = more.pop(0) if attn_mask is not None else None
        # The kernel multiplies the sink by the scale, as it does the scores.
        sink = more[0].reshape(-1) * factor if attention_sink is not None else None
        places = np.arange(k_.shape[2])
        window = sliding_window_size or None
        return attend(q_, k_, v_, factor, places[:q_.shape[2]] if is_causal else None, places,
                      sink=sink, added=added, window=window)

    return compute(operands, q._shape, DataType.BFLOAT16, run)


# ---- The ring --------------------------------------------------------------------

def _check_resources(device, semaphores, buffers):
    require(len(semaphores) >= 2, "ring_joint: expects at least two semaphores")
    for semaphore in semaphores:
        check_type(semaphore, GlobalSemaphore, "semaphore")
        require(semaphore.device is device, "ring_joint: expects semaphores of this mesh")
        require(semaphore.created < device.synchronised,
                "ring_joint: expects the mesh to be synchronised after semaphores are created")
    used = [*semaphores, *(buffer._buffer for buffer in buffers)]
    for one in used:
        require(not any(one is other for other in device.last_ring),
                "ring_joint: expects other semaphores and buffers than the call before")
    for buffer in buffers:
        require(buffer._buffer.created < device.synchronised,
                "ring_joint: expects the mesh to be synchronised after buffers are created")
    device.last_ring = used


def _check_buffer(buffer, local, ranks, what):
    check_device(buffer, "ring_joint")
    expected = local._shape[:2] + (local._shape[2] * ranks,) + local._shape[3:]
    require(buffer._shape == expected, f"ring_joint: expects room for {what} of all ranks")
    require(buffer._dtype == local._dtype, f"ring_joint: expects {what} of one type with their room")
    require(is_in_dram(buffer), "ring_joint: expects buffers in DRAM")


def _check_cores(device, config, offset, num_links, column_major):
    grid = device.compute_with_storage_grid_size()
    if column_major:
        require(offset.x >= config.grid.x, "ring_joint: expects transferring cores beside the grid")
        room = grid.y - offset.y
    else:
        require(offset.y >= config.grid.y, "ring_joint: expects transferring cores below the grid")
        room = grid.x - offset.x
    require(offset.x < grid.x and offset.y < grid.y and 2 * num_links <= room,
            "ring_joint: expects two transferring cores for each link on the device")


def _check_memory(q, v, joint_rows, config, masks, wide):
    """The circular buffers of a core that computes, in tiles of 2048 bytes; with
    f32 accumulation scores are held twice."""
    q_tiles, k_tiles = config.q_chunk_size // TILE, config.k_chunk_size // TILE
    dim, width = q._shape[3] // TILE, v._shape[3] // TILE
    chunks = -(-q._shape[2] // config.q_chunk_size) + -(-joint_rows // config.q_chunk_size)
    per_core = -(-q._shape[0] * q._shape[1] * chunks // (config.grid.x * config.grid.y))
    tiles = (q_tiles * dim * (2 if per_core > 1 else 1) + 2 * k_tiles * (dim + width) +
             q_tiles * k_tiles * (2 if wide else 1) + 4 * q_tiles * width + 9 * q_tiles +
             (3 if wide else 4) + masks)
    require(_BUFFERS_BEGIN + 2048 * tiles + 80 <= _BUFFERS_END,
            "ring_joint: expects circular buffers that fit into a core's memory")


def ring_joint_scaled_dot_product_attention(
        input_tensor_q, input_tensor_k, input_tensor_v, joint_tensor_q=None, joint_tensor_k=None,
        joint_tensor_v=None, *, persistent_output_buffer_k, persistent_output_buffer_v,
        joint_strategy, logical_n, logical_l=0, program_config, scale=None,
        compute_kernel_config=None, dim, multi_device_global_semaphore, num_links, cluster_axis,
        mesh_device, topology, subdevice_id=None, ccl_core_grid_offset, use_column_major_ccl=False,
        is_causal=False, is_balanced=False, is_cross=False, kv_cache_batch_idx=None,
        kv_actual_isl=None, attention_sink=None, sliding_window_size=None,
        persistent_output_buffer_joint_k=None, persistent_output_buffer_joint_v=None):
    return _ring_joint(**locals())


def _ring_joint(
        input_tensor_q, input_tensor_k, input_tensor_v, joint_tensor_q=None, joint_tensor_k=None,
        joint_tensor_v=None, *, persistent_output_buffer_k, persistent_output_buffer_v,
        joint_strategy, logical_n, logical_l=0, program_config, scale=None,
        compute_kernel_config=None, dim, multi_device_global_semaphore, num_links, cluster_axis,
        mesh_device, topology, subdevice_id=None, ccl_core_grid_offset, use_column_major_ccl=False,
        is_causal=False, is_balanced=False, is_cross=False, kv_cache_batch_idx=None,
        kv_actual_isl=None, attention_sink=None, sliding_window_size=None,
        persistent_output_buffer_joint_k=None, persistent_output_buffer_joint_v=None,
        chunk_start=None):
    """The ring of both ops; a chunk over a cache in blocks is the one of ring_mla alone."""
    q, k, v = input_tensor_q, input_tensor_k, input_tensor_v
    joint = [x for x in (joint_tensor_q, joint_tensor_k, joint_tensor_v) if x is not None]
    require(len(joint) in (0, 3), "ring_joint: expects all joint tensors or none")
    _check_operands((q, k, v, *joint), "ring_joint")
    check_type(mesh_device, MeshDevice, "mesh_device")
    check_type(topology, Topology, "topology")
    check_type(ccl_core_grid_offset, CoreCoord, "ccl_core_grid_offset")
    for name, value in (("is_causal", is_causal), ("is_balanced", is_balanced),
                        ("is_cross", is_cross), ("use_column_major_ccl", use_column_major_ccl)):
        check_flag(value, name)
    for name, value in (("logical_n", logical_n), ("logical_l", logical_l), ("dim", dim),
                        ("num_links", num_links), ("cluster_axis", cluster_axis)):
        check_int(value, name)
    device = q._device
    require(mesh_device is device, "ring_joint: expects the mesh of its operands")
    device.check_fabric(topology)
    require(cluster_axis in (0, 1), "ring_joint: expects a mesh axis")
    ranks = device.shape[cluster_axis]
    require(1 < ranks <= 32, "ring_joint: expects 2 to 32 ranks")
    require(dim == 2, "ring_joint: expects rows as the gathered dimension")
    require(joint_strategy == "rear", "ring_joint: expects the joint strategy rear")
    require(num_links > 0, "ring_joint: expects a link")
    require(kv_cache_batch_idx is None and kv_actual_isl is None,
            "the stand-in has no caches in a ring")
    require(sliding_window_size is None,
            "ring_joint: expects chunked bf16 queries and block-float keys with a window")
    # Shapes.
    require(q._shape[0] == k._shape[0] == v._shape[0], "ring_joint: expects one batch")
    require(k._shape[3] == q._shape[3], "ring_joint: expects keys as wide as queries")
    require(k._shape[2] == v._shape[2], "ring_joint: expects as many values as keys")
    require(q._shape[2] % TILE == 0 and k._shape[2] % TILE == 0,
            "ring_joint: expects whole tiles of rows on every device")
    require(q._shape[2] <= k._shape[2], "ring_joint: expects no more queries than keys")
    heads, key_heads, value_heads = q._shape[1], k._shape[1], v._shape[1]
    grouped = key_heads == value_heads < heads and heads % key_heads == 0
    require(heads == key_heads == value_heads or (key_heads == 1 and value_heads == heads) or
            grouped, "ring_joint: expects heads that go together")
    require(not (grouped and joint), "ring_joint: expects equal heads with joint tokens")
    if not is_causal:
        require(v._shape[3] == q._shape[3], "ring_joint: expects values as wide as keys")
        require(len({x._dtype for x in (q, k, v, *joint)}) == 1, "ring_joint: expects one type")
    chunked = q._shape[2] < k._shape[2]
    require(not chunked or is_causal or is_cross,
            "ring_joint: expects is_cross for fewer queries than keys")
    require(not is_cross or (chunked and not is_causal and not is_balanced),
            "ring_joint: expects fewer queries than keys, neither causal nor balanced, as cross")
    require(not (chunked and is_causal) or chunk_start is not None,
            "the stand-in has no chunked prefill in a ring")
    require(0 < logical_n <= k._shape[2] * ranks, "ring_joint: expects a length of the sequence")
    # Joint tokens.
    joint_rows, sharded = 0, False
    if joint:
        jq, jk, jv = joint
        require(not is_causal, "ring_joint: expects no joint tokens in a causal attention")
        joint_rows = jq._shape[2]
        require(jk._shape[2] == jv._shape[2] == joint_rows, "ring_joint: expects one joint length")
        require(all(x._shape[0] == q._shape[0] and x._shape[1] == heads and
                    x._shape[3] == q._shape[3] for x in joint),
                "ring_joint: expects joint tensors that fit")
        sharded = 0 < joint_rows < logical_l
        require(sharded or logical_l in (0, joint_rows),
                "ring_joint: expects all joint tokens or a share of them")
        if sharded:
            require(joint_rows % TILE == 0 and logical_l <= joint_rows * ranks,
                    "ring_joint: expects shares of whole tiles")
            require(not is_cross and not is_balanced, "ring_joint: expects no cross with shares")
            for buffer, local, what in ((persistent_output_buffer_joint_k, jk, "joint keys"),
                                        (persistent_output_buffer_joint_v, jv, "joint values")):
                if buffer is not None:
                    _check_buffer(buffer, local, ranks, what)
    # The program.
    _check_program(program_config, device, "ring_joint")
    require(not is_balanced or q._shape[2] // 2 % program_config.q_chunk_size == 0,
            "ring_joint: expects query chunks to divide half of the rows when balanced")
    _check_cores(device, program_config, ccl_core_grid_offset, num_links, use_column_major_ccl)
    # Tiles that hide: the diagonal, ends within a tile, and one for the sink.
    masks = sum((is_causal, logical_n % TILE != 0, logical_l % TILE != 0, attention_sink is not None))
    wide = compute_kernel_config is not None and compute_kernel_config.fp32_dest_acc_en
    _check_memory(q, v, joint_rows, program_config, masks, wide)
    if attention_sink is not None:
        check_device(attention_sink, "ring_joint")
        require(is_causal and not joint, "ring_joint: expects a causal attention with a sink")
        require(attention_sink._dtype == DataType.BFLOAT16, "ring_joint: expects a sink of bf16")
        require(attention_sink._shape == (1, heads, 1, 1), "ring_joint: expects a sink of each head")
        require(not wide, "ring_joint: expects no f32 accumulation with a sink")
    # Room and semaphores.
    buffers = [persistent_output_buffer_k, persistent_output_buffer_v]
    _check_buffer(buffers[0], k, ranks, "keys")
    _check_buffer(buffers[1], v, ranks, "values")
    _check_resources(device, list(multi_device_global_semaphore), buffers)
    factor = scale if scale is not None else 1 / math.sqrt(q._shape[3])
    return _run_ring(q, k, v, joint, attention_sink, buffers, cluster_axis, logical_n,
                     logical_l if sharded else joint_rows, sharded, is_causal, is_balanced, factor,
                     chunk_start)


def _places(rank, ranks, rows, balanced):
    """The positions of the rows that a rank holds."""
    if not balanced:
        return rank * rows + np.arange(rows)
    half = rows // 2
    return np.concatenate([rank * half + np.arange(half),
                           (2 * ranks - 1 - rank) * half + np.arange(half)])


def _dealt(rank, ranks, rows, block):
    """The positions of the rows of a cache in blocks that a rank holds."""
    row = np.arange(rows)
    return row // block * ranks * block + rank * block + row % block


def _run_ring(q, k, v, joint, sink, buffers, axis, length, joint_length, sharded, causal, balanced,
              scale, chunk_start):
    device = q._device
    ranks = device.shape[axis]
    shape, joint_shape = q._shape[:3] + v._shape[3:], None
    if joint:
        joint_shape = joint[0]._shape[:3] + joint[2]._shape[3:]
    outputs, joints, gathered = [], [], {}
    for index in range(device.get_num_devices()):
        line = tuple(device.along(index, axis))
        rank = line.index(index)
        if line not in gathered:
            if TRACING:
                gathered[line] = None
            else:
                gathered[line] = [np.concatenate([shards_of(x)[i] for i in line], axis=2)
                                  for x in (k, v, *(joint[1:] if sharded else ()))]
        if TRACING:
            outputs.append(np.broadcast_to(np.float32(0), shape))
            joints.append(np.broadcast_to(np.float32(0), joint_shape) if joint else None)
            continue
        keys, values, *joint_parts = gathered[line]
        for buffer, array in zip(buffers, (keys, values)):
            shards_of(buffer)[index] = array
        rows = q._shape[2]
        if chunk_start is None:
            # The kernel takes padding to be the end of what was gathered, whatever the order.
            keys, values = keys[:, :, :length], values[:, :, :length]
            key_places = np.concatenate(
                [_places(r, ranks, k._shape[2], balanced) for r in range(ranks)])[:length]
            query_places = _places(rank, ranks, rows, balanced) if causal else None
        else:
            key_places = np.concatenate([_dealt(r, ranks, k._shape[2], rows) for r in range(ranks)])
            used = key_places < length
            keys, values, key_places = keys[:, :, used], values[:, :, used], key_places[used]
            query_places = chunk_start + _places(rank, ranks, rows, balanced)
        if joint:
            own = joint_parts if sharded else [shards_of(x)[index] for x in joint[1:]]
            keys = np.concatenate([keys, own[0][:, :, :joint_length]], axis=2)
            values = np.concatenate([values, own[1][:, :, :joint_length]], axis=2)
            key_places = np.arange(keys.shape[2])
        # The kernel multiplies the sink by the scale, as it does the scores.
        logits = None if sink is None else shards_of(sink)[index].reshape(-1) * scale
        outputs.append(stored(attend(shards_of(q)[index], keys, values, scale, query_places,
                                     key_places, sink=logits), DataType.BFLOAT16))
        if joint:
            joints.append(stored(attend(shards_of(joint[0])[index], keys, values, scale, None,
                                        key_places), DataType.BFLOAT16))
    output = on_device(device, outputs, shape, DataType.BFLOAT16)
    # Without joint tokens there is an empty tensor; the last one is scratch.
    empty = q._shape[:2] + (0, v._shape[3])
    if not joint:
        joints, joint_shape = [np.zeros(empty, np.float32)] * len(outputs), empty
    scratch = q._shape[:2] + ((q._shape[2] + joint_shape[2]) * 2, 1)
    poison = np.broadcast_to(np.float32(np.nan), scratch)
    return (output, on_device(device, joints, joint_shape, DataType.BFLOAT16),
            on_device(device, [poison] * len(outputs), scratch, DataType.BFLOAT16))


def ring_mla(
        input_tensor_q, input_tensor_kv, *, persistent_output_buffer_kv, head_dim_v, logical_n,
        program_config, scale=None, compute_kernel_config=None, dim, multi_device_global_semaphore,
        num_links, cluster_axis, mesh_device, topology, subdevice_id=None, ccl_core_grid_offset,
        use_column_major_ccl=False, is_balanced=False, kv_cache_batch_idx=None, kv_actual_isl=None,
        slot_id=None, kv_actual_isl_tensor=None, kv_cache_num_layers=None,
        kv_cache_layer_idx=None):
    """The ring over one tensor: keys are all of its columns, values the first."""
    q, k = input_tensor_q, input_tensor_kv
    _check_operands((q, k), "ring_mla")
    check_int(head_dim_v, "head_dim_v")
    require(q._dtype == DataType.BFLOAT16, "ring_mla: expects bf16 queries")
    require(k._shape[1] == 1, "ring_mla: expects one head of keys")
    require(0 < head_dim_v < k._shape[3], "ring_mla: expects fewer columns of values than of keys")
    require(head_dim_v % TILE == 0, "ring_mla: expects values of whole tiles")
    require(all(x is None for x in (kv_cache_batch_idx, slot_id, kv_actual_isl_tensor,
                                    kv_cache_num_layers, kv_cache_layer_idx)),
            "the stand-in has no slots of a cache in a ring")
    chunked = q._shape[2] < k._shape[2]
    require(chunked or kv_actual_isl is None, "ring_mla: expects fewer queries than keys in a chunk")
    if chunked:
        _check_chunk(q, k, logical_n, kv_actual_isl, is_balanced, compute_kernel_config,
                     k._device.shape[cluster_axis])
    shape = k._shape[:3] + (head_dim_v,)
    values = on_device(k._device, [x[..., :head_dim_v] for x in shards_of(k)], shape, k._dtype)
    # Values arrive with their keys: their room is the first columns of that of the keys.
    room = persistent_output_buffer_kv
    check_device(room, "ring_mla")
    columns = on_device(k._device, [x[..., :head_dim_v] for x in shards_of(room)],
                        room._shape[:3] + (head_dim_v,), room._dtype)
    columns._buffer.created = room._buffer.created
    output, _, scratch = _ring_joint(
        q, k, values, persistent_output_buffer_k=room, persistent_output_buffer_v=columns,
        joint_strategy="rear", logical_n=logical_n, program_config=program_config, scale=scale,
        compute_kernel_config=compute_kernel_config, dim=dim,
        multi_device_global_semaphore=multi_device_global_semaphore, num_links=num_links,
        cluster_axis=cluster_axis, mesh_device=mesh_device, topology=topology,
        subdevice_id=subdevice_id, ccl_core_grid_offset=ccl_core_grid_offset,
        use_column_major_ccl=use_column_major_ccl, is_causal=True, is_balanced=is_balanced,
        chunk_start=kv_actual_isl)
    return output, scratch


def _check_chunk(q, k, length, start, is_balanced, config, ranks):
    """A chunk of a prompt over a cache that is dealt out in blocks of its rows."""
    rows = q._shape[2]
    require(start is not None, "the stand-in wants to know what is before a chunk")
    check_int(start, "kv_actual_isl")
    require(q._shape[0] == 1, "ring_mla: expects one user in a chunk")
    require(k._shape[2] % rows == 0, "ring_mla: expects a cache of whole blocks")
    require(start % TILE == 0 and length % TILE == 0, "ring_mla: expects lengths of whole tiles")
    require(start < length <= start + ranks * rows, "ring_mla: expects what is new in one chunk")
    require(not is_balanced, "ring_mla: expects no balanced chunk")
    require(config is None or not config.fp32_dest_acc_en,
            "ring_mla: expects no f32 accumulation in a chunk")
    require(start % (ranks * rows) == 0 and length == start + ranks * rows,
            "the stand-in has chunks of whole rounds alone")


def ring_distributed_scaled_dot_product_attention(
        input_tensor_q, input_tensor_k, input_tensor_v, ring_size, ring_id=None, *, scale=None,
        memory_config=None, program_config=None, compute_kernel_config=None, page_table=None,
        chunk_start_idx=None):
    q, k, v = input_tensor_q, input_tensor_k, input_tensor_v
    op = "ring_distributed"
    _check_operands((q, k, v), op)
    check_int(ring_size, "ring_size")
    require(0 < ring_size <= 32 and ring_size % 2 == 0, f"{op}: expects an even ring of at most 32")
    require(len({x._dtype for x in (q, k, v)}) == 1, f"{op}: expects one type")
    require(v._shape[3] == k._shape[3] == q._shape[3], f"{op}: expects heads of one dimension")
    require(v._shape[1] == k._shape[1] and q._shape[1] % k._shape[1] == 0,
            f"{op}: expects key heads to divide query heads")
    require(ring_id is None, "the stand-in takes ranks from the mesh")
    rows = q._shape[2]
    q_chunk = program_config.q_chunk_size if program_config else TILE
    k_chunk = program_config.k_chunk_size if program_config else TILE
    if program_config is not None:
        _check_program(program_config, q._device, op)
    require(rows % (2 * ring_size) == 0 and rows // TILE >= 2 * ring_size,
            f"{op}: expects twice the ring to divide the tiles of queries")
    part = rows // (2 * ring_size)
    require(q_chunk <= part and part % q_chunk == 0, f"{op}: expects query chunks to divide {part}")
    start = 0
    operands = [q, k, v]
    if chunk_start_idx is not None:
        start = check_int(chunk_start_idx, "chunk_start_idx")
        require(page_table is not None, f"{op}: expects pages with a chunk")
        block = k._shape[2]
        require(start >= 0 and start % q_chunk == 0 and start % block == 0 and rows % block == 0,
                f"{op}: expects whole chunks and pages before the queries")
        require((rows + start) % k_chunk == 0, f"{op}: expects key chunks to divide the keys")
    else:
        require(page_table is None, f"{op}: expects a chunk with pages")
        require(rows == k._shape[2] == v._shape[2] and q._shape[0] == k._shape[0] == v._shape[0],
                f"{op}: expects as many queries as keys")
    if page_table is not None:
        check_device(page_table, op, (Layout.TILE, Layout.ROW_MAJOR), (DataType.INT32,))
        require(len(page_table._shape) == 2 and page_table._shape[0] == q._shape[0],
                f"{op}: expects a page table for each batch")
        operands.append(page_table)
    # A device finds its rank along axis 0, wherever that is as long as the ring.
    device = q._device
    require(ring_size in tuple(device.shape), f"{op}: expects a mesh axis as long as the ring")
    axis = 0 if device.shape[0] == ring_size else 1
    factor = scale if scale is not None else 1 / math.sqrt(q._shape[3])
    shape = q._shape[:2] + (rows // ring_size, v._shape[3])
    made = []
    for index in range(device.get_num_devices()):
        if TRACING:
            made.append(np.broadcast_to(np.float32(0), shape))
            continue
        queries, keys, values, *pages = (shards_of(x)[index] for x in operands)
        if pages:
            keys, values = (np.stack([np.concatenate(list(x[numbers]), axis=1)
                                      for numbers in pages[0].astype(np.int64)])[:, :, :rows + start]
                            for x in (keys, values))
        rank = device.place(index)[axis]
        own = _places(rank, ring_size, rows // ring_size, True)
        made.append(stored(attend(queries[:, :, own], keys, values, factor, start + own,
                                  np.arange(keys.shape[2])), DataType.BFLOAT16))
    return on_device(device, made, shape, DataType.BFLOAT16)

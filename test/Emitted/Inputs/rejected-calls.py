#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls that the stand-in for ttnn must reject, at least one for each of its rules:
a call that is right, then the same with one thing changed. A rule that nothing
here breaks is an error too.
"""

import ast
import functools
import os
import re
import sys

sys.dont_write_bytecode = True
STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "TtnnStandIn")
sys.path.insert(0, STAND_IN)

import numpy as np  # noqa: E402
import ttnn  # noqa: E402

problems, broken = [], set()


def rejects(name, expected, function):
    """`expected` is TypeError, or a part of what the rule says."""
    try:
        function()
    except TypeError:
        if expected is not TypeError:
            problems.append(f"{name}: expects '{expected}', but got a TypeError")
    except RuntimeError as error:
        broken.add(str(error))
        if expected is TypeError or expected not in str(error):
            problems.append(f"{name}: expects '{expected}', but got '{error}'")
    else:
        problems.append(f"{name}: is not rejected")


class Mesh:
    """A mesh that is open for one case."""

    def __init__(self, shape=(2, 4), fabric=ttnn.FabricConfig.FABRIC_1D_RING):
        self.shape, self.fabric = shape, fabric

    def __enter__(self):
        ttnn.set_fabric_config(self.fabric)
        self.device = ttnn.open_mesh_device(ttnn.MeshShape(*self.shape))
        return self.device

    def __exit__(self, *_):
        if self.device.is_open:
            ttnn.close_mesh_device(self.device)
        ttnn.set_fabric_config(ttnn.FabricConfig.DISABLED)


def on_host(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT):
    return ttnn.Tensor(np.ones(shape, np.float32), dtype, layout=layout)


def on_device(device, shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, memory=None):
    return ttnn.to_device(on_host(shape, dtype, layout), device, memory)


def cases(make, changes, **mesh):
    """`make(device)` gives a function and its arguments; each change is given them
    to spoil."""
    for name, (expected, change) in {"": (None, None), **changes}.items():
        with Mesh(**mesh) as device:
            function, arguments = make(device)
            if change is None:
                function(**arguments)
                continue
            arguments.update(change(device) if callable(change) else change)
            rejects(f"{function.__name__} {name}", expected, lambda: function(**arguments))


# ---- The ring -------------------------------------------------------------------

def ring_arguments(device, rows=64, ranks=2, heads=1, joint=32):
    grid = device.compute_with_storage_grid_size()
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0),
                                              ttnn.CoreCoord(grid.x - 1, grid.y - 1))])
    arguments = dict(
        zip(("input_tensor_q", "input_tensor_k", "input_tensor_v"),
            (on_device(device, (1, heads, rows, 64)) for _ in range(3))))
    if joint:
        arguments.update(zip(("joint_tensor_q", "joint_tensor_k", "joint_tensor_v"),
                             (on_device(device, (1, heads, joint, 64)) for _ in range(3))))
    arguments.update(
        persistent_output_buffer_k=on_device(device, (1, heads, rows * ranks, 64)),
        persistent_output_buffer_v=on_device(device, (1, heads, rows * ranks, 64)),
        joint_strategy="rear", logical_n=rows * ranks - 5, logical_l=joint,
        program_config=program(), dim=2,
        multi_device_global_semaphore=[ttnn.create_global_semaphore(device, cores, 0)
                                       for _ in range(2)],
        num_links=1, cluster_axis=0, mesh_device=device, topology=ttnn.Topology.Ring,
        ccl_core_grid_offset=ttnn.CoreCoord(7, 0), use_column_major_ccl=True)
    ttnn.synchronize_device(device)
    return arguments


def program(grid=(7, 8), q=32, k=64):
    return ttnn.SDPAProgramConfig(compute_with_storage_grid_size=ttnn.CoreCoord(*grid),
                                  q_chunk_size=q, k_chunk_size=k)


RING = ttnn.transformer.ring_joint_scaled_dot_product_attention


def joint_ring(device):
    return RING, ring_arguments(device)


def causal_ring(device):
    arguments = ring_arguments(device, joint=0)
    arguments.update(is_causal=True, attention_sink=on_device(device, (1, 1, 1, 1)))
    return RING, arguments


def balanced_ring(device):
    arguments = ring_arguments(device, joint=0)
    arguments.update(is_causal=True, is_balanced=True)
    return RING, arguments


def cross_ring(device):
    arguments = ring_arguments(device, joint=0)
    arguments.update(input_tensor_q=on_device(device, (1, 1, 32, 64)), is_cross=True)
    return RING, arguments


def shared_joint_ring(device):
    arguments = ring_arguments(device)
    arguments.update(logical_l=50,
                     persistent_output_buffer_joint_k=on_device(device, (1, 1, 64, 64)),
                     persistent_output_buffer_joint_v=on_device(device, (1, 1, 64, 64)))
    return RING, arguments


def tensor(name, *shape, **kind):
    return lambda device: {name: on_device(device, shape, **kind)}


def tensors(names, *shape, **kind):
    return lambda device: {name: on_device(device, shape, **kind) for name in names}


QKV = ("input_tensor_q", "input_tensor_k", "input_tensor_v")
JOINT = ("joint_tensor_q", "joint_tensor_k", "joint_tensor_v")
ROOMS = ("persistent_output_buffer_k", "persistent_output_buffer_v")


def other_mesh_semaphores(device):
    """Semaphores that belong elsewhere."""
    other = ttnn.MeshDevice(ttnn.MeshShape(2, 4), device.fabric)
    return {"multi_device_global_semaphore": ring_arguments(other)["multi_device_global_semaphore"]}


def check_rings():
    cases(joint_ring, {
        "unknown": (TypeError, {"use_ring": True}),
        "flag": (TypeError, {"is_causal": 1}),
        "number": (TypeError, {"logical_n": 100.0}),
        "topology": (TypeError, {"topology": "ring"}),
        "semaphore": (TypeError, {"multi_device_global_semaphore": [1, 2]}),
        "half joint": ("all joint tensors or none", {"joint_tensor_q": None}),
        "host": ("on the device", lambda _: {"input_tensor_q": on_host((1, 1, 64, 64))}),
        "rows": ("in another layout", tensor("input_tensor_q", 1, 1, 64, 64,
                                             layout=ttnn.ROW_MAJOR_LAYOUT)),
        "f32": ("bf16 or block floats", tensors(QKV, 1, 1, 64, 64, dtype=ttnn.float32)),
        "rank": ("four dimensions", tensor("input_tensor_q", 1, 64, 64)),
        "head dim": ("whole tiles", tensors(QKV, 1, 1, 64, 48)),
        "L1": ("operands in DRAM", tensor("input_tensor_q", 1, 1, 64, 64,
                                          memory=ttnn.L1_MEMORY_CONFIG)),
        "mesh": ("the mesh of its operands",
                 lambda device: {"mesh_device": ttnn.MeshDevice(device.shape, device.fabric)}),
        "axis": ("a mesh axis", {"cluster_axis": 2}),
        "dim": ("rows as the gathered dimension", {"dim": 1}),
        "strategy": ("strategy rear", {"joint_strategy": "front"}),
        "links": ("expects a link", {"num_links": 0}),
        "cache": ("no caches", {"kv_cache_batch_idx": 0}),
        "window": ("with a window", {"sliding_window_size": 128}),
        "batch": ("one batch", tensor("input_tensor_q", 2, 1, 64, 64)),
        "wide keys": ("as wide as queries", tensor("input_tensor_k", 1, 1, 64, 96)),
        "few values": ("as many values", tensor("input_tensor_v", 1, 1, 32, 64)),
        "tiles of rows": ("whole tiles of rows", tensors(QKV, 1, 1, 40, 64)),
        "many queries": ("no more queries", tensor("input_tensor_q", 1, 1, 96, 64)),
        "heads": ("heads that go together", tensors(QKV[1:], 1, 3, 64, 64)),
        "grouped": ("equal heads", tensor("input_tensor_q", 1, 2, 64, 64)),
        "wide values": ("as wide as keys", tensor("input_tensor_v", 1, 1, 64, 96)),
        "mixed types": ("one type", tensor("input_tensor_q", 1, 1, 64, 64, dtype=ttnn.bfloat8_b)),
        "few queries": ("is_cross", tensor("input_tensor_q", 1, 1, 32, 64)),
        "cross": ("as cross", {"is_cross": True}),
        "length": ("a length of the sequence", {"logical_n": 129}),
        "causal": ("no joint tokens in a causal", {"is_causal": True}),
        "joint length": ("one joint length", tensor("joint_tensor_v", 1, 1, 64, 64)),
        "joint heads": ("joint tensors that fit", tensors(JOINT, 1, 2, 32, 64)),
        "joint count": ("all joint tokens or a share", {"logical_l": 20}),
        "grid": ("a grid of the device's cores", {"program_config": program((9, 8))}),
        "chunk": ("chunks of whole tiles", {"program_config": program(q=48)}),
        "memory": ("fit into a core's memory", {"program_config": program(q=1024, k=1024)}),
        "row major": ("below the grid", {"use_column_major_ccl": False}),
        "overlap": ("beside the grid", {"ccl_core_grid_offset": ttnn.CoreCoord(6, 0)}),
        "many links": ("two transferring cores for each link", {"num_links": 5}),
        "small room": ("room for keys", tensor(ROOMS[0], 1, 1, 64, 64)),
        "other room": ("of one type with their room",
                       tensor(ROOMS[0], 1, 1, 128, 64, dtype=ttnn.float32)),
        "room in L1": ("buffers in DRAM",
                       tensor(ROOMS[0], 1, 1, 128, 64, memory=ttnn.L1_MEMORY_CONFIG)),
        "new room": ("after buffers are created", tensor(ROOMS[0], 1, 1, 128, 64)),
        "other semaphores": ("semaphores of this mesh", other_mesh_semaphores),
        "new semaphores": ("after semaphores are created", lambda device: {
            "multi_device_global_semaphore": [
                ttnn.create_global_semaphore(device, ttnn.CoreRangeSet([]), 0) for _ in range(2)]}),
        "one semaphore": ("at least two semaphores", {"multi_device_global_semaphore": []}),
    })
    for name in ("persistent_output_buffer_k", "dim", "topology", "ccl_core_grid_offset", "num_links"):
        with Mesh() as device:
            arguments = ring_arguments(device)
            del arguments[name]
            rejects(f"without {name}", TypeError, lambda: RING(**arguments))
    cases(causal_ring, {
        "chunked": ("no chunked prefill", tensor("input_tensor_q", 1, 1, 32, 64)),
        "sink of f32": ("a sink of bf16", tensor("attention_sink", 1, 1, 1, 1, dtype=ttnn.float32)),
        "sink of two": ("a sink of each head", tensor("attention_sink", 1, 2, 1, 1)),
        "full": ("a causal attention with a sink", {"is_causal": False}),
        "f32": ("no f32 accumulation", lambda device: {
            "compute_kernel_config": ttnn.init_device_compute_kernel_config(
                device.arch(), fp32_dest_acc_en=True)}),
    })
    cases(balanced_ring, {
        "chunk": ("half of the rows", {"program_config": program(q=64)}),
    })
    cases(cross_ring, {"balanced": ("as cross", {"is_balanced": True})})
    cases(shared_joint_ring, {
        "rows": ("shares of whole tiles", lambda device: {
            **tensors(JOINT, 1, 1, 40, 64)(device)}),
        "room": ("room for joint keys",
                 tensor("persistent_output_buffer_joint_k", 1, 1, 32, 64)),
        "cross": ("no cross with shares", {"is_balanced": True}),
    })
    for fabric, expected in ((ttnn.FabricConfig.DISABLED, "configured before"),
                             (ttnn.FabricConfig.FABRIC_1D, "FABRIC_1D_RING for a ring")):
        with Mesh(fabric=fabric) as device:
            rejects("fabric", expected, lambda: RING(**ring_arguments(device)))
    with Mesh(shape=(1, 4)) as device:
        rejects("one rank", "2 to 32 ranks", lambda: RING(**ring_arguments(device)))
    with Mesh() as device:
        arguments = ring_arguments(device)
        RING(**arguments)
        rejects("twice", "than the call before", lambda: RING(**arguments))
        ttnn.synchronize_device(device)
        RING(**arguments)

def check_latent_ring():
    def latent(device):
        arguments = ring_arguments(device, heads=4, joint=0)
        for name in (*QKV[1:], *ROOMS, "joint_strategy", "logical_l"):
            del arguments[name]
        arguments.update(
            input_tensor_q=on_device(device, (1, 4, 64, 96)),
            input_tensor_kv=on_device(device, (1, 1, 64, 96), dtype=ttnn.bfloat8_b),
            persistent_output_buffer_kv=on_device(device, (1, 1, 128, 96), dtype=ttnn.bfloat8_b),
            head_dim_v=64)
        ttnn.synchronize_device(device)
        return ttnn.transformer.ring_mla, arguments

    cases(latent, {
        "unknown": (TypeError, {"is_causal": True}),
        "block floats": ("bf16 queries", tensor("input_tensor_q", 1, 4, 64, 96,
                                                dtype=ttnn.bfloat8_b)),
        "heads": ("one head of keys", tensor("input_tensor_kv", 1, 2, 64, 96)),
        "columns": ("fewer columns of values", {"head_dim_v": 96}),
        "tiles": ("values of whole tiles", {"head_dim_v": 48}),
        "cache": ("no slots of a cache", {"kv_cache_batch_idx": 0}),
        "wide keys": ("as wide as queries", tensor("input_tensor_kv", 1, 1, 64, 128)),
        "chunk of all": ("fewer queries than keys in a chunk", {"kv_actual_isl": 64}),
        "small room": ("room for keys", tensor("persistent_output_buffer_kv", 1, 1, 64, 96,
                                               dtype=ttnn.bfloat8_b)),
        "length": ("a length of the sequence", {"logical_n": 129}),
    })

    def chunk(device):
        function, arguments = latent(device)
        arguments.update(input_tensor_q=on_device(device, (1, 4, 32, 96)), kv_actual_isl=64,
                         logical_n=128)
        ttnn.synchronize_device(device)
        return function, arguments

    cases(chunk, {
        "start": ("what is before a chunk", {"kv_actual_isl": None}),
        "odd start": ("lengths of whole tiles", {"kv_actual_isl": 60}),
        "too many": ("what is new in one chunk", {"kv_actual_isl": 32}),
        "balanced": ("no balanced chunk", {"is_balanced": True}),
        "rounds": ("chunks of whole rounds", {"logical_n": 96}),
        "users": ("one user in a chunk", tensor("input_tensor_q", 2, 4, 32, 96)),
        "blocks": ("a cache of whole blocks", tensor("input_tensor_kv", 1, 1, 48, 96)),
        "f32 sums": ("no f32 accumulation in a chunk", lambda device: {
            "compute_kernel_config": ttnn.init_device_compute_kernel_config(
                device.arch(), fp32_dest_acc_en=True)}),
    })
    for name in ("persistent_output_buffer_kv", "head_dim_v", "dim", "topology"):
        with Mesh() as device:
            function, arguments = latent(device)
            del arguments[name]
            rejects(f"ring_mla without {name}", TypeError, lambda: function(**arguments))


def check_distributed_ring():
    function = ttnn.transformer.ring_distributed_scaled_dot_product_attention

    def whole(device):
        arguments = dict(zip(QKV, (on_device(device, (1, 2, 256, 64)) for _ in range(3))))
        arguments.update(ring_size=4)
        return function, arguments

    def paged(device):
        arguments = dict(zip(QKV, (on_device(device, (1, 2, 256, 64)),
                                   on_device(device, (8, 2, 64, 64)),
                                   on_device(device, (8, 2, 64, 64)))))
        arguments.update(ring_size=4, chunk_start_idx=64, page_table=on_device(
            device, (1, 8), ttnn.int32, ttnn.ROW_MAJOR_LAYOUT))
        return function, arguments

    cases(whole, {
        "odd": ("an even ring", {"ring_size": 3}),
        "long": ("a mesh axis as long", lambda device: {
            **tensors(QKV, 1, 2, 512, 64)(device), "ring_size": 8}),
        "mixed types": ("one type", tensor("input_tensor_q", 1, 2, 256, 64, dtype=ttnn.bfloat8_b)),
        "rank": ("ranks from the mesh", {"ring_id": 0}),
        "wide": ("heads of one dimension", tensor("input_tensor_v", 1, 2, 256, 32)),
        "heads": ("divide query heads", tensors(QKV[1:], 1, 3, 256, 64)),
        "rows": ("twice the ring", tensors(QKV, 1, 2, 192, 64)),
        "chunk": ("query chunks to divide", {"program_config": program(q=64)}),
        "keys": ("as many queries as keys", tensors(QKV[1:], 1, 2, 512, 64)),
        "pages": ("a chunk with pages", tensor("page_table", 1, 8, dtype=ttnn.int32)),
        "no pages": ("pages with a chunk", {"chunk_start_idx": 0}),
    })
    cases(paged, {
        "type": ("of another type", tensor("page_table", 1, 8, dtype=ttnn.uint32)),
        "batch": ("for each batch", tensor("page_table", 2, 8, dtype=ttnn.int32)),
        "start": ("whole chunks and pages", {"chunk_start_idx": 32}),
        "end": ("key chunks to divide", {"program_config": program(q=32, k=256)}),
    })


def check_attention():
    function = ttnn.transformer.scaled_dot_product_attention

    def plain(device):
        return function, dict(zip(QKV, (on_device(device, (1, 2, 64, 64)) for _ in range(3))),
                              is_causal=False, attn_mask=on_device(device, (1, 1, 64, 64)))

    cases(plain, {
        "values": ("of one shape", tensor("input_tensor_v", 1, 2, 32, 64)),
        "keys": ("keys that fit", tensors(QKV[1:], 2, 2, 64, 64)),
        "heads": ("divide query heads", tensors(QKV[1:], 1, 3, 64, 64)),
        "causal mask": ("no mask with is_causal", {"is_causal": True}),
        "window": ("no mask with a window", {"sliding_window_size": 16}),
        "mask": ("of all queries and keys", tensor("attn_mask", 1, 1, 1, 64)),
        "mask in L1": ("a mask in DRAM", tensor("attn_mask", 1, 1, 64, 64,
                                                memory=ttnn.L1_MEMORY_CONFIG)),
        "causal": ("as many queries as keys", lambda device: {
            "attn_mask": None, "is_causal": True,
            "input_tensor_q": on_device(device, (1, 2, 32, 64))}),
    })


# ---- The mesh -------------------------------------------------------------------

def check_mesh():
    with Mesh() as device:
        rejects("late fabric", "no mesh to be open",
                lambda: ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D))
        far = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(9, 9))])
        rejects("far semaphore", "cores of the device",
                lambda: ttnn.create_global_semaphore(device, far, 0))
        rejects("mapper", "a placement for each axis", lambda: ttnn.create_mesh_mapper(
            device, ttnn.MeshMapperConfig([ttnn.PlacementReplicate()])))
        rejects("composer", "a dimension for each axis", lambda: ttnn.create_mesh_composer(
            device, ttnn.MeshComposerConfig([0])))
        rejects("placement", TypeError, lambda: ttnn.MeshMapperConfig([2, 1]))

        def mapper(*dims):
            return ttnn.create_mesh_mapper(
                device, ttnn.MeshMapperConfig([ttnn.PlacementShard(dim) for dim in dims]))

        def composer(*dims, asked=None):
            return ttnn.create_mesh_composer(device, ttnn.MeshComposerConfig(
                list(dims), mesh_shape_override=asked))

        whole = on_host((2, 4, 32, 32))
        spread = ttnn.distribute_tensor(whole, mapper(0, 1), mesh_device=device)
        assert ttnn.aggregate_tensor(spread, composer(0, 1)).shape == whole.shape
        rejects("sent already", "a tensor of the host",
                lambda: ttnn.distribute_tensor(spread, mapper(0, 1)))
        rejects("fetched", "one buffer", lambda: ttnn.distribute_tensor(
            ttnn.from_device(spread), mapper(0, 1)))
        rejects("uneven", "equal shards",
                lambda: ttnn.distribute_tensor(on_host((3, 4)), mapper(0, 1)))
        rejects("no dimension", "a dimension",
                lambda: ttnn.distribute_tensor(on_host((2, 4)), mapper(0, 2)))
        rejects("mapper type", TypeError, lambda: ttnn.distribute_tensor(whole, composer(0, 1)))
        first_row = ttnn.aggregate_tensor(spread, composer(0, 1, asked=ttnn.MeshShape(1, 4)))
        assert first_row.shape == (1, 4, 32, 32), first_row.shape
        rejects("no such devices", "devices of the mesh", lambda: ttnn.aggregate_tensor(
            spread, composer(0, 1, asked=ttnn.MeshShape(4, 2))))
        rejects("one dim", "of its own for each axis",
                lambda: ttnn.aggregate_tensor(spread, composer(1, 1)))
        rejects("far dim", "dimensions of the tensor",
                lambda: ttnn.aggregate_tensor(spread, composer(0, 4)))
        rejects("one part", "a part for every device",
                lambda: ttnn.aggregate_tensor(whole, composer(0, 1)))

        # Between devices.
        place = ttnn.MeshCoordinate
        send = functools.partial(ttnn.point_to_point, spread)
        send(sender_coord=place(0, 0), receiver_coord=place(0, 3))
        rejects("diagonal", "one row or column",
                lambda: send(sender_coord=place(0, 0), receiver_coord=place(1, 1)))
        rejects("far device", "devices of the mesh",
                lambda: send(sender_coord=place(0, 0), receiver_coord=place(0, 4)))
        rejects("unlike", "an output like the input",
                lambda: send(sender_coord=place(0, 0), receiver_coord=place(0, 1),
                             output_tensor=on_device(device, (1, 1, 32, 64))))
        other = ttnn.MeshDevice(device.shape, device.fabric)
        rejects("elsewhere", "an output on the same mesh",
                lambda: send(sender_coord=place(0, 0), receiver_coord=place(0, 1),
                             output_tensor=on_device(other, (1, 1, 32, 32))))
        rejects("no names", TypeError,
                lambda: send(place(0, 0), place(0, 1), ttnn.Topology.Linear))
        rejects("links", TypeError,
                lambda: ttnn.all_gather(spread, 2, cluster_axis=1, num_links=1))
        rejects("dim", "expects a dimension", lambda: ttnn.all_gather(spread, 4, cluster_axis=1))
        rejects("no axis", "a mesh axis of 0 or 1", lambda: ttnn.all_gather(spread, 2))
        rejects("sharing", "divide the dimension", lambda: ttnn.reduce_scatter(
            on_device(device, (3, 32)), 0, cluster_axis=1))
        ttnn.mesh_partition(on_device(device, (4, 1, 1, 1)), 0, cluster_axis=1)
        rejects("cut tiles", "whole tiles in every share", lambda: ttnn.mesh_partition(
            on_device(device, (1, 1, 64, 32)), 2, cluster_axis=1))
        rejects("uneven cut", "divide the dimension", lambda: ttnn.mesh_partition(
            on_device(device, (3, 32)), 0, cluster_axis=1))
    with Mesh(shape=(1, 4)) as device:
        rejects("one device", "more than one device", lambda: ttnn.mesh_partition(
            on_device(device, (4, 32)), 0, cluster_axis=0))


def check_tensors():
    with Mesh() as device:
        host, sent = on_host((32, 32)), on_device(device, (32, 32))
        rejects("fetch", "to_numpy: expects a tensor of the host", sent.to_numpy)
        rejects("bf16", TypeError, host.to_numpy)
        rejects("parts", "one buffer, not one", lambda: ttnn.from_device(sent).to_numpy())
        rejects("compose", "composes by aggregate_tensor", lambda: host.to_numpy(mesh_composer=1))
        rejects("sent twice", "to_device: expects", lambda: ttnn.to_device(sent, device))
        rejects("not sent", "from_device: expects", lambda: ttnn.from_device(host))
        rejects("cast", "to_dtype: expects", lambda: ttnn.to_dtype(sent, ttnn.float32))
        rejects("apart", "takes apart tensors of the host", lambda: ttnn.get_device_tensors(sent))
        rejects("few parts", "a part for every device of the mesh",
                lambda: ttnn.from_host_shards([host] * 3, ttnn.MeshShape(2, 4)))
        rejects("unlike parts", "parts that are alike", lambda: ttnn.from_host_shards(
            [host] * 7 + [on_host((32, 64))], ttnn.MeshShape(2, 4)))
        rejects("parts sent", "single tensors of the host",
                lambda: ttnn.from_host_shards([sent] * 8, ttnn.MeshShape(2, 4)))
        two = ttnn.from_host_shards([host] * 2, ttnn.MeshShape(1, 2))
        rejects("two parts", "a part for every device of the mesh",
                lambda: ttnn.to_device(two, device))
        rejects("numbers", "as many numbers", lambda: ttnn.Tensor(
            [1.0], [2], ttnn.float32, ttnn.TILE_LAYOUT))
        rejects("mapper", "by distribute_tensor", lambda: ttnn.Tensor(
            np.zeros(2, np.float32), ttnn.float32, mesh_mapper=1))
        rejects("type", TypeError, lambda: ttnn.Tensor(np.zeros(2), "float32"))
        freed = on_device(device, (32, 32))
        shared = ttnn.clone(freed)
        ttnn.deallocate(freed, force=False)
        rejects("freed", "not deallocated", lambda: ttnn.add(freed, shared))
        rejects("force", TypeError, lambda: ttnn.deallocate(shared, force=0))
        other = ttnn.MeshDevice(device.shape, device.fabric)
        rejects("two meshes", "on one mesh",
                lambda: ttnn.add(sent, on_device(other, (32, 32))))
        ttnn.close_mesh_device(device)
        rejects("closed", "a mesh that is open", lambda: ttnn.add(sent, sent))


# ---- Everything else ---------------------------------------------------------------

def check_ops():
    with Mesh() as device:
        make = functools.partial(on_device, device)
        x, f, i = make((4, 64)), make((4, 64), ttnn.float32), make((4, 64), ttnn.int32)
        rows = make((4, 64), layout=ttnn.ROW_MAJOR_LAYOUT)
        for name, expected, function in (
                ("add layouts", "in another layout", lambda: ttnn.add(x, rows)),
                ("add types", "of like types", lambda: ttnn.add(x, i)),
                ("add shapes", "that broadcast", lambda: ttnn.add(x, make((3, 64)))),
                ("add text", TypeError, lambda: ttnn.add(x, "1")),
                ("exp", "of another type", lambda: ttnn.exp(i)),
                ("where", "values of one type", lambda: ttnn.where(x, x, f)),
                ("full", "a whole number", lambda: ttnn.full(
                    [2], 0.5, dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=device)),
                ("full flag", TypeError, lambda: ttnn.full([2], True, ttnn.float32)),
                ("zeros", TypeError, lambda: ttnn.zeros([2], dtype=ttnn.float32)),
                ("arange", TypeError, lambda: ttnn.arange(0, 2.0, 1)),
                ("matmul", "inner dimensions", lambda: ttnn.matmul(x, x)),
                ("matmul vector", "expects matrices", lambda: ttnn.matmul(make((64,)), x)),
                ("matmul batches", "batches that are the same",
                 lambda: ttnn.matmul(make((2, 3, 4, 64)), make((2, 2, 64, 4)))),
                ("matmul names", TypeError, lambda: ttnn.matmul(x, x, False, True)),
                ("sum", "expects dimensions", lambda: ttnn.sum(x, dim=2)),
                ("norm", "weights of the last", lambda: ttnn.rms_norm(x, weight=make((1, 32)))),
                ("norm residual", "no residuals",
                 lambda: ttnn.layer_norm(x, residual_input_tensor=x)),
                ("concat", "of one type and layout", lambda: ttnn.concat([x, f], dim=0)),
                ("concat shapes", "the same elsewhere",
                 lambda: ttnn.concat([x, make((4, 32))], dim=0)),
                ("pad", "nothing in front", lambda: ttnn.pad(x, [(1, 0), (0, 0)], 0.0)),
                ("pad dims", "a pair for each", lambda: ttnn.pad(x, [(0, 1)], 0.0)),
                ("permute", "all dimensions", lambda: ttnn.permute(x, [0, 0])),
                ("repeat", "a count for each", lambda: ttnn.repeat(x, [2])),
                ("reshape", "as many numbers", lambda: ttnn.reshape(x, [4, 65])),
                ("slice", "inside the tensor", lambda: ttnn.slice(x, [0, 0], [5, 64], [1, 1])),
                ("slice dims", "bounds for each", lambda: ttnn.slice(x, [0], [4], [1])),
                ("layout", TypeError, lambda: ttnn.to_layout(x, "tile")),
                ("typecast", "in another layout", lambda: ttnn.typecast(rows, ttnn.float32)),
                ("embedding", "of another type", lambda: ttnn.embedding(i, x)),
                ("embedding table", "a table of bf16",
                 lambda: ttnn.embedding(make((1, 4), ttnn.uint32), f)),
                ("embedding dims", "one or two dimensions",
                 lambda: ttnn.embedding(make((1, 1, 4), ttnn.uint32), x)),
                ("embedding tables", "one table",
                 lambda: ttnn.embedding(make((1, 4), ttnn.uint32), make((2, 4, 64)))),
                ("embedding rows", "rows that the table has",
                 lambda: ttnn.embedding(make((1, 4), ttnn.uint32), make((1, 64)))),
                ("compute", TypeError, lambda: ttnn.init_device_compute_kernel_config(
                    device.arch(), ttnn.MathFidelity.HiFi2, True)),
                ("fidelity", TypeError, lambda: ttnn.init_device_compute_kernel_config(
                    device.arch(), math_fidelity="HiFi2")),
                ("program", TypeError, lambda: ttnn.SDPAProgramConfig(ttnn.CoreCoord(1, 1), None, 1, 1)),
                ("core", TypeError, lambda: ttnn.CoreCoord(1, -1))):
            rejects(name, expected, function)


def all_rules():
    """What the stand-in's rules say, as patterns."""
    folder = os.path.join(STAND_IN, "ttnn")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py"):
            continue
        with open(os.path.join(folder, name)) as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "require" and
                    len(node.args) == 2):
                text = node.args[1]
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                yield f"{name}:{node.lineno}", ".*".join(
                    re.escape(part.value) if isinstance(part, ast.Constant) else ""
                    for part in parts) or ".*"


def main():
    check_rings()
    check_latent_ring()
    check_distributed_ring()
    check_attention()
    check_mesh()
    check_tensors()
    check_ops()
    rules = list(all_rules())
    for place, pattern in rules:
        if not any(re.search(pattern, message) for message in broken):
            problems.append(f"{place}: nothing breaks the rule {pattern!r}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(rules)} rules, each of them broken and noticed")


if __name__ == "__main__":
    main()

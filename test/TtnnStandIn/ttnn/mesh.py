# SPDX-License-Identifier: Apache-2.0
"""The mesh: fabric, opening and closing, synchronising, semaphores, memory."""

import atexit
import os
import sys

from .rules import check_int, check_type, require
from .values import Arch, BufferType, CoreCoord, CoreRangeSet, FabricConfig, MeshShape, Topology

_fabric = FabricConfig.DISABLED
_open_meshes = []
_peak_bytes = 0


class MeshDevice:
    """A mesh of Wormhole chips: 8 x 8 cores each, or 8 x 9 in a Galaxy of 32."""

    def __init__(self, shape, fabric):
        self._shape = shape
        self.fabric = fabric
        self.is_open = True
        self.now = 0  # counts what is created and synchronised
        self.synchronised = 0
        self.last_ring = ()  # what the ring before used, until the next synchronisation
        self.bytes = 0

    @property
    def shape(self):
        return self._shape

    def get_num_devices(self):
        return self._shape.mesh_size()

    def arch(self):
        return Arch.WORMHOLE_B0

    def compute_with_storage_grid_size(self):
        return CoreCoord(8, 9 if self.get_num_devices() == 32 else 8)

    # What follows is the stand-in's own.

    def tick(self):
        self.now += 1
        return self.now

    def place(self, index):
        return divmod(index, self._shape[1])

    def index(self, row, column):
        return row * self._shape[1] + column

    def along(self, index, axis):
        """All devices of the line of `index` along a mesh axis, in order."""
        row, column = self.place(index)
        if axis == 0:
            return [self.index(i, column) for i in range(self._shape[0])]
        return [self.index(row, i) for i in range(self._shape[1])]

    def check_open(self):
        require(self.is_open, "expects a mesh that is open")

    def check_fabric(self, topology=Topology.Linear):
        self.check_open()
        require(self.fabric != FabricConfig.DISABLED,
                "fabric: expects a fabric that was configured before the mesh was opened")
        require(topology == Topology.Linear or self.fabric == FabricConfig.FABRIC_1D_RING,
                "fabric: expects FABRIC_1D_RING for a ring")

    def allocate(self, size):
        global _peak_bytes
        self.bytes += size
        _peak_bytes = max(_peak_bytes, self.bytes)

    def release(self, size):
        self.bytes -= size


def peak_bytes():
    """The most that one device held at a time."""
    return _peak_bytes


def set_fabric_config(config, reliability_mode=None, num_planes=None, fabric_tensix_config=None,
                      fabric_udm_mode=None, fabric_manager_mode=None, router_config=None):
    global _fabric
    check_type(config, FabricConfig, "config")
    require(not _open_meshes, "fabric: expects no mesh to be open when the fabric is configured")
    _fabric = config


def open_mesh_device(mesh_shape=None, l1_small_size=0, trace_region_size=0, num_command_queues=1,
                     dispatch_core_config=None, offset=None, physical_device_ids=[],
                     worker_l1_size=0):
    check_type(mesh_shape, MeshShape, "mesh_shape")
    device = MeshDevice(mesh_shape, _fabric)
    _open_meshes.append(device)
    return device


def close_mesh_device(mesh_device):
    check_type(mesh_device, MeshDevice, "mesh_device").check_open()
    mesh_device.is_open = False
    _open_meshes.remove(mesh_device)


def synchronize_device(device, cq_id=None, sub_device_ids=()):
    check_type(device, MeshDevice, "device").check_open()
    device.synchronised = device.tick()
    device.last_ring = ()


class GlobalSemaphore:
    def __init__(self, device):
        self.device = device
        self.created = device.tick()


def create_global_semaphore(mesh_device, cores, initial_value, buffer_type=BufferType.L1):
    check_type(mesh_device, MeshDevice, "mesh_device").check_open()
    check_type(cores, CoreRangeSet, "cores")
    check_int(initial_value, "initial_value")
    grid = mesh_device.compute_with_storage_grid_size()
    for one in cores.ranges:
        require(one.end.x < grid.x and one.end.y < grid.y, "semaphore: expects cores of the device")
    return GlobalSemaphore(mesh_device)


@atexit.register
def _check_end():
    """A script that fails has said so already; one that ends well must leave the
    machine as it found it."""
    left = ["an open mesh"] if _open_meshes else []
    left += ["a fabric that is configured"] if _fabric != FabricConfig.DISABLED else []
    if left:
        sys.stdout.flush()
        sys.stderr.write(f"ttnn stand-in: the process leaves {' and '.join(left)}\n")
        sys.stderr.flush()
        os._exit(70)

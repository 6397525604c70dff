# SPDX-License-Identifier: Apache-2.0
"""Files of f32 numbers as NumPy writes them, without NumPy."""

import struct


def write(path, shape, values):
    header = repr({"descr": "<f4", "fortran_order": False,
                   "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header + struct.pack(f"<{len(values)}f", *values))


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    body = data[10 + size:]
    return list(struct.unpack(f"<{len(body) // 4}f", body))

# SPDX-License-Identifier: Apache-2.0
"""What a caller who checks types writes; nothing of it is run."""

import pathlib
from typing import List, Optional

import ring_mlir as ring


def compiled(mesh: Optional[ring.Mesh]) -> ring.Compiled:
    return ring.compile(pathlib.Path("a.mlir"), mesh=mesh, machine=pathlib.Path("a.machine"),
                        strategy="ring", q_chunk=64)


def attended(q: object) -> object:
    return ring.attention(q, q, q, causal=True, window=4, machine=pathlib.Path("a.machine"))


def use(program: ring.Compiled) -> float:
    devices: int = program.devices
    texts: List[str] = [message.text for message in program.remarks]
    passed: bool = program.check(seed=2).passed
    program.report(pathlib.Path("report.html")).save("again.html")
    shapes = [port.whole_shape[0] + 1 for port in program.inputs]
    first: ring.OutputCheck = program.check()[0]
    return program.predict("t3000").seconds + devices + len(texts) + passed + sum(shapes) + first.pcc


for one in (compiled("2x4"), compiled((2, 4)), compiled([8])):
    use(one)

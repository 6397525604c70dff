# SPDX-License-Identifier: Apache-2.0
"""Simulates compiled programs on machines of several hosts, ring against ring of rings.

The planner's model knows steps; here the program itself, as the passes write it,
runs on the simulated machine. Links between hosts are an assumption of the
machine files, so they are also taken ten times as slow:
  simulate.py BUILD_DIR MACHINE_FILE...
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TOKENS = (131072, 1048576)


def module(mesh, tokens):
    query, key = (f"tensor<1x{h}x{tokens}x128xbf16>" for h in (64, 8))
    return f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = {mesh}>]>}} {{
  func.func @attention(%q: {query}, %k: {key}, %v: {key}) -> {query} {{
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 0, heads = 1>) : {query}, {key}, {key} -> {query}
    return %0 : {query}
  }}
}}
"""


def slower(text):
    """The machine with links between hosts at a tenth of their bandwidth."""
    head, section, tail = text.partition("[between hosts]")
    return head + section + re.sub(r"(bandwidth = )([0-9.]+)",
                                   lambda m: f"{m[1]}{float(m[2]) / 10}", tail)


def mesh_of(text, folder):
    """Hosts times chips; what the file does not say, the one that it is based on does."""
    if base := re.search(r"^based on = (\S+)", text, re.M):
        with open(f"{folder}/{base[1]}.machine") as file:
            text += file.read()
    sides = [re.search(rf"^{key} = (\d+)x(\d+)", text, re.M) for key in ("shape", "hosts")]
    return "x".join(str(int(sides[0][i]) * int(sides[1][i])) for i in (1, 2))


def simulate(tools, folder, strategy):
    stats = f"{folder}/stats.json"
    subprocess.run(
        [f"{tools}/ring-run", f"{folder}/attention.mlir", "--backend=sim",
         f"--machine={folder}/m.machine", f"--stats={stats}",
         "--ring-attention-pipeline="
         f"machine={folder}/m.machine strategy={strategy} layout=zigzag directions=both"],
        check=True, capture_output=True)
    with open(stats) as file:
        run = json.load(file)
    devices = run["prediction"]["devices"]
    return (run["seconds"], max(d["exposed_seconds"] for d in devices),
            max(d["link_seconds"] for d in devices))


def main():
    tools, machines = f"{sys.argv[1]}/bin", sys.argv[2:]
    print("| tokens | machine | links between hosts | program | time | exposed | busiest link |\n"
          "|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for machine in machines:
            with open(machine) as file:
                text = file.read()
            name = re.search(r"^name = (\S+)", text, re.M)[1]
            for links, wires in (("as assumed", text), ("a tenth", slower(text))):
                with open(f"{folder}/m.machine", "w") as file:
                    file.write(wires)
                for tokens in TOKENS:
                    with open(f"{folder}/attention.mlir", "w") as file:
                        file.write(module(mesh_of(text, os.path.dirname(machine)), tokens))
                    for strategy in ("ring", "double_ring"):
                        seconds, exposed, link = simulate(tools, folder, strategy)
                        print(f"| {tokens} | {name} | {links} | {strategy} | {seconds * 1e3:.1f} ms | "
                              f"{exposed * 1e3:.1f} ms | {100 * link / seconds:.0f} % |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random attentions, compiled for a mesh, run and checked.

    test/Fuzz/differential.py --tools build/bin --seed 1 --cases 1000

draws shapes, features, meshes, plans, types and targets. The planner may refuse
a case; a crash, a wrong result or any other error is a finding, and is printed
with the command that shows it again.
"""

import argparse
import concurrent.futures
import importlib.util
import os
import random
import re
import subprocess
import sys

# Importing what stands beside us leaves no trace in the source tree.
sys.dont_write_bytecode = True

INTEGRATION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                           "Integration")
sys.path.insert(0, INTEGRATION)


def load(name):
    """A program beside us, as a module: its name has a dash in it."""
    path = os.path.join(INTEGRATION, name + ".py")
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run_cases = load("run-cases")

MESHES = ("1x1", "1x2", "2x1", "1x3", "1x4", "4x1", "1x5", "1x8", "2x2", "2x4",
          "4x2", "3x2", "2x2x2", "4", "8x4")
LAYOUTS = ("contiguous", "zigzag", "striped")
# Around the edges of a tile, a shard and a half, where mistakes live.
LENGTHS = (1, 2, 5, 16, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 160,
           200, 256, 300)


def draw_heads(rng):
    kv_heads = rng.choice((1, 1, 2, 2, 3, 4))
    return kv_heads * rng.choice((1, 1, 2, 4)), kv_heads


def draw_mask(rng):
    dropping = "-" if rng.random() < 0.4 else ""
    return dropping + "".join(rng.choice(("1", letter)) for letter in "bhq") + "k"


def draw_whole(rng, words):
    """An attention on whole tensors."""
    queries = rng.choice(LENGTHS)
    words += [f"queries={queries}"]
    kind = rng.choice(("plain", "plain", "causal", "causal", "window", "mask",
                       "joint", "cross", "pages", "cache", "documents"))
    keys = queries
    if kind == "causal":
        words.append("causal")
    elif kind == "window":
        words.append(f"window={rng.choice((1, 2, 7, 32, 33, 64, 100, 500))}")
        if rng.random() < 0.3:
            words.append(f"after={rng.choice((1, 10, 32, 40, 200))}")
    elif kind in ("mask", "cross"):
        if kind == "cross" or rng.random() < 0.4:
            keys = rng.choice(LENGTHS)
            words.append(f"keys={keys}")
        if kind == "mask":
            words.append("mask=" + draw_mask(rng))
            if keys == queries and rng.random() < 0.2:
                words.append(rng.choice(("causal", "window=40")))
    elif kind == "joint":
        joint = rng.choice((1, 7, 32, 40, 150))
        words.append(f"joint={joint}")
        if rng.random() < 0.5:
            words.append("joint_sharded")
        if rng.random() < 0.2:
            words.append(f"joint_length={rng.randint(1, joint)}")
        if rng.random() < 0.2:
            words.append("form=composite")
            words[:] = [w for w in words if not w.startswith("joint_length=")]
            return
    elif kind == "pages":
        page = rng.choice((1, 8, 32, 48))
        keys = page * rng.randint(1, 9)
        words += [f"page={page}", f"keys={keys}",
                  f"start={rng.choice((0, keys // 2, keys))}",
                  rng.choice(("causal", "causal", "window=40"))]
        words += rng.choice(([], ["dynamic"], ["given"]))
        if page > 1 and rng.random() < 0.4:
            words.append(f"block={page * rng.choice((1, 1, 2, 3))}")
            words[:] = [w for w in words if w != "given"]
    elif kind == "cache":
        keys = rng.choice(LENGTHS)
        users = [w.split("=")[1] for w in words if w.startswith("batch=")]
        starts = [str(rng.randint(-1, keys)) for _ in range(int((users or [1])[0]))]
        words += ["cached", f"keys={keys}", f"starts={'+'.join(starts)}",
                  rng.choice(("causal", "causal", "window=40"))]
        words += rng.choice(([], ["dynamic"]))
        words += rng.choice(([], [f"block={rng.choice((1, 8, 32, 40))}"]))
    elif kind == "documents":
        ends = sorted(rng.randint(0, queries) for _ in range(rng.choice((1, 2, 5))))
        words.append(f"ends={'+'.join(map(str, ends))}")
        words += rng.choice(([], ["causal"]))
    if kind != "joint" and rng.random() < 0.2:
        words.append("sink")
    if rng.random() < 0.2:
        words.append("lse")
    if kind != "documents" and rng.random() < 0.2:
        words.append(f"length={rng.randint(1, keys)}")
    if rng.random() < 0.15:
        words.append(f"value_dim={rng.choice((8, 24, 64))}")
    elif rng.random() < 0.15:
        # Values that are columns of the keys, of which there are 8 or more.
        words += ["latent", f"value_dim={rng.choice((1, 5, 8))}"]
    one_form = ("latent", "lse", "length=", "value_dim=", "joint=", "after=", "mask=",
                "page=", "cached", "ends=", "documents=")
    if rng.random() < 0.15 and not any(w.startswith(one_form) for w in words):
        words.append(f"layers={rng.choice((2, 3))}")


def draw_dilated(rng, words, ranks, alike):
    """A dilated attention on whole tensors. `alike`: segments lie in the same
    way on every rank; else they may straddle, and rates need not divide."""
    if alike:
        shard = rng.choice((8, 16, 32))
        queries, segmentation = shard * ranks, "tiled"
        lengths = [s for s in (4, 8, shard, 2 * shard, queries)
                   if queries % s == 0 and (shard % s == 0 or ranks % (s // shard) == 0)]
        rates = (1, 2, 4)
    else:
        queries = rng.choice((7, 12, 16, 24, 30, 36, 48, 60, 64, 96, 100, 120))
        segmentation = rng.choice(("tiled", "tiled", "tiled", "concat", "prefix"))
        lengths = [s for s in range(1, queries + 1) if queries % s == 0]
        rates = (1, 1, 2, 3, 4, 5, 7)
    count = rng.choice((1, 2, 2, 3))
    segments = [rng.choice(lengths) for _ in range(count)]
    if segmentation == "tiled" and rng.random() < 0.2:
        words.append(f"shorter={rng.choice(('skip', 'clamp'))}")
        segments[-1] = queries + rng.choice((1, 5, 32))
    elif segmentation == "concat":
        cuts = sorted(rng.sample(range(1, queries), count - 1)) + [queries]
        segments = [b - a for a, b in zip([0] + cuts, cuts)]
    elif segmentation == "prefix":
        chunks = rng.choice(lengths)
        words.append(f"chunks={chunks}")
        segments = [rng.randint(1, queries // chunks) for _ in range(count)]
    pairs = "+".join(f"{s}:{min(s, rng.choice(rates))}" for s in segments)
    words += [f"queries={queries}", f"dilated={pairs}",
              f"segmentation={segmentation}",
              f"phase={rng.choice(('group', 'head_mod', 'head_block', 'all_residues', 'zero'))}",
              f"mix={rng.choice(('head_partition', 'head_partition', 'lse', 'mean'))}",
              f"extra={rng.choice(('first', 'last'))}"]
    if rng.random() < 0.2:
        words.append(f"order={rng.choice(('hilbert', 'snake'))}")
    if rng.random() < 0.5:
        words.append("causal")
    if rng.random() < 0.3:
        words.append("lse")
    if not alike and rng.random() < 0.2:
        words.append(f"length={rng.randint(1, queries)}")
    if rng.random() < 0.15:
        words.append(f"value_dim={rng.choice((8, 24, 64))}")


def draw_documents(rng, words):
    """Packed documents on whole tensors: any ends, some of them the same, and
    sometimes rows behind the last."""
    queries = rng.choice(LENGTHS)
    last = queries if rng.random() < 0.7 else rng.randint(1, queries)
    ends = sorted(rng.randint(0, last) for _ in range(rng.choice((0, 1, 2, 3, 6, 12))))
    words += [f"queries={queries}",
              "documents=" + "+".join(map(str, ends + [last]))]
    if rng.random() < 0.6:
        words.append("causal")
    if rng.random() < 0.3:
        words.append("lse")
    if rng.random() < 0.2:
        words.append(f"length={rng.randint(1, queries)}")
    if rng.random() < 0.15:
        words.append(f"value_dim={rng.choice((8, 24, 64))}")
    if rng.random() < 0.3:
        words.append("layout=balanced")


def has_gradients(words):
    """Whether every pair has rows that see two keys or more: over one alone the
    softmax is constant, and a gradient of 0 has no relative error."""
    given = dict(word.partition("=")[::2] for word in words)
    rows = int(given.get("length", given["queries"]))
    pairs = [list(map(int, pair.split(":"))) for pair in given["dilated"].split("+")]
    return all(min(segment, rows) >= 2 * rate for segment, rate in pairs)


def make_gradients(words):
    """Turns the words of an attention into those of its gradients."""
    words[:] = ["gradients"] + [
        word.replace("queries=", "rows=") for word in words if word != "lse"]


def draw_device(rng, words, ranks):
    """A function that is one device's program: every number of rows divides."""
    form = rng.choice(("p1", "p1", "p2", "p3", "p3"))
    queries = keys = ranks * rng.choice((1, 2, 5, 16, 32, 33, 64))
    words += [f"form={form}", f"queries={queries}"]
    if form == "p2":
        kv_heads = ranks * rng.choice((1, 1, 2))
        # The last word on a field counts.
        words += [f"heads={kv_heads * rng.choice((1, 2))}", f"kv_heads={kv_heads}"]
    is_padded = form != "p2" and rng.random() < 0.5
    pattern = rng.choice(("", "", "causal", "window"))
    if form == "p3":
        pattern = rng.choice(("", "", "mask", "causal"))
    elif rng.random() < 0.3:
        pattern = "mask"
    if pattern == "causal":
        words.append("causal")
    elif pattern == "window":
        words.append(f"window={rng.choice((1, 7, 33, 100))}")
    else:
        if form != "p2" and rng.random() < 0.3:
            keys = ranks * rng.choice((1, 16, 33, 64))
            words.append(f"keys={keys}")
        if pattern == "mask":
            mask = draw_mask(rng)
            # What is cut cannot be gathered again, unless it is each device's own.
            constant = is_padded and form == "p1"
            words.append("mask=" + ("-" + mask.lstrip("-") if constant else mask))
    if rng.random() < 0.2:
        words.append("sink")
    if form == "p1" and rng.random() < 0.4:
        words.append("whole")
    elif rng.random() < 0.2:
        words.append("layers=2")
    if is_padded:
        draw_padding(rng, words, form, pattern, queries, keys)
    if form != "p2":
        draw_gathers(rng, words, pattern)


def draw_padding(rng, words, form, pattern, queries, keys):
    """Keys from a length on are padding: cut off or hidden."""
    words.append(f"length={rng.randint(1, keys)}")
    needs_cut = form == "p1" and pattern in ("causal", "window")
    if form == "p1" and (needs_cut or (keys == queries and rng.random() < 0.3)):
        words.append("cut")
    elif rng.random() < 0.3:
        words.append(f"hidden={rng.choice(('constant', 'where'))}")
    if rng.random() < 0.3:
        words.append("late")


def draw_gathers(rng, words, pattern):
    """How shards come to be what an attention takes."""
    words += rng.choice(([], [], ["reshaped"], ["arranged=rows_first"],
                         ["arranged=rows_first"], ["arranged=folded"]))
    if rng.random() < 0.2:
        words.append("packed")
    if rng.random() < 0.2 and "dtype=bf16" not in words and "layers=2" not in words:
        words.append("cast")
    if rng.random() < 0.25 and pattern != "window":
        words.append("products")


def draw_two_levels(rng, words, shape, axis, strategy):
    """The sequence on two axes, or two levels on one. No annotation says how a
    device's own function is on two axes, and nothing takes a dilated pattern or
    shares of joint tokens or caches there."""
    taken = {axis} | {int(word.split("=")[1]) for word in words
                      if word.startswith("heads_axis=")}
    free = [i for i in range(len(shape)) if i not in taken]
    whole = not any(word.startswith(("form=p", "dilated=", "joint_sharded", "block=",
                                     "layout=balanced"))
                    for word in words)
    if free and whole and rng.random() < (0.6 if strategy == "double_ring" else 0.2):
        words.append(f"outer={rng.choice(free)}")
    elif strategy == "double_ring" and rng.random() < 0.7:
        divisors = [i for i in range(1, shape[axis] + 1) if shape[axis] % i == 0]
        words.append(f"inner-ranks={rng.choice(divisors + [3])}")


def draw(rng, targets):
    """The words of one case."""
    target = rng.choice(targets)
    # Devices stand in meshes of two axes.
    meshes = [mesh for mesh in MESHES if target == "ring" or mesh.count("x") == 1]
    mesh = rng.choice(meshes)
    shape = [int(size) for size in mesh.split("x")]
    axis = rng.randrange(len(shape))
    heads, kv_heads = draw_heads(rng)
    words = [f"mesh={mesh}", f"axis={axis}", f"batch={rng.choice((1, 1, 1, 2))}",
             f"heads={heads}", f"kv_heads={kv_heads}",
             f"dim={rng.choice((8, 16, 16, 32, 40, 64))}"]
    if rng.random() < 0.2:
        words.append(f"scale={rng.choice((0.05, 0.5, 1.0))}")
    if rng.random() < 0.3:
        words.append("dtype=bf16")
    if rng.random() < 0.25 and len(shape) <= 2:
        draw_device(rng, words, shape[axis])
    else:
        if len(shape) > 1 and rng.random() < 0.4:
            others = [i for i in range(len(shape)) if i != axis]
            words.append(f"heads_axis={rng.choice(others)}")
        if rng.random() < 0.25:
            draw_dilated(rng, words, shape[axis], rng.random() < 0.3)
            if rng.random() < 0.35 and has_gradients(words):
                make_gradients(words)
        elif rng.random() < 0.2:
            draw_documents(rng, words)
        else:
            draw_whole(rng, words)
    strategy = rng.choice(("auto", "ring", "ring", "all_gather", "ulysses", "usp",
                           "halo", "split_kv", "replicate", "double_ring"))
    words.append(f"strategy={strategy}")
    if strategy in ("double_ring", "auto"):
        draw_two_levels(rng, words, shape, axis, strategy)
    if rng.random() < 0.5 and strategy in ("ring", "all_gather", "ulysses", "usp",
                                           "double_ring") \
            and "layout=balanced" not in words:
        words.append(f"layout={rng.choice(LAYOUTS)}")
    if rng.random() < 0.5:
        words.append(f"directions={rng.choice(('forward', 'both'))}")
    if strategy == "split_kv" and rng.random() < 0.7:
        words.append(f"merge={rng.choice(('tree', 'round', 'gather', 'reduce', 'reduce'))}")
    if strategy == "usp" and rng.random() < 0.5:
        words.append(f"head-ranks={rng.choice((1, 2, 4))}")
    # Differences of large numbers lose more in gradients than the check allows.
    if rng.random() < 0.2 and "gradients" not in words:
        words.append("distribution=outliers")
    if target != "ring":
        words.append(f"target={target}")
    # Stacked layers with large scores lose more than the check allows, on one
    # device as on many.
    if any(word.startswith("layers=") for word in words):
        words = [word for word in words if not word.startswith("scale=")]
    return " ".join(words)


def judge(text, tool, seed):
    """What is wrong with a case (or nothing), what was printed, and the case."""
    case = run_cases.Case(text)
    try:
        code, output = case.run(tool, seed)
    except subprocess.TimeoutExpired:
        return "not done in time", "", case
    problem = case.verdict(code, output)
    # A sequence on two mesh axes has no form in TTIR.
    if ("on one mesh axis, but got" in output and code == 3
            and "target=tt" in text and "outer=" in text):
        return "refused", output, case
    # Numbers of all-to-all groups that do not fit are refused by the plan itself.
    if "attention cannot be planned: " in output and code == 3:
        problem = "refused"
    # Left to itself the planner always finds a way, if the heads can be split.
    heads = re.search(r"expects \d+ devices to divide the \d+ (key )?heads", output)
    if problem == "refused" and "strategy=auto" in text and not heads:
        problem = "refused, though the choice was free"
    return problem, output, case


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-run is")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--targets", default="ring",
                        help="targets to draw from, separated by commas")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    texts = [draw(rng, arguments.targets.split(","))
             for _ in range(arguments.cases)]
    tool = os.path.join(arguments.tools, "ring-run")
    refused = findings = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda text: judge(text, tool, arguments.seed), texts)
        for problem, output, case in results:
            if problem == "refused":
                refused += 1
            elif problem:
                findings += 1
                print(f"FINDING: {case.text}: {problem}\n{run_cases.tail(output)}"
                      f"\nagain: {case.reproduce(tool, arguments.seed)}\n",
                      flush=True)
    print(f"{arguments.cases} cases, {refused} refused, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()

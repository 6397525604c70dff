#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asserts that every device has its share of a whole layer's operations.

    shares.py --tools BIN --padded 256 --tokens 250 [--everywhere N] FILE [OPTION...]

The example runs as it is, on whole tensors, and compiled with the options, on
the devices. Then

  * nothing is computed on whole tensors any more;
  * the products of a device are the P-th part of all products. Each device's
    tokens are filled up to whole tiles, so that there are `padded` in place of
    `tokens`, and products without tokens, `--everywhere` operations of them, are
    on all devices;
  * all operations of a device are at least the P-th part of all, and at most
    that with the padding, which counts twice in attention, and half a percent
    for what small ops do on each device of the heads' axis, such as norms;
  * no device has more than 1 % more than another: causal attention is balanced.
"""

import argparse
import json
import os
import subprocess
import tempfile


def statistics(arguments, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stats.json")
        tool = os.path.join(arguments.tools, "ring-run")
        subprocess.run([tool, arguments.file, f"--stats={path}"] + options,
                       check=True, capture_output=True)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--padded", type=int, required=True)
    parser.add_argument("--tokens", type=int, required=True)
    parser.add_argument("--everywhere", type=int, default=0)
    parser.add_argument("file")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    whole = statistics(arguments, [])["host"]
    run = statistics(arguments, [
        f"--ring-attention-pipeline={' '.join(arguments.options)}"])
    devices, padding = len(run["devices"]), arguments.padded / arguments.tokens
    if run["host"]["flops"]:
        raise SystemExit(f"{run['host']['flops']} operations on whole tensors")
    split = whole["ops"]["matmul"]["flops"] - arguments.everywhere
    products = split * padding / devices + arguments.everywhere
    least, most = whole["flops"] / devices, whole["flops"] / devices * padding**2 * 1.005
    for index, device in enumerate(run["devices"]):
        found = device["ops"]["matmul"]["flops"]
        if found != products:
            raise SystemExit(f"device {index}: products of {found} operations, "
                             f"but its share is {products}")
        if not least <= device["flops"] <= most:
            raise SystemExit(f"device {index}: {device['flops']} operations, but its "
                             f"share is {least} to {most}")
    shares = [device["flops"] for device in run["devices"]]
    if max(shares) > 1.01 * min(shares):
        raise SystemExit(f"uneven shares: {shares}")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the statistics of a causal ring: chain-bytes.py STATS SHARD. Device j of
P receives the j shards of keys and values before its own, and sends them on with
its own; the last sends nothing."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    devices = json.load(file)["devices"]
shard = int(sys.argv[2])
for index, device in enumerate(devices):
    last = index == len(devices) - 1
    expected = (index * shard, 0 if last else (index + 1) * shard)
    found = (device["bytes_received"], device["bytes_sent"])
    if found != expected:
        sys.exit(f"device {index}: expects (received, sent) {expected}, but got "
                 f"{found}")

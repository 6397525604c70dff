# SPDX-License-Identifier: Apache-2.0
"""Ends a tool by a signal while it waits for its input, and prints what it says.

Usage: crash.py TOOL [ARGUMENT...]
"""

import signal
import subprocess
import sys
import time


def catches(process, number):
    """Whether the process has a handler of its own for a signal by now."""
    with open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


process = subprocess.Popen(
    sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
)
patience = time.monotonic() + 20
while process.poll() is None and not catches(process, signal.SIGSEGV):
    time.sleep(0.01)
    if time.monotonic() > patience:
        process.kill()
        sys.exit("expects the tool to handle crashes, but it does not")
process.send_signal(signal.SIGSEGV)
sys.stdout.write(process.communicate()[1].decode())

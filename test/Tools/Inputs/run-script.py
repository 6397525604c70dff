#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a function of a script that calls ttnn, with a ttnn that does nothing:
every name the script uses must be bound, and every call of ttnn is counted.

    run-script.py SCRIPT FUNCTION ARGUMENTS
"""

import runpy
import sys
from unittest import mock

script, name, arguments = sys.argv[1], sys.argv[2], int(sys.argv[3])
ttnn = sys.modules["ttnn"] = mock.MagicMock()
module = runpy.run_path(script)
device = mock.MagicMock()
shared = module["make_shared"](device)
module[name](device, shared, *(mock.MagicMock() for _ in range(arguments)))
fused = [call for call in ttnn.mock_calls
         if "scaled_dot_product_attention" in call[0] and not call[0].endswith("__")]
if not fused:
    sys.exit("run-script.py: expects a call of a fused attention, but got none")

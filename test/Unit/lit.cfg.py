# SPDX-License-Identifier: Apache-2.0
# Unit tests: every GoogleTest case of the build tree's test programs.

import os

import lit.formats

config.name = "RING-Unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_source_root = os.path.join(config.ring_binary_dir, "unittests")
config.test_exec_root = config.test_source_root

# As in the suite around it.
if "address" in config.sanitize:
    config.environment["ASAN_OPTIONS"] = "allow_user_poisoning=0:detect_leaks=0"

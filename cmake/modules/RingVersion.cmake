# SPDX-License-Identifier: Apache-2.0
# The version, and the only place that says it. The compiler and the runtime are projects of their
# own that both include this file; packages, the plugin and --version of every tool follow.
set(RING_VERSION 0.2.0)

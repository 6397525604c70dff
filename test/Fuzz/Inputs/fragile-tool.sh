#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A tool that dies of one number: what mutate.py must be able to find. The input
# is the last argument.
for input; do :; done
grep -q 9223372036854775807 "$input" && kill -ABRT $$
exit 0

# SPDX-License-Identifier: MIT
# Every subject describes its own test programs.
include $(sort $(wildcard tests/*/build.mk))

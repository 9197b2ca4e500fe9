# SPDX-License-Identifier: MIT
# The dissector's test captures a transfer of the demo's program.
TEST_NEEDS += $(HOST_DEMO) $(BUILD)/firmware/emp_a.elf

# SPDX-License-Identifier: MIT
TEST_NEEDS += $(HOST_DEMO) $(FIRMWARE)/emp_a_published.elf $(BUILD)/firmware/emp_a.elf $(TIGONSIM)

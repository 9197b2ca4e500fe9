# SPDX-License-Identifier: MIT
TEST_NEEDS += $(HOST_DEMO) $(PUBLISHED_IMAGE) $(BUILD)/firmware/emp_a.elf $(BUILD)/tigonsim

# SPDX-License-Identifier: MIT
# Scenario files, run by tigonsim as it is shipped and with the sanitizers.
TEST_NEEDS += $(TIGONSIM) $(TIGONSIM_SANITIZED) $(BUILD)/firmware/emp_a.elf $(ETHERNET_IMAGE)

# SPDX-License-Identifier: MIT
# Boards under a real kernel, in virtual machines (docs/kernel.md).
KERNEL_TEST_NEEDS := $(TIGONSIM) $(QEMU_BRIDGE) $(QEMU_BRIDGE_SANITIZED) $(BUILD)/tests/test_proxy_message \
    $(REGISTERS) $(BUILD)/ethernet/ethernet.tg2

$(BUILD)/tests/test_proxy_message: $(addprefix $(BUILD)/san/,tests/kernel/test_proxy_message.o sim/serve/qemu/proxy_message.o) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

TEST_PROGRAMS += $(BUILD)/tests/test_proxy_message
TEST_NEEDS    += $(KERNEL_TEST_NEEDS)

.PHONY: driver-check
driver-check:    ## boards under Debian's own kernel, in virtual machines: the tests of tests/kernel, long ones too
	@scripts/setup.sh demo test driver
	$(Q)$(MAKE) --no-print-directory $(KERNEL_TEST_NEEDS) driver driver-variant
	$(Q)LONG_TESTS=1 scripts/test.py tests/kernel tests/driver

# SPDX-License-Identifier: MIT
# Charges of cores, on programs of a few instructions (sanitized).
SIM_CHARGE_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/,sim_charge/test_charge.o sim_devices/bench.o)

$(BUILD)/tests/test_charge: $(SIM_CHARGE_TEST_OBJECTS) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

TEST_PROGRAMS += $(BUILD)/tests/test_charge

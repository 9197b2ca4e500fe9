# SPDX-License-Identifier: MIT
# Observers: unit tests (sanitized). test_observe.py looks at scenarios that tigonsim runs.
SIM_OBSERVE_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/,sim_observe/test_observers.o sim_devices/bench.o)

$(BUILD)/san/tests/sim_observe/%.o: CFLAGS_tests_sim_observe := -DFIRMWARE_IMAGE='"$(BUILD)/firmware/emp_a.elf"' \
    -DDIVIDED_IMAGE='"$(BUILD)/processors/processors.elf"'

$(BUILD)/tests/test_observers: $(SIM_OBSERVE_TEST_OBJECTS) $(SIM_OBSERVE_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED) \
                                FORCE | $(BUILD)/firmware/emp_a.elf $(BUILD)/processors/processors.elf
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka $(SIM_OBSERVE_LIBS))

TEST_PROGRAMS += $(BUILD)/tests/test_observers
TEST_NEEDS    += $(TIGONSIM) $(TIGONSIM_SANITIZED)

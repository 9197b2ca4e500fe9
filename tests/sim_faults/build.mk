# SPDX-License-Identifier: MIT
# Tests of faults, of their text form and of switches, with the sanitizers.
SIM_FAULTS_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/, \
    $(addprefix sim_faults/,test_faults.o test_fault_text.o test_wire_faults.o test_board_faults.o test_switch.o) \
    sim_devices/bench.o)

$(BUILD)/tests/test_faults: $(SIM_FAULTS_TEST_OBJECTS) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

TEST_PROGRAMS += $(BUILD)/tests/test_faults

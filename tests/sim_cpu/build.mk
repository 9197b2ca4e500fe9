# SPDX-License-Identifier: MIT
# Unit tests of the cores (sanitized), the runner of the differential test, and a speed measurement.
SIM_CPU_TEST_OBJECTS := $(addprefix tests/sim_cpu/,test_cpu.o test_instructions.o test_costs.o \
                          test_order.o test_loops.o test_operations.o fixture.o)
SIM_CPU_TESTS := test_cpu

$(BUILD)/tests/test_cpu: $(addprefix $(BUILD)/san/,$(SIM_CPU_TEST_OBJECTS) $(SIM_CPU_OBJECTS)) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

ifeq ($(SIM_ENGINE),native)
SIM_CPU_TESTS += test_native
$(BUILD)/tests/test_native: $(addprefix $(BUILD)/san/,$(addprefix tests/sim_cpu/,test_native.o fixture.o) $(SIM_CPU_OBJECTS)) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)
endif

$(BUILD)/tests/run_program: $(addprefix $(BUILD)/san/,tests/sim_cpu/run_program.o $(SIM_CPU_OBJECTS)) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM))

$(BUILD)/tests/measure_cpu_speed: $(addprefix $(BUILD)/obj/,tests/sim_cpu/measure_speed.o \
                                    $(SIM_CPU_OBJECTS)) FORCE
	$(call make_file,LD,$@,$(CC) $(NO_LTO) -o $@ $(FROM))

TEST_PROGRAMS += $(SIM_CPU_TESTS:%=$(BUILD)/tests/%)
TEST_NEEDS    += $(BUILD)/tests/run_program

# SPDX-License-Identifier: MIT
# How fast two simulated boards are, and many; figures for people, no test.
SIM_SPEED_PROGRAMS := $(BUILD)/tests/measure_boards $(BUILD)/tests/measure_crowd
$(SIM_SPEED_PROGRAMS:$(BUILD)/tests/%=$(BUILD)/obj/tests/sim_speed/%.o): | $(HOST_LAYOUT)

$(SIM_SPEED_PROGRAMS): $(BUILD)/tests/%: $(BUILD)/obj/tests/sim_speed/%.o \
                       $(call HOST_OBJECTS,obj,$(addprefix host/demo/,crowd.c pair.c piece.c recorder.c)) \
                       $(HOST_LIBRARY) $(SIM_LIBRARY) FORCE | $(BUILD)/firmware/emp_a.elf
	$(call make_file,LD,$@,$(CC) $(CFLAGS) $(LTO_LINK) -o $@ $(FROM) -lelf -lz -lnettle)

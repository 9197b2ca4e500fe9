# SPDX-License-Identifier: MIT
# GDB attached to boards that run the firmware.
SIM_DEBUG_SUPPORT := $(call HOST_OBJECTS,obj,$(addprefix host/demo/,pair.c piece.c recorder.c traffic.c sweep.c))

$(BUILD)/obj/tests/sim_debug/debugged.o $(BUILD)/san/tests/sim_debug/debugged.o: | $(HOST_LAYOUT)

$(BUILD)/tests/debugged: $(BUILD)/obj/tests/sim_debug/debugged.o $(SIM_DEBUG_SUPPORT) \
    $(HOST_LIBRARY) $(SIM_DEBUG_LIBRARY) $(SIM_OBSERVE_LIBRARY) $(SIM_LIBRARY) FORCE | $(BUILD)/firmware/emp_a.elf
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM) $(SIM_DEBUG_LIBS) -lz -lnettle)

TEST_NEEDS += $(BUILD)/tests/debugged

$(BUILD)/tests/test_debugger: $(BUILD)/san/tests/sim_debug/test_debugger.o $(SIM_DEBUG_LIBRARY_SANITIZED) \
    $(SIM_OBSERVE_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) $(SIM_DEBUG_LIBS) -lcmocka)

$(BUILD)/tests/disassemble: $(BUILD)/obj/tests/sim_debug/disassemble.o $(SIM_DEBUG_LIBRARY) \
    $(SIM_OBSERVE_LIBRARY) $(SIM_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $< $(SIM_DEBUG_LIBRARY) $(SIM_OBSERVE_LIBRARY) $(SIM_LIBRARY) $(SIM_DEBUG_LIBS))

TEST_PROGRAMS += $(BUILD)/tests/test_debugger
TEST_NEEDS    += $(BUILD)/tests/disassemble $(TIGONSIM) $(TIGONSIM_SANITIZED)

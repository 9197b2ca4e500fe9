# GDB attached to boards that run the firmware.
SIM_DEBUG_SUPPORT := $(addprefix host/demo/,pair.o recorder.o traffic.o sweep.o)

$(BUILD)/obj/tests/sim_debug/debugged.o $(BUILD)/san/tests/sim_debug/debugged.o: | $(HOST_LAYOUT)

$(BUILD)/tests/debugged: $(addprefix $(BUILD)/obj/,tests/sim_debug/debugged.o $(SIM_DEBUG_SUPPORT)) \
    $(BUILD)/obj/host/libemp.a $(SIM_DEBUG_LIBRARY) $(SIM_OBSERVE_LIBRARY) $(SIM_LIBRARY) | $(BUILD)/firmware/emp_a.elf
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(SIM_DEBUG_LIBS) -lnettle

TEST_NEEDS += $(BUILD)/tests/debugged

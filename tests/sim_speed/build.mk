# SPDX-License-Identifier: MIT
# How fast two simulated boards are; figures for people, no test.
$(BUILD)/obj/tests/sim_speed/measure_boards.o: | $(HOST_LAYOUT)

$(BUILD)/tests/measure_boards: $(addprefix $(BUILD)/obj/,tests/sim_speed/measure_boards.o \
                                 $(addprefix host/demo/,pair.o recorder.o)) \
                               $(HOST_LIBRARY) $(BUILD)/obj/sim/libtigon.a | $(BUILD)/firmware/emp_a.elf
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LTO_LINK) -o $@ $^ -lelf -lnettle

# Programs, libemp, firmware, boards and wire together.

END_TO_END_SUPPORT := tests/end_to_end/exchange.o host/demo/pair.o host/demo/traffic.o
END_TO_END_TESTS   := $(BUILD)/tests/end_to_end/test_reliability $(BUILD)/tests/end_to_end/test_edges

$(END_TO_END_TESTS): $(BUILD)/tests/end_to_end/%: $(BUILD)/san/tests/end_to_end/%.o \
    $(addprefix $(BUILD)/san/,$(END_TO_END_SUPPORT)) $(HOST_LIBRARY_SANITIZED) \
    $(BUILD)/san/sim/libtigon.a
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lcmocka -lelf

TEST_PROGRAMS += $(END_TO_END_TESTS)
TEST_NEEDS    += $(BUILD)/firmware/emp_a.elf

# SPDX-License-Identifier: MIT
# EMP's image: its flags and its parser.

FW_NEEDS_emp := $(BUILD)/gen/emp/frame.c

# GCC's own threshold again (FW_NO_MULTIPLY): nothing in this image multiplies where GCC optimises for size, and it carries
# 1363 Mb/s both ways instead of 1344 (`build/tests/measure_firmware`). Remove this if "unable to generate reloads" appears.
FW_FLAGS_emp := --param=hot-bb-frequency-fraction=1000

# What finds missing frames early does not fit into the scratchpad beside all of the data path. Of the sets of functions
# that make room, this one costs least: 4 % of the latency of 4 bytes, 2 % of the bandwidth both ways.
FW_SLOW_emp := $(if $(filter modern,$(PROFILE)),emp_measure emp_finish emp_on_match_finished emp_on_send_transmitted)
# Numbers of jumbo frames take an instruction more here and there.
FW_SLOW_emp += $(if $(findstring mtu=,$(OPTIONS_emp)),emp_settle)

# The parser: ranges from the layouts, then Ragel. -G2 is the only style that is right for words.
$(BUILD)/gen/emp/frame_ranges: spec/emp/frame_ranges.c $(BUILD)/gen/emp/emp_layout.h
	$(SAY) CC $<
	$(Q)$(CC) $(CFLAGS) -I$(BUILD)/gen/emp -o $@ $<

$(BUILD)/gen/emp/frame_ranges.rl: $(BUILD)/gen/emp/frame_ranges
	$(Q)$(abspath $<) > $@

$(BUILD)/gen/emp/frame.c: spec/emp/frame.rl $(BUILD)/gen/emp/frame_ranges.rl
	$(SAY) RAGEL $<
	$(Q)ragel -G2 -L -I $(BUILD)/gen/emp -o $@ $<

# SPDX-License-Identifier: MIT
# EMP's image: its flags and its parser.

FW_NEEDS_emp := $(BUILD)/gen/emp/frame.c

OPTIONS_emp += $(NODES:%=--set node_limit=%) $(BOARDS:%=--set board_limit=%)
# The tables for 256 nodes leave no room for these.
OPTIONS_emp += $(if $(filter 256,$(NODES)),--set calls_refused=0 --set passes_late=0 --set limits_refusals=0 --set inline_limit=0 --set descriptor_limit=600 --set match_buckets=256)

# GCC's own threshold again (FW_NO_MULTIPLY): nothing in this image multiplies where GCC optimises for size, and it carries
# 1363 Mb/s both ways instead of 1344 (`build/tests/measure_firmware`). Remove this if "unable to generate reloads" appears.
FW_FLAGS_emp := --param=hot-bb-frequency-fraction=1000

# What finds missing frames early does not fit into the scratchpad beside all of the data path. Numbers of jumbo frames take
# an instruction more here and there, and more nodes take the room for their tables.
FW_FITS_emp    := $(if $(filter modern,$(PROFILE))$(findstring mtu=,$(OPTIONS_emp))$(NODES),no)
FW_TRAFFIC_emp := spec/emp/firmware/traffic.scenario
# Records of transitions take 1.4 of 21.6 us of a message of four bytes, and their code 1 kB of the scratchpad.
FW_TRACE_emp   := $(if $(filter modern,$(PROFILE)),0)

# A frame may go out within a posting, which may be taken within a received frame: a deep chain of calls.
# Where raises of the other processor are taken there, too, it is deeper.
FW_MEMORY_emp  := $(if $(filter modern,$(PROFILE)),-DTIGON2_STACK_BYTES=$(if $(filter RO,$(PLACEMENT)),352,320))

# The parser: ranges from the layouts, then Ragel. -G2 is the only style that is right for words.
$(BUILD)/gen/emp/frame_ranges: spec/emp/frame_ranges.c $(BUILD)/gen/emp/emp_layout.h FORCE
	$(call make_file,CC,$<,$(CC) $(CFLAGS) $(INCLUDES) -I$(BUILD)/gen/emp -o $@ $<)

$(BUILD)/gen/emp/frame_ranges.rl: $(BUILD)/gen/emp/frame_ranges FORCE
	$(call make_file,RANGES,$@,$(abspath $<) > $@)

$(BUILD)/gen/emp/frame.c: spec/emp/frame.rl $(BUILD)/gen/emp/frame_ranges.rl FORCE
	$(call make_file,RAGEL,$<,ragel -G2 -L -I $(BUILD)/gen/emp -o $@ $<)

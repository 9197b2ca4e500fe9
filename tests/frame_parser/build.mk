# SPDX-License-Identifier: MIT
# The generated frame parser against the layouts and against a hand-written reference; sanitized.

FRAME_PARSER_FLAGS := $(CSTD) $(WARNINGS) $(SANITIZE) $(INCLUDES) -I$(BUILD)/gen/emp

$(BUILD)/san/tests/frame_parser/frame.o: $(BUILD)/gen/emp/frame.c spec/emp/frame.h FORCE
	$(call make_file,CC,"$< (sanitized)",\
	    $(CC) $(FRAME_PARSER_FLAGS) -Wno-unused-label -Wno-implicit-fallthrough -MMD -MP -c -o $@ $<)

$(BUILD)/san/tests/frame_parser/test_frame_parser.o: CFLAGS_tests_frame_parser := -I$(BUILD)/gen/emp
$(BUILD)/san/tests/frame_parser/test_frame_parser.o: | $(BUILD)/gen/emp/emp.h

$(BUILD)/tests/test_frame_parser: $(addprefix $(BUILD)/san/tests/frame_parser/,test_frame_parser.o frame.o) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

TEST_PROGRAMS += $(BUILD)/tests/test_frame_parser

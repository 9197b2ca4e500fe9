# SPDX-License-Identifier: MIT
# An image for both processors, its two units linked by the port's own script, and the test that runs it on a board.

PROCESSORS       := $(BUILD)/processors
PROCESSORS_IMAGE := $(PROCESSORS)/processors.elf

PROCESSORS_CFLAGS = $(FW_CFLAGS) $(FW_UNTRACED) -DNIC_PROCESSORS=2 -DNIC_PROCESSOR=$(PROCESSOR)
PROCESSORS_UNIT_CFLAGS = $(PROCESSORS_CFLAGS) $(FW_WHOLE_PROGRAM)

$(addprefix $(PROCESSORS)/,second.o port/second_start.o): PROCESSOR := 1
$(addprefix $(PROCESSORS)/,image.o port/start.o port/memory.o): PROCESSOR := 0

$(eval $(call FW_OBJECTS,tests/processors/firmware/,$(PROCESSORS)/,PROCESSORS_UNIT_CFLAGS,$(FW_NEEDS)))
$(eval $(call FW_OBJECTS,$(FW_PORT)/,$(PROCESSORS)/port/,PROCESSORS_CFLAGS,$(FW_NEEDS)))

$(PROCESSORS)/processors.lds: $(FW_SCRIPT_NEEDS) FORCE
	$(call FW_MAKE_SCRIPT,-DNIC_PROCESSORS=2)

# The scratchpads lie at the same addresses.
$(PROCESSORS_IMAGE): $(PROCESSORS)/image.o $(PROCESSORS)/second.o $(addprefix $(PROCESSORS)/port/,start.o second_start.o memory.o) \
    $(PROCESSORS)/processors.lds $(FW_TOOLS) FORCE
	$(call FW_LINK,--gc-sections --no-check-sections,check_instructions.py check_indirect.py)

$(BUILD)/tests/test_processors: $(addprefix $(BUILD)/san/,tests/processors/test_processors.o sim/command/image.o sim/command/image_header.o) \
    $(SIM_LIBRARY_SANITIZED) FORCE | $(PROCESSORS_IMAGE)
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka -lelf)

$(BUILD)/san/tests/processors/%.o $(BUILD)/obj/tests/processors/%.o: CFLAGS_tests_processors := -DFIRMWARE_IMAGE='"$(PROCESSORS_IMAGE)"'

TEST_PROGRAMS += $(BUILD)/tests/test_processors

# The same two units on the native port. What a unit does not share is its own.
PROCESSORS_NATIVE := $(call nic_port,fw-runtime/port/native) -DNIC_PROCESSORS=2 -DNIC_TRACE=0
PROCESSORS_SHARED := common native_signalled native_second_wanted
PROCESSORS_UNITS  := $(addprefix $(BUILD)/san/tests/processors/unit_,image.o second.o)
$(BUILD)/san/tests/processors/unit_image.o: PROCESSORS_KEPT := $(PROCESSORS_SHARED) native_nic native_first
$(BUILD)/san/tests/processors/unit_second.o: PROCESSORS_KEPT := native_second
$(BUILD)/san/tests/processors/unit_second.o: PROCESSORS_NUMBER := 1
$(PROCESSORS_UNITS): $(BUILD)/san/tests/processors/unit_%.o: tests/processors/firmware/%.c FORCE
	$(call make_file,CC,"$< (native, sanitized)",$(CC) $(CSTD) $(WARNINGS) $(SANITIZE) $(INCLUDES) $(PROCESSORS_NATIVE) -DNIC_PROCESSOR=$(or $(PROCESSORS_NUMBER),0) \
	    -MMD -MP -c -o $@ $< && \
	    objcopy $(PROCESSORS_KEPT:%=--keep-global-symbol=%) $@)

$(BUILD)/san/tests/processors/test_units.o: CFLAGS_tests_processors := $(PROCESSORS_NATIVE)
$(BUILD)/tests/test_units: $(BUILD)/san/tests/processors/test_units.o $(PROCESSORS_UNITS) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

TEST_PROGRAMS += $(BUILD)/tests/test_units

# SPDX-License-Identifier: MIT
# The firmware image on simulated boards, posted to by raw register accesses.

FIRMWARE_TESTS        := $(addprefix $(BUILD)/tests/,test_firmware test_three_boards test_event_order)
FIRMWARE_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/firmware/,$(addsuffix .o,$(notdir $(FIRMWARE_TESTS)) measure harness))
FIRMWARE_IMAGE        := $(BUILD)/firmware/emp_a.elf

$(BUILD)/san/tests/firmware/%.o $(BUILD)/obj/tests/firmware/%.o: \
    CFLAGS_tests_firmware := -I$(BUILD)/gen/emp -DFIRMWARE_IMAGE='"$(FIRMWARE_IMAGE)"'
$(FIRMWARE_TEST_OBJECTS) $(FIRMWARE_TEST_OBJECTS:$(BUILD)/san/%=$(BUILD)/obj/%): | $(BUILD)/gen/emp/emp.h

$(FIRMWARE_TESTS): $(BUILD)/tests/%: $(addprefix $(BUILD)/san/tests/firmware/,%.o measure.o harness.o) \
                                     $(SIM_OBSERVE_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED) FORCE | $(FIRMWARE_IMAGE)
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka -lm $(SIM_OBSERVE_LIBS))

# What the firmware costs, printed: cycles for a frame, one-way time, bandwidth.
$(BUILD)/tests/measure_firmware: $(addprefix $(BUILD)/obj/tests/firmware/,measure_firmware.o measure.o harness.o) \
                                 $(SIM_LIBRARY) FORCE | $(FIRMWARE_IMAGE)
	$(call make_file,LD,$@,$(CC) $(NO_LTO) -o $@ $(FROM) -lm)

TEST_PROGRAMS += $(FIRMWARE_TESTS)
TEST_NEEDS    += $(FIRMWARE)/emp_a_checked.elf $(TIGONSIM)

# EMP compiled with other flags, which come behind those of the port and take some of them back (test_flags.py). All of
# its functions lie in SRAM, and the image may be larger, so that it fits with most flags. What GCC takes for
# uninitialized depends on the flags.
TRIED_FLAGS ?=
$(eval $(call FW_FITTED,emp,_a_tried,tried/,$(TRIED_FLAGS) -Wno-maybe-uninitialized $(FW_CHECKED_MEMORY),,$(FW_CHECKED_MEMORY)))

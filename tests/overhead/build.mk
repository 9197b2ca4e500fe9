# SPDX-License-Identifier: MIT
# What generated code costs compared with the same protocol written by hand: images for the chip's core and
# what measures them, and both natively for a comparison of what they do.

OVERHEAD        := $(BUILD)/overhead
OVERHEAD_IMAGES := $(addprefix $(OVERHEAD)/,generated.elf hand.elf generated_trace.elf)

# As the firmware, whole-program, but without checks, which a protocol written by hand has not: see fw-runtime/build.mk.
OVERHEAD_CFLAGS       = $(filter-out -DNIC_TRACE=%,$(FW_CFLAGS)) -UHSM_CHECKED $(FW_WHOLE_PROGRAM) -I$(BUILD)/gen/abp
OVERHEAD_START_CFLAGS = $(OVERHEAD_CFLAGS) -DNIC_TRACE=1

$(OVERHEAD)/generated.o $(OVERHEAD)/generated_trace.o: OVERHEAD_NODE := generated
$(OVERHEAD)/hand.o: OVERHEAD_NODE := hand
$(OVERHEAD)/generated.o $(OVERHEAD)/hand.o: OVERHEAD_TRACE := 0
$(OVERHEAD)/generated_trace.o: OVERHEAD_TRACE := 1

$(OVERHEAD_IMAGES:%.elf=%.o): $(OVERHEAD)/%.o: tests/overhead/chip/image.c $(GENERATED_abp) FORCE
	$(call make_file,FWCC,"$< ($*)",$(FW_CC) $(OVERHEAD_CFLAGS) -DNIC_TRACE=$(OVERHEAD_TRACE) -DIMAGE_NODE='"tests/overhead/node_$(OVERHEAD_NODE).c"' \
	    -MMD -MP -c -o $@ $<)

# The trace's common part lies there; nothing else of it is linked.
$(eval $(call FW_OBJECTS,$(FW_PORT)/,$(OVERHEAD)/,OVERHEAD_START_CFLAGS))

$(OVERHEAD_IMAGES): $(OVERHEAD)/%.elf: $(OVERHEAD)/%.o $(OVERHEAD)/start.o tests/overhead/chip/image.lds $(FW_TOOLS) FORCE
	$(call FW_LINK,--gc-sections,check_instructions.py check_indirect.py)

OVERHEAD_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/overhead/,test_overhead.o node_hand.o node_generated.o)

$(BUILD)/obj/tests/overhead/%.o $(BUILD)/san/tests/overhead/test_%.o: CFLAGS_tests_overhead := -I$(BUILD)/gen/abp
$(BUILD)/san/tests/overhead/node_%.o: CFLAGS_tests_overhead = -I$(BUILD)/gen/abp -DNODE_PREFIX=$(*F:node_%=%)_
$(BUILD)/obj/tests/overhead/measure_cycles.o $(OVERHEAD_TEST_OBJECTS): | $(GENERATED_abp)

$(BUILD)/tests/measure_cycles: $(addprefix $(BUILD)/obj/,tests/overhead/measure_cycles.o $(SIM_CPU_OBJECTS)) FORCE
	$(call make_file,LD,$@,$(CC) $(NO_LTO) -o $@ $(FROM) -lelf -lz)

$(BUILD)/tests/test_overhead: $(OVERHEAD_TEST_OBJECTS) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

.PHONY: overhead
overhead: $(OVERHEAD_IMAGES) $(BUILD)/tests/measure_cycles

TEST_PROGRAMS += $(BUILD)/tests/test_overhead
TEST_NEEDS    += overhead
LINT_NEEDS    += $(GENERATED_abp)

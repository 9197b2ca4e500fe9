# Firmware images: build/firmware/emp_a.elf and what is known about it.
#
# Two gates against what the core cannot execute (toolchain.md 1.3): core.inc inside the assembler,
# tools/check_instructions.py on the linked image. A third compares stack need with the reserve, a fourth finds
# jumps to computed addresses: events are dispatched once, by the event loop.

CROSS       := mips-linux-gnu-
FIRMWARE    := $(BUILD)/firmware
FW_PORT     := fw-runtime/port/tigon2
FW_CC       := $(CROSS)gcc
FW_LD       := $(CROSS)ld
NIC_TRACE   ?= 1

FW_ARCH     := -EB -march=mips2 -mtune=r3000 -mabi=32 -mno-abicalls -fno-pic -G0 -msoft-float \
               -mno-branch-likely
FW_INCLUDES := -I. -I$(FW_PORT)/freestanding -I$(BUILD)/gen/emp
FW_DEFINES  := -DNIC_TRACE=$(NIC_TRACE) -DNIC_PORT_HEADER='"$(FW_PORT)/port_tigon2.h"' \
               -DEMP_PORT_HEADER='"spec/emp/firmware/emp_port.h"' -DEMP_PARSE_ATTRIBUTES=NIC_HOT
FW_CFLAGS   := -std=gnu11 -O2 -g $(FW_ARCH) -ffreestanding -ffixed-hi -ffixed-lo \
               -fno-expensive-optimizations -fno-reorder-blocks -mno-check-zero-division -mno-llsc \
               -fno-delete-null-pointer-checks -fno-isolate-erroneous-paths-dereference \
               -fno-tree-loop-distribute-patterns -fno-jump-tables -fno-stack-protector \
               -fno-asynchronous-unwind-tables -fno-common -ffunction-sections -fdata-sections \
               -fstack-usage -fcallgraph-info=su -Wall -Wextra -Werror -Wcast-align=strict \
               -Wstack-usage=256 -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(BUILD)=build \
               $(FW_EXTRA) -Wa,--fatal-warnings -Wa,$(FW_PORT)/core.inc $(FW_DEFINES) $(FW_INCLUDES)
# What only makes code larger here: half-words put together to be stored as words (the vectoriser's doing),
# values kept where they are cheap to find again, copies of one end. 350 bytes of the scratchpad, and 1 % of the time.
FW_CFLAGS   += -fno-tree-vectorize -fno-tree-pre -fno-tree-vrp -fno-tree-tail-merge -fno-ipa-sra
# Generated code converts on purpose and says so; hand-written code is held to the same.
FW_CFLAGS   += -Wconversion

FW_SOURCES  := $(FW_PORT)/memory.c spec/emp/firmware/image.c
FW_OBJECTS  := $(FIRMWARE)/$(FW_PORT)/start.o $(FW_SOURCES:%.c=$(FIRMWARE)/%.o)
# If the scratchpad overflows after a change of the spec: say `rare` there of an action or event that runs
# once for a message (build/firmware/emp_a.map has the sizes).
#
# The event loop wants $s0 and $s1 back from a handler. The other callee-saved registers would be saved
# and restored by every handler for nobody: a tenth of all instructions.
FW_IMAGE    := $(FIRMWARE)/spec/emp/firmware/image.o
$(FW_IMAGE): fw-runtime/build.mk $(BUILD)/gen/emp/emp.c $(BUILD)/gen/emp/frame.c
FW_WHOLE_PROGRAM := -fwhole-program $(foreach n,2 3 4 5 6 7,-fcall-used-s$(n))
$(FW_IMAGE): FW_CFLAGS += $(FW_WHOLE_PROGRAM)
FW_FLAGS_STAMP := $(FIRMWARE)/flags

firmware: $(FIRMWARE)/emp_a.elf
firmware:        ## build the NIC image build/firmware/emp_a.elf; print sections, stack, free memory
	$(Q)fw-runtime/tools/sizes.py $<
	$(Q)fw-runtime/tools/check_stack.py $< $(FW_OBJECTS:.o=.ci)

# Objects are made again when a switch such as NIC_TRACE changes.
$(FW_FLAGS_STAMP): FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(FW_CFLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(FW_CFLAGS))' > $@

.PHONY: FORCE
FORCE:

# The parser: ranges from the layouts, then Ragel. -G2 is the only style that is right for words.
$(BUILD)/gen/emp/frame_ranges: spec/emp/frame_ranges.c $(BUILD)/gen/emp/emp_layout.h
	$(SAY) CC $<
	$(Q)$(CC) $(CFLAGS) -I$(BUILD)/gen/emp -o $@ $<

$(BUILD)/gen/emp/frame_ranges.rl: $(BUILD)/gen/emp/frame_ranges
	$(Q)$(abspath $<) > $@

$(BUILD)/gen/emp/frame.c: spec/emp/frame.rl $(BUILD)/gen/emp/frame_ranges.rl
	$(SAY) RAGEL $<
	$(Q)ragel -G2 -L -I $(BUILD)/gen/emp -o $@ $<

$(FIRMWARE)/%.o: %.c $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc $(BUILD)/gen/emp/emp.h
	$(SAY) FWCC $<
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(FW_CFLAGS) -MMD -MP -c -o $@ $<

$(FIRMWARE)/$(FW_PORT)/start.o: $(FW_PORT)/start.S $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc
	$(SAY) FWAS $<
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(FW_CFLAGS) -MMD -MP -c -o $@ $<

$(FIRMWARE)/firmware.lds: $(FW_PORT)/firmware.lds.in $(FW_PORT)/memory_map.h
	@mkdir -p $(@D)
	$(Q)$(FW_CC) -E -P -undef -x c -I. -o $@ $<

$(FIRMWARE)/emp_a.elf: $(FW_OBJECTS) $(FIRMWARE)/firmware.lds fw-runtime/tools/check_instructions.py \
                       fw-runtime/tools/check_indirect.py fw-runtime/tools/check_stack.py fw-runtime/tools/sizes.py
	$(SAY) FWLD $@
	$(Q)$(FW_LD) -EB -static -nostdlib -G0 --gc-sections --fatal-warnings --no-warn-rwx-segments \
	    -T $(FIRMWARE)/firmware.lds -Map $(FIRMWARE)/emp_a.map -o $@.new $(FW_OBJECTS)
	$(Q)fw-runtime/tools/check_instructions.py $@.new
	$(Q)fw-runtime/tools/check_indirect.py $@.new
	$(Q)fw-runtime/tools/check_stack.py $@.new $(FW_OBJECTS:.o=.ci) >/dev/null
	$(Q)mv $@.new $@

# The same with what crosses the protocol's border out of line, where a simulator sees each call (docs/conformance.md).
# It is no image to ship: with the functions that the other one dissolves the protocol does not fit the scratchpad, and
# lies in SRAM, because firmware.lds.in does not know this object.
FW_OBSERVED       := $(FIRMWARE)/observed/image.o
FW_OBSERVED_PARTS := $(filter-out $(FW_IMAGE),$(FW_OBJECTS)) $(FW_OBSERVED)

$(FW_OBSERVED): spec/emp/firmware/image.c $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc $(BUILD)/gen/emp/emp.h \
                fw-runtime/build.mk $(BUILD)/gen/emp/emp.c $(BUILD)/gen/emp/emp_observed.h $(BUILD)/gen/emp/frame.c
	$(SAY) FWCC "$< (observed)"
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(FW_CFLAGS) $(FW_WHOLE_PROGRAM) -ffixed-30 -DEMP_OBSERVED -MMD -MP -c -o $@ $<

OBSERVED_IMAGE := $(FIRMWARE)/emp_a_observed.elf
$(OBSERVED_IMAGE): $(FW_OBSERVED_PARTS) $(FIRMWARE)/firmware.lds
	$(SAY) FWLD $@
	$(Q)$(FW_LD) -EB -static -nostdlib -G0 --gc-sections --fatal-warnings --no-warn-rwx-segments \
	    -T $(FIRMWARE)/firmware.lds -o $@.new $(FW_OBSERVED_PARTS)
	$(Q)fw-runtime/tools/check_instructions.py $@.new
	$(Q)fw-runtime/tools/check_stack.py $@.new $(FW_OBSERVED_PARTS:.o=.ci) >/dev/null
	$(Q)mv $@.new $@

# The same for published-cost mode (docs/board.md): the functions that a table charges are out of line, with their
# arguments where the calling convention has them, and there is no trace ring, whose own cost the steps do not know.
FW_CHARGES         := spec/emp/firmware/published.charges
FW_PUBLISHED       := $(FIRMWARE)/published/firmware/image.o
FW_PUBLISHED_PARTS := $(FIRMWARE)/$(FW_PORT)/memory.o $(FIRMWARE)/published/start.o $(FW_PUBLISHED)
FW_PUBLISHED_FLAGS := -UNIC_TRACE -DNIC_TRACE=0

$(BUILD)/gen/emp/emp_charged.h: $(FW_CHARGES)
	@mkdir -p $(@D)
	$(Q)sed -n 's/#.*//; s/^charge.* \(before\|after\) *\([a-z0-9_]*\).*/__typeof__(\2) \2 __attribute__((noipa));/p' $< \
	    | sort -u > $@

$(FW_PUBLISHED): spec/emp/firmware/image.c $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc $(BUILD)/gen/emp/emp.h \
                 fw-runtime/build.mk $(BUILD)/gen/emp/emp.c $(BUILD)/gen/emp/emp_charged.h $(BUILD)/gen/emp/frame.c
	$(SAY) FWCC "$< (published cost)"
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(FW_CFLAGS) $(FW_PUBLISHED_FLAGS) $(FW_WHOLE_PROGRAM) -DEMP_CHARGED -MMD -MP -c -o $@ $<

$(FIRMWARE)/published/start.o: $(FW_PORT)/start.S $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(FW_CFLAGS) $(FW_PUBLISHED_FLAGS) -MMD -MP -c -o $@ $<

PUBLISHED_IMAGE := $(FIRMWARE)/emp_a_published.elf
$(PUBLISHED_IMAGE): $(FW_PUBLISHED_PARTS) $(FIRMWARE)/firmware.lds
	$(SAY) FWLD $@
	$(Q)$(FW_LD) -EB -static -nostdlib -G0 --gc-sections --fatal-warnings --no-warn-rwx-segments \
	    -T $(FIRMWARE)/firmware.lds -o $@.new $(FW_PUBLISHED_PARTS)
	$(Q)fw-runtime/tools/check_instructions.py $@.new
	$(Q)fw-runtime/tools/check_stack.py $@.new $(FW_PUBLISHED_PARTS:.o=.ci) >/dev/null
	$(Q)mv $@.new $@

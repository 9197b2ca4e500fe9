# SPDX-License-Identifier: MIT
# Firmware images: build/firmware/NAME_a.elf of every protocol whose folder has a firmware/image.c, found by its being
# there. What an image needs beyond that is in the folder's own firmware/build.mk: FW_FLAGS_NAME, for the compiler, and
# FW_NEEDS_NAME, files to be made before.
#
# Two gates against what the core cannot execute (toolchain.md 1.3): core.inc inside the assembler,
# tools/check_instructions.py on the linked image. A third compares stack need with the reserve, a fourth finds
# jumps to computed addresses: events are dispatched once, by the event loop.

CROSS       := mips-linux-gnu-
FIRMWARE    := $(BUILD)/firmware
FW_PORT     := fw-runtime/port/tigon2
FW_TOOLS    := $(addprefix fw-runtime/tools/,check_instructions.py check_indirect.py check_stack.py sizes.py)
FW_CC       := $(CROSS)gcc
FW_LD       := $(CROSS)ld
NIC_TRACE   ?= 1

FW_ARCH     := -EB -march=mips2 -mtune=r3000 -mabi=32 -mno-abicalls -fno-pic -G0 -msoft-float \
               -mno-branch-likely
# Every multiplication and division is an error. Blocks that GCC predicts to run less often than once in 1000 calls it
# optimises for size, and would multiply by a constant where -O2 shifts and adds; now it does so for once in a million.
FW_NO_MULTIPLY := -ffixed-hi -ffixed-lo --param=hot-bb-frequency-fraction=1000000
FW_INCLUDES := -I. -I$(FW_PORT)/freestanding
# What generated code checks (fw-runtime/hsm_checks.h, docs/generated-code.md): by default what costs no cycle of a message;
# with ALL or names of kinds more, as far as there is room.
FW_CHECKS   ?= ROOM
hsm_checked  = '-DHSM_CHECKED=(0$(if $(filter ALL,$1), | HSM_CHECK_ALL,$(foreach \
                   kind,$1, | HSM_CHECK_SET(HSM_CHECK_$(kind)))))'
FW_DEFINES  := $(call hsm_checked,$(FW_CHECKS)) -DNIC_TRACE=$(NIC_TRACE) \
               -DNIC_PORT_HEADER='"$(FW_PORT)/port_tigon2.h"'
FW_CFLAGS   := -std=gnu11 -O2 -g $(FW_ARCH) -ffreestanding $(FW_NO_MULTIPLY) \
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
# The event loop wants $s0 and $s1 back from a handler. The other callee-saved registers would be saved
# and restored by every handler for nobody: a tenth of all instructions.
FW_WHOLE_PROGRAM := -fwhole-program $(foreach n,2 3 4 5 6 7,-fcall-used-s$(n))

# Objects are made again when a switch such as NIC_TRACE changes.
FW_FLAGS_STAMP := $(FIRMWARE)/flags
$(FW_FLAGS_STAMP): FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(FW_CFLAGS))' | cmp -s - $@ || echo '$(subst ','\'',$(FW_CFLAGS))' > $@

.PHONY: FORCE
FORCE:

FW_RUNTIME := $(addprefix $(FIRMWARE)/$(FW_PORT)/,start.o memory.o)

$(FIRMWARE)/%.o: %.c $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc fw-runtime/build.mk
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

# An image's one translation unit: $(call FW_IMAGE,NAME,OBJECT,MORE FLAGS). The linker script puts into the scratchpad
# what is called image.o.
define FW_IMAGE
$(2): spec/$(1)/firmware/image.c $(FW_FLAGS_STAMP) $(FW_PORT)/core.inc fw-runtime/build.mk $(GENERATED_$(1)) \
      $$(wildcard spec/$(1)/firmware/build.mk) $$$$(FW_NEEDS_$(1))
	$$(SAY) FWCC "$(2:$(BUILD)/%=%)"
	@mkdir -p $$(@D)
	$$(Q)$$(FW_CC) $$(FW_CFLAGS) $$(FW_WHOLE_PROGRAM) -I$$(BUILD)/gen/$(1) $$(FW_FLAGS_$(1)) $(3) -MMD -MP -c -o $$@ $$<
endef

# Links the objects among the prerequisites and looks at what came out; $(1): checks beyond those of every image.
define FW_LINK
	$(SAY) FWLD $@
	@mkdir -p $(@D)
	$(Q)$(FW_LD) -EB -static -nostdlib -G0 --gc-sections --fatal-warnings --no-warn-rwx-segments \
	    -T $(filter %.lds,$^) -Map $(@:.elf=.map) -o $@.new $(filter %.o,$^)
	$(Q)fw-runtime/tools/check_instructions.py $@.new
	$(Q)set -e; for check in $(1); do fw-runtime/tools/$$check $@.new; done
	$(Q)fw-runtime/tools/check_stack.py $@.new $(patsubst %.o,%.ci,$(filter %.o,$^)) >/dev/null
	$(Q)mv $@.new $@
endef

# If the scratchpad overflows after a change of a spec: say `rare` there of an action or event that runs once for a
# message (build/firmware/NAME_a.map has the sizes).
FW_PROTOCOLS := $(patsubst spec/%/firmware/image.c,%,$(wildcard spec/*/firmware/image.c))
FW_IMAGES    := $(FW_PROTOCOLS:%=$(FIRMWARE)/%_a.elf)
$(foreach name,$(FW_PROTOCOLS),$(eval $(call FW_IMAGE,$(name),$(FIRMWARE)/$(name)/image.o)))
$(FW_IMAGES): $(FIRMWARE)/%_a.elf: $(FW_RUNTIME) $(FIRMWARE)/%/image.o $(FIRMWARE)/firmware.lds $(FW_TOOLS)
	$(call FW_LINK,check_indirect.py)

firmware: $(FW_IMAGES)
firmware:        ## build the NIC images build/firmware/NAME_a.elf; print sections, stack, free memory
	$(Q)$(foreach name,$(FW_PROTOCOLS),\
	    fw-runtime/tools/sizes.py $(FIRMWARE)/$(name)_a.elf && \
	    fw-runtime/tools/check_stack.py $(FIRMWARE)/$(name)_a.elf $(FW_RUNTIME:.o=.ci) $(FIRMWARE)/$(name)/image.ci &&) true

include $(wildcard spec/*/firmware/build.mk)

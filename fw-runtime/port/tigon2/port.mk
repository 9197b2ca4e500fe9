# SPDX-License-Identifier: MIT
# How an image for the Tigon2 is compiled and linked, and what its gates are; fw-runtime/build.mk says what a port.mk gives.
#
# Two gates against what the core cannot execute (toolchain.md 1.3): core.inc inside the assembler,
# tools/check_instructions.py on the linked image. A third compares stack need with the reserve, a fourth finds
# jumps to computed addresses: events are dispatched once, by the event loop.

CROSS       := mips-linux-gnu-
FW_CC       := $(CROSS)gcc
FW_LD       := $(CROSS)ld
FW_OBJCOPY  := $(CROSS)objcopy
FW_TOOLS    := $(addprefix fw-runtime/tools/,check_instructions.py check_indirect.py check_stack.py)
FW_NEEDS    := $(FW_PORT)/core.inc

# GCC's filler of delay slots deletes an instruction that an earlier one has made redundant, and so lengthens the life
# of its register; of the registers that are live at the start of another block it goes on believing what held before.
# Then it moves an instruction that changes the register into the slot of a branch that is not taken:
# docs/reference/toolchain.md 1.6.
FW_DELAY_SLOTS := --param=max-delay-slot-insn-search=0
FW_ARCH     := -EB -march=mips2 -mtune=r3000 -mabi=32 -mno-abicalls -fno-pic -G0 -msoft-float \
               -mno-branch-likely $(FW_DELAY_SLOTS)
# Every multiplication and division is an error. Blocks that GCC predicts to run less often than once in 1000 calls it
# optimises for size, and would multiply by a constant where -O2 shifts and adds; now it does so for once in a million.
FW_NO_MULTIPLY := -ffixed-hi -ffixed-lo --param=hot-bb-frequency-fraction=1000000
# What all code for the chip is compiled with; and that of firmware.
FW_BARE     := -std=gnu11 -O2 -g $(FW_ARCH) -ffreestanding $(FW_NO_MULTIPLY) -mno-check-zero-division -mno-llsc \
               -fno-tree-loop-distribute-patterns -fno-jump-tables -fno-stack-protector \
               -fno-asynchronous-unwind-tables -fno-common -Wall -Wextra -Wconversion -Werror \
               -ffile-prefix-map=$(CURDIR)=. -Wa,--fatal-warnings -I.
FW_CFLAGS   := $(FW_BARE) -fno-expensive-optimizations -fno-reorder-blocks \
               -fno-delete-null-pointer-checks -fno-isolate-erroneous-paths-dereference \
               -ffunction-sections -fdata-sections -fstack-usage -fcallgraph-info=su -Wcast-align=strict \
               -Wstack-usage=256 -ffile-prefix-map=$(BUILD)=build \
               $(FW_EXTRA) -Wa,$(FW_PORT)/core.inc $(FW_DEFINES) -I$(FW_PORT)/freestanding
# What only makes code larger here: half-words put together to be stored as words (the vectoriser's doing),
# values kept where they are cheap to find again, copies of one end. 350 bytes of the scratchpad, and 1 % of the time.
FW_CFLAGS   += -fno-tree-vectorize -fno-tree-pre -fno-tree-vrp -fno-tree-tail-merge -fno-ipa-sra
# The event loop needs $s0 and $s1 again after a handler. No caller needs the other callee-saved registers, which every
# handler would save and restore: a tenth of all instructions.
FW_WHOLE_PROGRAM := -fwhole-program $(foreach n,2 3 4 5 6 7,-fcall-used-s$(n))

# Start-up code and the linker script of every image.
FW_RUNTIME := $(addprefix $(FIRMWARE)/$(FW_PORT)/,start.o memory.o)
FW_SCRIPT  := $(FIRMWARE)/firmware.lds

# Objects for the chip from C and from assembly: $(call FW_OBJECTS,SOURCES/,OBJECTS/,VARIABLE OF FLAGS,PREREQUISITES).
define FW_OBJECTS
$(2)%.o: $(1)%.c $(4) FORCE
	$$(call make_file,FWCC,$$<,$$(FW_CC) $$($(3)) -MMD -MP -c -o $$@ $$<)

$(2)%.o: $(1)%.S $(4) FORCE
	$$(call make_file,FWAS,$$<,$$(FW_CC) $$($(3)) -MMD -MP -c -o $$@ $$<)
endef
$(eval $(call FW_OBJECTS,,$(FIRMWARE)/,FW_CFLAGS,$(FW_NEEDS)))

# Of an image for two processors: its start-up code. Which of them has which half of the port, the protocol's settings.h says
# (NIC_RECEIVER and so on, port.h), by the processors that NAME_nic.h has for its processes.
FW_DIVIDED_STARTS   = $(addprefix $(FIRMWARE)/$(1)/divided/,start.o second_start.o)
FW_DIVIDED_SETTINGS = $(BUILD)/gen/$(1)/$(1)_nic.h $(wildcard spec/$(1)/firmware/settings.h)

# Of an image whose processors take the next event each, when they are free: start-up code with both loops.
FW_DYNAMIC_STARTS := $(addprefix $(FIRMWARE)/dynamic/,start.o dynamic.o)
FW_DYNAMIC_CFLAGS  = $(FW_CFLAGS) -DNIC_DYNAMIC
$(eval $(call FW_OBJECTS,$(FW_PORT)/,$(FIRMWARE)/dynamic/,FW_DYNAMIC_CFLAGS,$(FW_NEEDS)))

FW_SCRIPT_NEEDS := $(FW_PORT)/firmware.lds.in $(FW_PORT)/memory_map.h
# A linker script made with more flags: $(call FW_MAKE_SCRIPT,FLAGS).
FW_MAKE_SCRIPT  = $(call make_file,SCRIPT,$@,$(FW_CC) -E -P -undef -x c -I. \
    $(if $(FW_ANY_DYNAMIC),-DNIC_DYNAMIC,$(if $(PLACEMENT),-DNIC_PROCESSORS=2)) $(1) -o $@ $(FW_PORT)/firmware.lds.in)
$(FW_SCRIPT): $(FW_SCRIPT_NEEDS) FORCE
	$(FW_MAKE_SCRIPT)

# Links the objects among the prerequisites by the linker script among them. $(1): more options of the linker, $(2): the
# tools that check the result.
define FW_LINK
	$(call make_file,FWLD,$@,$(FW_LD) -EB -static -nostdlib -G0 --fatal-warnings --no-warn-rwx-segments $(1) \
	    -T $(filter %.lds,$^) -Map $(@:.elf=.map) -o $@.new $(filter %.o,$^) && \
	    $(foreach tool,$(2),fw-runtime/tools/$(tool) $@.new \
	    $(if $(filter check_stack.py,$(tool)),$(patsubst %.o,%.ci,$(filter %.o,$^)) > /dev/null) &&) mv $@.new $@)
endef

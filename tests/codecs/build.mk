# SPDX-License-Identifier: MIT
# What hsmc makes to pack and unpack frames, of all specs and of one that has everything: here, and for the chip's core.

CODECS           := $(BUILD)/tests/codecs
CODECS_GENERATED := $(addprefix $(BUILD)/gen/everything/,everything.h everything.c everything_layout.h everything_codec.h)
CODECS_INCLUDES  := $(foreach name,emp abp fetch everything,-I$(BUILD)/gen/$(name))
CODECS_HEADERS    = $(GENERATED_emp) $(GENERATED_abp) $(GENERATED_fetch) $(CODECS_GENERATED)

$(CODECS_GENERATED) &: tests/codecs/everything.hsm $(HSMC_SOURCES) FORCE
	$(call make_file,HSMC,$<,$(HSMC) build $< --output $(BUILD)/gen/everything && \
	    touch $(CODECS_GENERATED),$(BUILD)/gen/everything/everything)

$(CODECS)/codecs: tests/codecs/codecs.c $(CODECS_HEADERS) FORCE
	$(call make_file,CC,$<,$(CC) $(CSTD) $(WARNINGS) $(SANITIZE) $(INCLUDES) $(CODECS_INCLUDES) -o $@ $<)

$(CODECS)/codecs.bin: tests/codecs/codecs.c tests/codecs/chip.lds $(CODECS_HEADERS) FORCE
	$(call make_file,FWCC,$<,$(FW_CC) -std=gnu11 -O2 $(FW_ARCH) -ffreestanding -fno-jump-tables -fno-tree-loop-distribute-patterns \
	    -DCHIP -I. $(CODECS_INCLUDES) -c -o $(CODECS)/chip.o $< && \
	    $(FW_LD) -EB -static -nostdlib -G0 --no-warn-rwx-segments -T tests/codecs/chip.lds -o $(CODECS)/chip.elf $(CODECS)/chip.o && \
	    $(CROSS)objcopy -O binary $(CODECS)/chip.elf $@)

TEST_NEEDS += $(CODECS)/codecs $(CODECS)/codecs.bin $(BUILD)/tests/run_program
LINT_NEEDS += $(CODECS_HEADERS)

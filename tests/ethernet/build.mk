# SPDX-License-Identifier: MIT
# A small Ethernet firmware written against tigon2.md alone, its host driver, and the test of both on boards.

ETHERNET          := tests/ethernet
ETHERNET_BUILD    := $(BUILD)/ethernet
ETHERNET_IMAGE    := $(ETHERNET_BUILD)/ethernet.elf
ETHERNET_FW_CFLAGS := -std=gnu11 -O2 -g $(FW_ARCH) -ffreestanding $(FW_NO_MULTIPLY) -fno-expensive-optimizations \
    -mno-check-zero-division -mno-llsc -fno-delete-null-pointer-checks -fno-tree-loop-distribute-patterns -fno-jump-tables \
    -fno-stack-protector -fno-asynchronous-unwind-tables -fno-common --param=min-pagesize=0 -Wall -Wextra -Wconversion -Werror \
    -ffile-prefix-map=$(CURDIR)=. -Wa,--fatal-warnings -I.
ETHERNET_FW_OBJECTS := $(patsubst $(ETHERNET)/firmware/%,$(ETHERNET_BUILD)/%.o,\
    $(basename $(wildcard $(ETHERNET)/firmware/*.[cS])))

$(ETHERNET_BUILD)/%.o: $(ETHERNET)/firmware/%.c $(ETHERNET)/build.mk
	$(SAY) FWCC $<
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(ETHERNET_FW_CFLAGS) -MMD -MP -c -o $@ $<

$(ETHERNET_BUILD)/%.o: $(ETHERNET)/firmware/%.S $(ETHERNET)/firmware/registers.h $(ETHERNET)/build.mk
	$(SAY) FWAS $<
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(ETHERNET_FW_CFLAGS) -c -o $@ $<

-include $(ETHERNET_FW_OBJECTS:.o=.d)

$(ETHERNET_IMAGE): $(ETHERNET_FW_OBJECTS) $(ETHERNET)/firmware/image.lds
	$(SAY) FWLD $@
	$(Q)$(FW_LD) -EB -static -nostdlib -G0 -z max-page-size=16 --fatal-warnings --no-warn-rwx-segments \
	    -T $(ETHERNET)/firmware/image.lds -o $@ $(filter %.o,$^)
	$(Q)fw-runtime/tools/check_instructions.py $@

# The host side: driver, numbered frames, and images as tigonsim reads them.
ETHERNET_HOST    := $(addprefix $(ETHERNET)/,startup.c driver.c rings.c traffic.c checksum.c) $(addprefix sim/command/,image.c image_header.c)
ETHERNET_STATION := $(ETHERNET_HOST) $(ETHERNET)/station.c
ETHERNET_ITEMS   := $(ETHERNET_HOST) $(ETHERNET)/trial.c $(wildcard $(ETHERNET)/items_*.c) $(ETHERNET)/run_items.c

# What any firmware of the kind must do, of ours and of a file. Without the sanitizers: no report of theirs may come between the
# verdicts; test_ethernet runs the same driver with them.
ETHERNET_RUN_ITEMS := $(BUILD)/tests/ethernet_items

$(ETHERNET_RUN_ITEMS): $(ETHERNET_ITEMS:%.c=$(BUILD)/obj/%.o) $(SIM_LIBRARY) | $(ETHERNET_IMAGE)
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lelf

# What only ours does.
$(BUILD)/tests/test_ethernet: $(patsubst %.c,$(BUILD)/san/%.o,$(ETHERNET_STATION) $(ETHERNET)/test_ethernet.c) $(SIM_LIBRARY_SANITIZED) | $(ETHERNET_IMAGE)
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lcmocka -lelf

TEST_PROGRAMS += $(BUILD)/tests/test_ethernet $(ETHERNET_RUN_ITEMS)

# The same in a scenario, as a program that tigonsim loads.
ETHERNET_PROGRAM := $(ETHERNET_BUILD)/load.so

$(ETHERNET_PROGRAM): $(ETHERNET_STATION) $(ETHERNET)/load.c $(wildcard $(ETHERNET)/*.h) $(ETHERNET)/firmware/registers.h
	$(SAY) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -fPIC -o $@ $(filter %.c,$^) -lelf

TEST_NEEDS += $(BUILD)/tigonsim $(ETHERNET_PROGRAM)

.PHONY: ethernet
ethernet:        ## frames between two boards with an Ethernet firmware, in a scenario
	@scripts/setup.sh demo
	$(Q)$(MAKE) --no-print-directory $(BUILD)/tigonsim $(ETHERNET_IMAGE) $(ETHERNET_PROGRAM)
	$(Q)$(BUILD)/tigonsim run $(ETHERNET)/ethernet.scenario

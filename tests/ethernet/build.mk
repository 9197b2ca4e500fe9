# SPDX-License-Identifier: MIT
# A small Ethernet firmware written against tigon2.md alone, its host driver, and the test of both on boards.

ETHERNET          := tests/ethernet
ETHERNET_BUILD    := $(BUILD)/ethernet
ETHERNET_IMAGE    := $(ETHERNET_BUILD)/ethernet.elf
ETHERNET_FW_CFLAGS := $(FW_BARE) -fno-expensive-optimizations -fno-delete-null-pointer-checks --param=min-pagesize=0
ETHERNET_FW_OBJECTS := $(patsubst $(ETHERNET)/firmware/%,$(ETHERNET_BUILD)/%.o,\
    $(basename $(wildcard $(ETHERNET)/firmware/*.[cS])))

$(eval $(call FW_OBJECTS,$(ETHERNET)/firmware/,$(ETHERNET_BUILD)/,ETHERNET_FW_CFLAGS,))

$(ETHERNET_IMAGE): $(ETHERNET_FW_OBJECTS) $(ETHERNET)/firmware/image.lds FORCE
	$(call FW_LINK,-z max-page-size=16,check_instructions.py)

# A second image of the same sources, that differs as firmware of other origin does (firmware/parameters.h): items of
# the board hold for it, those of the firmware (items.h) need not.
ETHERNET_SECOND        := $(ETHERNET_BUILD)/second/ethernet.elf
ETHERNET_SECOND_CFLAGS := $(ETHERNET_FW_CFLAGS) -DCOPPER_PATIENCE_US=3000000u -DREFRESH_READS=true -DKNOWS_CLEAR_PROFILE=false \
    -DCUTS_PADDING=true -DALARM_AFTER_WORK=false -DKNOWS_COALESCE_ALARM=false

$(eval $(call FW_OBJECTS,$(ETHERNET)/firmware/,$(ETHERNET_BUILD)/second/,ETHERNET_SECOND_CFLAGS,))

$(ETHERNET_SECOND): $(ETHERNET_FW_OBJECTS:$(ETHERNET_BUILD)/%=$(ETHERNET_BUILD)/second/%) $(ETHERNET)/firmware/image.lds FORCE
	$(call FW_LINK,-z max-page-size=16,check_instructions.py)

# The host side: driver, numbered frames, and images as tigonsim reads them.
ETHERNET_HOST    := $(addprefix $(ETHERNET)/,startup.c driver.c rings.c traffic.c checksum.c) $(addprefix sim/command/,image.c image_header.c)
ETHERNET_STATION := $(ETHERNET_HOST) $(ETHERNET)/station.c
ETHERNET_ITEMS   := $(ETHERNET_HOST) $(ETHERNET)/trial.c $(wildcard $(ETHERNET)/items_*.c) $(ETHERNET)/run_items.c

# What any firmware of the kind must do, of ours and of a file. Without the sanitizers: no report of theirs may come between the
# verdicts; test_ethernet runs the same driver with them.
ETHERNET_RUN_ITEMS := $(BUILD)/tests/ethernet_items

$(ETHERNET_RUN_ITEMS): $(ETHERNET_ITEMS:%.c=$(BUILD)/obj/%.o) $(SIM_LIBRARY) FORCE | $(ETHERNET_IMAGE) $(ETHERNET_SECOND)
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM) -lelf -lz)

# What only ours does.
$(BUILD)/tests/test_ethernet: $(patsubst %.c,$(BUILD)/san/%.o,$(ETHERNET_STATION) $(ETHERNET)/test_ethernet.c) $(SIM_LIBRARY_SANITIZED) FORCE | $(ETHERNET_IMAGE)
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka -lelf -lz)

TEST_PROGRAMS += $(BUILD)/tests/test_ethernet $(ETHERNET_RUN_ITEMS)

# The same in a scenario, as a program that tigonsim loads.
ETHERNET_PROGRAM := $(ETHERNET_BUILD)/load.so

$(ETHERNET_PROGRAM): $(ETHERNET_STATION) $(ETHERNET)/load.c $(wildcard $(ETHERNET)/*.h) $(ETHERNET)/firmware/registers.h FORCE
	$(call make_file,CC,$@,$(CC) $(CFLAGS) $(INCLUDES) -shared -fPIC -o $@ $(filter %.c,$(FROM)) -lelf -lz)

TEST_NEEDS += $(TIGONSIM) $(ETHERNET_PROGRAM)

.PHONY: ethernet
ethernet:        ## frames between two boards with an Ethernet firmware, in a scenario
	@scripts/setup.sh demo
	$(Q)$(MAKE) --no-print-directory $(TIGONSIM) $(ETHERNET_IMAGE) $(ETHERNET_IMAGE:.elf=.tg2) $(ETHERNET_PROGRAM)
	$(Q)$(TIGONSIM) run $(ETHERNET)/ethernet.scenario

# As the Linux driver of such cards reads it (tigon2.md 10): version 1.0.0, start and load address, content.
ETHERNET_FLASHABLE := $(ETHERNET_IMAGE:.elf=.tg2)

$(ETHERNET_FLASHABLE): $(ETHERNET_IMAGE) FORCE
	$(call make_file,IMAGE,$@,$(CROSS)objcopy -O binary $< $@.content && \
	    printf '\1\0\0\0\0\0\100\0\0\0\100\0' | cat - $@.content > $@)

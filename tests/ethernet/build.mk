# A small Ethernet firmware written against tigon2.md alone, its host driver, and the test of both on boards.

ETHERNET          := tests/ethernet
ETHERNET_BUILD    := $(BUILD)/ethernet
ETHERNET_IMAGE    := $(ETHERNET_BUILD)/ethernet.elf
ETHERNET_FW_CFLAGS := -std=gnu11 -O2 -g $(FW_ARCH) -ffreestanding -ffixed-hi -ffixed-lo -fno-expensive-optimizations \
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

# The same as bytes from 0x4000 on, for a driver that knows no ELF.
ETHERNET_RAW := $(ETHERNET_BUILD)/ethernet.bin

$(ETHERNET_RAW): $(ETHERNET_IMAGE)
	$(SAY) OBJCOPY $@
	$(Q)$(CROSS)objcopy -O binary $< $@

ETHERNET_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/ethernet/,test_ethernet.o traffic.o driver.o)

$(BUILD)/tests/test_ethernet: $(ETHERNET_TEST_OBJECTS) $(SIM_LIBRARY_SANITIZED) | $(ETHERNET_RAW)
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lcmocka

TEST_PROGRAMS += $(BUILD)/tests/test_ethernet

# The same in a scenario, as a program that tigonsim loads.
ETHERNET_PROGRAM := $(ETHERNET_BUILD)/load.so

$(ETHERNET_PROGRAM): $(addprefix $(ETHERNET)/,load.c traffic.c driver.c traffic.h driver.h interface.h firmware/registers.h)
	$(SAY) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -fPIC -o $@ $(filter %.c,$^)

TEST_NEEDS += $(BUILD)/tigonsim $(ETHERNET_RAW) $(ETHERNET_PROGRAM)

.PHONY: ethernet
ethernet:        ## frames between two boards with a firmware that is not ours, in a scenario
	@scripts/setup.sh demo
	$(Q)$(MAKE) --no-print-directory $(BUILD)/tigonsim $(ETHERNET_RAW) $(ETHERNET_PROGRAM)
	$(Q)$(BUILD)/tigonsim run $(ETHERNET)/ethernet.scenario


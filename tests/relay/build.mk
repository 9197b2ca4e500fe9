# SPDX-License-Identifier: MIT
# A firmware that uses the chip as no other here does, and the host program of its scenarios: see relay.scenario.

RELAY         := tests/relay
RELAY_BUILD   := $(BUILD)/relay
RELAY_IMAGE   := $(RELAY_BUILD)/relay.elf
RELAY_PROGRAM := $(RELAY_BUILD)/relay.so
RELAY_FW_CFLAGS  := $(ETHERNET_FW_CFLAGS) -ffixed-23
RELAY_FW_OBJECTS := $(patsubst $(RELAY)/firmware/%,$(RELAY_BUILD)/%.o,$(basename $(wildcard $(RELAY)/firmware/*.[cS])))

$(RELAY_BUILD)/%.o: $(RELAY)/firmware/%.c $(RELAY)/build.mk
	$(SAY) FWCC $<
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(RELAY_FW_CFLAGS) -MMD -MP -c -o $@ $<

$(RELAY_BUILD)/%.o: $(RELAY)/firmware/%.S $(RELAY)/build.mk
	$(SAY) FWAS $<
	@mkdir -p $(@D)
	$(Q)$(FW_CC) $(RELAY_FW_CFLAGS) -c -o $@ $<

-include $(RELAY_FW_OBJECTS:.o=.d)

$(RELAY_IMAGE): $(RELAY_FW_OBJECTS) $(RELAY)/firmware/image.lds
	$(SAY) FWLD $@
	$(Q)$(FW_LD) -EB -static -nostdlib -G0 -z max-page-size=16 --fatal-warnings --no-warn-rwx-segments \
	    -T $(RELAY)/firmware/image.lds -o $@ $(filter %.o,$^)
	$(Q)fw-runtime/tools/check_instructions.py $@

$(RELAY_PROGRAM): $(RELAY)/relay.c $(RELAY)/interface.h
	$(SAY) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -fPIC -o $@ $<

TEST_NEEDS += $(BUILD)/tigonsim $(TIGONSIM_SANITIZED) $(RELAY_IMAGE) $(RELAY_PROGRAM)

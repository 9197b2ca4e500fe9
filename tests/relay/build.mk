# SPDX-License-Identifier: MIT
# A firmware that uses the chip as no other here does, and the host program of its scenarios: see relay.scenario.

RELAY         := tests/relay
RELAY_BUILD   := $(BUILD)/relay
RELAY_IMAGE   := $(RELAY_BUILD)/relay.elf
RELAY_PROGRAM := $(RELAY_BUILD)/relay.so
RELAY_FW_CFLAGS  := $(ETHERNET_FW_CFLAGS) -ffixed-23
RELAY_FW_OBJECTS := $(patsubst $(RELAY)/firmware/%,$(RELAY_BUILD)/%.o,$(basename $(wildcard $(RELAY)/firmware/*.[cS])))

$(eval $(call FW_OBJECTS,$(RELAY)/firmware/,$(RELAY_BUILD)/,RELAY_FW_CFLAGS,))

$(RELAY_IMAGE): $(RELAY_FW_OBJECTS) $(RELAY)/firmware/image.lds FORCE
	$(call FW_LINK,-z max-page-size=16,check_instructions.py)

$(RELAY_PROGRAM): $(RELAY)/relay.c $(RELAY)/interface.h FORCE
	$(call make_file,CC,$@,$(CC) $(CFLAGS) $(INCLUDES) -shared -fPIC -o $@ $<)

TEST_NEEDS += $(TIGONSIM) $(TIGONSIM_SANITIZED) $(RELAY_IMAGE) $(RELAY_PROGRAM)

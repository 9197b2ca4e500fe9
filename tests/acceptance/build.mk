# SPDX-License-Identifier: MIT
# The acceptance tests of tigon2.md 15: small firmware images, the program that runs them on boards, and `make sim-check`.

ACCEPTANCE        := tests/acceptance
ACCEPTANCE_IMAGES := $(patsubst $(ACCEPTANCE)/firmware/%.c,$(BUILD)/acceptance/%.elf,$(wildcard $(ACCEPTANCE)/firmware/*.c))

ACCEPTANCE_FW_CFLAGS := $(FW_BARE) --param=min-pagesize=0 -Wa,$(FW_PORT)/core.inc

$(eval $(call FW_OBJECTS,$(ACCEPTANCE)/firmware/,$(BUILD)/acceptance/,ACCEPTANCE_FW_CFLAGS,$(FW_PORT)/core.inc))

$(ACCEPTANCE_IMAGES): $(BUILD)/acceptance/%.elf: $(BUILD)/acceptance/%.o $(BUILD)/acceptance/start.o \
    $(BUILD)/acceptance/words.o $(ACCEPTANCE)/firmware/image.lds FORCE
	$(call FW_LINK)

ACCEPTANCE_OBJECTS := $(patsubst %.c,$(BUILD)/san/%.o,$(wildcard $(ACCEPTANCE)/*.c))

$(BUILD)/tests/sim_check: $(ACCEPTANCE_OBJECTS) $(SIM_LIBRARY_SANITIZED) FORCE | $(ACCEPTANCE_IMAGES)
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lelf -lz)

TEST_PROGRAMS += $(BUILD)/tests/sim_check

# All parts run whatever the others say; the items come last, those of a supplied image last of all.
.PHONY: sim-check
sim-check: export ASAN_OPTIONS := detect_leaks=1
sim-check:       ## acceptance tests of the board simulator; TIGON_IMAGE=FILE[:PREFIX] also runs that Ethernet image
	@scripts/setup.sh demo test
	$(Q)$(MAKE) --no-print-directory $(BUILD)/tests/sim_check $(BUILD)/tests/test_ethernet $(ETHERNET_RUN_ITEMS)
	$(Q)status=0; \
	    $(BUILD)/tests/sim_check || status=1; \
	    echo "Ethernet firmware of this project (tests/ethernet):"; \
	    $(BUILD)/tests/test_ethernet || status=1; \
	    $(ETHERNET_RUN_ITEMS) --all --own= --image=$(ETHERNET_SECOND) || status=1; \
	    $(ETHERNET_RUN_ITEMS) --all --image="$(TIGON_IMAGE)" --prefix="$(TIGON_IMAGE_NAME)" || status=1; \
	    exit $$status

# tests/docs/test_board.py compares what tigonsim knobs prints with docs/board-model.md.
TEST_NEEDS += $(TIGONSIM)

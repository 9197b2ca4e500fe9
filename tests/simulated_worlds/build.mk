# SPDX-License-Identifier: MIT
# The campaign on simulated boards, with the image that checks what it does; EMP_IMAGE names another.

SIMULATED_WORLDS := tests/simulated_worlds
BOARDS_IMAGE     := $(FIRMWARE)/emp_a_checked.elf
BOARDS_OBJECTS   := $(addprefix $(BUILD)/obj/$(SIMULATED_WORLDS)/,world.o network.o requests.o rows.o)
$(BUILD)/obj/$(SIMULATED_WORLDS)/%.o: CFLAGS_tests_simulated_worlds := -I$(BUILD)/gen/emp -DWORLD_IMAGE='"$(BOARDS_IMAGE)"'
$(BOARDS_OBJECTS): | $(HOST_LAYOUT)

# Without sanitizers, for speed.
CAMPAIGN_BOARDS := $(BUILD)/tests/campaign_boards
$(CAMPAIGN_BOARDS): $(BOARDS_OBJECTS) $(CAMPAIGN_OBJECTS) $(SIM_BUILD)/obj/sim/observe/symbols.o $(HOST_LIBRARY) $(SIM_LIBRARY) $(BOARDS_IMAGE) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(filter-out %.elf,$(FROM)) -lelf -ldw -lz)

TEST_NEEDS += $(CAMPAIGN_BOARDS)

campaign: MESSAGES ?= 16000
.PHONY: campaign
campaign:        ## random faults on boards and switches (MESSAGES=16000 SEED=1); counterexamples searched and run on the boards
	@scripts/setup.sh demo verify test
	$(Q)$(MAKE) --no-print-directory $(CAMPAIGN_BOARDS)
	$(Q)scripts/campaign.py --mode boards --messages $(MESSAGES) --seed $(SEED) --build $(BUILD) $(CAMPAIGN_FEATURES)
	$(if $(PLACEMENT),,$(Q)HSMC_SEARCH=1 $(PYTHON) -m pytest -q -p no:cacheprovider tests/verification/test_boards.py)

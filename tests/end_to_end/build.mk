# SPDX-License-Identifier: MIT
# Programs, libemp, firmware, boards and wire together.

END_TO_END_TESTS   := $(patsubst tests/end_to_end/%.c,$(BUILD)/tests/end_to_end/%,\
                        $(wildcard tests/end_to_end/test_*.c))
END_TO_END_SUPPORT := tests/end_to_end/exchange.o $(addprefix host/demo/,pair.o piece.o recorder.o traffic.o sweep.o file.o) $(HOST_TRANSFER)

$(END_TO_END_TESTS:$(BUILD)/tests/%=$(BUILD)/san/tests/%.o) $(BUILD)/san/tests/end_to_end/exchange.o: \
    | $(HOST_LAYOUT)

$(END_TO_END_TESTS): $(BUILD)/tests/end_to_end/%: $(BUILD)/san/tests/end_to_end/%.o \
    $(addprefix $(BUILD)/san/,$(END_TO_END_SUPPORT)) $(HOST_LIBRARY_SANITIZED) \
    $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(filter %.o,$(FROM)) $(filter %.a,$(FROM)) -lcmocka -lelf -lz -lnettle)

$(BUILD)/tests/end_to_end/test_cancel: $(BUILD)/san/tests/end_to_end/storm.o

$(BUILD)/tests/end_to_end/test_silence: $(BUILD)/san/host/demo/crowd.o
$(BUILD)/tests/end_to_end/test_kills: $(BUILD)/san/tests/end_to_end/kill_world.o
$(BUILD)/tests/end_to_end/test_restarts: $(BUILD)/san/tests/end_to_end/restart_world.o
$(BUILD)/tests/end_to_end/test_quiet: $(BUILD)/san/tests/end_to_end/quiet_world.o

# Not a test of its own: pairs under random faults, whose traces `make conform` checks. Without sanitizers, for speed.
CAMPAIGN := $(BUILD)/tests/campaign
$(CAMPAIGN): $(addprefix $(BUILD)/obj/,tests/end_to_end/campaign.o tests/end_to_end/storm.o $(END_TO_END_SUPPORT)) \
    $(HOST_LIBRARY) $(SIM_LIBRARY) $(BUILD)/firmware/emp_a.elf FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(filter-out %.elf,$(FROM)) -lcmocka -lelf -lz -lnettle)

$(addprefix $(BUILD)/obj/tests/end_to_end/,campaign.o exchange.o storm.o) $(BUILD)/san/tests/end_to_end/storm.o: \
    | $(HOST_LAYOUT)

# The same for worlds in which something breaks, and in which a board is loaded anew: `make kills`; and in which one is
# stopped: `make quiet`.
KILLS    := $(BUILD)/tests/kills
RESTARTS := $(BUILD)/tests/restarts
QUIET    := $(BUILD)/tests/quiet
$(KILLS):    $(BUILD)/obj/tests/end_to_end/kills.o $(BUILD)/obj/tests/end_to_end/kill_world.o
$(RESTARTS): $(BUILD)/obj/tests/end_to_end/restarts.o $(BUILD)/obj/tests/end_to_end/restart_world.o
$(QUIET):    $(BUILD)/obj/tests/end_to_end/quiet.o $(BUILD)/obj/tests/end_to_end/quiet_world.o
$(KILLS) $(RESTARTS) $(QUIET): $(addprefix $(BUILD)/obj/,host/demo/pair.o host/demo/recorder.o) $(HOST_LIBRARY) \
    $(SIM_LIBRARY) $(BUILD)/firmware/emp_a.elf FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(filter %.o,$(FROM)) $(filter %.a,$(FROM)) -lelf -lz)

# Their sources are built with sanitizers for tests; that the programs link, too, only this shows.
TEST_NEEDS += $(KILLS) $(RESTARTS) $(QUIET)

$(foreach kind,obj san,$(addprefix $(BUILD)/$(kind)/tests/end_to_end/,kills.o kill_world.o restarts.o restart_world.o \
                              quiet.o quiet_world.o)): \
    | $(HOST_LAYOUT)

# Campaigns run with the image that checks what it does (fw-runtime/build.mk); EMP_IMAGE names another.
WITH_CHECKS = EMP_IMAGE=$${EMP_IMAGE:-$(FIRMWARE)/emp_a_checked.elf}

WORLDS ?= 200
BOARDS_KILLED ?= 1000
.PHONY: kills
kills:           ## boards killed or restarted, DMA that fails, bits that flip, amid an exchange (BOARDS_KILLED=1000)
	@scripts/setup.sh demo test
	$(Q)$(MAKE) --no-print-directory $(KILLS) $(RESTARTS) $(FIRMWARE)/emp_a_checked.elf
	$(Q)$(WITH_CHECKS) $(KILLS) $(BOARDS_KILLED)
	$(Q)$(WITH_CHECKS) $(RESTARTS)

BOARDS_QUIETED ?= 250
.PHONY: quiet
quiet:           ## boards stopped, closed, started anew amid traffic: nothing reaches memory or wire afterwards (BOARDS_QUIETED=250)
	@scripts/setup.sh demo test
	$(Q)$(MAKE) --no-print-directory $(QUIET)
	$(Q)$(QUIET) $(BOARDS_QUIETED)

.PHONY: conform
conform:         ## traces of simulated worlds, each step checked against the spec (WORLDS=200)
	@scripts/setup.sh demo test
	$(Q)$(MAKE) --no-print-directory $(CAMPAIGN) $(RESTARTS) $(addprefix $(FIRMWARE)/emp_a,_observed.elf _traced.elf)
	$(Q)scripts/conform.py --worlds $(WORLDS) --build $(BUILD) $(PROFILE:%=--profile=%)

TEST_PROGRAMS += $(END_TO_END_TESTS)
# test_spec_change.py takes the plain library over into its copies of the tree.
TEST_NEEDS    += $(BUILD)/firmware/emp_a.elf $(SIM_LIBRARY)
# test_emp_profiles.py: the same for each profile of EMP's that is not the default one.
ifeq ($(PROFILE),)
EMP_PROFILES := modern
.PHONY: $(EMP_PROFILES:%=profile-%)
# The simulator is the same for all: it is made before, not twice at once.
$(EMP_PROFILES:%=profile-%): profile-%: $(GENERATED_emp) $(SIM_LIBRARY) $(SIM_LIBRARY_SANITIZED) $(SIM_OBSERVE_LIBRARY) $(TIGONSIM)
	$(Q)$(MAKE) --no-print-directory PROFILE=$* BUILD=build/$* profile-programs
TEST_NEEDS += $(EMP_PROFILES:%=profile-%)
endif
# Tests that depend on the profile; test_emp_profiles.py runs them.
PROFILE_TESTS := $(addprefix end_to_end/test_,inline long matching silence tagged) host/test_claim host/test_descriptor host/test_ends_in_memory host/test_long host/test_post test_messages replay_glue
.PHONY: profile-programs
profile-programs: $$(INSTALLED) $(FIRMWARE)/emp_a_traced.bin $(PROFILE_TESTS:%=$(BUILD)/tests/%) $$(CAMPAIGN_FAST) $$(CAMPAIGN_BOARDS) $(CAMPAIGN) $(RESTARTS) $$(ATTACK) $(HOST_DEMO) $(BUILD)/emp/host.so $(TIGONSIM) $(addprefix $(FIRMWARE)/emp_a,.elf _checked.elf _observed.elf _traced.elf)
# The same for a placement on both processors (test_emp_placements.py).
.PHONY: placement-programs
placement-programs: $(CAMPAIGN) $(RESTARTS) $(KILLS) $(HOST_DEMO) $$(CAMPAIGN_BOARDS) $(BUILD)/tests/end_to_end/test_stops $(addprefix $(FIRMWARE)/emp_a,.elf _checked.elf _observed.elf _traced.elf \
    $(if $(filter modern,$(PROFILE)),,$(if $(wildcard $(call FW_CHARGES,emp)),_published.elf))) \
    $(FW_FOR_B_NAMES)
ifeq ($(PROFILE)$(PLACEMENT),)
.PHONY: placements
placements: $(GENERATED_emp) $(SIM_LIBRARY) $(TIGONSIM)
	$(Q)$(foreach placement,DSR SO RO SR dynamic,\
	    $(MAKE) --no-print-directory PLACEMENT=$(placement) BUILD=build/$(placement) placement-programs &&\
	    $(MAKE) --no-print-directory PROFILE=modern PLACEMENT=$(placement) BUILD=build/modern/$(placement) placement-programs &&) true
TEST_NEEDS += placements
endif
# tests/conform looks at worlds with both images.
TEST_NEEDS    += $(CAMPAIGN) $(FIRMWARE)/emp_a_observed.elf

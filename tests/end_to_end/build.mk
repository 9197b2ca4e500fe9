# SPDX-License-Identifier: MIT
# Programs, libemp, firmware, boards and wire together.

END_TO_END_TESTS   := $(patsubst tests/end_to_end/%.c,$(BUILD)/tests/end_to_end/%,\
                        $(wildcard tests/end_to_end/test_*.c))
END_TO_END_SUPPORT := tests/end_to_end/exchange.c $(addprefix host/demo/,pair.c piece.c recorder.c traffic.c sweep.c file.c) $(HOST_TRANSFER)
# The objects of sources of this directory, by their names: $(call END_TO_END_OBJECTS,KIND,NAMES).
END_TO_END_OBJECTS = $(call HOST_OBJECTS,$(1),$(patsubst %,tests/end_to_end/%.c,$(2)))

$(foreach kind,obj san,$(call HOST_OBJECTS,$(kind),$(wildcard tests/end_to_end/*.c))): | $(HOST_LAYOUT)

$(END_TO_END_TESTS): $(BUILD)/tests/end_to_end/%: $(HOST_BUILD)/san/tests/end_to_end/%.o \
    $(call HOST_OBJECTS,san,$(END_TO_END_SUPPORT)) $(HOST_LIBRARY_SANITIZED) \
    $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(filter %.o,$(FROM)) $(filter %.a,$(FROM)) -lcmocka -lelf -lz -lnettle)

$(BUILD)/tests/end_to_end/test_cancel: $(call END_TO_END_OBJECTS,san,storm)

$(BUILD)/tests/end_to_end/test_silence: $(call HOST_OBJECTS,san,host/demo/crowd.c)
$(BUILD)/tests/end_to_end/test_kills: $(call END_TO_END_OBJECTS,san,kill_world)
$(BUILD)/tests/end_to_end/test_restarts: $(call END_TO_END_OBJECTS,san,restart_world)
$(BUILD)/tests/end_to_end/test_quiet: $(call END_TO_END_OBJECTS,san,quiet_world)

# Not a test of its own: pairs under random faults, whose traces `make conform` checks. Without sanitizers, for speed.
CAMPAIGN := $(BUILD)/tests/campaign
$(CAMPAIGN): $(call END_TO_END_OBJECTS,obj,campaign storm) $(call HOST_OBJECTS,obj,$(END_TO_END_SUPPORT)) \
    $(HOST_LIBRARY) $(SIM_LIBRARY) $(BUILD)/firmware/emp_a.elf FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(filter-out %.elf,$(FROM)) -lcmocka -lelf -lz -lnettle)

# The same for worlds in which something breaks, and in which a board is loaded anew: `make kills`; and in which one is
# stopped: `make quiet`.
KILLS    := $(BUILD)/tests/kills
RESTARTS := $(BUILD)/tests/restarts
QUIET    := $(BUILD)/tests/quiet
$(KILLS):    $(call END_TO_END_OBJECTS,obj,kills kill_world)
$(RESTARTS): $(call END_TO_END_OBJECTS,obj,restarts restart_world)
$(QUIET):    $(call END_TO_END_OBJECTS,obj,quiet quiet_world)
$(KILLS) $(RESTARTS) $(QUIET): $(call HOST_OBJECTS,obj,host/demo/pair.c host/demo/recorder.c) $(HOST_LIBRARY) \
    $(SIM_LIBRARY) $(BUILD)/firmware/emp_a.elf FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(filter %.o,$(FROM)) $(filter %.a,$(FROM)) -lelf -lz)

# Their sources are built with sanitizers for tests; that the programs link, too, only this shows.
TEST_NEEDS += $(KILLS) $(RESTARTS) $(QUIET)

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
$(EMP_PROFILES:%=profile-%): profile-%: $(GENERATED_emp) $(ALL_BUILDS_SHARE)
	$(Q)$(MAKE) --no-print-directory PROFILE=$* BUILD=build/$* profile-programs
TEST_NEEDS += $(EMP_PROFILES:%=profile-%)
endif
# Tests that depend on the profile; test_emp_profiles.py runs them.
PROFILE_TESTS := $(addprefix end_to_end/test_,inline long matching silence tagged) host/test_claim host/test_descriptor host/test_ends_in_memory host/test_long host/test_post test_messages replay_glue
.PHONY: profile-programs
profile-programs: $$(INSTALLED) $(FIRMWARE)/emp_a_traced.bin $(PROFILE_TESTS:%=$(BUILD)/tests/%) $$(CAMPAIGN_FAST) $$(CAMPAIGN_BOARDS) $(CAMPAIGN) $(RESTARTS) $$(ATTACK) $$(MEASURE_GOODPUT) $(HOST_DEMO) $(BUILD)/emp/host.so $(TIGONSIM) $(addprefix $(FIRMWARE)/emp_a,.elf _checked.elf _observed.elf _traced.elf)
# The same for a placement on both processors. test_emp_placements.py looks at all of them, and tries every second one
# under faults; test-long tries all.
PLACEMENT_PROGRAMS := $(CAMPAIGN) $(RESTARTS) $(KILLS) $(BUILD)/tests/end_to_end/test_stops
.PHONY: bench-programs placement-programs placement-images
# What `make bench-emp` runs.
bench-programs: $(HOST_DEMO) $(FIRMWARE)/emp_a.elf \
    $(if $(filter modern,$(PROFILE)),,$(if $(wildcard $(call FW_CHARGES,emp)),$(FIRMWARE)/emp_a_published.elf))
placement-images: bench-programs $(BUILD)/emp/host.so $(FW_FOR_B_NAMES)
placement-programs: placement-images $(PLACEMENT_PROGRAMS) $$(CAMPAIGN_BOARDS) $(addprefix $(FIRMWARE)/emp_a,_checked.elf _observed.elf _traced.elf)
ifeq ($(PROFILE)$(PLACEMENT),)
# What is made in each directory below build: $(call IN_PLACEMENTS,DIRECTORIES,TARGET). Behind a +, since its make is
# hidden from make.
IN_PLACEMENTS = $(foreach directory,$(1),$(MAKE) --no-print-directory $(if $(filter modern/%,$(directory)),PROFILE=modern) \
    PLACEMENT=$(notdir $(directory)) BUILD=build/$(directory) $(2) &&) true
TWO_PROCESSORS  := DSR SO RO SR dynamic
PLACEMENTS      := $(foreach placement,$(TWO_PROCESSORS),$(placement) modern/$(placement))
# Those that tests/end_to_end/test_emp_placements.py tries in `make test`, and those it only looks at.
PLACEMENTS_TRIED := modern/DSR SO RO SR dynamic
.PHONY: placements placements-long placements-bench
# What no placement changes is made before, not twice at once.
placements: $(GENERATED_emp) $(ALL_BUILDS_SHARE) $(HOST_DEMO) $(EMP_PROGRAMS) $(PLACEMENT_PROGRAMS) $$(CAMPAIGN_BOARDS) $(EMP_PROFILES:%=profile-%)
	+$(Q)$(call IN_PLACEMENTS,$(PLACEMENTS_TRIED),placement-programs)
	+$(Q)$(call IN_PLACEMENTS,$(filter-out $(PLACEMENTS_TRIED),$(PLACEMENTS)),placement-images)
placements-long: placements
	+$(Q)$(call IN_PLACEMENTS,$(filter-out $(PLACEMENTS_TRIED),$(PLACEMENTS)),placement-programs)
placements-bench: bench-programs
	$(Q)$(MAKE) --no-print-directory PROFILE=modern BUILD=build/modern bench-programs
	+$(Q)$(call IN_PLACEMENTS,$(PLACEMENTS),bench-programs)
TEST_NEEDS += placements
LONG_TEST_NEEDS += placements-long
endif
# tests/conform looks at worlds with both images.
TEST_NEEDS    += $(CAMPAIGN) $(FIRMWARE)/emp_a_observed.elf

# SPDX-License-Identifier: MIT
# What both kinds of campaign share: plans of worlds, programs of hosts, the oracle.

CAMPAIGN_WORLDS  := tests/campaign_worlds
CAMPAIGN_OBJECTS := $(call HOST_OBJECTS,obj,$(addprefix $(CAMPAIGN_WORLDS)/,campaign.c host.c plan.c history.c))
$(HOST_BUILD)/obj/$(CAMPAIGN_WORLDS)/%.o: CFLAGS_tests_campaign_worlds := -I$(HOST_BUILD)/gen/emp
$(CAMPAIGN_OBJECTS): | $(GENERATED_emp) $(HOST_LAYOUT)

# Which features of EMP meet, where the profile has a list of them; with PAGE=docs/FILE.md as a page.
CAMPAIGN_FEATURES = $(addprefix --features ,$(wildcard $(SPEC_emp:.hsm=$(PROFILE:%=_%)_features.toml))) $(PAGE:%=--page %)

# The oracle is fed with right and wrong histories.
$(BUILD)/tests/test_history: $(addprefix $(BUILD)/san/$(CAMPAIGN_WORLDS)/,test_history.o history.o) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)
TEST_PROGRAMS += $(BUILD)/tests/test_history

# SPDX-License-Identifier: MIT
# What both kinds of campaign share: plans of worlds, programs of hosts, the oracle.

CAMPAIGN_WORLDS  := tests/campaign_worlds
CAMPAIGN_OBJECTS := $(addprefix $(BUILD)/obj/$(CAMPAIGN_WORLDS)/,campaign.o host.o plan.o history.o)
$(BUILD)/obj/$(CAMPAIGN_WORLDS)/%.o: CFLAGS_tests_campaign_worlds := -I$(BUILD)/gen/emp
$(CAMPAIGN_OBJECTS): | $(GENERATED_emp)

# The oracle is fed with right and wrong histories.
$(BUILD)/tests/test_history: $(addprefix $(BUILD)/san/$(CAMPAIGN_WORLDS)/,test_history.o history.o) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)
TEST_PROGRAMS += $(BUILD)/tests/test_history

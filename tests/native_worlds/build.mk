# SPDX-License-Identifier: MIT
# The fast campaign: NODES copies of EMP's image on the native port in one process, else 16.

NATIVE_WORLDS := tests/native_worlds
FAST_NUMBERS    := $(shell seq 0 $$(($(or $(NODES),16) - 1)))
FAST_EACH       := '-DWORLD_EACH_NODE(X)=$(foreach number,$(FAST_NUMBERS),X($(number)))'
FAST_FLAGS      := $(NATIVE_FLAGS) $(FAST_EACH)
FAST_CHECKS     := $(call hsm_checked,ALL) -DNIC_TRACE=1 -include $(NATIVE_WORLDS)/rows.h
FAST_OBJECTS    := $(addprefix $(BUILD)/obj/$(NATIVE_WORLDS)/,world.o wire.o requests.o) \
                   $(CAMPAIGN_OBJECTS) \
                   $(addprefix $(BUILD)/obj/$(NATIVE_PORT)/,node_state.o node_start.o)
$(BUILD)/obj/$(NATIVE_WORLDS)/%.o: CFLAGS_tests_native_worlds := $(FAST_FLAGS)
$(BUILD)/obj/$(NATIVE_PORT)/%.o: CFLAGS_tests_native_port := $(FAST_FLAGS)
$(FAST_OBJECTS): | $(GENERATED_emp)

# Compiled once, then given the name of each node. gcc thinks that a record may be taken where none is free, which the transition
# that takes it has asked before.
FAST_NODE  := $(BUILD)/obj/$(NATIVE_WORLDS)/node.o
FAST_NODES := $(foreach number,$(FAST_NUMBERS),$(BUILD)/obj/$(NATIVE_WORLDS)/node_$(number).o)
$(FAST_NODE): $(NATIVE_PORT)/node.c $(GENERATED_emp) $(FW_NEEDS_emp) FORCE
	$(call make_file,CC,"$< (fast campaign)",$(CC) $(CFLAGS) $(INCLUDES) $(FAST_FLAGS) $(FAST_CHECKS) -Wno-stringop-overflow -Wno-array-bounds -DNODE=node_any -MMD -MP -c -o $@ $< && \
	    objcopy --keep-global-symbol=node_any $@)

node_boundaries = $(foreach area,data bss unset,$(foreach end,start stop,\
    --redefine-sym __$(end)_node_any_$(area)=__$(end)_$1_$(area)))
$(FAST_NODES): $(BUILD)/obj/$(NATIVE_WORLDS)/%.o: $(FAST_NODE) FORCE
	$(call make_file,COPY,$@,objcopy --redefine-sym node_any=$* $(call node_boundaries,$*) $(call native_node,$*) $< $@)

CAMPAIGN_FAST := $(BUILD)/tests/campaign_fast
$(CAMPAIGN_FAST): $(FAST_OBJECTS) $(FAST_NODES) FORCE
	$(call make_file,LD,$@,$(CC) -o $@ $(FROM))

campaign-fast: MESSAGES ?= 1000000
.PHONY: campaign-fast
campaign-fast:   ## the same on the native port, event by event, with an oracle from outside (MESSAGES=1000000 SEED=1 PAGE=file)
	@scripts/setup.sh demo
	$(Q)$(MAKE) --no-print-directory $(CAMPAIGN_FAST)
	$(Q)scripts/campaign.py --mode fast --messages $(MESSAGES) --seed $(SEED) --build $(BUILD) $(CAMPAIGN_FEATURES)

.PHONY: test-cluster
test-cluster:    ## a campaign as a Slurm job array and with GNU parallel, on this machine alone; a node of it is lost
	@scripts/setup.sh demo test cluster
	$(Q)$(MAKE) --no-print-directory $(CAMPAIGN_FAST)
	$(Q)$(PYTHON) -m pytest -q -p no:cacheprovider tests/campaign_parts

TEST_NEEDS += $(CAMPAIGN_FAST)

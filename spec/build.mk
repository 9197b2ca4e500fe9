# SPDX-License-Identifier: MIT
# What the folders of protocols bring beside specs and firmware. docs/new-protocol.md tells what is found by being there.

PROTOCOL_SPECS := $(foreach name,$(PROTOCOLS),spec/$(name)/$(name).hsm)
PROTOCOL_HOSTS := $(patsubst spec/%/host.c,$(BUILD)/%/host.so,$(wildcard spec/*/host.c))

# The host's side: a program of scenarios (sim/program.h).
# Symbols of the libraries in it stay its own.
HOST_SHARED := -shared -fPIC -Wl,--exclude-libs,ALL
$(PROTOCOL_HOSTS): $(BUILD)/%/host.so: spec/%/host.c $(SIM_BUILD)/pic/host/libboard.a $$(GENERATED_$$*) FORCE
	$(call make_file,CC,$<,$(CC) $(CFLAGS) $(INCLUDES) $(HOST_SHARED) -MMD -MP -o $@ $< $(filter %.a,$(FROM)) -lelf -lz)

TEST_NEEDS += $(TIGONSIM) $(PROTOCOL_HOSTS) $(FW_IMAGES)
LINT_NEEDS += $(foreach name,$(PROTOCOLS),$(GENERATED_$(name)))

# Everything there is of one protocol. The environment may have a NAME of its own.
NAME :=
.PHONY: protocol
protocol:        ## one protocol of spec/: check, image, proof, pages, boards, tests (NAME=emp)
	@scripts/setup.sh demo verify docs test
	@test -n '$(NAME)' || { echo "expected NAME=, one of: $(PROTOCOLS)" >&2; exit 2; }
	$(Q)$(HSMC) check spec/$(NAME)/$(NAME).hsm
	$(Q)$(MAKE) --no-print-directory $(AT_ONCE) -s generate $(TIGONSIM) \
	    $(if $(wildcard spec/$(NAME)/boards.scenario),$(BUILD)/$(NAME)/host.so) $(filter %/$(NAME)_a.elf,$(FW_IMAGES))
	$(Q)$(HSMC) verify spec/$(NAME)/$(NAME).hsm --output $(BUILD)/verify
	$(Q)$(HSMC) doc spec/$(NAME)/$(NAME).hsm --output $(BUILD)/docs/$(NAME)
	$(Q)$(if $(wildcard spec/$(NAME)/boards.scenario),$(TIGONSIM) run spec/$(NAME)/boards.scenario)
	$(Q)$(if $(wildcard spec/$(NAME)/test_*.py),scripts/test.py spec/$(NAME))
	@echo "pages: $(BUILD)/docs/$(NAME)/index.html"

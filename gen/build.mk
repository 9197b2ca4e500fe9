# SPDX-License-Identifier: MIT
# The spec compiler, and what it makes of the specs: build/gen/NAME/NAME.h, .c, _layout.h and so on for each protocol,
# which is a folder spec/NAME with a NAME.hsm. Who includes a generated header depends on $(GENERATED_NAME).

HSMC         := gen/bin/hsmc
HSMC_SOURCES := $(HSMC) $(wildcard gen/hsmc/*.py gen/hsmc/*/*.py gen/hsmc/*/*.lark gen/hsmc/templates/*/*.j2 gen/hsmc/library/*/*.hsm)

PROTOCOLS := $(foreach folder,$(wildcard spec/*),$(if $(wildcard $(folder)/$(notdir $(folder)).hsm),$(notdir $(folder))))

# The options of hsmc, and the files it writes, for each protocol: those with firmware get the files that an image needs, and
# those that record its runs.
# Another spec, into a directory of its own: make BUILD=build/mine SPEC_emp=mine/emp.hsm OPTIONS_emp='--set send_limit=2'
$(foreach name,$(PROTOCOLS),\
  $(eval SPEC_$(name) := spec/$(name)/$(name).hsm)\
  $(eval OPTIONS_$(name) := $(if $(PROFILE),$(if $(shell sed -n 's/^profile $(PROFILE) .*/&/p' $(SPEC_$(name))),--profile $(PROFILE))))\
  $(eval KINDS_$(name) := .h .c _layout.h _codec.h)\
  $(if $(wildcard spec/$(name)/firmware),\
    $(eval KINDS_$(name) += _nic.h _nic.c _watch.h _observed.h) $(eval OUTPUTS_$(name) := --nic --watch)\
    $(eval HOST_KINDS_$(name) := $(KINDS_$(name))) $(eval HOST_OUTPUTS_$(name) := $(OUTPUTS_$(name)))\
    $(if $(PLACEMENT),$(if $(shell sed -n 's/^placement $(PLACEMENT)\>.*/&/p' $(SPEC_$(name))),\
      $(eval OUTPUTS_$(name) += --placement $(PLACEMENT))\
      $(if $(shell sed -n '/^placement $(PLACEMENT)\>/,/^$$/s/ on [AB] or [AB]/&/p' $(SPEC_$(name))),\
        $(eval DYNAMIC_$(name) := yes),\
        $(eval KINDS_$(name) += _a.c _b.c _messages.h _nic_b.c) $(eval DIVIDED_$(name) := yes))))))
.PHONY: generate

# One run makes all of a protocol: $(call GENERATE,NAME,DIRECTORY,FILES,OUTPUTS). hsmc leaves files alone that would not
# change, so their dates are set here.
define GENERATE
$(3) &: $$(SPEC_$(1)) $(HSMC_SOURCES) FORCE
	$$(call make_file,HSMC,$$<,$(HSMC) build $$< $$(OPTIONS_$(1)) $(4) --output $(2)/gen/$(1) --depfile $(2)/gen/$(1)/$(1).d && \
	    touch $(3),$(2)/gen/$(1)/$(1))
endef
generated = $(patsubst %,$(2)/gen/$(1)/$(1)%,$(3))
$(foreach name,$(PROTOCOLS),\
  $(eval GENERATED_$(name) := $(call generated,$(name),$(BUILD),$(KINDS_$(name))))\
  $(eval generate: $(GENERATED_$(name)))\
  $(eval $(call GENERATE,$(name),$(BUILD),$(GENERATED_$(name)),$(OUTPUTS_$(name))))\
  $(if $(filter-out $(BUILD),$(HOST_BUILD)),\
    $(eval $(call GENERATE,$(name),$(HOST_BUILD),$(call generated,$(name),$(HOST_BUILD),$(HOST_KINDS_$(name))),$(HOST_OUTPUTS_$(name))))))

.PHONY: editor
editor:          ## highlighting for Vim and Visual Studio Code, packages of the language server: build/editor
	@scripts/setup.sh editor
	$(SAY) EDITOR $(BUILD)/editor
	$(Q)$(HSMC) editor --output $(BUILD)/editor

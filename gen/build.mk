# The spec compiler, and what it makes of the specs: build/gen/<protocol>/<protocol>.h, .c, _layout.h and _codec.h.
# Whoever includes a generated header depends on $(EMP_GENERATED), $(ABP_GENERATED) or $(FETCH_GENERATED).

HSMC         := gen/bin/hsmc
HSMC_SOURCES := $(HSMC) $(wildcard gen/hsmc/*.py gen/hsmc/*/*.py gen/hsmc/*/*.lark gen/hsmc/templates/*/*.j2)

EMP_GENERATED := $(addprefix $(BUILD)/gen/emp/,emp.h emp.c emp_layout.h emp_codec.h emp_watch.h emp_observed.h)
ABP_GENERATED := $(addprefix $(BUILD)/gen/abp/,abp.h abp.c abp_layout.h abp_codec.h)
FETCH_GENERATED := $(addprefix $(BUILD)/gen/fetch/,fetch.h fetch.c fetch_layout.h fetch_codec.h)

# Another EMP, into a directory of its own: make BUILD=build/mine EMP_SPEC=mine/emp.hsm EMP_OPTIONS='--set send_limit=2'
EMP_SPEC    := spec/emp/emp.hsm
EMP_OPTIONS :=

.PHONY: generate
generate: $(EMP_GENERATED) $(ABP_GENERATED) $(FETCH_GENERATED)

# One run makes all three. hsmc leaves files alone that would not change, so their dates are set here.
$(EMP_GENERATED) &: $(EMP_SPEC) $(HSMC_SOURCES)
	$(SAY) HSMC $<
	@mkdir -p $(BUILD)/gen/emp
	$(Q)$(HSMC) build $< $(EMP_OPTIONS) --output $(BUILD)/gen/emp --watch --depfile $(BUILD)/gen/emp/emp.d
	@touch $(EMP_GENERATED)

$(ABP_GENERATED) &: spec/abp/abp.hsm $(HSMC_SOURCES)
	$(SAY) HSMC $<
	@mkdir -p $(BUILD)/gen/abp
	$(Q)$(HSMC) build $< --output $(BUILD)/gen/abp --depfile $(BUILD)/gen/abp/abp.d
	@touch $(ABP_GENERATED)

$(FETCH_GENERATED) &: spec/fetch/fetch.hsm $(HSMC_SOURCES)
	$(SAY) HSMC $<
	@mkdir -p $(BUILD)/gen/fetch
	$(Q)$(HSMC) build $< --output $(BUILD)/gen/fetch --depfile $(BUILD)/gen/fetch/fetch.d
	@touch $(FETCH_GENERATED)

.PHONY: editor
editor:          ## highlighting for Vim and Visual Studio Code, packages of the language server: build/editor
	@scripts/setup.sh editor
	$(SAY) EDITOR $(BUILD)/editor
	$(Q)$(HSMC) editor --output $(BUILD)/editor

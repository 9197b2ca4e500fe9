# SPDX-License-Identifier: MIT
# Tests searched from each spec of spec/: build/generated_tests/PROTOCOL/, made anew when the spec or the compiler
# changes. A spec is a file with a protocol line; a new one takes part by being there. What the search says is beside,
# in PROTOCOL.txt; what it did not reach is for the gate to say. Scenarios in the folder scenarios/ beside a spec are
# places to go on from, those in its folder scenarios/PROFILE/ for this profile. With them the search of EMP tries some
# 290 000 events in `paper`, 890 000 in `modern`; where a change of the spec makes it many more, a scenario near the
# transitions found last (PROTOCOL.txt tells the attempts) makes it short again.
GENERATED_SPECS := $(shell grep -l '^protocol ' spec/*/*.hsm)
# Those of a profile other than the default one are in PROTOCOL@PROFILE/.
GENERATED_SPECS += $(foreach spec,$(GENERATED_SPECS),\
    $(shell sed -n '/^profile /{/ default /!s|^profile *\([^ ]*\).*|$(spec)@\1|p}' $(spec)))
GENERATED_TESTS :=

# $(1) the spec, perhaps with @PROFILE. The files it may include are those beside it.
generated_name   = $(basename $(notdir $(firstword $(subst @, ,$(1)))))$(addprefix @,$(word 2,$(subst @, ,$(1))))
generated_choice = $(firstword $(subst @, ,$(1))) $(addprefix --profile=,$(word 2,$(subst @, ,$(1))))
generated_from   = $(wildcard $(dir $(1))scenarios/*.scenario \
                   $(addprefix $(dir $(1))scenarios/,$(addsuffix /*.scenario,$(word 2,$(subst @, ,$(1))))))
define generated_tests_of
GENERATED_TESTS += $(BUILD)/generated_tests/$(generated_name)/index.json
$(BUILD)/generated_tests/$(generated_name)/index.json: $(wildcard $(dir $(1))*.hsm) $(generated_from) $(HSMC_SOURCES) FORCE
	$$(call make_file,SEARCH,"tests that take every transition of $(1)",\
	    rm -f $$@ && $(HSMC) tests $(generated_choice) --output $$(@D) $(if $(generated_from),--from $(generated_from)) > $$(@D).txt 2>&1 || test -f $$@ || { cat $$(@D).txt >&2; exit 1; })
endef
$(foreach spec,$(GENERATED_SPECS),$(eval $(call generated_tests_of,$(spec))))
TEST_NEEDS += $(GENERATED_TESTS)

# The gate: every transition of every spec is taken. V=1 says by which tests.
.PHONY: coverage generated-tests
generated-tests: $(GENERATED_TESTS)
coverage: $(GENERATED_TESTS) ## which transitions of the specs the generated tests take; fails unless all
	@status=0; $(foreach spec,$(GENERATED_SPECS),\
	  $(HSMC) coverage $(call generated_choice,$(spec)) --gate $(if $(filter 1,$(V)),--by-test) \
	    --tests $(BUILD)/generated_tests/$(call generated_name,$(spec)) || status=1;) exit $$status

# The generated C against the interpreter: `make test` runs HSMC_SEQUENCES=1200 random sequences per protocol, this
# many here. Tables of the transitions taken: build/tests/coverage_*.txt.
SEQUENCES ?= 10000

.PHONY: differential
differential:
	$(SAY) COMPARE "generated C and interpreter, $(SEQUENCES) sequences"
	$(Q)HSMC_SEQUENCES=$(SEQUENCES) $(PYTHON) -m pytest -q -p no:cacheprovider tests/interpreter/test_differential.py

# Specs with random damage, before compiler and formatter: `make test` tries 4 of each file, this many here.
DAMAGES ?= 200

.PHONY: damages
damages:
	$(SAY) DAMAGE "every spec, $(DAMAGES) times"
	$(Q)HSMC_DAMAGES=$(DAMAGES) $(PYTHON) -m pytest -q -p no:cacheprovider -n 2 \
	  tests/compiler/test_mutations.py tests/compiler/test_formatter.py -k damage

# A placement changes neither: the campaign of its images is the boards' alone.
campaign: $(if $(PLACEMENT),,differential damages)

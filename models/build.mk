# SPDX-License-Identifier: MIT
# Model checking: every check configuration of every spec, exhaustively, with the generated Promela and the generated C.
# Verdicts with their bounds land in build/verify.json, counterexamples in build/verify/. NAME=abp: of this spec alone,
# in build/verify-abp.json.

VERIFY = $(HSMC) verify $(if $(NAME),spec/$(NAME)/$(NAME).hsm,$(PROTOCOL_SPECS)) --output $(BUILD)/verify --report

.PHONY: verify verify-placements verify-quick verify-nightly
verify:          ## model-check the specs (loss, duplication, reordering), in Promela and as the generated C (NAME=abp: this one)
	@scripts/setup.sh demo verify
	$(Q)$(VERIFY) $(BUILD)/verify$(NAME:%=-%).json

DIVIDED = $(HSMC) verify spec/emp/emp.hsm --output $(BUILD)/verify
PAPER = $(DIVIDED) --profile paper
MODERN = $(DIVIDED) --profile modern
# Of the profile modern what ends in seconds, and within 4 GB, in each placement.
MODERN_SR = late_receives_tags damaged inlined narrow new_size truncated unreceived restart tags tags_cancelled tags_restart peeked \
  one_message
MODERN_SO = $(MODERN_SR) late_reads late_receives silent cancelled sends_cancelled clean_wire
MODERN_RO = $(MODERN_SO) one_record three_messages late_receives_restart silent_twice damaged_restart restart_twice \
  restart_short
MODERN_SR_CYCLES = late_receives_tags unreceived tags tags_cancelled peeked truncated inlined
MODERN_SO_CYCLES = $(MODERN_SR_CYCLES) clean_wire
PAPER_SR = one_record late_reads truncated unreceived cancelled restart
verify-placements: ## the same with nodes divided between two processors: RO, SO and SR of EMP
	@scripts/setup.sh demo verify
	$(Q)$(PAPER) --placement RO --report $(BUILD)/verify_RO.json
	$(Q)$(PAPER) --placement SO --report $(BUILD)/verify_SO.json --kind safety
	$(Q)$(PAPER) --placement SO --report $(BUILD)/verify_SO_cycles.json --kind liveness one_record late_reads clean_wire
	$(Q)$(PAPER) --placement SR --report $(BUILD)/verify_SR.json --kind safety $(PAPER_SR)
	$(Q)$(PAPER) --placement SR --report $(BUILD)/verify_SR_cycles.json --kind liveness one_record late_reads
	$(Q)$(MODERN) --placement RO --report $(BUILD)/verify_RO_modern.json $(MODERN_RO)
	$(Q)$(MODERN) --placement RO --report $(BUILD)/verify_RO_modern_restart.json --kind safety silent_restart
	$(Q)$(MODERN) --placement SO --report $(BUILD)/verify_SO_modern.json --kind safety $(MODERN_SO)
	$(Q)$(MODERN) --placement SO --report $(BUILD)/verify_SO_modern_cycles.json --kind liveness $(MODERN_SO_CYCLES)
	$(Q)$(MODERN) --placement SR --report $(BUILD)/verify_SR_modern.json --kind safety $(MODERN_SR)
	$(Q)$(MODERN) --placement SR --report $(BUILD)/verify_SR_modern_cycles.json --kind liveness $(MODERN_SR_CYCLES)

verify-quick:    ## the first configuration of each spec only (part of make test-long)
	@scripts/setup.sh demo verify
	$(Q)$(VERIFY) $(BUILD)/verify_quick.json --level quick

verify-nightly:  ## the longest configurations too
	@scripts/setup.sh demo verify
	$(Q)$(VERIFY) $(BUILD)/verify.json --level nightly

# Proofs of small C functions for all inputs: parser and codecs equal the layouts, accessors and sets do what they say,
# functions of specs what spec/NAME/proofs.c says.
.PHONY: prove
prove:           ## prove frame parser, codecs, accessors of layouts, sets, pools and functions of specs for all inputs, lock, queues and units in all orders
	@scripts/setup.sh demo prove
	$(Q)$(MAKE) --no-print-directory -s generate $(BUILD)/gen/emp/frame.c
	$(Q)$(PYTHON) models/prove.py --build $(BUILD)

# Mutants are killed or explained: all of the alternating-bit protocol, and of EMP as many as SAMPLE of all kinds. What
# a search found is kept below build/mutants, and what became of each mutant in tests/mutants/results_*.json: changes
# that do not reach it cost nothing. SAMPLE=2000 takes all; AGAIN=mutants-emp believes nothing of earlier runs.
MUTANTS = $(HSMC) mutants --output $(BUILD)/mutants $(if $(filter $@,$(AGAIN)),--again)
KNOWN = --survivors tests/mutants/survivors_$(1).toml --results tests/mutants/results_$(1).json
EMP_MUTANTS = $(MUTANTS) spec/emp/emp.hsm
CHOSEN = $(if $(OPERATORS),--operators $(OPERATORS),--sample $(SAMPLE) $(1))
SAMPLE ?= 110
mutants-emp-modern: SAMPLE = 80
# The configurations with few states; the first that shows a mutant ends its search.
MUTANT_CHECKS := one_message window new_size truncated one_record unreceived restart restart_twice restart_again \
  restart_two_messages restart_waiting three_messages cancelled late_reads clean_wire late_reads_restart scarce scarce_two negotiation

.PHONY: mutants mutants-abp mutants-emp mutants-emp-modern mutants-placements
mutants: mutants-abp mutants-emp mutants-emp-modern mutants-placements ## break the specs in every way: which property shows it? (an hour; docs/mutants-*.md)

mutants-abp:
	@scripts/setup.sh demo verify
	$(Q)$(MUTANTS) spec/abp/abp.hsm $(call KNOWN,abp) --page docs/mutants-abp.md

mutants-emp:     ## those of EMP; SAMPLE=N how many, OPERATORS="..." all of these kinds
	@scripts/setup.sh demo verify
	$(Q)$(EMP_MUTANTS) --checks $(MUTANT_CHECKS) $(call CHOSEN,$(call KNOWN,emp) --page docs/mutants-emp.md)

mutants-emp-modern: ## those of EMP's profile modern, in all of its configurations
	@scripts/setup.sh demo verify
	$(Q)$(EMP_MUTANTS) --profile modern $(call CHOSEN,$(call KNOWN,emp_modern) --page docs/mutants-emp-modern.md)

mutants-placements: ## break lock, queues, units and divided nodes: which property shows it? (docs/mutants-placements.md)
	@scripts/setup.sh demo verify prove
	$(Q)$(PYTHON) models/placement_mutants.py --build $(BUILD) --page docs/mutants-placements.md \
	    --results tests/mutants/results_placements.json $(if $(filter $@,$(AGAIN)),--again)

# Model checking: every check configuration of every spec, exhaustively, with the generated Promela and the generated C.
# Verdicts with their bounds land in build/verify.json, counterexamples in build/verify/.

VERIFY = $(HSMC) verify spec/emp/emp.hsm spec/abp/abp.hsm --output $(BUILD)/verify --report

.PHONY: verify verify-quick verify-nightly
verify:          ## model-check the specs (loss, duplication, reordering), in Promela and as the generated C
	@scripts/setup.sh demo verify
	$(Q)$(VERIFY) $(BUILD)/verify.json

verify-quick:    ## the smallest configurations only (part of make test)
	@scripts/setup.sh demo verify
	$(Q)$(VERIFY) $(BUILD)/verify_quick.json --level quick

verify-nightly:  ## the longest configurations too
	@scripts/setup.sh demo verify
	$(Q)$(VERIFY) $(BUILD)/verify.json --level nightly

# Proofs of small C functions for all inputs: the parser equals the layouts, accessors and sets do what they say.
.PHONY: prove
prove:           ## prove frame parser, accessors of layouts, sets and pools for all inputs (a minute)
	@scripts/setup.sh demo prove
	$(Q)$(MAKE) --no-print-directory -s generate $(BUILD)/gen/emp/frame.c
	$(Q)$(PYTHON) models/prove.py --build $(BUILD)

# Each mutant of the alternating-bit protocol is killed or explained. Those of EMP are many and take hours; what survives
# there is told, not yet explained. OPERATORS="drop-raise negate-guard" chooses.
MUTANTS = $(HSMC) mutants --output $(BUILD)/mutants

.PHONY: mutants mutants-emp
mutants:         ## break the ABP spec in every way: which property shows it? docs/mutants-abp.md
	@scripts/setup.sh demo verify
	$(Q)$(MUTANTS) spec/abp/abp.hsm --survivors tests/mutants/survivors_abp.toml --page docs/mutants-abp.md

mutants-emp:     ## break the EMP spec; OPERATORS=... chooses how (hsmc mutants --help)
	@scripts/setup.sh demo verify
	$(Q)$(MUTANTS) spec/emp/emp.hsm --process Send Transmit Match Receive Acknowledge \
	  --checks one_message two_collections three_messages $(if $(OPERATORS),--operators $(OPERATORS))

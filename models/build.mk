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

# Model checking: every check configuration of every spec, exhaustively, with the generated Promela and the generated C.
# Verdicts with their bounds land in build/verify.json.

.PHONY: verify verify-quick verify-nightly
verify:          ## model-check the specs (loss, duplication, reordering), in Promela and as the generated C
	@scripts/setup.sh demo verify
	$(Q)$(PYTHON) models/verify.py --build $(BUILD)

verify-quick:    ## the smallest configurations only (part of make test)
	@scripts/setup.sh demo verify
	$(Q)$(PYTHON) models/verify.py --build $(BUILD) --quick

verify-nightly:  ## the longest configurations too
	@scripts/setup.sh demo verify
	$(Q)$(PYTHON) models/verify.py --build $(BUILD) --nightly

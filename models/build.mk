# Model checking: every check configuration of every spec, exhaustively, with the generated Promela and the generated C.
# Verdicts with their bounds land in build/verify.json.

.PHONY: verify
verify: ## model-check the specs (loss, duplication, reordering), in Promela and as the generated C
	@scripts/setup.sh demo verify
	$(Q)$(PYTHON) models/verify.py --build $(BUILD)

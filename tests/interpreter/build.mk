# The generated C against the interpreter: `make test` runs HSMC_SEQUENCES=1500 random sequences per protocol, this
# many here. Tables of the transitions taken: build/tests/coverage_*.txt.
SEQUENCES ?= 10000

.PHONY: differential
differential:
	$(SAY) COMPARE "generated C and interpreter, $(SEQUENCES) sequences"
	$(Q)HSMC_SEQUENCES=$(SEQUENCES) $(PYTHON) -m pytest -q -p no:cacheprovider tests/interpreter/test_differential.py

campaign: differential

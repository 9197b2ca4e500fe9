# Random specs on all engines: interpreter, C by three compilers, Promela, JavaScript. `make test` runs a few.
SPECS ?= 10000
SEED  ?= 1

# How the firmware's compiler is called, for what runs on the bare core.
FUZZ_CROSS_FLAGS = -std=gnu11 -O2 $(FW_ARCH) -ffreestanding -ffixed-hi -ffixed-lo -mno-check-zero-division -mno-llsc \
                   -fno-jump-tables -fno-stack-protector -fno-asynchronous-unwind-tables -fno-common \
                   -Wa,--fatal-warnings -Wa,$(CURDIR)/$(FW_PORT)/core.inc

$(BUILD)/fuzz/cross_flags: tests/fuzz/build.mk fw-runtime/build.mk
	@mkdir -p $(@D)
	@echo '$(FUZZ_CROSS_FLAGS)' > $@

TEST_NEEDS += $(BUILD)/fuzz/cross_flags

.PHONY: fuzz
fuzz: $(BUILD)/fuzz/cross_flags $(BUILD)/tests/run_program ## SPECS=10000 random specs from SEED=1 on all engines
	$(SAY) FUZZ "$(SPECS) specs on all engines"
	$(Q)$(PYTHON) -m tests.fuzz.fuzz --specs $(SPECS) --seed $(SEED)

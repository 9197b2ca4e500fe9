# SPDX-License-Identifier: MIT
# Random specs on all engines: interpreter, C by three compilers, Promela, JavaScript. `make test` runs a few.
SPECS ?= 10000
SEED  ?= 1

# How the firmware's compiler is called, for what runs on the bare core.
FUZZ_CROSS_FLAGS = -std=gnu11 -O2 $(FW_ARCH) -ffreestanding $(FW_NO_MULTIPLY) -mno-check-zero-division -mno-llsc \
                   -fno-jump-tables -fno-stack-protector -fno-asynchronous-unwind-tables -fno-common \
                   -Wa,--fatal-warnings -Wa,$(abspath $(FW_PORT)/core.inc)

$(BUILD)/fuzz/cross_flags: FORCE
	$(call make_file,FLAGS,$@,echo '$(FUZZ_CROSS_FLAGS)' > $@)

# What the harness stands on there; the rest of an image is a spec's.
FUZZ_NEEDS := $(addprefix $(BUILD)/fuzz/,cross_flags runtime.o memory.o) $(BUILD)/tests/run_program

$(BUILD)/fuzz/runtime.o: FUZZ_SOURCE := tests/fuzz/bare/runtime.c
$(BUILD)/fuzz/memory.o: FUZZ_SOURCE := $(FW_PORT)/memory.c
$(BUILD)/fuzz/runtime.o $(BUILD)/fuzz/memory.o: tests/fuzz/bare/runtime.c $(FW_PORT)/memory.c \
    $(wildcard tests/fuzz/bare/*.h) $(BUILD)/fuzz/cross_flags FORCE
	$(call make_file,FWCC,$(FUZZ_SOURCE),\
	    $(FW_CC) $(FUZZ_CROSS_FLAGS) -Wall -Wextra -Wconversion -Werror -Itests/fuzz/bare -c -o $@ $(FUZZ_SOURCE))

TEST_NEEDS += $(FUZZ_NEEDS)

.PHONY: fuzz
fuzz: $(FUZZ_NEEDS) ## SPECS=10000 random specs from SEED=1 on all engines
	$(SAY) FUZZ "$(SPECS) specs on all engines"
	$(Q)$(PYTHON) -m tests.fuzz.fuzz --specs $(SPECS) --seed $(SEED)

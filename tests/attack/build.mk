# SPDX-License-Identifier: MIT
# Attacks upon boards, firmware and libemp: `make attack`, and a short run of it among the tests.

ATTACK_PROGRAMS := tests/attack/attack.c tests/attack/measure_goodput.c
ATTACK_SOURCES  := $(filter-out $(ATTACK_PROGRAMS),$(wildcard tests/attack/*.c))
attack_objects  = $(ATTACK_SOURCES:%.c=$(BUILD)/$(1)/%.o) $(call HOST_OBJECTS,$(1),host/demo/pair.c host/demo/recorder.c)

ATTACK           := $(BUILD)/tests/attack/attack
ATTACK_SANITIZED := $(BUILD)/tests/attack/attack_sanitized
MEASURE_GOODPUT  := $(BUILD)/tests/attack/measure_goodput

$(foreach kind,obj san,$(call attack_objects,$(kind)) $(ATTACK_PROGRAMS:%.c=$(BUILD)/$(kind)/%.o)): | $(HOST_LAYOUT)
$(BUILD)/obj/tests/attack/%.o $(BUILD)/san/tests/attack/%.o: CFLAGS_tests_attack := -DFIRMWARE_IMAGE='"$(BUILD)/firmware/emp_a.elf"'

$(ATTACK) $(MEASURE_GOODPUT): $(BUILD)/tests/attack/%: $(BUILD)/obj/tests/attack/%.o $(call attack_objects,obj) $(HOST_LIBRARY) $(SIM_OBSERVE_LIBRARY) $(SIM_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) $(LTO_LINK) -o $@ $(FROM) $(SIM_OBSERVE_LIBS) -lz)

$(ATTACK_SANITIZED): $(BUILD)/san/tests/attack/attack.o $(call attack_objects,san) $(HOST_LIBRARY_SANITIZED) $(SIM_OBSERVE_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) $(SIM_OBSERVE_LIBS) -lz)

FRAMES ?= 1000000
SEED   ?= 1
JOBS   ?= $(shell nproc)
.PHONY: attack
attack:          ## hostile frames, hosts and programs against firmware and libemp (FRAMES=1000000 SEED=1 JOBS=processors)
	@scripts/setup.sh demo
	$(Q)$(MAKE) --no-print-directory $(ATTACK) $(FIRMWARE)/emp_a_checked.elf $(BUILD)/firmware/emp_a.elf
	$(Q)EMP_IMAGE=$${EMP_IMAGE:-$(FIRMWARE)/emp_a_checked.elf} $(ATTACK) --frames $(FRAMES) --seed $(SEED) --jobs $(JOBS)

TEST_NEEDS += $(ATTACK) $(ATTACK_SANITIZED) $(MEASURE_GOODPUT) $(BUILD)/firmware/emp_a.elf

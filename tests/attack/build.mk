# SPDX-License-Identifier: MIT
# Attacks upon boards, firmware and libemp: `make attack`, and a short run of it among the tests.

ATTACK_SOURCES := $(wildcard tests/attack/*.c)
attack_objects  = $(ATTACK_SOURCES:%.c=$(BUILD)/$(1)/%.o) $(call HOST_OBJECTS,$(1),host/demo/pair.c host/demo/recorder.c)

ATTACK           := $(BUILD)/tests/attack/attack
ATTACK_SANITIZED := $(BUILD)/tests/attack/attack_sanitized

$(foreach kind,obj san,$(call attack_objects,$(kind))): | $(HOST_LAYOUT)
$(BUILD)/obj/tests/attack/%.o $(BUILD)/san/tests/attack/%.o: CFLAGS_tests_attack := -DFIRMWARE_IMAGE='"$(BUILD)/firmware/emp_a.elf"'

$(ATTACK): $(call attack_objects,obj) $(HOST_LIBRARY) $(SIM_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) $(LTO_LINK) -o $@ $(FROM) -lelf -lz)

$(ATTACK_SANITIZED): $(call attack_objects,san) $(HOST_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lelf -lz)

FRAMES ?= 1000000
SEED   ?= 1
JOBS   ?= $(shell nproc)
.PHONY: attack
attack:          ## hostile frames, hosts and programs against firmware and libemp (FRAMES=1000000 SEED=1 JOBS=processors)
	@scripts/setup.sh demo
	$(Q)$(MAKE) --no-print-directory $(ATTACK) $(FIRMWARE)/emp_a_checked.elf $(BUILD)/firmware/emp_a.elf
	$(Q)EMP_IMAGE=$${EMP_IMAGE:-$(FIRMWARE)/emp_a_checked.elf} $(ATTACK) --frames $(FRAMES) --seed $(SEED) --jobs $(JOBS)

TEST_NEEDS += $(ATTACK) $(ATTACK_SANITIZED) $(BUILD)/firmware/emp_a.elf

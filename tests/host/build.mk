# SPDX-License-Identifier: MIT
# Unit tests of libemp on a board of paper, with the sanitizers.

HOST_TESTS := $(patsubst tests/host/%.c,$(BUILD)/tests/host/%,$(wildcard tests/host/test_*.c))
HOST_TEST_SUPPORT := $(BUILD)/san/tests/host/mock.o $(BUILD)/san/tests/host/elf_file.o $(SIM_BUILD)/san/sim/chip/eeprom.o
# The library without the backend of the simulator: the tests bring their own.
HOST_TEST_LIBRARY := $(filter-out %/board/sim.o,$(HOST_LIBRARY_SAN))

$(HOST_TESTS:$(BUILD)/tests/host/%=$(BUILD)/san/tests/host/%.o) $(HOST_TEST_SUPPORT): | $(HOST_LAYOUT)

$(HOST_TESTS): $(BUILD)/tests/host/%: $(BUILD)/san/tests/host/%.o $(HOST_TEST_SUPPORT) $(HOST_TEST_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka -lelf -lz)

TEST_PROGRAMS += $(HOST_TESTS)

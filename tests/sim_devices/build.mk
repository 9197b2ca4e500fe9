# SPDX-License-Identifier: MIT
# Tests of the board's devices, hosts, wire and world, with the sanitizers.
SIM_DEVICES_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/sim_devices/, \
    test_devices.o bench.o test_registers.o test_dma.o test_mac.o test_link.o test_host.o test_wire.o test_world.o \
    test_capture.o test_parts.o test_ahead.o)

$(BUILD)/tests/test_devices: $(SIM_DEVICES_TEST_OBJECTS) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

TEST_PROGRAMS += $(BUILD)/tests/test_devices

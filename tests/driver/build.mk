# SPDX-License-Identifier: MIT
# The driver's checks in user space, with the sanitizers, on simulated boards with the driver's image of EMP.

DRIVER_TESTS   := $(patsubst tests/driver/%.c,$(BUILD)/tests/driver/%,$(wildcard tests/driver/test_*.c tests/driver/measure_*.c))
DRIVER_SUPPORT := $(call HOST_OBJECTS,san,tests/driver/shared_board.c \
    $(addprefix host/demo/,pair.c recorder.c calls.c piece.c) $(addprefix host/driver/,endpoint.c endpoint_account.c endpoint_submit.c flashable.c))

$(DRIVER_TESTS:$(BUILD)/tests/%=$(BUILD)/san/tests/%.o) $(DRIVER_SUPPORT): | $(HOST_LAYOUT)

$(DRIVER_TESTS): $(BUILD)/tests/driver/%: $(BUILD)/san/tests/driver/%.o $(DRIVER_SUPPORT) \
    $(HOST_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(filter %.o,$(FROM)) $(filter %.a,$(FROM)) $(DRIVER_WRAPPED) -lcmocka -lelf -lz)

# It has the calls of the driver's file itself.
$(BUILD)/tests/driver/test_session: DRIVER_WRAPPED := -Wl,--wrap=ioctl,--wrap=mmap,--wrap=munmap

# Programs for virtual machines.
DRIVER_GUEST_PROGRAMS := $(addprefix $(BUILD)/tests/driver/,courier hostile)
$(DRIVER_GUEST_PROGRAMS:$(BUILD)/tests/%=$(BUILD)/obj/tests/%.o): | $(HOST_LAYOUT)
$(DRIVER_GUEST_PROGRAMS): $(BUILD)/tests/driver/%: $(BUILD)/obj/tests/driver/%.o $(HOST_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM) -lelf -lz)

# In the tree of the driver's EMP; from the plain one, for `make test`.
.PHONY: driver-programs driver-variant
driver-programs: $(DRIVER_TESTS) $(DRIVER_GUEST_PROGRAMS) $(EMP_TOOL) $(FIRMWARE)/emp_a.elf $(FIRMWARE)/emp_a.bin
ifeq ($(PROFILE),)
driver-variant: $(GENERATED_emp) $(ALL_BUILDS_SHARE)
	$(Q)$(MAKE) --no-print-directory $(DRIVER_EMP) BUILD=$(DRIVER_BUILD) driver-programs
TEST_NEEDS += driver-variant
endif

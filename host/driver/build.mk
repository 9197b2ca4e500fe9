# SPDX-License-Identifier: GPL-2.0
# The Linux driver, built against the headers of KERNEL from a copy that holds all it needs.

DRIVER         := $(BUILD)/driver
# EMP as the driver needs it: 16 boards, each with four nodes for its applications.
DRIVER_EMP     := PROFILE=modern NODES=64 BOARDS=16
DRIVER_BUILD   := build/modern/nodes-64/boards-16
DRIVER_LAYOUTS := $(DRIVER_BUILD)/gen/emp/emp_layout.h
# The newest kernel whose headers are installed.
KERNEL         ?= $(lastword $(shell ls -d /lib/modules/*-amd64/build /usr/src/linux-headers-*-amd64 2>/dev/null | sort -V))
DRIVER_FILES   := $(wildcard host/driver/*.[ch] host/driver/libc/*.h host/driver/uapi/*.h) host/board/board.h host/board/access.h \
    host/board/ahead.h host/board/internal.h host/board/image_format.h fw-runtime/hsm_checks.h \
    $(addprefix host/board/,access.c eeprom.c incarnation.c open.c start.c stop.c transfers.c) \
    host/emp/descriptor.c host/emp/descriptor.h

.PHONY: driver driver-sources driver-module
driver-sources: $(BOARD_LAYOUT)
	$(Q)$(MAKE) --no-print-directory $(DRIVER_EMP) BUILD=$(DRIVER_BUILD) $(DRIVER_LAYOUTS)
	@mkdir -p $(DRIVER)/gen/emp $(DRIVER)/gen/board
	$(Q)cp -u --parents $(DRIVER_FILES) $(DRIVER)
	$(Q)cp -u host/driver/Kbuild $(DRIVER)/Kbuild
	$(Q)cp -u $(DRIVER_BUILD)/gen/emp/emp_layout.h $(DRIVER)/gen/emp/
	$(Q)cp -u $(BOARD_LAYOUT) $(DRIVER)/gen/board/

# One at a time: tests of several files begin with it.
driver:          ## the Linux driver build/driver/emp.ko, for the kernel whose headers are installed (KERNEL=directory)
	@scripts/setup.sh demo driver
	@mkdir -p $(BUILD)
	$(Q)flock $(BUILD)/driver.lock $(MAKE) --no-print-directory driver-module

# W=1 and sparse complain of nothing; what they said is an error.
driver-module: driver-sources
	$(SAY) KBUILD $(DRIVER)/emp.ko
	$(Q)$(MAKE) --no-print-directory -s -C $(KERNEL) M=$(abspath $(DRIVER)) C=1 CF=-Wsparse-error KCFLAGS=-Werror modules

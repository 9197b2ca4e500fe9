# SPDX-License-Identifier: MIT
# The front door. `make help` lists the targets; V=1 shows every command.
# Each directory describes its own part in build.mk; everything made lands under build/.

# PROFILE=modern makes everything with that profile of the specs that have it, in a directory of its own.
PROFILE :=
# NODES=64 does so with EMP for so many nodes: make PROFILE=modern NODES=64 campaign-fast.
NODES  :=
# BOARDS=16 of so many boards, each of which is NODES/BOARDS nodes, for the Linux driver: host/driver/build.mk.
BOARDS :=
# PLACEMENT=DSR makes images for both processors of the board, whose work that placement of the spec divides; so do SO, RO, SR and dynamic.
PLACEMENT :=
# Of library, tools and images; hsmc has its own.
VERSION := 0.1.0
BUILD  := build$(PROFILE:%=/%)$(NODES:%=/nodes-%)$(BOARDS:%=/boards-%)$(PLACEMENT:%=/%)
# What no protocol changes, simulator and host/board, is made once for all of them.
SIM_BUILD := build
# What no placement changes, the host's side of EMP, is made once for all placements of a profile.
HOST_BUILD := $(if $(PLACEMENT),$(BUILD:%/$(PLACEMENT)=%),$(BUILD))
PYTHON := /usr/bin/python3
# Python's bytecode, and what hsmc keeps beside it (gen/hsmc/disk_cache.py).
export PYTHONPYCACHEPREFIX := $(abspath $(BUILD)/pycache)
unexport PYTHONDONTWRITEBYTECODE
V      ?= 0
Q      := $(if $(filter 1,$(V)),,@)
SAY    := $(if $(filter 1,$(V)),@:,@printf '  %-8s %s\n')

CC        ?= gcc
WARNINGS  := -Wall -Wextra -Wconversion -Werror
CSTD      := -std=c11 -D_GNU_SOURCE
OPTIMISE  := -O2 -g
# Of objects below BUILD alone, where that is not SIM_BUILD: a variant that is to be built fast must not have what all
# variants share built anew.
VARIANT_CFLAGS :=
SANITIZE  := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g
# Objects that can be optimised as one (sim/build.mk) are, but not for every program.
NO_LTO    := -fno-lto
# What objects of a build directory include: what was generated for it, and for all.
includes   = -I. -I$(1)/gen $(filter-out -I$(1)/gen,-I$(SIM_BUILD)/gen)
INCLUDES  := $(call includes,$(BUILD))
CFLAGS    := $(CSTD) $(WARNINGS) $(OPTIMISE) $(NO_LTO)

.DEFAULT_GOAL := help
.SECONDEXPANSION:
.DELETE_ON_ERROR:

# For a make of many parts below this one: what -j says, else as many jobs as there are processors.
AT_ONCE = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# Filled by the build.mk files.
TEST_PROGRAMS :=
LINT_C        :=

include scripts/make_file.mk
include gen/build.mk
include sim/build.mk
include fw-runtime/build.mk
include spec/build.mk
include host/build.mk
include host/install.mk
include models/build.mk
include tests/build.mk
include docs/build.mk
include scripts/variables.mk

.PHONY: help setup demo test verify firmware bench bench-emp bench-maps bench-switches bench-published bench-sim campaign docs lint format clean

help:            ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# C objects: build/obj/<path>.o as shipped, build/san/<path>.o with the sanitizers, build/pic/<path>.o for shared objects.
directory_flags = $(CFLAGS_$(subst /,_,$(patsubst %/,%,$(dir $<))))
define C_OBJECTS
$(1)/obj/%.o: %.c FORCE
	$$(call make_file,CC,$$<,$$(CC) $$(CFLAGS) $$(call includes,$(1)) $$(directory_flags) $(if $(filter-out $(SIM_BUILD),$(1)),$$(VARIANT_CFLAGS)) -MMD -MP -c -o $$@ $$<)

$(1)/san/%.o: %.c FORCE
	$$(call make_file,CC,"$$< (sanitized)",\
	    $$(CC) $$(CSTD) $$(WARNINGS) $$(SANITIZE) $$(call includes,$(1)) $$(directory_flags) -MMD -MP -c -o $$@ $$<)

$(1)/pic/%.o: %.c FORCE
	$$(call make_file,CC,"$$< (position-independent)",$$(CC) $$(CFLAGS) $$(call includes,$(1)) -fPIC -MMD -MP -c -o $$@ $$<)
endef
$(foreach directory,$(sort $(BUILD) $(HOST_BUILD) $(SIM_BUILD)),$(eval $(call C_OBJECTS,$(directory))))

# Not those of variants, which lie below BUILD: to read them takes longer than all else that make does when nothing is
# to be made.
variants = $(foreach name,$(ONE_OF_PROFILE) $(ONE_OF_PLACEMENT) nodes-* boards-* pycache driver fresh gates maps switches,-o -path '$(BUILD)/$(name)')
-include $(sort $(shell find $(BUILD) $(if $(filter-out $(BUILD),$(HOST_BUILD)),$(addprefix $(HOST_BUILD)/*/,host tests/end_to_end \
    tests/campaign_worlds emp)) $(SIM_BUILD)/*/sim $(SIM_BUILD)/*/host/board \
    -mindepth 1 \( -false $(variants) \) -prune -o -name '*.d' -print 2>/dev/null))

setup:           ## install the Debian packages that are missing
	@scripts/setup.sh

# To link a program as one (sim/build.mk) takes longer than tests gain by it. What was linked so before is left as it is.
TEST_LINK := LTO_LINK=-fno-lto

test: export ASAN_OPTIONS := detect_leaks=1
test:            ## build and run the tests but the long ones (10 to 15 minutes on two processors)
	@scripts/setup.sh demo verify test
	@scripts/setup.sh driver >/dev/null 2>&1 || echo "no packages for virtual machines: tests/kernel and tests/driver skip what needs one"
	$(Q)$(MAKE) --no-print-directory $(AT_ONCE) $(TEST_LINK) test-programs
	$(Q)scripts/test.py -n 3 --dist loadfile tests spec

test-long: export ASAN_OPTIONS := detect_leaks=1
test-long:       ## the tests that make test leaves out: mutants, renames, damages, variants, no engine
	@scripts/setup.sh demo verify test
	$(Q)$(MAKE) --no-print-directory $(AT_ONCE) $(TEST_LINK) test-programs $(LONG_TEST_NEEDS)
	$(Q)LONG_TESTS=1 scripts/test.py -n 3 --dist loadfile -m long tests

test-stress: export ASAN_OPTIONS := detect_leaks=1
test-stress:     ## repeat each test that starts processes, threads, sockets or boards 50 times on a loaded machine; TESTS=PATH (3 hours)
	@scripts/setup.sh demo verify test
	$(Q)$(MAKE) --no-print-directory $(AT_ONCE) $(TEST_LINK) test-programs
	$(Q)scripts/test.py -n $(shell nproc) --dist loadfile -p tests.stress.repeat $(or $(TESTS),tests spec)

.PHONY: fresh test-stress
fresh:           ## make demo and make test in a bare Debian 12, made in build/fresh: what does set-up forget? (as root)
	@scripts/setup.sh fresh
	$(Q)scripts/fresh.py

.PHONY: gates
gates:           ## all gates that have not passed as the tree is now (docs/gates.json; AGAIN="NAME ..." these all the same)
	@scripts/setup.sh demo verify prove test fuzz bench
	@scripts/setup.sh driver || echo "no packages for virtual machines: driver-check will fail"
	$(Q)scripts/gates.py --again "$(AGAIN)"

.PHONY: test-programs test-long
test-programs: $$(TEST_PROGRAMS) $$(TEST_NEEDS)
	@mkdir -p $(BUILD)/tests
	@printf '%s\n' $(TEST_PROGRAMS) > $(BUILD)/tests/programs.txt

bench:           ## speed of compiler and simulator here, cost of the firmware on the board, and bench-emp
	@scripts/setup.sh demo test
	$(Q)$(MAKE) --no-print-directory -s generate firmware overhead $(BUILD)/host/emp_demo $(BUILD)/tests/measure_cpu_speed $(BUILD)/tests/measure_firmware
	$(Q)scripts/bench.py
	$(Q)$(MAKE) --no-print-directory bench-emp

bench-published: ## EMP charged the papers' step costs, on one and on both processors, beside the published figures: build/bench.json, curves in build/bench/published
	@scripts/setup.sh demo bench
	$(Q)$(MAKE) --no-print-directory -s generate $(FIRMWARE)/emp_a_published.elf $(HOST_DEMO)
	$(Q)$(foreach placement,SO RO DSR SR,\
	    $(MAKE) --no-print-directory -s PLACEMENT=$(placement) BUILD=build/$(placement) build/$(placement)/firmware/emp_a_published.elf &&) true
	$(Q)scripts/published.py

bench-emp:       ## what programs over EMP get, both profiles, on one and on both processors: build/bench.json, curves in build/bench (a minute)
	@scripts/setup.sh demo bench
	$(Q)$(MAKE) --no-print-directory -s placements-bench
	$(Q)scripts/bench_emp.py

bench-maps:      ## EMP with its processes divided in every way between both processors: which are best? build/bench_maps.json (7 minutes)
	@scripts/setup.sh demo bench
	$(Q)$(MAKE) --no-print-directory -s $(HOST_DEMO) $(BUILD)/emp/host.so $(FIRMWARE)/emp_a.bin
	$(Q)scripts/bench_maps.py

bench-switches:  ## what each mechanism of EMP's profile modern gains: a row without each of them (5 minutes)
	@scripts/setup.sh demo bench
	$(Q)$(MAKE) --no-print-directory -s bench-programs
	$(Q)$(MAKE) --no-print-directory -s PROFILE=modern BUILD=build/modern bench-programs
	$(Q)scripts/bench_switches.py

bench-sim:       ## simulated time a second of processor time buys: all cores busy, a ping-pong, 2 to 256 boards
	@scripts/setup.sh demo test
	$(Q)$(MAKE) --no-print-directory -s generate firmware $(BUILD)/tests/measure_boards $(BUILD)/tests/measure_crowd
	$(Q)$(BUILD)/tests/measure_boards both
	$(Q)scripts/bench_crowd.py

C_SOURCES  = $(shell find fw-runtime host models sim spec tests -name '*.c' -not -path '*/golden/*' | sort)
C_HEADERS  = $(shell find fw-runtime host models sim spec tests -name '*.h' -not -path '*/golden/*' | sort)
PY_SOURCES = $(shell find gen fw-runtime host models scripts spec tests -name '*.py' | sort)
SPECS      = $(wildcard spec/*/*.hsm host/*/*.hsm gen/hsmc/library/*/*.hsm)

format:          ## rewrite all C, Python and specs in the project's style
	@scripts/setup.sh lint
	$(Q)clang-format -i $(C_SOURCES) $(C_HEADERS)
	$(Q)black -q $(PY_SOURCES) gen/bin/hsmc
	$(Q)$(HSMC) fmt $(SPECS)

lint:            ## check style, types and warnings of gcc and clang
	@scripts/setup.sh demo lint test
	$(Q)$(MAKE) --no-print-directory lint-style lint-warnings

# The Tigon2's port is MIPS code with registers of its own, which only gcc knows: it is checked when an image is built.
# The examples know only what is installed, tests/backend/messages, models/proof and proofs of specs only what is generated for them: tests and
# proofs compile them.
# Glue and runtime are checked as they are compiled for the native port; EMP's alone, other protocols name another header.
# What an image for two processors alone has is compiled for the chip only, too.
LINT_CHIP   = fw-runtime/port/tigon2/% spec/emp/firmware/second.c spec/emp/firmware/between.c spec/emp/firmware/placing.c spec/emp/firmware/sending.c
LINT_GLUE   = $(filter-out $(LINT_CHIP),$(filter fw-runtime/% spec/emp/firmware/% tests/native_port/% tests/native_worlds/% tests/processors/test_units.c tests/campaign_worlds/%,$(C_SOURCES)))
# Code of the kernel is checked as it is built (host/driver/build.mk); what of it tests compile, with the driver's EMP.
LINT_DRIVER = $(addprefix host/driver/,endpoint.c endpoint_account.c endpoint_submit.c flashable.c) $(wildcard tests/driver/*.c)
LINT_NATIVE = $(filter-out host/driver/% host/examples/% tests/driver/% $(LINT_CHIP) $(LINT_GLUE) $(wildcard spec/*/firmware/*.c) tests/overhead/chip/% tests/acceptance/firmware/% tests/ethernet/firmware/% tests/processors/firmware/% tests/relay/firmware/% tests/fuzz/bare/% tests/backend/messages/% models/proof/% $(wildcard spec/*/proofs*.c),$(C_SOURCES))
LINT_PORT   = $(call nic_port,fw-runtime/port/native) $(FAST_EACH) -DEMP_PORT_HEADER='"emp_nic.h"' -DNODE=node
LINT_FLAGS  = $(CSTD) $(INCLUDES) $(CODECS_INCLUDES) -DFIRMWARE_IMAGE=__FILE__ -DDIVIDED_IMAGE=__FILE__ -DWORLD_IMAGE=__FILE__ -DEMP_VERSION=__FILE__

.PHONY: lint-style lint-warnings
lint-style:
	$(SAY) FORMAT "clang-format, black, hsmc fmt"
	$(Q)clang-format --dry-run -Werror $(C_SOURCES) $(C_HEADERS)
	$(Q)black -q --check $(PY_SOURCES) gen/bin/hsmc || { echo "run 'make format'" >&2; exit 1; }
	$(Q)$(HSMC) fmt --check $(SPECS) || { echo "run 'make format'" >&2; exit 1; }
	$(SAY) TYPES mypy
	$(Q)MYPYPATH=gen mypy --config-file scripts/mypy.ini $(PY_SOURCES)
	$(SAY) SHELL shellcheck
	$(Q)shellcheck $$(find scripts .ci -type f \( -name '*.sh' -o -name run \))
	$(SAY) CITE "citations and links"
	$(Q)scripts/citations.py
	$(SAY) EDGES "which directory uses which"
	$(Q)scripts/edges.py
	$(SAY) LICENCE "SPDX lines"
	$(Q)scripts/licence.py

lint-warnings: $$(LINT_NEEDS)
	$(SAY) CLANG "warnings and clang-tidy"
	$(Q)printf '%s\n' $(LINT_NATIVE) | xargs -P 2 -n 4 scripts/lint_c.sh $(LINT_FLAGS) $(WARNINGS) --
	$(Q)$(MAKE) --no-print-directory $(DRIVER_EMP) BUILD=$(DRIVER_BUILD) $(DRIVER_LAYOUTS)
	$(Q)printf '%s\n' $(LINT_DRIVER) | xargs -P 2 -n 4 scripts/lint_c.sh $(CSTD) -I. -I$(DRIVER_BUILD)/gen -I$(SIM_BUILD)/gen $(WARNINGS) --
	$(Q)printf '%s\n' $(LINT_GLUE) | xargs -P 2 -n 4 scripts/lint_c.sh $(LINT_FLAGS) $(LINT_PORT) $(WARNINGS) --

clean:           ## remove everything made
	$(Q)rm -rf $(BUILD)

# SPDX-License-Identifier: MIT
# The board simulator: one static library, and the same with the sanitizers for tests. A source file belongs to it by
# lying in one of these directories.
SIM_DIRECTORIES := base core chip pc network faults world

# The directory of the engine that runs beside the interpreter (sim/core/engine.h); empty for none.
SIM_ENGINE      := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),native)
SIM_DIRECTORIES += $(SIM_ENGINE)

# The programs that simulate for long are optimised once more when they are linked, over the simulator and libemp as
# one: 3 % faster. GCC only. The objects are whole without that, too: all other programs are linked as usual.
ifneq ($(findstring Free Software,$(shell $(CC) --version 2>/dev/null)),)
LTO_OBJECTS := -flto -ffat-lto-objects
# The first takes back what CFLAGS says, the second says how.
LTO_LINK    := -flto -flto=auto
endif
# Pairs of words packed for one store of 16 bytes cost more than the store saves, and the next load waits for it.
SIM_OPTIMISE := -fno-tree-slp-vectorize
$(foreach directory,$(SIM_DIRECTORIES),$(eval \
    $(SIM_BUILD)/obj/sim/$(directory)/%.o: CFLAGS_sim_$(directory) := $(SIM_OPTIMISE) $(LTO_OBJECTS)))
$(SIM_BUILD)/obj/sim/core/engine.o $(SIM_BUILD)/san/sim/core/engine.o: CC += $(SIM_ENGINE:%=-DTIGON_ENGINE=tigon_%_engine)
# Refers to its own labels in assembly, from which it must not be parted.
$(SIM_BUILD)/obj/sim/native/native_routines.o: CFLAGS_sim_native := $(SIM_OPTIMISE)

SIM_OBJECTS     := $(patsubst %.c,%.o,$(sort $(wildcard $(SIM_DIRECTORIES:%=sim/%/*.c))))
# The cores and their memory.
SIM_CPU_OBJECTS := $(filter sim/core/% $(SIM_ENGINE:%=sim/%/%),$(SIM_OBJECTS))

SIM_LIBRARY           := $(SIM_BUILD)/obj/sim/libtigon.a
SIM_LIBRARY_SANITIZED := $(SIM_BUILD)/san/sim/libtigon.a

$(SIM_LIBRARY): $(addprefix $(SIM_BUILD)/obj/,$(SIM_OBJECTS)) FORCE
	$(call make_file,AR,$@,rm -f $@ && $(AR) rcs $@ $(FROM))

$(SIM_LIBRARY_SANITIZED): $(addprefix $(SIM_BUILD)/san/,$(SIM_OBJECTS)) FORCE
	$(call make_file,AR,$@,rm -f $@ && $(AR) rcs $@ $(FROM))

include sim/debug/build.mk
include sim/observe/build.mk
include sim/serve/build.mk
include sim/serve/qemu/build.mk
include sim/command/build.mk

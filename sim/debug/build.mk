# SPDX-License-Identifier: MIT
# The debugger, reports on what went wrong, disassembly: a library of its own, for programs that want it.
SIM_DEBUG_SOURCES := $(wildcard sim/debug/*.c)
SIM_DEBUG_LIBS    := -ldw -lelf -lcjson

SIM_DEBUG_LIBRARY           := $(SIM_BUILD)/obj/sim/debug/libtigon_debug.a
SIM_DEBUG_LIBRARY_SANITIZED := $(SIM_BUILD)/san/sim/debug/libtigon_debug.a

$(SIM_DEBUG_LIBRARY): $(SIM_DEBUG_SOURCES:%.c=$(SIM_BUILD)/obj/%.o)
$(SIM_DEBUG_LIBRARY_SANITIZED): $(SIM_DEBUG_SOURCES:%.c=$(SIM_BUILD)/san/%.o)
$(SIM_DEBUG_LIBRARY) $(SIM_DEBUG_LIBRARY_SANITIZED): FORCE
	$(call make_file,AR,$@,rm -f $@ && $(AR) rcs $@ $(FROM))

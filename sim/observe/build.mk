# SPDX-License-Identifier: MIT
# Looking into runs: waveforms, profiles, time lines, logs. A library of its own, because it needs libelf and libdw.
SIM_OBSERVE_SOURCES := $(wildcard sim/observe/*.c)

SIM_OBSERVE_LIBRARY           := $(SIM_BUILD)/obj/sim/observe/libobserve.a
SIM_OBSERVE_LIBRARY_SANITIZED := $(SIM_BUILD)/san/sim/observe/libobserve.a
SIM_OBSERVE_LIBS              := -lelf -ldw

$(SIM_OBSERVE_LIBRARY): $(SIM_OBSERVE_SOURCES:%.c=$(SIM_BUILD)/obj/%.o)
$(SIM_OBSERVE_LIBRARY_SANITIZED): $(SIM_OBSERVE_SOURCES:%.c=$(SIM_BUILD)/san/%.o)
$(SIM_OBSERVE_LIBRARY) $(SIM_OBSERVE_LIBRARY_SANITIZED): FORCE
	$(call make_file,AR,$@,rm -f $@ && $(AR) rcs $@ $(FROM))

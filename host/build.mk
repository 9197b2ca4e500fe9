# SPDX-License-Identifier: MIT
# libemp, its backend for simulated boards, and the demo's program.

HOST_LIBRARY_SOURCES := $(addprefix host/,access.c adopt.c board_sim.c costs.c descriptor.c eeprom.c fault.c image.c \
                          incarnation.c memory.c open.c post.c query.c start.c stop.c)
HOST_DEMO_SOURCES    := $(wildcard host/demo/*.c)
HOST_REPLAY_SOURCES  := $(wildcard host/replay/*.c)

HOST_LIBRARY_OBJECTS := $(HOST_LIBRARY_SOURCES:%.c=$(BUILD)/obj/%.o)
HOST_LIBRARY_SAN     := $(HOST_LIBRARY_SOURCES:%.c=$(BUILD)/san/%.o)
HOST_DEMO_OBJECTS    := $(HOST_DEMO_SOURCES:%.c=$(BUILD)/obj/%.o)
HOST_DEMO_SAN        := $(HOST_DEMO_SOURCES:%.c=$(BUILD)/san/%.o)
HOST_REPLAY_OBJECTS  := $(HOST_REPLAY_SOURCES:%.c=$(BUILD)/obj/%.o)
HOST_REPLAY_SAN      := $(HOST_REPLAY_SOURCES:%.c=$(BUILD)/san/%.o)

# The layouts shared with the firmware come from the spec.
HOST_LAYOUT := $(BUILD)/gen/emp/emp_layout.h $(BUILD)/gen/emp/emp_watch.h
$(HOST_LIBRARY_OBJECTS) $(HOST_LIBRARY_SAN) $(HOST_DEMO_OBJECTS) $(HOST_DEMO_SAN) $(HOST_REPLAY_OBJECTS) \
    $(HOST_REPLAY_SAN): | $(HOST_LAYOUT)
LINT_NEEDS += $(HOST_LAYOUT)

HOST_LIBRARY     := $(BUILD)/obj/host/libemp.a
HOST_LIBRARY_SANITIZED := $(BUILD)/san/host/libemp.a

$(HOST_LIBRARY): $(HOST_LIBRARY_OBJECTS)
$(HOST_LIBRARY_SANITIZED): $(HOST_LIBRARY_SAN)
$(HOST_LIBRARY) $(HOST_LIBRARY_SANITIZED):
	$(SAY) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

HOST_DEMO := $(BUILD)/host/emp_demo
$(HOST_DEMO): $(HOST_DEMO_OBJECTS) $(SIM_OBSERVE_LIBRARY) $(HOST_LIBRARY) $(BUILD)/obj/sim/libtigon.a
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LTO_LINK) -o $@ $^ $(SIM_OBSERVE_LIBS) -lcjson -lnettle

# What hsmc replay --boards runs. It makes this for the spec of a trail, in a directory of its own, and takes the
# simulator, which no spec changes, from the tree's.
SIMULATOR   := $(BUILD)/obj/sim/libtigon.a
HOST_REPLAY := $(BUILD)/host/emp_replay
$(HOST_REPLAY): $(HOST_REPLAY_OBJECTS) $(addprefix $(BUILD)/obj/host/demo/,pair.o recorder.o) $(HOST_LIBRARY) $(SIMULATOR)
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -lelf

# `make demo FILE=path` sends a file of yours. The script builds what each step shows.
.PHONY: demo
demo:            ## the spec becomes an image, two boards run it, a file crosses a lossy wire
	@scripts/setup.sh demo
	$(Q)scripts/demo.py $(if $(FILE),--file '$(FILE)')

# SPDX-License-Identifier: MIT
# host/board: boards with any firmware. host/emp: libemp. The demo's program.

# A program of a scenario uses no board of another process.
HOST_BOARD_SOURCES   := $(filter-out host/board/socket.c,$(wildcard host/board/*.c))
HOST_SERVED_SOURCES  := host/board/socket.c $(SIM_CLIENT_SOURCES)
HOST_LIBRARY_SOURCES := $(HOST_BOARD_SOURCES) $(HOST_SERVED_SOURCES) $(wildcard host/emp/*.c)
# The placement is in emp_watch.h, which this source includes.
HOST_PLACED_SOURCES  := host/demo/recorder.c
# Objects of these sources, of a kind (obj, san, pic): host/board knows no protocol and is built once for all, and the
# others once for all placements.
HOST_OBJECTS = $(foreach source,$(2),$(if $(filter host/board/% sim/%,$(source)),$(SIM_BUILD),$(if $(filter \
    $(HOST_PLACED_SOURCES),$(source)),$(BUILD),$(HOST_BUILD)))/$(1)/$(source:.c=.o))
HOST_DEMO_SOURCES    := $(wildcard host/demo/*.c)
HOST_REPLAY_SOURCES  := $(wildcard host/replay/*.c)

HOST_LIBRARY_OBJECTS := $(call HOST_OBJECTS,obj,$(HOST_LIBRARY_SOURCES))
HOST_LIBRARY_SAN     := $(call HOST_OBJECTS,san,$(HOST_LIBRARY_SOURCES))
HOST_DEMO_OBJECTS    := $(call HOST_OBJECTS,obj,$(HOST_DEMO_SOURCES))
HOST_REPLAY_OBJECTS  := $(call HOST_OBJECTS,obj,$(HOST_REPLAY_SOURCES))

# With the simulator as one (sim/build.mk).
$(SIM_BUILD)/obj/host/board/%.o: CFLAGS_host_board := $(LTO_OBJECTS)
$(HOST_BUILD)/obj/host/emp/%.o: CFLAGS_host_emp := $(LTO_OBJECTS)

# The layouts shared with the firmware come from the specs: of any protocol, and of EMP.
BOARD_LAYOUT := $(SIM_BUILD)/gen/board/board_layout.h
$(BOARD_LAYOUT): host/board/board.hsm $(HSMC_SOURCES) FORCE
	$(call make_file,HSMC,$<,$(HSMC) build $< --output $(@D) && touch $@)

HOST_LAYOUT := $(BOARD_LAYOUT) $(foreach directory,$(sort $(BUILD) $(HOST_BUILD)),$(addprefix $(directory)/gen/emp/emp_,layout.h watch.h))
$(foreach kind,obj san pic,$(call HOST_OBJECTS,$(kind),$(filter-out host/board/%,$(wildcard host/*/*.c)))): | $(HOST_LAYOUT)
$(foreach kind,obj san pic,$(call HOST_OBJECTS,$(kind),$(wildcard host/board/*.c))): | $(BOARD_LAYOUT)
LINT_NEEDS += $(HOST_LAYOUT)

HOST_LIBRARY     := $(HOST_BUILD)/obj/host/libemp.a
HOST_LIBRARY_SANITIZED := $(HOST_BUILD)/san/host/libemp.a
# For programs of scenarios.
BOARD_LIBRARY    := $(SIM_BUILD)/pic/host/libboard.a

$(HOST_LIBRARY): $(HOST_LIBRARY_OBJECTS)
$(HOST_LIBRARY_SANITIZED): $(HOST_LIBRARY_SAN)
$(BOARD_LIBRARY): $(call HOST_OBJECTS,pic,$(HOST_BOARD_SOURCES))
$(HOST_LIBRARY) $(HOST_LIBRARY_SANITIZED) $(BOARD_LIBRARY): FORCE
	$(call make_file,AR,$@,rm -f $@ && $(AR) rcs $@ $(FROM))

# What all build directories share: it is made before a make for another one begins, not by both at once.
ALL_BUILDS_SHARE := $(SIM_LIBRARY) $(SIM_LIBRARY_SANITIZED) $(SIM_OBSERVE_LIBRARY) $(TIGONSIM) $(BOARD_LIBRARY) \
    $(foreach kind,obj san pic,$(call HOST_OBJECTS,$(kind),$(HOST_BOARD_SOURCES) $(HOST_SERVED_SOURCES)))

# What writes flashable images for the build.
$(BUILD)/host/make_image: $(call HOST_OBJECTS,obj,host/tools/make_image.c) $(BOARD_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM) -lelf -lz)

# EMP's programs of scenarios, with libemp in them.
EMP_PROGRAMS         := $(BUILD)/emp/host.so
EMP_PROGRAMS_OBJECTS := $(call HOST_OBJECTS,pic,$(wildcard host/programs/*.c host/emp/*.c) $(HOST_SERVED_SOURCES))
$(EMP_PROGRAMS): $(EMP_PROGRAMS_OBJECTS) $(BOARD_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) $(HOST_SHARED) -o $@ $(FROM) -lelf -lz -lnettle)
PROTOCOL_HOSTS += $(EMP_PROGRAMS)
TEST_NEEDS     += $(EMP_PROGRAMS) $(BOARD_LIBRARY)

HOST_DEMO := $(BUILD)/host/emp_demo
HOST_TRANSFER := $(addprefix host/programs/,node.c transfer.c)
$(HOST_DEMO): $(HOST_DEMO_OBJECTS) $(call HOST_OBJECTS,obj,$(HOST_TRANSFER)) $(SIM_OBSERVE_LIBRARY) $(HOST_LIBRARY) $(SIM_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) $(LTO_LINK) -o $@ $(FROM) $(SIM_OBSERVE_LIBS) -lz -lcjson -lnettle)

# What hsmc replay --boards runs. It makes this for the spec of a trail, in a directory of its own.
HOST_REPLAY := $(BUILD)/host/emp_replay
$(HOST_REPLAY): $(HOST_REPLAY_OBJECTS) $(call HOST_OBJECTS,obj,host/demo/pair.c host/demo/recorder.c) $(HOST_LIBRARY) $(SIM_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM) -lelf -lz)

# `make demo FILE=path` sends a file of yours. The script builds what each step shows.
.PHONY: demo
demo:            ## the spec becomes an image, two boards run it, a file crosses a lossy wire
	@scripts/setup.sh demo
	$(Q)EMP_PLACEMENT=$(PLACEMENT) scripts/demo.py $(if $(FILE),--file $(call quoted,$(FILE)))

# The command emp.
EMP_TOOL         := $(BUILD)/bin/emp
EMP_TOOL_OBJECTS := $(call HOST_OBJECTS,obj,$(filter-out %/make_image.c,$(wildcard host/tools/*.c)))
$(HOST_BUILD)/obj/host/tools/%.o $(HOST_BUILD)/san/host/tools/%.o: CFLAGS_host_tools := -DEMP_VERSION='"$(VERSION)"'
$(EMP_TOOL): $(EMP_TOOL_OBJECTS) $(BUILD)/lib/libemp.a FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM) -lelf -lz -lcjson -lnettle -lm)

include host/driver/build.mk

# SPDX-License-Identifier: MIT
# tigonsim: the simulated boards as a program. Programs of scenarios find libtigon in it.
TIGONSIM_SOURCES := $(wildcard sim/command/*.c)
TIGONSIM_OBJECTS := $(TIGONSIM_SOURCES:%.c=$(SIM_BUILD)/obj/%.o)
TIGONSIM_SAN     := $(TIGONSIM_SOURCES:%.c=$(SIM_BUILD)/san/%.o)
TIGONSIM_LIBS    := -lconfig -lcjson -lelf -ldw -lnettle -ldl
# All of the libraries, also what only programs need.
TIGONSIM_EXPORT   = -rdynamic -Wl,--whole-archive $(1) -Wl,--no-whole-archive

$(TIGONSIM_OBJECTS) $(TIGONSIM_SAN): | $(SIM_BUILD)/gen/board/board_layout.h

TIGONSIM           := $(SIM_BUILD)/tigonsim
TIGONSIM_SANITIZED := $(SIM_BUILD)/tests/tigonsim

$(TIGONSIM): $(TIGONSIM_OBJECTS) $(SIM_SERVE_LIBRARY) $(SIM_DEBUG_LIBRARY) $(SIM_OBSERVE_LIBRARY) $(SIM_LIBRARY) FORCE
	$(call make_file,LD,$@,\
	    $(CC) $(CFLAGS) $(LTO_LINK) -o $@ $(filter %.o,$(FROM)) $(call TIGONSIM_EXPORT,$(filter %.a,$(FROM))) $(TIGONSIM_LIBS))

$(TIGONSIM_SANITIZED): $(TIGONSIM_SAN) $(SIM_SERVE_LIBRARY_SANITIZED) $(SIM_DEBUG_LIBRARY_SANITIZED) $(SIM_OBSERVE_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,\
	    $(CC) $(SANITIZE) -o $@ $(filter %.o,$(FROM)) $(call TIGONSIM_EXPORT,$(filter %.a,$(FROM))) $(TIGONSIM_LIBS))

.PHONY: tigonsim
tigonsim: $(TIGONSIM) $$(PROTOCOL_HOSTS) ## the board simulator as a program: build/tigonsim run SCENARIO

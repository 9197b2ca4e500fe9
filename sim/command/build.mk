# SPDX-License-Identifier: MIT
# tigonsim: the simulated boards as a program. Programs of scenarios find libtigon and libemp in it.
TIGONSIM_SOURCES := $(wildcard sim/command/*.c host/programs/*.c) $(addprefix host/demo/,pair.c recorder.c transfer.c)
TIGONSIM_OBJECTS := $(TIGONSIM_SOURCES:%.c=$(BUILD)/obj/%.o)
TIGONSIM_SAN     := $(TIGONSIM_SOURCES:%.c=$(BUILD)/san/%.o)
TIGONSIM_LIBS    := -lconfig -lcjson -lelf -ldw -lnettle -ldl
# All of the libraries, also what only programs need.
TIGONSIM_EXPORT   = -rdynamic -Wl,--whole-archive $(1) -Wl,--no-whole-archive

EMP_TRANSITION_NAMES := $(BUILD)/gen/emp/emp_transition_names.h
$(EMP_TRANSITION_NAMES): $(BUILD)/gen/emp/emp.c
	$(Q)sed -n '/^static const char \*const transition_names/,/^};/p' $< > $@ && test -s $@

$(TIGONSIM_OBJECTS) $(TIGONSIM_SAN): | $(BUILD)/gen/emp/emp_layout.h $(BUILD)/gen/emp/emp_watch.h $(EMP_TRANSITION_NAMES)
LINT_NEEDS += $(EMP_TRANSITION_NAMES)

TIGONSIM           := $(BUILD)/tigonsim
TIGONSIM_SANITIZED := $(BUILD)/tests/tigonsim

$(TIGONSIM): $(TIGONSIM_OBJECTS) $(SIM_SERVE_LIBRARY) $(SIM_DEBUG_LIBRARY) $(SIM_OBSERVE_LIBRARY) $(BUILD)/obj/host/libemp.a $(BUILD)/obj/sim/libtigon.a
	$(SAY) LD $@
	$(Q)$(CC) $(CFLAGS) $(LTO_LINK) -o $@ $(filter %.o,$^) $(call TIGONSIM_EXPORT,$(filter %.a,$^)) $(TIGONSIM_LIBS)

$(TIGONSIM_SANITIZED): $(TIGONSIM_SAN) $(SIM_SERVE_LIBRARY_SANITIZED) $(SIM_DEBUG_LIBRARY_SANITIZED) $(SIM_OBSERVE_LIBRARY_SANITIZED) $(BUILD)/san/host/libemp.a $(BUILD)/san/sim/libtigon.a
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) -o $@ $(filter %.o,$^) $(call TIGONSIM_EXPORT,$(filter %.a,$^)) $(TIGONSIM_LIBS)

.PHONY: tigonsim
tigonsim: $(TIGONSIM) ## the board simulator as a program: build/tigonsim run SCENARIO

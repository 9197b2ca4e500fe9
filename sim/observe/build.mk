# Looking into runs: waveforms, profiles, time lines, logs. A library of its own, because it needs libelf and libdw.
SIM_OBSERVE_SOURCES := $(wildcard sim/observe/*.c)

SIM_OBSERVE_LIBRARY           := $(BUILD)/obj/sim/observe/libobserve.a
SIM_OBSERVE_LIBRARY_SANITIZED := $(BUILD)/san/sim/observe/libobserve.a
SIM_OBSERVE_LIBS              := -lelf -ldw

$(SIM_OBSERVE_LIBRARY): $(SIM_OBSERVE_SOURCES:%.c=$(BUILD)/obj/%.o)
$(SIM_OBSERVE_LIBRARY_SANITIZED): $(SIM_OBSERVE_SOURCES:%.c=$(BUILD)/san/%.o)
$(SIM_OBSERVE_LIBRARY) $(SIM_OBSERVE_LIBRARY_SANITIZED):
	$(SAY) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Names of EMP's transitions: the part of the generated code that has them, without the rest.
$(BUILD)/gen/emp/emp_names.c: $(BUILD)/gen/emp/emp.c
	$(Q)(echo '#define EMP_NAMES'; echo '#include "emp.h"'; \
	     sed -n '/^#ifdef EMP_NAMES/,/^#endif/p' $<) > $@

EMP_NAMES_OBJECT    := $(BUILD)/obj/gen/emp/emp_names.o
EMP_NAMES_SANITIZED := $(BUILD)/san/gen/emp/emp_names.o
$(EMP_NAMES_OBJECT) $(EMP_NAMES_SANITIZED): $(BUILD)/gen/emp/emp_names.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -I$(BUILD)/gen/emp -c -o $@ $<

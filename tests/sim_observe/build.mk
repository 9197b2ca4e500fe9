# Observers: unit tests (sanitized), and EMP between two boards while everything is looked at, for test_observe.py.
SIM_OBSERVE_TEST_OBJECTS := $(addprefix $(BUILD)/san/tests/,sim_observe/test_observers.o sim_devices/bench.o)

$(BUILD)/tests/test_observers: $(SIM_OBSERVE_TEST_OBJECTS) $(SIM_OBSERVE_LIBRARY_SANITIZED) $(SIM_LIBRARY_SANITIZED)
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANITIZE) -o $@ $^ -lcmocka $(SIM_OBSERVE_LIBS)

# What the programs below have of the demo: all but its own main.
OBSERVED_PAIR := $(filter-out %/emp_demo.o,$(HOST_DEMO_OBJECTS))

$(BUILD)/tests/observe_emp: $(BUILD)/obj/tests/sim_observe/observe_emp.o $(OBSERVED_PAIR) $(EMP_NAMES_OBJECT) \
                            $(SIM_OBSERVE_LIBRARY) $(HOST_LIBRARY) $(SIM_LIBRARY) | $(BUILD)/firmware/emp_a.elf
	$(SAY) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(SIM_OBSERVE_LIBS) -lnettle

TEST_PROGRAMS += $(BUILD)/tests/test_observers
TEST_NEEDS    += $(BUILD)/tests/observe_emp

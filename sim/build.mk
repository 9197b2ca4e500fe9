#The board simulator : one static library, and the same with the sanitizers for tests.
include sim/cpu.mk

# The programs that simulate for long are optimised once more when they are linked, over the simulator and libemp as
# one: 3 % faster. GCC only. The objects are whole without that, too: all other programs are linked as usual.
ifneq ($(findstring Free Software,$(shell $(CC) --version 2>/dev/null)),)
LTO_OBJECTS := -flto -ffat-lto-objects
# The first takes back what CFLAGS says, the second says how.
LTO_LINK    := -flto -flto=auto
endif
# Pairs of words packed for one store of 16 bytes cost more than the store saves, and the next load waits for it.
SIM_OPTIMISE := -fno-tree-slp-vectorize
$(BUILD)/obj/sim/%.o: CFLAGS_sim := $(SIM_OPTIMISE) $(LTO_OBJECTS)
$(BUILD)/obj/host/%.o: CFLAGS_host := $(LTO_OBJECTS)
# Refers to its own labels in assembly, from which it must not be parted.
$(BUILD)/obj/sim/native_routines.o: CFLAGS_sim := $(SIM_OPTIMISE)

SIM_OBJECTS := $(SIM_CPU_OBJECTS) $(addprefix sim/, \
    board.o capture.o charge.o core_control.o coroutine.o dma.o eeprom.o events.o fault.o fault_text.o \
    fault_words.o frame.o frame_crc.o host_access.o host_bus.o host_control.o host_cpu.o host_memory.o \
    host_posted.o host_window.o knobs.o link.o local_control.o mac_buffer.o mac_receive.o mac_statistics.o \
    mac_transmit.o observer.o pci_configuration.o phy.o registers.o schedule.o semaphore.o switch.o \
    switch_port.o timer.o wire.o wire_chance.o world.o)

SIM_LIBRARY           := $(BUILD)/obj/sim/libtigon.a
SIM_LIBRARY_SANITIZED := $(BUILD)/san/sim/libtigon.a

$(SIM_LIBRARY): $(addprefix $(BUILD)/obj/,$(SIM_OBJECTS))
	$(SAY) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(SIM_LIBRARY_SANITIZED): $(addprefix $(BUILD)/san/,$(SIM_OBJECTS))
	$(SAY) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

include sim/debug/build.mk
include sim/observe/build.mk
include sim/serve/build.mk
include sim/command/build.mk

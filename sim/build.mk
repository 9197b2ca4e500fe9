#The board simulator : one static library, and the same with the sanitizers for tests.
include sim/cpu.mk

# Pairs of words packed for one store of 16 bytes cost more than the store saves, and the next load waits for it.
CFLAGS_sim := -fno-tree-slp-vectorize

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

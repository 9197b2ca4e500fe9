# The cores and their memory; sim/build.mk turns the stems into objects.
SIM_CPU_OBJECTS := $(addprefix sim/,memory.o bus.o decode.o cpu.o cpu_access.o cpu_control.o cpu_fault.o poll.o poll_loop.o \
                     poll_proof.o native.o native_guess.o native_instructions.o native_registers.o \
                     native_routines.o native_text.o native_x86_64.o)

# SPDX-License-Identifier: MIT
# Boards over sockets: the server, a part of tigonsim, and the library of those who attach.
SIM_SERVE_SOURCES  := $(wildcard sim/serve/*.c)
SIM_CLIENT_SOURCES := sim/serve/client/tigon_client.c

SIM_SERVE_LIBRARY            := $(SIM_BUILD)/obj/sim/serve/libserve.a
SIM_SERVE_LIBRARY_SANITIZED  := $(SIM_BUILD)/san/sim/serve/libserve.a
SIM_CLIENT_LIBRARY           := $(SIM_BUILD)/obj/sim/serve/client/libtigon_client.a
SIM_CLIENT_LIBRARY_SANITIZED := $(SIM_BUILD)/san/sim/serve/client/libtigon_client.a

$(SIM_SERVE_LIBRARY): $(SIM_SERVE_SOURCES:%.c=$(SIM_BUILD)/obj/%.o)
$(SIM_SERVE_LIBRARY_SANITIZED): $(SIM_SERVE_SOURCES:%.c=$(SIM_BUILD)/san/%.o)
$(SIM_CLIENT_LIBRARY): $(SIM_CLIENT_SOURCES:%.c=$(SIM_BUILD)/obj/%.o)
$(SIM_CLIENT_LIBRARY_SANITIZED): $(SIM_CLIENT_SOURCES:%.c=$(SIM_BUILD)/san/%.o)
$(SIM_SERVE_LIBRARY) $(SIM_SERVE_LIBRARY_SANITIZED) $(SIM_CLIENT_LIBRARY) $(SIM_CLIENT_LIBRARY_SANITIZED): FORCE
	$(call make_file,AR,$@,rm -f $@ && $(AR) rcs $@ $(FROM))

# What attaches: host programs of scenarios as processes of their own, and the example that needs nothing but the
# client library. The programs find the functions of sim/tigon.h in remote_host.o instead of libtigon.a.
ATTACH_SOURCES := sim/serve/examples/attach.c sim/serve/client/remote_host.c
ATTACH_OBJECTS := $(ATTACH_SOURCES:%.c=$(SIM_BUILD)/obj/%.o)
ATTACH_SAN     := $(ATTACH_SOURCES:%.c=$(SIM_BUILD)/san/%.o)
ATTACH           := $(SIM_BUILD)/tigon_attach
ATTACH_SANITIZED := $(SIM_BUILD)/tests/tigon_attach
REGISTERS        := $(SIM_BUILD)/tigon_registers

$(ATTACH): $(ATTACH_OBJECTS) $(SIM_CLIENT_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -rdynamic -o $@ $(FROM) -ldl)

$(ATTACH_SANITIZED): $(ATTACH_SAN) $(SIM_CLIENT_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -rdynamic -o $@ $(FROM) -ldl)

$(REGISTERS): $(SIM_BUILD)/obj/sim/serve/examples/registers.o $(SIM_CLIENT_LIBRARY) FORCE
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM))

.PHONY: attach
attach: $(TIGONSIM) $(ATTACH) $(REGISTERS) $$(PROTOCOL_HOSTS) ## boards over sockets: build/tigonsim serve, build/tigon_attach, build/tigon_registers

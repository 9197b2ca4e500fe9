# SPDX-License-Identifier: MIT
# A served board in a PCI slot of a virtual machine: the bridge to QEMU 7, and the plugin that keeps both in one time.
QEMU_BRIDGE_SOURCES := $(addprefix sim/serve/qemu/,main.c bridge.c machine.c proxy_message.c)

QEMU_BRIDGE           := $(SIM_BUILD)/tigon_qemu
QEMU_BRIDGE_SANITIZED := $(SIM_BUILD)/tests/tigon_qemu
QEMU_PLUGIN           := $(SIM_BUILD)/tigon_pace.so

$(QEMU_BRIDGE): $(QEMU_BRIDGE_SOURCES:%.c=$(SIM_BUILD)/obj/%.o) $(SIM_CLIENT_LIBRARY) FORCE | $(QEMU_PLUGIN)
	$(call make_file,LD,$@,$(CC) $(CFLAGS) -o $@ $(FROM))

# The plugin is beside each of them.
$(QEMU_BRIDGE_SANITIZED): $(QEMU_BRIDGE_SOURCES:%.c=$(SIM_BUILD)/san/%.o) $(SIM_CLIENT_LIBRARY_SANITIZED) FORCE | $(QEMU_PLUGIN)
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) && \
	    ln -sf ../$(notdir $(QEMU_PLUGIN)) $(@D)/)

$(QEMU_PLUGIN): sim/serve/qemu/pace_plugin.c sim/serve/qemu/pace.h FORCE
	$(call make_file,CC,$@,$(CC) $(CFLAGS) $(call includes,$(SIM_BUILD)) -shared -fPIC -fvisibility=hidden -o $@ $<)

.PHONY: guest
guest:           ## a simulated board in a virtual machine: packages, Debian's kernel, build/tigon_qemu (docs/kernel.md)
	@scripts/setup.sh demo driver
	$(Q)$(MAKE) --no-print-directory $(TIGONSIM) $(QEMU_BRIDGE)
	$(Q)scripts/debian_kernel.py

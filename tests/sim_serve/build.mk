# SPDX-License-Identifier: MIT
# Boards served to other processes: tigonsim and the attached programs with the sanitizers, and the client library.
SERVE_TEST_OBJECTS := $(BUILD)/san/tests/sim_serve/test_client.o $(SIM_BUILD)/san/host/board/socket.o
SERVE_TEST         := $(BUILD)/tests/serve_client

$(SERVE_TEST_OBJECTS): | $(BOARD_LAYOUT) $(BUILD)/gen/emp/emp_layout.h

$(SERVE_TEST): $(SERVE_TEST_OBJECTS) $(HOST_LIBRARY_SANITIZED) $(SIM_CLIENT_LIBRARY_SANITIZED) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lelf -lz -lpthread)

TEST_NEEDS += $(TIGONSIM) $(TIGONSIM_SANITIZED) $(ATTACH) $(ATTACH_SANITIZED) $(REGISTERS) $(SERVE_TEST) \
    $(BUILD)/firmware/emp_a.elf

# SPDX-License-Identifier: MIT
# EMP's firmware on the native port (docs/ports.md): two nodes in one process, and the fuzzer of its glue.

NATIVE_PORT   := tests/native_port
NATIVE_FLAGS  := -I$(BUILD)/gen/emp $(call nic_port,fw-runtime/port/native)
NATIVE_CHECKS := $(call hsm_checked,ALL) -DNIC_TRACE=1

# A copy of the image: its name is its only global symbol, and its data lie in sections of its own (node.h).
native_node = --keep-global-symbol=$1 --rename-section .data=$1_data --rename-section .bss=$1_bss \
              --rename-section .bss.unset=$1_unset

$(BUILD)/san/$(NATIVE_PORT)/%.o: CFLAGS_tests_native_port := $(NATIVE_FLAGS)
NATIVE_OBJECTS := $(addprefix $(BUILD)/san/$(NATIVE_PORT)/,node_state.o node_start.o oracle.o host.o)
$(NATIVE_OBJECTS) $(BUILD)/san/$(NATIVE_PORT)/test_messages.o: | $(GENERATED_emp)

NATIVE_NODES := $(addprefix $(BUILD)/san/$(NATIVE_PORT)/,node_left.o node_right.o)
$(NATIVE_NODES): $(BUILD)/san/$(NATIVE_PORT)/%.o: $(NATIVE_PORT)/node.c $(GENERATED_emp) $(FW_NEEDS_emp) FORCE
	$(call make_file,CC,"$< ($*, sanitized)",$(CC) $(CSTD) $(WARNINGS) $(SANITIZE) $(INCLUDES) $(NATIVE_FLAGS) $(NATIVE_CHECKS) -DNODE=$* -MMD -MP -c -o $@ $< && \
	    objcopy $(call native_node,$*) $@)

$(BUILD)/tests/test_messages: $(BUILD)/san/$(NATIVE_PORT)/test_messages.o $(NATIVE_OBJECTS) $(NATIVE_NODES) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM) -lcmocka)

# What the fuzzer found worth keeping, with gcc and without libFuzzer (test_glue_corpus.py).
NATIVE_REPLAY := $(addprefix $(BUILD)/san/$(NATIVE_PORT)/,fuzz_glue.o replay.o node_left.o) $(NATIVE_OBJECTS)
$(BUILD)/san/$(NATIVE_PORT)/fuzz_glue.o: | $(GENERATED_emp)
$(BUILD)/tests/replay_glue: $(NATIVE_REPLAY) FORCE
	$(call make_file,LD,$@,$(CC) $(SANITIZE) -o $@ $(FROM))

# libFuzzer needs clang. Only the node counts what it covers, and without comparisons, whose operands a program of
# operations has no use for. PLAIN=1 leaves the sanitizers out: all other checks stay, and programs run twice as fast.
RUNS          ?= 1000000
GLUE_FUZZ     := $(BUILD)/fuzz_glue
GLUE_KIND     := $(if $(PLAIN),plain,sanitized)
GLUE_BUILD    := $(GLUE_FUZZ)/$(GLUE_KIND)
GLUE_COVERAGE := -fsanitize-coverage=inline-8bit-counters,pc-table
GLUE_SANITIZE_plain     := -O2 -g
GLUE_SANITIZE_sanitized := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O2 -g
GLUE_LINK_plain         := -fsanitize=fuzzer
GLUE_LINK_sanitized     := -fsanitize=fuzzer,address,undefined
GLUE_SANITIZE := $(GLUE_SANITIZE_$(GLUE_KIND))
GLUE_OBJECTS  := $(addprefix $(GLUE_BUILD)/,fuzz_glue.o node_state.o node_start.o oracle.o host.o node_left.o)
# The judge is not judged: without sanitizers, which took a third of the time. make test runs it with them.
GLUE_JUDGE    := $(addprefix $(GLUE_BUILD)/,oracle.o host.o)
$(GLUE_JUDGE): GLUE_SANITIZE := $(GLUE_SANITIZE_plain)
$(GLUE_BUILD)/%.o: $(NATIVE_PORT)/%.c FORCE | $(GENERATED_emp)
	$(call make_file,CLANG,"$< ($(GLUE_KIND))",\
	    clang $(CSTD) $(WARNINGS) $(GLUE_SANITIZE) $(INCLUDES) $(NATIVE_FLAGS) -MMD -MP -c -o $@ $<)

$(GLUE_BUILD)/node_left.o: $(NATIVE_PORT)/node.c $(GENERATED_emp) $(FW_NEEDS_emp) FORCE
	$(call make_file,CLANG,"$< (coverage, $(GLUE_KIND))",clang $(CSTD) $(WARNINGS) $(GLUE_SANITIZE) $(GLUE_COVERAGE) $(INCLUDES) $(NATIVE_FLAGS) $(NATIVE_CHECKS) \
	    -DNODE=node_left -MMD -MP -c -o $@ $< && \
	    objcopy $(call native_node,node_left) $@)

$(GLUE_BUILD)/fuzz_glue: $(GLUE_OBJECTS) FORCE
	$(call make_file,LD,$@,clang $(GLUE_LINK_$(GLUE_KIND)) -o $@ $(FROM))

.PHONY: fuzz-glue
fuzz-glue:       ## RUNS=1000000 random programs of host and wire against EMP's glue on the native port; PLAIN=1: faster
	@scripts/setup.sh demo fuzz
	$(Q)$(MAKE) --no-print-directory $(GLUE_BUILD)/fuzz_glue
	@mkdir -p $(GLUE_FUZZ)/found
	$(Q)$(GLUE_BUILD)/fuzz_glue -runs=$(RUNS) -max_len=192 -timeout=10 -rss_limit_mb=1500 -reload=0 \
	    -detect_leaks=0 -print_final_stats=1 -artifact_prefix=$(GLUE_FUZZ)/ $(GLUE_FUZZ)/found $(NATIVE_PORT)/corpus

TEST_PROGRAMS += $(BUILD)/tests/test_messages
TEST_NEEDS    += $(BUILD)/tests/replay_glue
LINT_NEEDS    += $(FW_NEEDS_emp)

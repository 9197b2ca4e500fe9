# SPDX-License-Identifier: MIT
# Programs of these tests that are a part of the tree: threads over libemp, with ThreadSanitizer.
THREADS_TEST    := $(BUILD)/tests/threads
THREADS_SOURCES := tests/tools/threads.c $(filter-out host/board/sim.c,$(HOST_LIBRARY_SOURCES))
$(THREADS_TEST): $(THREADS_SOURCES) $(wildcard host/board/*.h host/emp/*.h) $(HOST_LAYOUT) FORCE
	$(call make_file,CC,"tests/tools/threads.c (ThreadSanitizer)",\
	    $(CC) $(CSTD) $(WARNINGS) -O1 -g -fsanitize=thread $(INCLUDES) -o $@ $(THREADS_SOURCES) -lelf -lz -lpthread)

# The command of this profile, too: what is installed is of another one.
TEST_NEEDS += $(THREADS_TEST) $(FIRMWARE)/emp_a.bin $(EMP_TOOL)

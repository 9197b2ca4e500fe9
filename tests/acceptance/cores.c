/* SPDX-License-Identifier: MIT */
/* tigon2.md 15 items 1 to 4: cores, memory, stack window, semaphore. */
#include "tests/acceptance/acceptance.h"

struct single {
    struct test *test;
    const char *image;
};

static int run_single(struct tigon_host *host, void *argument) {
    const struct single *single = argument;
    run_image(single->test, host, single->image);
    return 0;
}

static void one_board(struct test *test, const char *image, const char *const *knobs) {
    struct single single = {test, image};
    world_make(test, 1, knobs);
    (void)tigon_host_start(host_of(test, 0), image, run_single, &single);
    world_run(test, 200);
    world_end(test);
}

static void test_dispatch(struct test *test) {
    one_board(test, "dispatch", NULL);
}

static void test_branch(struct test *test) {
    one_board(test, "branch", NULL);
}

static int host_of_halt(struct tigon_host *host, void *context) {
    struct test *test = context;
    load(host, "halt");
    argument(host, 0, 0);
    start(host);
    wait_stopped(host, 0x140);
    const uint32_t pc = tigon_host_read32(host, 0x144);
    note(test, "state after HALT 0x%08X", tigon_host_read32(host, 0x140));
    note(test, "stopped: the core stays where it is, %s",
         pc == tigon_host_read32(host, 0x144) ? "yes" : "no");
    print_log(test, host);
    tigon_host_write32(host, 0x144, pc + 4);
    tigon_host_write32(host, 0x140, 0);
    wait_stopped(host, 0x140);
    print_log(test, host);

    load(host, "halt");
    argument(host, 0, 12);
    start(host);
    tigon_host_sleep_ns(host, 20000);
    note(test, "running: state 0x%08X", tigon_host_read32(host, 0x140));
    tigon_host_write32(host, 0x144, 0x8000);
    note(test, "a program counter written now is %s",
         tigon_host_read32(host, 0x144) == 0x8000 ? "taken" : "ignored");
    tigon_host_write32(host, 0x140, 1u << 16);
    note(test, "halted by the host: state 0x%08X", tigon_host_read32(host, 0x140));
    tigon_host_write32(host, 0x144, 0x8000);
    note(test, "a program counter written now is %s",
         tigon_host_read32(host, 0x144) == 0x8000 ? "taken" : "ignored");
    note(test, "$gp of A is 0x%08X", tigon_host_read32(host, 0x1F0));
    tigon_host_write32(host, 0x1F0, 1);
    note(test, "and after a write 0x%08X", tigon_host_read32(host, 0x1F0));
    return 0;
}

static void test_halt(struct test *test) {
    world_make(test, 1, NULL);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_halt, test);
    world_run(test, 200);
}

static int host_of_faults(struct tigon_host *host, void *context) {
    static const struct {
        const char *what;
        uint32_t selector, address;
    } faults[] = {
        {"MULT", 1, 0},
        {"LWL", 2, 0},
        {"SYSCALL", 3, 0},
        {"MFC0", 4, 0},
        {"word store to an odd half", 5, 0},
        {"load where nothing is", 6, 0},
        {"jump where nothing is", 7, 0},
        {"load from the null page, checked", 8, 0x7C},
        {"load behind the null page", 8, 0x80},
        {"jump into the null page, checked", 9, 0},
        {"byte load of a register", 10, 0},
        {"half-word store to a register", 11, 0},
        {"jump to an odd address", 13, 0},
    };
    struct test *test = context;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        load(host, "halt");
        argument(host, 0, faults[i].selector);
        argument(host, 1, faults[i].address);
        start(host);
        wait_stopped(host, 0x140);
        note(test, "%-34s state 0x%08X", faults[i].what, tigon_host_read32(host, 0x140));
    }
    return 0;
}

static void test_faults(struct test *test) {
    world_make(test, 1, (const char *const[]){"stop_on_fault=0", NULL});
    (void)tigon_host_start(host_of(test, 0), "host", host_of_faults, test);
    world_run(test, 200);
}

static void test_probe(struct test *test) {
    static const char *const sizes[] = {"sram_bytes=512K", "sram_bytes=1024K", "sram_bytes=2048K"};
    for (unsigned i = 0; i < 3; i++) {
        note(test, "%s", sizes[i]);
        one_board(test, "probe", (const char *const[]){sizes[i], NULL});
    }
}

static void test_stack(struct test *test) {
    one_board(test, "stack", NULL);
}

static void test_lock(struct test *test) {
    one_board(test, "lock", NULL);
}

const struct acceptance core_tests[] = {
    {"15.1", "ISA: dispatch through a table by PRI and JOFF", "dispatch", test_dispatch},
    {"15.1", "ISA: branch-likely nullifies, loaded values are there at once", "branch",
     test_branch},
    {"15.1", "HALT sets bit 18 of HW[140], stop and go by the host", "halt", test_halt},
    {"3.7", "what stops a core, and with which status bit", "faults", test_faults},
    {"15.2", "the alias probe finds 512 kB, 1 MB and 2 MB", "probe", test_probe},
    {"15.3", "stack window: below the scratchpad stacks go on in SRAM", "stack", test_stack},
    {"15.4", "semaphore: lock, contend, release, foreign write ignored", "lock", test_lock},
    {NULL, NULL, NULL, NULL},
};

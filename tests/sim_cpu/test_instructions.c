/* SPDX-License-Identifier: MIT */
/* What instructions do, and what stops a core: tigon2.md 1.2, 1.3, 2.1, 3.7. */
#include "tests/sim_cpu/fixture.h"

#include <errno.h>
#include <string.h>

static int make(void **state) {
    *state = fixture_make(1u << 20, NULL);
    return 0;
}
static int unmake(void **state) {
    fixture_destroy(*state);
    return 0;
}

static void expect_halt(struct fixture *f, uint32_t address) {
    assert_int_equal(fixture_run(f, address), TIGON_CPU_HALTED);
}

static void expect_fault(struct fixture *f, uint32_t status, uint32_t pc) {
    assert_int_equal(fixture_run(f, SCRATCH), TIGON_CPU_FAULTED);
    assert_int_equal(tigon_cpu_state_read(&f->cores[0]) & TIGON_CPU_STATE_FAULTS, status);
    assert_int_equal(f->cores[0].pc, pc);
    assert_int_equal(tigon_cpu_run(&f->cores[0], UINT64_MAX), TIGON_CPU_FAULTED);
}

static void delay_slot_is_executed_before_the_target(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, SCRATCH, BEQ(ZERO, ZERO, 3), ADDIU(T0, ZERO, 5), ADDIU(T0, T0, 100), NOP,
          ADDIU(T1, T0, 1), HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].gpr[T0], 5);
    assert_int_equal(f->cores[0].gpr[T1], 6);
}

static void jump_register_reads_before_its_slot(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, SCRATCH, LUI(T0, 0x00C0), ORI(T0, T0, 0x20), JALR(T0, T0), ADDIU(T1, T0, 0));
    PLACE(f, 0, SCRATCH + 0x20, HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].pc, SCRATCH + 0x20);
    assert_int_equal(f->cores[0].gpr[T1], SCRATCH + 0x10); /* the link, written by JALR */
}

static void branch_likely_nullifies_only_when_not_taken(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, SCRATCH, BEQL(ZERO, ZERO, 2), ADDIU(T0, ZERO, 1), HALT, /* target */
          BNEL(ZERO, ZERO, 5), ADDIU(T1, ZERO, 1), HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].gpr[T0], 1);
    assert_int_equal(f->cores[0].gpr[T1], 0);
    assert_int_equal(f->cores[0].statistics.instructions, 4);
    assert_int_equal(f->cores[0].cycle, 5); /* the nullified slot costs a cycle */
}

static void linking_branch_links_even_when_not_taken(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, SCRATCH, BLTZALL(ZERO, 5), ADDIU(T0, ZERO, 1), HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].gpr[RA], SCRATCH + 8);
    assert_int_equal(f->cores[0].gpr[T0], 0);
    PLACE(f, 0, SCRATCH + 0x40, ADDIU(RA, ZERO, 1), BGEZAL(RA, 2), NOP, HALT, HALT);
    expect_halt(f, SCRATCH + 0x40);
    assert_int_equal(f->cores[0].pc, SCRATCH + 0x50);
    assert_int_equal(f->cores[0].gpr[RA], SCRATCH + 0x4C);
}

static void register_zero_stays_zero(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, SCRATCH, LUI(T0, 0x00C0), LW(ZERO, 0, T0), ADDIU(ZERO, ZERO, 7),
          ADDU(T1, ZERO, ZERO), HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].gpr[0], 0);
    assert_int_equal(f->cores[0].gpr[T1], 0);
    assert_int_equal(f->cores[0].statistics.load_use_stalls, 0);
}

static void priority_encode_and_table_jump_dispatch(void **state) {
    struct fixture *f = *state;
    /* The very words of tigon2.md 1.3. */
    assert_int_equal(PRI(V0, V1, S4), 0x0074100B);
    assert_int_equal(JOFF(S2, V0), 0x0242000A);
    for (unsigned n = 0; n <= 32; n++) {
        uint32_t table = SCRATCH + 0x100;
        struct tigon_cpu *cpu = &f->cores[0];
        PLACE(f, 0, SCRATCH, 0x0074100B, 0x0242000A, ADDIU(RA, ZERO, 0x77));
        for (unsigned slot = 0; slot <= 32; slot++)
            PLACE(f, 0, table + 8 * slot, HALT, HALT);
        cpu->gpr[S2] = table;
        cpu->gpr[S4] = 0xFFFFFFFF;
        /* Bit n-1 and everything below it: the most significant one wins. */
        cpu->gpr[V1] = n == 0 ? 0 : (uint32_t)((UINT64_C(1) << n) - 1);
        expect_halt(f, SCRATCH);
        assert_int_equal(cpu->gpr[V0], n);
        assert_int_equal(cpu->pc, table + 8 * n);
        assert_int_equal(cpu->gpr[RA], 0x77);
    }
    /* The mask decides. */
    PLACE(f, 0, SCRATCH, PRI(V0, V1, S4), HALT);
    f->cores[0].gpr[V1] = 0x80000010;
    f->cores[0].gpr[S4] = 0x7FFFFFFF;
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].gpr[V0], 5);
}

static void narrow_loads_extend_and_narrow_stores_keep_neighbours(void **state) {
    struct fixture *f = *state;
    for (unsigned place = 0; place < 2; place++) {
        uint32_t data = place ? SCRATCH + 0x1000 : 0x00001000;
        PLACE(f, 0, data, 0x8182F3F4, 0x11223344);
        PLACE(f, 0, SCRATCH, LUI(A0, data >> 16), ORI(A0, A0, data & 0xFFFF), LB(T0, 1, A0),
              LBU(T1, 1, A0), LH(T2, 2, A0), LHU(T3, 2, A0), SB(T3, 5, A0), SH(T0, 6, A0), HALT);
        expect_halt(f, SCRATCH);
        assert_int_equal(f->cores[0].gpr[T0], 0xFFFFFF82);
        assert_int_equal(f->cores[0].gpr[T1], 0x82);
        assert_int_equal(f->cores[0].gpr[T2], 0xFFFFF3F4);
        assert_int_equal(f->cores[0].gpr[T3], 0xF3F4);
        assert_int_equal(fixture_word(f, 0, data + 4), 0x11F4FF82);
    }
}

static void break_halts_with_bit_18_and_stays(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, SCRATCH, NOP, HALT, ADDIU(T0, ZERO, 1), HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(tigon_cpu_state_read(&f->cores[0]),
                     TIGON_CPU_STATE_HALT_EXECUTED | TIGON_CPU_STATE_HALTED);
    assert_int_equal(f->cores[0].pc, SCRATCH + 4);
    /* A driver starts with "state & ~(halt | step)", which leaves bit 18 in the word written. */
    tigon_cpu_set_pc(&f->cores[0], SCRATCH + 8);
    tigon_cpu_state_write(&f->cores[0], TIGON_CPU_STATE_HALT_EXECUTED, 100);
    assert_int_equal(tigon_cpu_state_read(&f->cores[0]), 0);
    assert_int_equal(tigon_cpu_run(&f->cores[0], 1000), TIGON_CPU_HALTED);
    assert_int_equal(f->cores[0].gpr[T0], 1);
    assert_int_equal(f->cores[0].cycle, 102);
}

/* Every MIPS II instruction the chip lacks, and some of later processors: each stops the core
 * before it does anything, and is called by its name. */
static void absent_instructions_are_invalid(void **state) {
    struct fixture *f = *state;
    static const struct {
        uint32_t word;
        const char *name;
    } cases[] = {
        {0x00851018, "MULT "},
        {0x00850019, "MULTU "},
        {0x0085001A, "DIV "},
        {0x0085001B, "DIVU "},
        {0x00001010, "MFHI "},
        {0x00001012, "MFLO "},
        {0x00800011, "MTHI "},
        {0x00800013, "MTLO "},
        {0x88820000, "LWL "},
        {0x98820000, "LWR "},
        {0xA8820000, "SWL "},
        {0xB8820000, "SWR "},
        {0xC0820000, "LL "},
        {0xE0820000, "SC "},
        {0x0000000F, "SYNC "},
        {0x0000000C, "SYSCALL "},
        {0x00850030, "TGE "},
        {0x00850031, "TGEU "},
        {0x00850032, "TLT "},
        {0x00850033, "TLTU "},
        {0x00850034, "TEQ "},
        {0x00850036, "TNE "},
        {0x04880000, "TGEI "},
        {0x04890000, "TGEIU "},
        {0x048A0000, "TLTI "},
        {0x048B0000, "TLTIU "},
        {0x048C0000, "TEQI "},
        {0x048E0000, "TNEI "},
        {0x40026000, "a COP0 "},
        {0x44020000, "a COP1 "},
        {0x48000000, "a COP2 "},
        {0x4C000000, "a COP3 "},
        {0x42000018, "ERET "},
        {0x0085102D, "DADDU "},
        {0x64820001, "DADDIU "},
        {0xDC820000, "LD "},
        {0xFC820000, "SD "},
        {0x00041038, "DSLL "},
        {0xC4820000, "LWC1 "},
        {0xC8820000, "LWC2 "},
        {0xD4820000, "LDC1 "},
        {0xE4820000, "SWC1 "},
        {0xF4820000, "SDC1 "},
        {0x70851002, "MUL "},
        {0x7C0410A0, "a MIPS32 "},
        {0xBC800000, "CACHE "},
        {0xCC800000, "PREF "},
        {0x0085104B, "MOVN "},
        {0x0085080A, "MOVZ "},
        {0x9C820000, "LWU "},
        {0x18850000, "0x18850000 at "},
        {0x5C850000, "0x5C850000 at "},
        {0x04840000, "0x04840000 at "},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TIGON_FAULT_TEXT_BYTES];
        f->cores[0].gpr[A0] = 0x1000;
        PLACE(f, 0, SCRATCH, NOP, cases[i].word, HALT);
        expect_fault(f, TIGON_CPU_STATE_BAD_INSTRUCTION, SCRATCH + 4);
        tigon_cpu_explain_fault(&f->cores[0], text);
        assert_memory_equal(text, cases[i].name, strlen(cases[i].name));
        assert_non_null(strstr(text, "at 0x00C00004"));
    }
}

static void faults_are_explained(void **state) {
    struct fixture *f = *state;
    char text[TIGON_FAULT_TEXT_BYTES];
    struct tigon_cpu *cpu = &f->cores[0];
    tigon_cpu_explain_fault(cpu, text);
    assert_string_equal(text, "");
    cpu->gpr[A0] = 0x00001002;
    PLACE(f, 0, SCRATCH, LW(T0, 4, A0));
    expect_fault(f, TIGON_CPU_STATE_MISALIGNED, SCRATCH);
    tigon_cpu_explain_fault(cpu, text);
    assert_string_equal(text, "LW at 0x00C00000 accesses 0x00001006, which is no multiple of 4");
    cpu->gpr[A0] = 0xC0000060;
    PLACE(f, 0, SCRATCH, SB(T0, 0, A0));
    expect_fault(f, TIGON_CPU_STATE_BAD_DATA_ADDRESS, SCRATCH);
    tigon_cpu_explain_fault(cpu, text);
    assert_string_equal(text, "SB at 0x00C00000 accesses 0xC0000060, a chip register, which takes "
                              "32-bit accesses only");
    cpu->gpr[T0] = 0x7FFFFFFF;
    PLACE(f, 0, SCRATCH, ADDI(T1, T0, 1));
    expect_fault(f, TIGON_CPU_STATE_BAD_INSTRUCTION, SCRATCH);
    tigon_cpu_explain_fault(cpu, text);
    assert_memory_equal(text, "ADDI overflows at 0x00C00000", 28);
    cpu->gpr[A0] = 0x00C00002;
    PLACE(f, 0, SCRATCH, JR(A0), NOP);
    expect_fault(f, TIGON_CPU_STATE_MISALIGNED, 0x00C00002);
    tigon_cpu_explain_fault(cpu, text);
    assert_string_equal(text, "jump to 0x00C00002, which is no multiple of 4; $a0 has this value");
}

/* tigon2.md does not say what a branch in a delay slot does; MIPS leaves it open. Here targets
 * count from the instruction's own address, and one instruction at the first target is executed. */
static void a_branch_in_a_delay_slot_takes_one_instruction_of_the_first_target(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, SCRATCH, BEQ(ZERO, ZERO, 9), BEQ(ZERO, ZERO, 16), ADDIU(T2, ZERO, 1));
    PLACE(f, 0, SCRATCH + 40, ADDIU(T0, T0, 1), ADDIU(T0, T0, 16));
    PLACE(f, 0, SCRATCH + 72, ADDIU(T1, ZERO, 7), HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].gpr[T0], 1);
    assert_int_equal(f->cores[0].gpr[T1], 7);
    assert_int_equal(f->cores[0].gpr[T2], 0);
    assert_int_equal(f->cores[0].pc, SCRATCH + 76);
    /* A link from there is to what follows the slot, wherever that was executed. */
    PLACE(f, 0, SCRATCH, J(SCRATCH + 0x80), JAL(SCRATCH + 0xC0));
    PLACE(f, 0, SCRATCH + 0x80, NOP, HALT);
    PLACE(f, 0, SCRATCH + 0xC0, HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].pc, SCRATCH + 0xC0);
    assert_int_equal(f->cores[0].gpr[RA], SCRATCH + 12);
}

/* The core stands at the slot, knows where the branch goes, and goes there when it is mended. */
static void a_fault_in_a_delay_slot_can_be_mended(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *cpu = &f->cores[0];
    const struct {
        uint32_t slot, status;
    } cases[] = {{0x00851018, TIGON_CPU_STATE_BAD_INSTRUCTION},
                 {LW(T1, 1, A1), TIGON_CPU_STATE_MISALIGNED},
                 {SW(T1, 0, S0), TIGON_CPU_STATE_BAD_DATA_ADDRESS}};
    cpu->gpr[S0] = 0x00900000;
    cpu->gpr[A1] = SCRATCH;
    for (unsigned i = 0; i < 3; i++) {
        cpu->gpr[T0] = 0;
        cpu->gpr[RA] = 0;
        PLACE(f, 0, SCRATCH, JAL(SCRATCH + 0x40), cases[i].slot, HALT);
        PLACE(f, 0, SCRATCH + 0x40, ADDIU(T0, T0, 1), HALT);
        expect_fault(f, cases[i].status, SCRATCH + 4);
        assert_int_equal(cpu->npc, SCRATCH + 0x40);
        assert_int_equal(cpu->gpr[RA], SCRATCH + 8);
        PLACE(f, 0, SCRATCH + 4, ADDIU(T0, T0, 4));
        tigon_cpu_state_write(cpu, 0, cpu->cycle);
        assert_int_equal(tigon_cpu_run(cpu, cpu->cycle + 1000), TIGON_CPU_HALTED);
        assert_int_equal(cpu->gpr[T0], 5);
        assert_int_equal(cpu->pc, SCRATCH + 0x44);
    }
    /* HALT in a slot, likewise. */
    PLACE(f, 0, SCRATCH, BEQ(ZERO, ZERO, 15), HALT);
    expect_halt(f, SCRATCH);
    assert_int_equal(cpu->pc, SCRATCH + 4);
    assert_int_equal(cpu->npc, SCRATCH + 0x40);
    /* The slot of a branch-likely that is not taken never faults. */
    PLACE(f, 0, SCRATCH, BNEL(ZERO, ZERO, 3), 0x00851018, HALT);
    expect_halt(f, SCRATCH);
}

static void signed_overflow_is_invalid_and_writes_nothing(void **state) {
    struct fixture *f = *state;
    f->cores[0].gpr[T0] = 0x7FFFFFFF;
    f->cores[0].gpr[T1] = 0x80000000;
    PLACE(f, 0, SCRATCH, ADDI(T2, T0, -1), ADD(T3, T0, T1), ADD(T4, T0, T0));
    expect_fault(f, TIGON_CPU_STATE_BAD_INSTRUCTION, SCRATCH + 8);
    assert_int_equal(f->cores[0].gpr[T2], 0x7FFFFFFE);
    assert_int_equal(f->cores[0].gpr[T3], 0xFFFFFFFF);
    assert_int_equal(f->cores[0].gpr[T4], 0);
    PLACE(f, 0, SCRATCH, SUB(T4, T1, T0));
    expect_fault(f, TIGON_CPU_STATE_BAD_INSTRUCTION, SCRATCH);
    PLACE(f, 0, SCRATCH, ADDI(T4, T1, -1));
    expect_fault(f, TIGON_CPU_STATE_BAD_INSTRUCTION, SCRATCH);
}

static void misaligned_accesses_fault(void **state) {
    struct fixture *f = *state;
    static const uint32_t bases[] = {0x00001000, SCRATCH + 0x1000, 0x00BF8000, 0xC0000060};
    for (unsigned i = 0; i < 4; i++) {
        f->cores[0].gpr[A0] = bases[i];
        PLACE(f, 0, SCRATCH, LW(T0, 2, A0), HALT);
        expect_fault(f, TIGON_CPU_STATE_MISALIGNED, SCRATCH);
        PLACE(f, 0, SCRATCH, NOP, SH(T0, 1, A0), HALT);
        expect_fault(f, TIGON_CPU_STATE_MISALIGNED, SCRATCH + 4);
    }
    f->cores[0].gpr[A0] = SCRATCH + 6;
    PLACE(f, 0, SCRATCH, JR(A0), NOP, HALT);
    expect_fault(f, TIGON_CPU_STATE_MISALIGNED, SCRATCH + 6);
}

static void bad_addresses_fault(void **state) {
    struct fixture *f = *state;
    static const uint32_t data[] = {0x00800000, 0x00BEFFFC, 0x00C04000, 0x40004000, 0x7FFFFFFC,
                                    0x80100000, 0xBFFFFFFC, 0xC0000400, 0xFFFFFFFC};
    for (unsigned i = 0; i < sizeof data / sizeof data[0]; i++) {
        f->cores[0].gpr[A0] = data[i];
        PLACE(f, 0, SCRATCH, LW(T0, 0, A0), HALT);
        expect_fault(f, TIGON_CPU_STATE_BAD_DATA_ADDRESS, SCRATCH);
        PLACE(f, 0, SCRATCH, SB(T0, 0, A0), HALT);
        expect_fault(f, TIGON_CPU_STATE_BAD_DATA_ADDRESS, SCRATCH);
    }
    /* Registers take 32-bit accesses only. */
    f->cores[0].gpr[A0] = 0xC0000060;
    PLACE(f, 0, SCRATCH, LHU(T0, 0, A0), HALT);
    expect_fault(f, TIGON_CPU_STATE_BAD_DATA_ADDRESS, SCRATCH);
    PLACE(f, 0, SCRATCH, SB(T0, 0, A0), HALT);
    expect_fault(f, TIGON_CPU_STATE_BAD_DATA_ADDRESS, SCRATCH);
    static const uint32_t text[] = {0x00800000, 0x00BFFFF0, 0x00C04000,
                                    0x40004000, 0x80000000, 0xC0000060};
    for (unsigned i = 0; i < sizeof text / sizeof text[0]; i++) {
        f->cores[0].gpr[A0] = text[i];
        PLACE(f, 0, SCRATCH, JR(A0), NOP);
        expect_fault(f, TIGON_CPU_STATE_BAD_FETCH_ADDRESS, text[i]);
    }
    /* B has half of A's scratchpad. */
    f->cores[1].gpr[A0] = SCRATCH + 0x2000;
    PLACE(f, 1, SCRATCH, LW(T0, -4, A0), LW(T0, 0, A0));
    tigon_cpu_start(&f->cores[1], SCRATCH, 0);
    assert_int_equal(tigon_cpu_run(&f->cores[1], 100), TIGON_CPU_FAULTED);
    assert_int_equal(f->cores[1].pc, SCRATCH + 4);
}

static void null_page_faults_only_when_enabled(void **state) {
    struct fixture *f = *state;
    PLACE(f, 0, 0, HALT);
    PLACE(f, 0, SCRATCH, LW(T0, 0x7C, ZERO), SW(T0, 0x7C, ZERO), JR(ZERO), NOP);
    expect_halt(f, SCRATCH);
    assert_int_equal(f->cores[0].pc, 0);
    tigon_cpu_state_write(&f->cores[0], TIGON_CPU_STATE_HALTED | TIGON_CPU_STATE_NULL_PAGE, 0);
    expect_fault(f, TIGON_CPU_STATE_NULL_DATA, SCRATCH);
    PLACE(f, 0, SCRATCH, LW(T0, 0x80, ZERO), SB(T0, 0x7F, ZERO));
    expect_fault(f, TIGON_CPU_STATE_NULL_DATA, SCRATCH + 4);
    PLACE(f, 0, SCRATCH, JR(ZERO), NOP);
    expect_fault(f, TIGON_CPU_STATE_NULL_FETCH, 0);
    assert_true(tigon_cpu_state_read(&f->cores[0]) & TIGON_CPU_STATE_NULL_PAGE);
}

static void stack_window_is_relocated_sram(void **state) {
    struct fixture *f = *state;
    uint32_t relocation = 0x00BFF000 - 0x12F000; /* spill area at 0x12F000 of the 2 MB space */
    f->cores[0].gpr[A0] = 0xC0000000;
    f->cores[0].gpr[A1] = relocation;
    f->cores[0].gpr[SP] = SCRATCH;
    f->cores[0].gpr[T0] = 0xDEADBEEF;
    PLACE(f, 0, SCRATCH + 0x100, SW(A1, 0x150, A0), SW(T0, -16, SP), LHU(T1, -14, SP), HALT);
    expect_halt(f, SCRATCH + 0x100);
    assert_int_equal(f->cores[0].gpr[T1], 0xBEEF);
    uint32_t where = (0x00BFFFF0 - relocation) & 0x1FFFFF;
    assert_int_equal(where, 0x12FFF0);
    assert_int_equal(tigon_memory_read32(&f->memory, where & 0xFFFFF), 0xDEADBEEF);
    assert_int_equal(fixture_word(f, 0, 0x00BFFFF0), 0xDEADBEEF);
}

/* The probe of tigon2.md 2.2, as a program. */
static void memory_probe_finds_each_size(void **state) {
    (void)state;
    for (uint32_t size = 512u << 10; size <= 2048u << 10; size *= 2) {
        struct fixture *f = fixture_make(size, NULL);
        PLACE(f, 0, SCRATCH, LUI(T0, 0x0004), /* s = 256 kB */
              LUI(T1, 0x5A5A),
              /* loop */ SW(T1, 0, T0), SLL(T2, T0, 1), SW(ZERO, 0, T2), SW(T1, 0, T0),
              LW(T3, 0, T2), NOP, BNE(T3, T1, -7), SLL(T0, T0, 1), HALT);
        /* Leaves with T0 one doubling too far, because the slot is always executed. */
        expect_halt(f, SCRATCH);
        assert_int_equal(f->cores[0].gpr[T0] / 2, size);
        fixture_destroy(f);
    }
    struct tigon_memory memory;
    assert_int_equal(tigon_memory_initialise(&memory, 1u << 18), -EINVAL);
}

static void block_copies_wrap_at_the_fitted_size(void **state) {
    struct fixture *f = *state;
    uint8_t in[16], out[16];
    for (uint8_t i = 0; i < 16; i++)
        in[i] = (uint8_t)(0xA0 + i);
    tigon_memory_write(&f->memory, 0x1FFFF8, in, 16); /* 2 MB space on 1 MB */
    tigon_memory_read(&f->memory, 0x0FFFF8, out, 16);
    assert_memory_equal(in, out, 16);
    assert_int_equal(tigon_memory_read32(&f->memory, 0x3FFFFF), 0xA4A5A6A7);
    assert_int_equal(tigon_memory_read32(&f->memory, 0), 0xA8A9AAAB);
}

static void new_text_is_seen_without_cache_instructions(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *cpu = &f->cores[0];
    /* Scratchpad text written by the core itself, once already executed. */
    PLACE(f, 0, SCRATCH + 0x100, ADDIU(T0, T0, 1), JR(RA), NOP);
    PLACE(f, 0, SCRATCH, JAL(SCRATCH + 0x100), LUI(A0, 0x00C0), SW(S0, 0x100, A0),
          JAL(SCRATCH + 0x100), NOP, HALT);
    cpu->gpr[S0] = ADDIU(T0, T0, 100);
    expect_halt(f, SCRATCH);
    assert_int_equal(cpu->gpr[T0], 101);
    /* SRAM text, in another line and in the line being executed. */
    PLACE(f, 0, 0x2000, JAL(0x2100), NOP, SW(S0, 0x2100, ZERO), SW(S0, 0x201C, ZERO), JAL(0x2100),
          NOP, NOP, NOP, HALT);
    PLACE(f, 0, 0x2100, ADDIU(T0, T0, 1), JR(RA), NOP);
    cpu->gpr[T0] = 0;
    expect_halt(f, 0x2000);
    assert_int_equal(cpu->gpr[T0], 201);
    /* Host and DMA writes while the core is halted elsewhere. */
    uint8_t bytes[4];
    tigon_store_be32(bytes, ADDIU(T0, ZERO, 3));
    tigon_memory_write(&f->memory, 0x2100, bytes, 4);
    tigon_memory_scratchpad_write32(&f->memory, 0, SCRATCH, ADDIU(T1, ZERO, 4));
    tigon_memory_scratchpad_write32(&f->memory, 0, SCRATCH + 4, HALT);
    PLACE(f, 0, 0x2200, JAL(0x2100), NOP, HALT);
    expect_halt(f, 0x2200);
    assert_int_equal(cpu->gpr[T0], 3);
    expect_halt(f, SCRATCH);
    assert_int_equal(cpu->gpr[T1], 4);
}

static void line_keeps_its_text_until_refilled_or_invalidated(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *cpu = &f->cores[0];
    PLACE(f, 0, 0x2000, ADDIU(T0, T0, 1), BEQ(ZERO, ZERO, -2), NOP);
    tigon_cpu_start(cpu, 0x2000, 0);
    tigon_cpu_run(cpu, 100);
    PLACE(f, 0, 0x2000, HALT);
    assert_int_equal(tigon_cpu_run(cpu, 200), TIGON_CPU_HORIZON);
    tigon_cpu_invalidate(cpu, 0x2040, 64);
    assert_int_equal(tigon_cpu_run(cpu, 300), TIGON_CPU_HORIZON);
    assert_int_equal(cpu->statistics.instruction_line_misses, 1);
    tigon_cpu_invalidate(cpu, 0x102004, 1); /* an alias of it on 1 MB */
    assert_int_equal(tigon_cpu_run(cpu, 1000), TIGON_CPU_HALTED);
    /* Also from inside a register access of the core itself. */
    cpu->gpr[A0] = TIGON_REGISTERS;
    cpu->gpr[A1] = 0x2008;
    PLACE(f, 0, 0x2000, SW(A1, PATCH, A0), NOP, NOP, BEQ(ZERO, ZERO, -1), NOP);
    assert_int_equal(fixture_run(f, 0x2000), TIGON_CPU_HALTED);
    assert_int_equal(cpu->pc, 0x2008);
}

static void reset_state_and_control_by_the_other_core(void **state) {
    struct fixture *f = *state;
    assert_int_equal(tigon_cpu_state_read(&f->cores[0]), 1u << 16 | 1u << 18);
    assert_int_equal(tigon_cpu_state_read(&f->cores[1]), 1u << 16 | 1u << 4);
    /* A starts B by writing 0 to HW[240], later halts it, then itself. */
    f->cores[0].gpr[A0] = 0xC0000000;
    f->cores[0].gpr[T0] = 0x10000;
    PLACE(f, 1, SCRATCH, ADDIU(T0, T0, 1), BEQ(ZERO, ZERO, -2), NOP);
    PLACE(f, 0, SCRATCH, SW(ZERO, 0x240, A0), NOP, NOP, NOP, SW(T0, 0x240, A0), SW(T0, 0x140, A0),
          ADDIU(T1, ZERO, 1), HALT);
    tigon_cpu_set_pc(&f->cores[1], SCRATCH);
    tigon_cpu_set_run_ahead(&f->cores[1], 0);
    assert_true(tigon_cpu_start(&f->cores[0], SCRATCH, 0));
    assert_false(tigon_cpu_start(&f->cores[0], SCRATCH + 0x40, 0));
    assert_int_equal(tigon_cpu_run_pair(&f->cores[0], &f->cores[1], 1000), 1000);
    assert_int_equal(tigon_cpu_state_read(&f->cores[1]), TIGON_CPU_STATE_HALTED);
    assert_int_equal(tigon_cpu_state_read(&f->cores[0]), TIGON_CPU_STATE_HALTED);
    assert_int_equal(f->cores[1].statistics.instructions, 4);
    assert_int_equal(f->cores[0].gpr[T1], 0);
    assert_int_equal(f->cores[0].pc, SCRATCH + 0x18);
    tigon_cpu_state_write(&f->cores[0], 0, 2000);
    assert_int_equal(tigon_cpu_run(&f->cores[0], 3000), TIGON_CPU_HALTED);
    assert_int_equal(f->cores[0].gpr[T1], 1);
    tigon_cpu_state_write(&f->cores[1], TIGON_CPU_STATE_RESET, 3000);
    assert_int_equal(tigon_cpu_state_read(&f->cores[1]), 1u << 16 | 1u << 4);
    /* A running core ignores a write of its PC. */
    tigon_cpu_set_pc(&f->cores[1], SCRATCH);
    tigon_cpu_start(&f->cores[1], SCRATCH, 3000);
    tigon_cpu_set_pc(&f->cores[1], 0x1234);
    assert_int_equal(f->cores[1].pc, SCRATCH);
}

static void steps_do_a_branch_with_its_slot(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *cpu = &f->cores[0];
    PLACE(f, 0, SCRATCH, ADDIU(T0, ZERO, 1), BEQ(ZERO, ZERO, 2), ADDIU(T0, T0, 1), NOP,
          ADDIU(T0, T0, 1), HALT);
    assert_int_equal(tigon_cpu_step(cpu), TIGON_CPU_HALTED);
    tigon_cpu_start(cpu, SCRATCH, 0);
    static const uint32_t then[] = {4, 16, 20};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(tigon_cpu_step(cpu), TIGON_CPU_STEPPED);
        assert_int_equal(cpu->pc, SCRATCH + then[i]);
        assert_int_equal(cpu->gpr[T0], i + 1);
    }
    assert_int_equal(tigon_cpu_step(cpu), TIGON_CPU_HALTED);
    /* The same through state bit 1, however short the horizons are. */
    for (uint64_t horizon = 100;; horizon++) {
        if (horizon == 100) {
            tigon_cpu_set_pc(cpu, SCRATCH + 4);
            tigon_cpu_state_write(cpu, TIGON_CPU_STATE_SINGLE_STEP, 100);
        }
        if (tigon_cpu_run(cpu, horizon) == TIGON_CPU_HALTED)
            break;
        assert_true(horizon < 110);
    }
    assert_int_equal(cpu->pc, SCRATCH + 16);
    assert_int_equal(tigon_cpu_state_read(cpu),
                     TIGON_CPU_STATE_HALTED | TIGON_CPU_STATE_SINGLE_STEP);
}

struct seen {
    unsigned count;
    uint32_t stop_at;
};
static bool observe(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct seen *seen = context;
    (void)core, (void)cycle;
    seen->count++;
    return pc == seen->stop_at;
}

static void observer_sees_each_instruction_once(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *cpu = &f->cores[0];
    struct seen seen = {0, SCRATCH + 8};
    PLACE(f, 0, SCRATCH, ADDIU(T0, ZERO, 3), LW(T1, 0x200, ZERO), ADDIU(T0, T0, -1),
          BNE(T0, ZERO, -3), NOP, HALT);
    tigon_cpu_set_observer(cpu, observe, &seen);
    tigon_cpu_start(cpu, SCRATCH, 0);
    unsigned stops = 0;
    enum tigon_cpu_stop stop = TIGON_CPU_HORIZON;
    for (uint64_t horizon = 1; stop != TIGON_CPU_HALTED; horizon += stop == TIGON_CPU_HORIZON) {
        stop = tigon_cpu_run(cpu, horizon);
        stops += stop == TIGON_CPU_BREAKPOINT;
        assert_true(horizon < 1000);
    }
    assert_int_equal(stops, 3);
    assert_int_equal(seen.count, cpu->statistics.instructions);
    assert_int_equal(seen.count, 2 + 4 * 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int instruction_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(delay_slot_is_executed_before_the_target),
        TEST(jump_register_reads_before_its_slot),
        TEST(branch_likely_nullifies_only_when_not_taken),
        TEST(linking_branch_links_even_when_not_taken),
        TEST(register_zero_stays_zero),
        TEST(priority_encode_and_table_jump_dispatch),
        TEST(narrow_loads_extend_and_narrow_stores_keep_neighbours),
        TEST(break_halts_with_bit_18_and_stays),
        TEST(absent_instructions_are_invalid),
        TEST(faults_are_explained),
        TEST(a_branch_in_a_delay_slot_takes_one_instruction_of_the_first_target),
        TEST(a_fault_in_a_delay_slot_can_be_mended),
        TEST(signed_overflow_is_invalid_and_writes_nothing),
        TEST(misaligned_accesses_fault),
        TEST(bad_addresses_fault),
        TEST(null_page_faults_only_when_enabled),
        TEST(stack_window_is_relocated_sram),
        TEST(memory_probe_finds_each_size),
        TEST(block_copies_wrap_at_the_fitted_size),
        TEST(new_text_is_seen_without_cache_instructions),
        TEST(line_keeps_its_text_until_refilled_or_invalidated),
        TEST(reset_state_and_control_by_the_other_core),
        TEST(steps_do_a_branch_with_its_slot),
        TEST(observer_sees_each_instruction_once),
    };
    return cmocka_run_group_tests_name("instructions", tests, NULL, NULL);
}

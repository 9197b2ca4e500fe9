/* SPDX-License-Identifier: MIT */
/*
 * Start and event loops of both cores. All text stays in SRAM; stacks are in the scratchpads.
 *
 * The event loop is that of tigon2.md 1.3: $s5 the loop, $s6 the table, $s7 the enabled events,
 * $gp the registers. C code leaves $gp alone (-G0) and saves $s5 and $s6; $s7 belongs to `enabled`.
 */
    .set noreorder
    .set noat

#define PRI_T1_T0_S7 .word 0x0117480B
#define JOFF_S6_T1   .word 0x02C9000A
#define TO(handler)  j handler; nop

    .section .start, "ax"
    .globl start_a
start_a:
    lui     $gp, 0xC000
    la      $sp, 0x00C03FE0
    li      $t0, 4                  /* a null pointer stops the core */
    sw      $t0, 0x140($gp)
    jal     initialise_a
    nop
    la      $s5, loop_a
    la      $s6, table_a
    .globl loop_a
loop_a:
    lw      $t0, 0x060($gp)
    PRI_T1_T0_S7
    JOFF_S6_T1
    move    $ra, $s5

    .globl start_b
start_b:
    lui     $gp, 0xC000
    la      $sp, 0x00C01FE0
    jal     initialise_b
    nop
    la      $s5, loop_b
    la      $s6, table_b
    .globl loop_b
loop_b:
    lw      $t0, 0x070($gp)
    PRI_T1_T0_S7
    JOFF_S6_T1
    move    $ra, $s5

    .globl nothing
nothing:
    jr      $ra
    nop

    .align 3
table_a:
    TO(nothing)
    .rept 9
    TO(nothing)
    .endr
    TO(buffers_are_wanted)          /* 9 */
    TO(nothing)
    TO(nothing)
    TO(nothing)
    TO(low_read_is_done)            /* 13 */
    TO(high_write_is_done)          /* 14 */
    TO(high_read_is_done)           /* 15 */
    TO(nothing)
    TO(nothing)
    TO(nothing)
    TO(dma_has_failed)              /* 19 */
    TO(dma_has_failed)              /* 20 */
    TO(nothing)
    TO(host_has_written)            /* 22 */
    TO(nothing)
    TO(frames_have_come)            /* 24 */
    TO(link_may_have_changed)       /* 25 */
    TO(nothing)
    TO(nothing)
    TO(time_a)                      /* 28 */

table_b:
    TO(nothing)
    .rept 6
    TO(nothing)
    .endr
    TO(frame_is_there)              /* 6 */
    TO(nothing)
    TO(nothing)
    TO(buffers_have_come)           /* 9 */
    TO(nothing)
    TO(nothing)
    TO(low_write_is_done)           /* 12 */
    .rept 15
    TO(nothing)
    .endr
    TO(time_b)                      /* 28 */

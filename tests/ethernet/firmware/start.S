/* SPDX-License-Identifier: MIT */
/*
 * Start of both cores, and the event loop of core A (tigon2.md 1.3): three instructions find the
 * most significant pending event and jump into a table of two instructions for each.
 *
 * $k1 holds the address of the registers, $s4 the mask of enabled events, $s2 the table: no C code
 * uses them otherwise.
 */
#include "tests/ethernet/firmware/registers.h"

    .set noreorder
    .section .start, "ax"

    .globl start_a
start_a:
    lui     $k1, 0xC000
    /* The stack begins low in the scratchpad and goes on in SRAM (tigon2.md 2.1). */
    li      $t0, 0x00BFF000
    la      $t1, spill_a
    subu    $t0, $t0, $t1
    sw      $t0, CPU_A_STACK($k1)
    li      $sp, 0x00C003F8
    /* Variables, in the scratchpad and in SRAM. */
    la      $t0, _bss_begin
    la      $t1, _bss_end
1:  sw      $zero, 0($t0)
    addiu   $t0, $t0, 4
    bne     $t0, $t1, 1b
    nop
    la      $t0, _sram_begin
    la      $t1, _sram_end
3:  sw      $zero, 0($t0)
    addiu   $t0, $t0, 4
    bne     $t0, $t1, 3b
    nop
    la      $t0, _data_load
    la      $t1, _data_begin
    la      $t2, _data_end
4:  beq     $t1, $t2, 5f
    lw      $t3, 0($t0)
    sw      $t3, 0($t1)
    addiu   $t1, $t1, 4
    b       4b
    addiu   $t0, $t0, 4
5:
    la      $t0, _fast_load
    la      $t1, _fast_begin
    la      $t2, _fast_end
2:  lw      $t3, 0($t0)
    sw      $t3, 0($t1)
    addiu   $t1, $t1, 4
    bne     $t1, $t2, 2b
    addiu   $t0, $t0, 4
    li      $s4, 0
    la      $s2, table
    jal     initialise
    addiu   $sp, $sp, -24
    la      $ra, loop
    j       loop
    nop

    .section .fast, "ax"
loop:
    lw      $t0, EVENT_A($k1)
    .word   0x0114100B              /* pri  $v0, $t0, $s4 */
    .word   0x0242000A              /* joff $s2, $v0 */
    nop
table:
    b       loop
    nop
    .irp    handler, unexpected, unexpected, unexpected, send_frames, fetch_sends, unexpected, take_received, show_leds
    j       \handler                /* events 0 to 7 */
    nop
    .endr
    .irp    handler, unexpected, fetch_buffers, unexpected, unexpected, unexpected, unexpected, writes_done, reads_done
    j       \handler                /* 8 to 15 */
    nop
    .endr
    .irp    handler, unexpected, unexpected, unexpected, write_attention, read_attention, unexpected, read_mailboxes, tell_sends
    j       \handler                /* 16 to 23 */
    nop
    .endr
    .irp    handler, tell_returns, receive_attention, transmit_attention, unexpected, tick, unexpected, unexpected, unexpected
    j       \handler                /* 24 to 31 */
    nop
    .endr

    .section .start, "ax"
    .globl start_b
start_b:
    lui     $k1, 0xC000
    la      $t0, _assist_load
    la      $t1, _assist_begin
    la      $t2, _assist_end
1:  lw      $t3, 0($t0)
    sw      $t3, 0($t1)
    addiu   $t1, $t1, 4
    bne     $t1, $t2, 1b
    addiu   $t0, $t0, 4
    li      $sp, 0x00C01FE0
    j       assist
    nop

    .section .spill, "aw", @nobits
    .globl spill_a
spill_a:
    .space  4096

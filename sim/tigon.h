/* SPDX-License-Identifier: MIT */
/*
 * The simulated Tigon2 world: boards, the hosts they sit in, and the wires between them.
 *
 * This header is the manual. A program that uses boards includes it and links
 * build/obj/sim/libtigon.a; it needs nothing else under sim/. Section numbers such as
 * "tigon2.md 6.1" refer to the chip reference.
 *
 *     // Runs inside the host, in virtual time.
 *     static int program(struct tigon_host *host, void *argument)
 *     {
 *         uint64_t page;
 *         void *memory = tigon_host_allocate(host, 4096, &page); // reachable by the board's DMA
 *         tigon_host_write32(host, 0x040, 0x08000008); // posted register write, costs host time
 *         ...
 *         return 0;
 *     }
 *
 *     struct tigon_knobs knobs;
 *     tigon_knobs_defaults(&knobs);
 *     tigon_knobs_set(&knobs, "wire_loss", "0.01");
 *     struct tigon_world *world = tigon_world_create(&knobs, 42); // seed of all random choices
 *     struct tigon_board *left = tigon_world_add_board(world);
 *     struct tigon_board *right = tigon_world_add_board(world);
 *     tigon_world_connect(world, left, right);
 *     tigon_host_start(tigon_board_host(left), "left", program, NULL);
 *     tigon_host_start(tigon_board_host(right), "right", program, NULL);
 *     // at most one simulated second
 *     if (tigon_world_run(world, 1000000000) != TIGON_END_FINISHED)
 *         fputs(tigon_world_report(world), stderr);
 *     tigon_world_destroy(world);
 *
 * Determinism: the same knobs, seed, programs and images give the same result to the tick, on every
 * machine. Nothing here depends on a clock, an address or an environment variable.
 *
 * Errors: functions that can fail return a negative errno value or NULL, as their comments state.
 * Misuse from which no caller can recover (out of memory, calling a host function outside its
 * program) prints a message and aborts.
 *
 * Threads: none are created. One thread at a time may use a world; different worlds share nothing
 * and may be used by different threads. Host functions marked [program] may only be called from
 * inside a running program.
 *
 * Units: times are nanoseconds unless the name says otherwise; offsets and lengths are bytes;
 * register and SRAM words are plain numbers (bit 0 least significant), never byte arrays.
 */
#ifndef SIM_TIGON_H
#define SIM_TIGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/fault.h"
#include "sim/knobs.h"

struct tigon_world;
struct tigon_board;
struct tigon_host;
struct tigon_wire;
struct tigon_switch;
struct tigon_cpu;

/* ------------------------------------------------------------------------------------------------
 * World */

/* Why tigon_world_run returned. */
enum tigon_end {
    TIGON_END_FINISHED,   /* every program returned */
    TIGON_END_TIME_LIMIT, /* the limit was reached; call again with a later limit to go on */
    TIGON_END_ASLEEP,     /* programs remain, but nothing will ever happen again: a deadlock */
    TIGON_END_FAULT,  /* a CPU core stopped on an error; tigon_world_report says which and where */
    TIGON_END_STOPPED /* tigon_world_stop was called */
};

/* Creates an empty world. `knobs` is copied; NULL means the defaults. `seed` determines all random
 * choices. Returns NULL with errno set if a knob has an impossible value. Destroy with
 * tigon_world_destroy. */
struct tigon_world *tigon_world_create(const struct tigon_knobs *knobs, uint64_t seed);

/* Frees the world with everything in it, even if programs have not finished (their stacks are freed
 * without running any of their clean-up). NULL is allowed. */
void tigon_world_destroy(struct tigon_world *world);

/* Adds one board in a host of its own. Board k is the k-th added (from 0). Its MAC address, kept in
 * the serial EEPROM, is 02:54:47:00:00:k. The world owns the board. Must not be called while the
 * world runs. */
struct tigon_board *tigon_world_add_board(struct tigon_world *world);
/* The same with separate knobs (bus kind, SRAM size, ...); world-wide knobs in it are ignored. */
struct tigon_board *tigon_world_add_board_with(struct tigon_world *world,
                                               const struct tigon_knobs *knobs);

/* Connects two boards back to back. A board has one socket: NULL with errno EBUSY when it is
 * taken. `left` is side 0 of the wire, `right` side 1. The world owns the wire. */
struct tigon_wire *tigon_world_connect(struct tigon_world *world, struct tigon_board *left,
                                       struct tigon_board *right);

/* Adds a store-and-forward switch with `ports` sockets (1 to 256; NULL with errno EINVAL
 * otherwise). Switch k is named "switch<k>". The world owns it. See "Switch" below. */
struct tigon_switch *tigon_world_add_switch(struct tigon_world *world, unsigned ports);

/* Connects a socket of a switch to a board, which is side 0 of the wire, or to a socket of another
 * switch, in which case `other` is side 1. NULL with errno EBUSY if a socket is taken, EINVAL if
 * there is no such port, ELOOP if the wire would close a loop: there is no spanning tree. */
struct tigon_wire *tigon_world_connect_port(struct tigon_world *world, struct tigon_board *board,
                                            struct tigon_switch *box, unsigned port);
struct tigon_wire *tigon_world_connect_switches(struct tigon_world *world, struct tigon_switch *box,
                                                unsigned port, struct tigon_switch *other,
                                                unsigned other_port);

/* Runs until a condition of enum tigon_end occurs, at most to virtual time `limit_ns` (absolute,
 * not a duration; UINT64_MAX for none). May be called again after a time limit or a stop. */
enum tigon_end tigon_world_run(struct tigon_world *world, uint64_t limit_ns);

/* Whether a world without unfinished programs keeps running up to the limit instead of ending with
 * TIGON_END_FINISHED: for firmware that needs no host. Default: off. */
void tigon_world_set_run_on(struct tigon_world *world, bool run_on);

/* Whether nothing will ever happen again: no event is scheduled and no core does anything. */
bool tigon_world_asleep(const struct tigon_world *world);

/* Makes tigon_world_run return TIGON_END_STOPPED soon. May be called from programs and every hook.
 */
void tigon_world_stop(struct tigon_world *world);

/* Name of an end, for messages. */
const char *tigon_end_name(enum tigon_end end);

/* A readable paragraph about the last tigon_world_run: for a fault the board, core, program
 * counter, CPU state bits and all registers; for a deadlock where every program and core sleeps.
 * Valid until the next call with the same world. */
const char *tigon_world_report(struct tigon_world *world);

/* Virtual time since the world was created. Ticks are 1/11 ns (sim/time.h): one 88 MHz cycle is 125
 * of them. */
uint64_t tigon_world_now_ns(const struct tigon_world *world);
uint64_t tigon_world_now_ticks(const struct tigon_world *world);

size_t tigon_world_board_count(const struct tigon_world *world);
struct tigon_board *tigon_world_board(const struct tigon_world *world,
                                      size_t index); /* NULL beyond the last */

/* Calls `function(context)` once at virtual time `at_ns` (immediately if that is past), on the
 * world's own stack: the function may call everything except [program] functions. For tests, fault
 * schedules and samplers. */
void tigon_world_call_at(struct tigon_world *world, uint64_t at_ns, void (*function)(void *context),
                         void *context);

/* ------------------------------------------------------------------------------------------------
 * Board */

size_t tigon_board_index(const struct tigon_board *board);
/* The name, by default "board<k>"; faults, reports and captures use it. `name` is copied: letters,
 * digits, `_` and `.`, at most 31 characters; -EINVAL for others, -EEXIST if a board or switch of
 * the world already has this name. */
const char *tigon_board_name(const struct tigon_board *board);
int tigon_board_set_name(struct tigon_board *board, const char *name);
struct tigon_host *tigon_board_host(const struct tigon_board *board);
struct tigon_wire *tigon_board_wire(const struct tigon_board *board); /* NULL when not connected */
void tigon_board_mac_address(const struct tigon_board *board, uint8_t address[6]);
/* The one that the board with this index has until another is set: no two boards have the same. */
void tigon_board_default_mac_address(size_t index, uint8_t address[6]);
/* Sets another MAC address, also in the EEPROM. Call it before the world runs. The
 * caller sees to it that no other board has it. */
void tigon_board_set_mac_address(struct tigon_board *board, const uint8_t address[6]);

/* Returns a core for inspection with sim/core/cpu.h: 0 is A, 1 is B. */
struct tigon_cpu *tigon_board_cpu(struct tigon_board *board, unsigned core);

/* Back doors for debuggers and tests, without cost and side effects. SRAM addresses wrap as on the
 * chip (tigon2.md 2.1); bytes are in bus (big-endian) order. peek_register returns the value that a
 * CPU would read. */
void tigon_board_peek(const struct tigon_board *board, uint32_t address, void *bytes,
                      size_t length);
void tigon_board_poke(struct tigon_board *board, uint32_t address, const void *bytes,
                      size_t length);
uint32_t tigon_board_peek32(const struct tigon_board *board, uint32_t address);
void tigon_board_poke32(struct tigon_board *board, uint32_t address, uint32_t value);
uint32_t tigon_board_peek_register(struct tigon_board *board, uint32_t offset);
/* Performs a host register write immediately and without cost, with all effects that a posted write
 * has when it arrives; covers the whole 16 kB block. `value` is a plain number, independent of the
 * configured byte order of the host. Must not be called from inside a core's register access. */
void tigon_board_poke_register(struct tigon_board *board, uint32_t offset, uint32_t value);
/* One word of a core's scratchpad by CPU address, 0x00C00000 and up. False if outside. */
bool tigon_board_peek_scratchpad(const struct tigon_board *board, unsigned core, uint32_t address,
                                 uint32_t *value);
bool tigon_board_poke_scratchpad(struct tigon_board *board, unsigned core, uint32_t address,
                                 uint32_t value);

/* Resets registers, cores, DMA and MAC and keeps SRAM, as the reset line of the slot does. A host
 * write of bit 3 of HW[040] also keeps PCI configuration space. */
void tigon_board_reset(struct tigon_board *board);

/* Power is lost and restored: as tigon_board_reset, and SRAM, scratchpads and the cores' registers
 * lose their content. EEPROM, flash and PROM keep theirs, and the host does not notice. Also
 * revives a board after tigon_board_kill. */
void tigon_board_cycle_power(struct tigon_board *board);

/* Fault injection: makes the next transfer of an engine fail with these attention bits of its state
 * word (tigon2.md 5.2), as a parity error or a target abort would. 0 cancels it. */
void tigon_board_break_dma(struct tigon_board *board, bool write_engine, uint32_t attention);

/* Makes the next transfer of an engine never end: the engine is busy until it or the board is
 * reset, or software clears the busy bit. */
void tigon_board_hang_dma(struct tigon_board *board, bool write_engine);

/* Permanent power loss: the board sends nothing any more, its fibre is dark, its DMA stops in
 * mid-transfer, host writes have no effect and host reads return all ones. SRAM and the cores'
 * registers keep their content for tigon_board_peek and reports. */
void tigon_board_kill(struct tigon_board *board);
bool tigon_board_alive(const struct tigon_board *board);

/* Halts one core (0 is A) where it is, as bit 16 of its HW[140] does; everything else continues. */
void tigon_board_stop_core(struct tigon_board *board, unsigned core);

/* Fault injection: sets status bits 16 to 22 in the receive descriptor of the next frame that the
 * board accepts (tigon2.md 6.2), as a collision or a lost link would. */
void tigon_board_break_receive(struct tigon_board *board, uint32_t status);

/* The board's memories besides SRAM, for setting up a board: the serial EEPROM (4096 bytes, the MAC
 * address at 0x8E), the flash (one byte for each word of the cores' window at 0x80000000), the boot
 * PROM at 0x40000000 (as bytes of big-endian words). The array may be changed while the world does
 * not run. Only software reads a MAC address in the EEPROM; tigon_board_mac_address does not.
 * `*size` (may be NULL) receives the array's length. */
uint8_t *tigon_board_eeprom(struct tigon_board *board, size_t *size);
uint8_t *tigon_board_flash(struct tigon_board *board, size_t *size);
uint8_t *tigon_board_prom(struct tigon_board *board, size_t *size);

struct tigon_dma_statistics {
    uint64_t transfers; /* completed */
    uint64_t bytes;     /* moved by completed transfers */
    uint64_t busy_ns;   /* engine time from start to completion */
    uint64_t errors;    /* transfers stopped with an attention bit */
    uint64_t ring_high; /* of the transfers, from the high-priority ring */
    uint64_t ring_low;  /* from the low-priority ring */
};

struct tigon_core_statistics {
    uint64_t instructions;
    uint64_t cycles;        /* not halted, parked time included */
    uint64_t stall_cycles;  /* waiting for a slot of the SRAM bus, the write buffer or a loaded
                               register; excludes the cost of the accesses themselves (knobs such
                               as sram_load, instruction_line_miss) */
    uint64_t parked_cycles; /* spent in a recognised idle poll */
    uint64_t register_reads;
    uint64_t register_writes;
    uint64_t sram_wait_cycles; /* of stall_cycles: for a slot of the SRAM bus or the write buffer */
    uint64_t locks_taken;      /* HW[048] or HW[04C], whichever is the core's own */
    uint64_t lock_waits; /* of those, times the other core held it when it was written first */
    uint64_t lock_wait_cycles; /* from then until it was taken */
    uint64_t software_events;  /* times a bit of its event word that software sets became 1 */
};

/* All counters of one board, since it was added. */
struct tigon_statistics {
    struct tigon_core_statistics core[2];
    struct tigon_dma_statistics dma_read;  /* host to board */
    struct tigon_dma_statistics dma_write; /* board to host */
    uint64_t transmit_frames;
    uint64_t transmit_bytes;        /* frame bytes without preamble, padding and CRC */
    uint64_t transmit_cut_through;  /* of the frames, begun before their last DMA had completed */
    uint64_t transmit_no_link;      /* sent into a dead link */
    uint64_t receive_frames;        /* put into the receive ring */
    uint64_t receive_bytes;         /* of those, CRC included */
    uint64_t receive_crc_errors;    /* of those, with the CRC status bit */
    uint64_t receive_truncated;     /* of those, cut because the buffer was full */
    uint64_t dropped_disabled;      /* receiver not enabled, in reset or stopped */
    uint64_t dropped_unicast;       /* addressed to another station */
    uint64_t dropped_multicast;     /* hash miss */
    uint64_t dropped_pause;         /* flow-control frames, consumed by the MAC */
    uint64_t dropped_no_buffer;     /* receive buffer full */
    uint64_t dropped_no_descriptor; /* receive descriptor ring full */
    uint64_t host_register_reads;
    uint64_t host_register_writes;
    uint64_t host_interrupts; /* times the line went up */
    uint64_t mailbox_writes;
    uint64_t unknown_registers; /* accesses to offsets no device owns */
};

void tigon_board_statistics(const struct tigon_board *board, struct tigon_statistics *statistics);

/* -------------------------------------------------------------------------------------------------
 * Host */
/*
 * A host is memory, one CPU and one board. Its programs are coroutines: between two calls of the
 * functions below a program takes no virtual time at all, so charge real work with
 * tigon_host_spend_ns. All programs of a host share its CPU. A piece of work (spend, register
 * access, interrupt cost) occupies the CPU once it is free; pieces queue first come, first served,
 * and while another program waits, long ones are divided into slices of knob host_slice_ns.
 */

typedef int (*tigon_program)(struct tigon_host *host, void *argument);

/* Adds a program; it starts at the current virtual time once the world runs. `name` is copied. A
 * host may have several programs, and a running program may add one. `argument` must outlive the
 * program. Returns the program's index on this host. */
int tigon_host_start(struct tigon_host *host, const char *name, tigon_program program,
                     void *argument);

/* True once program `index` returned; `*result` (may be NULL) is then what it returned. */
bool tigon_host_finished(const struct tigon_host *host, int index, int *result);

/* Stops the host permanently, as if its operating system had died: its programs never continue
 * (they count as finished for tigon_world_run; tigon_host_finished stays false), writes in flight
 * still arrive. The board keeps running and still accesses host memory by DMA, as the chip does
 * until a reset; call tigon_board_reset afterwards for a host that reboots. */
void tigon_host_crash(struct tigon_host *host);
bool tigon_host_crashed(const struct tigon_host *host);

struct tigon_board *tigon_host_board(const struct tigon_host *host);
struct tigon_world *tigon_host_world(const struct tigon_host *host);

/* [program] Registers and the other 16 kB of BAR0 (tigon2.md 3). Offsets must be multiples of 4.
 * A read stops the program for host_read_ns and never overtakes earlier writes. A write costs
 * host_write_ns and arrives host_write_arrival_ns later, in order. write_block is one
 * write-combined burst to increasing offsets: the first word costs host_write_ns, the others
 * host_burst_word_ns. */
uint32_t tigon_host_read32(struct tigon_host *host, uint32_t offset);
void tigon_host_write32(struct tigon_host *host, uint32_t offset, uint32_t value);
void tigon_host_write_block(struct tigon_host *host, uint32_t offset, const uint32_t *words,
                            size_t count);

/* [program] Has the same effect as
 *     do { spend(spend_ns); value = read32(offset); (*turns)--; }
 *     while ((value & mask) == unchanged && *turns && now < until_ns);
 * in the same time and with the same load on the board. On a host without other users it does not
 * simulate each turn. `*turns` (at least 1) is set to the number of turns made. May return early:
 * the caller must check the returned value, which is that of the last turn. */
uint32_t tigon_host_poll32(struct tigon_host *host, uint32_t offset, uint32_t mask,
                           uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns,
                           uint64_t *turns);

/* [program] Has the same effect as
 *     value = read32(offset);
 *     if ((value & mask) == unchanged && *turns > 1 && now < until_ns)
 *         value = poll32(offset, mask, unchanged, spend_ns, until_ns, *turns - 1);
 * without waking the program in between. `*turns` (at least 1) is set to the number of reads made.
 * May return early, like poll32. */
uint32_t tigon_host_await32(struct tigon_host *host, uint32_t offset, uint32_t mask,
                            uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns,
                            uint64_t *turns);

/* [program] Time. spend: occupy the CPU. sleep: release it and return after at least `ns`. yield:
 * let other programs and events of this instant go first; takes no time itself. */
void tigon_host_spend_ns(struct tigon_host *host, uint64_t ns);
void tigon_host_sleep_ns(struct tigon_host *host, uint64_t ns);
void tigon_host_yield(struct tigon_host *host);

/* [program] Between run_ahead and catch_up the program promises to use only the values that host
 * functions return, and to read neither memory that others write nor any other state of the world.
 * A spend or a write may then return before its time has passed. All effects happen at the same
 * times as without run_ahead. All other [program] functions, and catch_up at the latest, return
 * only when all pending work is done. */
void tigon_host_run_ahead(struct tigon_host *host);
void tigon_host_catch_up(struct tigon_host *host);
uint64_t tigon_host_now_ns(const struct tigon_host *host);
uint64_t tigon_host_now_ps(const struct tigon_host *host);

/* [program] Has the same effect as `while (memory[0..length) is unchanged) spend(interval_ns)`,
 * without simulating each turn: returns true at the first turn after the board wrote any byte of
 * the range by DMA, false if `timeout_ns` (UINT64_MAX for never) passed first. `seen` is the value
 * of tigon_host_write_count(host) taken BEFORE the program read the memory: a DMA between that read
 * and this call then makes it return at once. The typical loop of a library:
 *     for (;;) {
 *         uint64_t seen = tigon_host_write_count(host);
 *         if (memory_says_done)
 *             break;
 *         tigon_host_poll(host, memory, bytes, seen, 50, UINT64_MAX);
 *     }
 * Polling occupies the CPU unless another program of the host wants it, and each turn costs
 * interval_ns. */
bool tigon_host_poll(struct tigon_host *host, const void *memory, size_t length, uint64_t seen,
                     uint64_t interval_ns, uint64_t timeout_ns);

/* DMA writes of the board into host memory so far. */
uint64_t tigon_host_write_count(const struct tigon_host *host);

/* [program] Waits until the board asserts its interrupt line (level-triggered: returns at once
 * while the line is up), then charges host_interrupt_ns. Returns false, without the charge, if
 * `timeout_ns` passed first. A write to mailbox 0, or of bit 1 to HW[040], deasserts the line, as
 * on the chip. */
bool tigon_host_wait_interrupt(struct tigon_host *host, uint64_t timeout_ns);

/* Host memory as one array. Bus address = index + knob host_memory_base; a DMA outside it is a
 * master abort. */
uint8_t *tigon_host_memory(struct tigon_host *host);
size_t tigon_host_memory_size(const struct tigon_host *host);

/* Bus address of a byte in host memory, and back. A pointer outside aborts, an address outside
 * gives NULL. */
uint64_t tigon_host_bus_address(const struct tigon_host *host, const void *pointer);
void *tigon_host_pointer(struct tigon_host *host, uint64_t bus_address);

/* Allocates whole pages of 4096 bytes, zeroed, contiguous in the array and therefore on the bus;
 * *bus_address (may be NULL) receives the start. NULL when no such row of pages is free. */
void *tigon_host_allocate(struct tigon_host *host, size_t bytes, uint64_t *bus_address);

/* Frees whole pages that were allocated: all of an allocation or a part, which later allocations
 * get again, zeroed. A transfer of the board that still goes there is not noticed. False, and
 * nothing is freed: not all of them are allocated. */
bool tigon_host_free(struct tigon_host *host, void *memory, size_t bytes);

/* The same, but with the physical pages scattered as by an operating system: `pages` receives the
 * bus address of each of the (bytes + 4095) / 4096 pages, no two of them adjacent on the bus if
 * knob host_scatter is on. Returns 0 or -ENOMEM. Use tigon_host_pointer on each. */
int tigon_host_allocate_pages(struct tigon_host *host, size_t bytes, uint64_t *pages);

/* Moves the memory, with its content, behind a file descriptor that another process may map but not
 * resize. The address of the array does not change. Returns the descriptor, which the caller
 * closes, or a negative errno value. Call it at most once per host, outside programs. */
int tigon_host_share_memory(struct tigon_host *host);

/* Frees all allocated memory and zeroes it: for a host that reboots. */
void tigon_host_release_memory(struct tigon_host *host);

/* -------------------------------------------------------------------------------------------------
 * Wire */

struct tigon_wire_statistics {
    uint64_t frames;    /* offered by the sender */
    uint64_t bytes;     /* of those, padding and CRC included, without preamble and gap */
    uint64_t delivered; /* handed to the receiver, duplicates included */
    uint64_t lost;      /* by chance (knob wire_loss) */
    uint64_t filtered;  /* by the filter hook */
    uint64_t cut;       /* while the wire was cut or the receiver had no signal */
    uint64_t duplicated;
    uint64_t delayed;           /* held back, so that later frames may overtake */
    uint64_t corrupted_visible; /* damaged after the CRC was made: the receiver sees a CRC error */
    uint64_t
        corrupted_silent; /* damaged before the CRC was made: only an end-to-end check can see it */
    uint64_t reordered;   /* held until later frames had passed */
    uint64_t truncated;
    uint64_t lengthened;
};

/* Simple faults of one direction, set by the knobs; sim/fault.h has all the others. Probabilities
 * are 0..1 per frame. */
struct tigon_faults {
    double loss;
    double duplicate;
    double delay;      /* probability of holding a frame back ... */
    uint64_t delay_ns; /* ... by up to this much (uniform), which reorders it behind later frames */
    double corrupt_visible;
    double corrupt_silent;
    double burst;          /* probability that a loss starts a burst ... */
    uint32_t burst_frames; /* ... taking this many following frames too */
};

/* The fate of a frame; a filter may request one. */
enum tigon_fate {
    TIGON_FATE_DELIVER,
    TIGON_FATE_LOSE,
    TIGON_FATE_DUPLICATE,
    TIGON_FATE_DELAY,
    TIGON_FATE_CORRUPT_VISIBLE,
    TIGON_FATE_CORRUPT_SILENT,
    TIGON_FATE_CUT,
    TIGON_FATE_REORDER,
    TIGON_FATE_TRUNCATE,
    TIGON_FATE_LENGTHEN
};
/* In words: "lost"; never NULL. */
const char *tigon_fate_name(enum tigon_fate fate);

/* One frame as passed to a tap or filter. `bytes` starts at the destination address; `length`
 * excludes the CRC but includes padding. Valid only during the call. */
struct tigon_frame_view {
    const struct tigon_wire *wire;
    unsigned from_side;  /* 0 = left, 1 = right */
    uint64_t index;      /* running number in this direction, from 0 */
    uint64_t time_ns;    /* when its first preamble byte was sent */
    uint64_t time_ticks; /* the same, exact */
    const uint8_t *bytes;
    size_t length;
};

/* Tap: called once for each frame offered to the wire, with its fate (DELAY and DUPLICATE imply
 * delivery). The bytes are as sent. */
typedef void (*tigon_tap)(void *context, const struct tigon_frame_view *frame,
                          enum tigon_fate fate);
/* Filter: called before the random faults are drawn; a result other than TIGON_FATE_DELIVER
 * replaces the draw for this frame. A delayed frame is held for faults.delay_ns. */
typedef enum tigon_fate (*tigon_filter)(void *context, const struct tigon_frame_view *frame);

void tigon_wire_set_tap(struct tigon_wire *wire, tigon_tap tap, void *context); /* NULL removes */
void tigon_wire_set_filter(struct tigon_wire *wire, tigon_filter filter, void *context);

/* Writes every frame offered to the wire from now on, injected ones included, into a pcapng file:
 * the two directions as two interfaces, times in nanoseconds since the world was created, without
 * CRC. A frame that does not simply arrive has a comment with its fate. Returns 0, -EBUSY if the
 * wire is already being captured, or the -errno of opening the file. */
int tigon_wire_capture(struct tigon_wire *wire, const char *path);

/* Ends the capture and closes the file. Returns the -errno of the first write that failed, else 0,
 * also if there was no capture. Destroying the world also ends the capture, without a report. */
int tigon_wire_end_capture(struct tigon_wire *wire);

/* The initial faults come from the knobs and are the same in both directions. The random draw for
 * the n-th frame of a direction depends only on seed, wire, direction and n, not on other frames,
 * the other direction or timing. */
void tigon_wire_faults(const struct tigon_wire *wire, unsigned from_side,
                       struct tigon_faults *faults);
void tigon_wire_set_faults(struct tigon_wire *wire, unsigned from_side,
                           const struct tigon_faults *faults);

/* Unplugs the wire (both directions, the link goes down on both boards) or plugs it in again. */
void tigon_wire_set_cut(struct tigon_wire *wire, bool cut);

/* Injects a frame into the wire now, as if `from_side` had sent it, bypassing filter, faults and
 * that side's MAC. `bytes` starts at the destination address, without CRC; it is not padded. The
 * bytes are copied. */
void tigon_wire_inject(struct tigon_wire *wire, unsigned from_side, const void *bytes,
                       size_t length, bool bad_crc);

void tigon_wire_statistics(const struct tigon_wire *wire, unsigned from_side,
                           struct tigon_wire_statistics *statistics);

/* The station at an end of the wire: a board or a port of a switch; the other function returns
 * NULL. */
struct tigon_board *tigon_wire_board(const struct tigon_wire *wire, unsigned side);
struct tigon_switch *tigon_wire_switch(const struct tigon_wire *wire, unsigned side,
                                       unsigned *port);
/* The name of that board or switch. */
const char *tigon_wire_end_name(const struct tigon_wire *wire, unsigned side);
size_t tigon_world_wire_count(const struct tigon_world *world);
struct tigon_wire *tigon_world_wire(const struct tigon_world *world,
                                    size_t index); /* NULL beyond the last */

/* ----------------------------------------------------------------------------------------------
 * Switch */
/*
 * Store and forward: a frame that arrived whole and undamaged waits switch_latency_ns, then queues
 * at the port that leads to its destination, or at all other ports if the destination is unknown or
 * a group. The switch learns addresses and forgets them after switch_age_ns. A port negotiates as a
 * board does (tigon2.md 7): it is up when its peer is. A queue holds switch_queue_bytes; a frame
 * that does not fit is dropped and counted. With switch_pause the ports obey PAUSE frames, and send
 * them to the stations whose frames fill the queues. The wires of the ports have their own faults.
 */

struct tigon_switch_statistics {
    uint64_t received;       /* frames that came in undamaged */
    uint64_t damaged;        /* came in with a CRC error, or too short or too long: dropped */
    uint64_t flooded;        /* of the received, sent to all other ports */
    uint64_t filtered;       /* of the received, for a station at the same port, or for none */
    uint64_t sent;           /* frames that went out */
    uint64_t dropped_full;   /* for this port, whose queue was full */
    uint64_t dropped_down;   /* for this port, or by it, while it was not up */
    uint64_t pause_received; /* PAUSE frames, which a switch never passes on */
    uint64_t pause_sent;
    uint64_t queue_bytes;      /* waiting now */
    uint64_t queue_bytes_most; /* ever */
};

const char *tigon_switch_name(const struct tigon_switch *box);
int tigon_switch_set_name(struct tigon_switch *box, const char *name); /* as tigon_board_set_name */
size_t tigon_world_switch_count(const struct tigon_world *world);
struct tigon_switch *tigon_world_switch(const struct tigon_world *world,
                                        size_t index); /* NULL beyond the last */
unsigned tigon_switch_ports(const struct tigon_switch *box);
bool tigon_switch_port_up(const struct tigon_switch *box, unsigned port);
/* Addresses known now. */
size_t tigon_switch_addresses(const struct tigon_switch *box);
void tigon_switch_statistics(const struct tigon_switch *box, unsigned port,
                             struct tigon_switch_statistics *statistics);

/* ----------------------------------------------------------------------------------------------
 * Signals */
/* Named lines of a board for waveforms and tests. */

enum tigon_signal {
    TIGON_SIGNAL_EVENT_A,  /* HW[060], 32 bits */
    TIGON_SIGNAL_EVENT_B,  /* HW[070], 32 bits */
    TIGON_SIGNAL_DMA_READ, /* engine busy */
    TIGON_SIGNAL_DMA_WRITE,
    TIGON_SIGNAL_TRANSMIT,  /* MAC is sending */
    TIGON_SIGNAL_RECEIVE,   /* pulses when a frame is put into the ring */
    TIGON_SIGNAL_INTERRUPT, /* line to the host */
    TIGON_SIGNAL_LINK,      /* sync, HW[220] bit 18 */
    TIGON_SIGNAL_SEMAPHORE, /* 0 free, 1 held by A, 2 held by B */
    TIGON_SIGNAL_RUNNING_A, /* the core is not halted */
    TIGON_SIGNAL_RUNNING_B,
    TIGON_SIGNAL_IDLE_A, /* the core polls an event word without effect */
    TIGON_SIGNAL_IDLE_B,
    TIGON_SIGNAL_LEDS, /* the last eight bits of the LED shift register, newest lowest */
    TIGON_SIGNAL_COUNT
};

/* Called at each change of a signal, with the exact time. One hook per world; NULL removes it.
 * sim/observer.h allows any number of listeners, to signals and more. */
typedef void (*tigon_signal_hook)(void *context, const struct tigon_board *board,
                                  enum tigon_signal signal, uint32_t value, uint64_t ticks);
void tigon_world_set_signal_hook(struct tigon_world *world, tigon_signal_hook hook, void *context);
const char *tigon_signal_name(enum tigon_signal signal);
unsigned tigon_signal_width(enum tigon_signal signal); /* bits */

/* Messages about odd behaviour (unknown registers, accesses that would fail on real hardware). Each
 * distinct message is logged once per board. Default: no log. */
typedef void (*tigon_log_hook)(void *context, const struct tigon_board *board, const char *message);
void tigon_world_set_log_hook(struct tigon_world *world, tigon_log_hook hook, void *context);

#endif

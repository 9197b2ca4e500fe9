/*
 * The whole image but for start-up code, as one translation unit.
 *
 * Between a doorbell and a frame on the wire lie some ten small functions in as many files. Seen
 * together and as a whole program (build.mk), those called from one place disappear, and so do the
 * structures that carry a frame's fields from one to the next: a third of the instructions. What
 * lies where is said by NIC_HOT, NIC_COLD and placement.lds.in; names of static objects must differ
 * between these files.
 */
#include "fw-runtime/port/tigon2/board.h"
#include "fw-runtime/port/tigon2/emp/glue.h"

/* Functions whose calls a simulator charges for (published.charges). */
#ifdef EMP_CHARGED
#include "emp_charged.h"
#endif

#include "fw-runtime/port/tigon2/board.c"
#include "fw-runtime/port/tigon2/dma.c"
#include "fw-runtime/port/tigon2/link.c"
#include "fw-runtime/port/tigon2/receive.c"
#include "fw-runtime/port/tigon2/transmit.c"
#include "fw-runtime/gather.c"
#include "fw-runtime/timers.c"
#include "fw-runtime/trace.c"

#include "fw-runtime/port/tigon2/emp/memory.c"
#include "fw-runtime/port/tigon2/emp/postings.c"
#include "fw-runtime/port/tigon2/emp/start.c"
#include "fw-runtime/port/tigon2/emp/wire.c"

/* Generated code has labels and cases nobody needs. */
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
/* What happens when a peer restarts, refuses, or sends again what came before, must not take room
 * in the scratchpad, though the generated code calls it inline. */
#pragma GCC diagnostic ignored "-Wattributes"
static void emp_abandon(const struct emp_frame *f) NIC_COLD;
static void emp_on_receive_abandoned(uint8_t r, const struct emp_frame *f) NIC_COLD;
static void emp_give_back(uint8_t r) NIC_COLD;
static void emp_flush(uint8_t r, const struct emp_frame *f) NIC_COLD;
static void emp_learn(const struct emp_frame *f) NIC_COLD;
static void emp_lose_peer(const struct emp_frame *f) NIC_COLD;
static void emp_on_send_nack(uint8_t m, const struct emp_frame *f) NIC_COLD;
static void emp_on_acknowledge_refuse(const struct emp_frame *f, uint8_t reason) NIC_COLD;
static void emp_rewind(uint8_t m) NIC_COLD;
static void emp_give_up(uint8_t m) NIC_COLD;
static void emp_on_send_again(uint8_t m) NIC_COLD;
static void emp_on_send_peer_lost(uint8_t m) NIC_COLD;
static bool emp_begins(const struct emp_frame *f) NIC_COLD;
static bool emp_early(const struct emp_frame *f) NIC_COLD;
static bool emp_idle(const struct emp_frame *f) NIC_COLD;
static bool emp_complete_already(uint8_t r, const struct emp_frame *f) NIC_COLD;
/* Called from several places; once is enough for the scratchpad. */
static void emp_accept(uint8_t r, const struct emp_frame *f, bool last) __attribute__((noinline));
static void emp_settle(uint8_t m, const struct emp_frame *f) __attribute__((noinline));
static void emp_dequeue(void) __attribute__((noinline));
#include "emp.c"
#include "frame.c"

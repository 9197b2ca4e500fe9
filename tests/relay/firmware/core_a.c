/* SPDX-License-Identifier: MIT */
/* Core A: what the host wants sent, what it is to be told, the link, and all reads. */
#include "tests/relay/firmware/relay.h"

register uint32_t enabled __asm__("s7");

extern uint32_t _bss_begin[], _bss_end[];
void start_b(void);

void initialise_a(void);
void buffers_are_wanted(void);
void low_read_is_done(void);
void high_write_is_done(void);
void high_read_is_done(void);
void dma_has_failed(void);
void host_has_written(void);
void frames_have_come(void);
void link_may_have_changed(void);
void time_a(void);

enum { LINK_DOWN, LINK_ACKNOWLEDGING, LINK_ACKNOWLEDGED_BY_BOTH, LINK_IDLE };
#define LINK_TIMER_US 10000u
#define LINK_ABILITY  (WORD_FULL_DUPLEX | WORD_PAUSE)

static uint32_t local;        /* where the next byte to send goes */
static uint32_t frame_start;  /* of the frame whose pieces are being fetched */
static uint32_t frame_length; /* so far */
static uint32_t told;         /* received frames that the host knows of */
static bool news;
static unsigned link_state;
static uint32_t link_since;

/* ------------------------------------------------------------------------------------------------
 * The host */

static void tell(void) {
    const uint32_t received = shared.status.received;
    const uint32_t alarm = SRAM(MAILBOX(RELAY_INTERRUPT)) ? 0 : DMA_WRITE_ALARM;
    shared.status.updates++;
    news = !write_words(shared.information.status_high, shared.information.status_low, 0,
                        &shared.status, sizeof(struct relay_status), alarm, CORE_A);
    if (!news)
        told = received;
}

static void fetch(volatile struct cache *cache, const volatile struct relay_ring *ring,
                  enum kind kind) {
    const uint32_t slot = HW(READ_RING_NEXT);
    const uint32_t first = cache->fetched & (ring->entries - 1);
    uint32_t count = cache->given - cache->fetched;
    if (cache->fetching || cache->have != cache->used || count == 0 || !slot)
        return;
    if (count > CACHE_ENTRIES)
        count = CACHE_ENTRIES;
    if (count > ring->entries - first)
        count = ring->entries - first;
    const uint32_t offset = first * sizeof(struct relay_entry);
    const struct descriptor content = {.host_high = ring->high + (ring->low + offset < ring->low),
                                       .host_low = ring->low + offset,
                                       .local = (uint32_t)cache->entry,
                                       .length = count * sizeof(struct relay_entry),
                                       .state = MOVE_WORDS,
                                       .kind = kind,
                                       .count = count};
    fill(slot, &content);
    HW(READ_RING_PRODUCER) = slot + DMA_BYTES_EACH;
    cache->fetching = true;
    cache->fetched += count;
}

static void fetch_buffers(void) {
    fetch(&shared.buffers, &shared.information.buffers, KIND_BUFFERS);
}

static uint32_t wrapped(uint32_t address) {
    return address < RECEIVE ? address : address - (RECEIVE - TRANSMIT);
}

/* One piece of a frame; false when it must wait. */
static bool send_piece(const volatile struct relay_entry *piece) {
    const uint32_t length = piece->length & 0xFFFFu;
    const bool last = (piece->length & RELAY_LAST) != 0;
    const uint32_t slot = low_slot(READ_LOW_RING), to_send = HW(TO_SEND_NEXT);
    uint32_t room = HW(TRANSMIT_CONSUMER) - local;
    if ((int32_t)room <= 0)
        room += RECEIVE - TRANSMIT;
    if (room < length + 64 || !slot || !to_send) {
        shared.counts.no_room++;
        return false;
    }
    if (frame_length == 0)
        frame_start = local;
    const struct descriptor content = {.host_high = piece->high,
                                       .host_low = piece->low,
                                       .local = local,
                                       .length = length,
                                       .state = MOVE_BYTES | (last ? DMA_READ_LAST : 0)};
    fill(slot, &content);
    HW(READ_LOW_RING) = slot + DMA_BYTES_EACH;
    frame_length += length;
    local = wrapped(local + length);
    if (last) {
        SRAM(to_send) = frame_start;
        SRAM(to_send + 4) = frame_length;
        HW(TO_SEND_PRODUCER) = to_send + 8;
        local = wrapped((local + 7) & ~7u);
        frame_length = 0;
    }
    return true;
}

static void send(void) {
    volatile struct cache *sends = &shared.sends;
    while (sends->used != sends->have && send_piece(&sends->entry[sends->used - sends->base]))
        sends->used++;
    fetch(sends, &shared.information.send, KIND_SENDS);
}

/* ------------------------------------------------------------------------------------------------
 * Link: clause 37 of IEEE 802.3 as tigon2.md 7 has it, or none */

static void send_word(uint32_t word) {
    HW(LINK_WORD_SENT) = word;
    HW(MAC_TRANSMIT) = MAC_TRANSMIT_FIBRE;
}

static void send_idle(void) {
    HW(MAC_TRANSMIT) = MAC_TRANSMIT_FIBRE | MAC_ENABLE;
}

static void link_down(void) {
    link_state = LINK_DOWN;
    shared.counts.link_changes += shared.status.link_up;
    shared.status.link_up = 0;
    news = true;
    if (shared.information.negotiate)
        send_word(LINK_ABILITY);
    else
        send_idle();
}

static void link_on(unsigned state) {
    link_state = state;
    link_since = HW(TIMER);
    if (state == LINK_IDLE)
        send_idle();
    else
        send_word(LINK_ABILITY | WORD_ACKNOWLEDGED);
}

static void watch_link(void) {
    const uint32_t state = HW(MAC_RECEIVE), word = HW(LINK_WORD_RECEIVED);
    const bool waited = HW(TIMER) - link_since > LINK_TIMER_US;
    if (!(state & MAC_SYNC)) {
        if (shared.status.link_up || link_state != LINK_DOWN)
            link_down();
    } else if (!shared.information.negotiate) {
        news |= !shared.status.link_up;
        shared.status.link_up = 1;
        link_state = LINK_IDLE;
    } else if (link_state == LINK_DOWN && word) {
        link_on(LINK_ACKNOWLEDGING);
    } else if (link_state == LINK_ACKNOWLEDGING && (word & WORD_ACKNOWLEDGED)) {
        link_on(LINK_ACKNOWLEDGED_BY_BOTH);
    } else if (link_state == LINK_ACKNOWLEDGED_BY_BOTH && waited) {
        link_on(LINK_IDLE);
    } else if (link_state == LINK_IDLE && (state & MAC_CONFIGURING) && shared.status.link_up) {
        link_down();
    } else if (link_state == LINK_IDLE && waited && !(state & MAC_CONFIGURING)) {
        news |= !shared.status.link_up;
        shared.status.link_up = 1;
    }
}

void link_may_have_changed(void) {
    const uint32_t state = HW(MAC_RECEIVE);
    HW(MAC_RECEIVE) = state; /* attentions that are up are cleared */
    if (shared.running)
        watch_link();
}

/* ------------------------------------------------------------------------------------------------
 * Events */

void buffers_are_wanted(void) {
    clear_event(CORE_A, EVENT_BUFFERS, CORE_A);
    fetch_buffers();
}

void high_read_is_done(void) {
    uint32_t at = HW(READ_RING_REFERENCE);
    while (at != HW(READ_RING_CONSUMER)) {
        const volatile struct descriptor *done = (const volatile struct descriptor *)at;
        volatile struct cache *cache = done->kind == KIND_SENDS ? &shared.sends : &shared.buffers;
        cache->fetching = false;
        cache->base = cache->used;
        cache->have += done->count;
        if (done->kind == KIND_BUFFERS)
            set_event(CORE_B, EVENT_BUFFERS, CORE_A);
        HW(READ_RING_REFERENCE) = at + DMA_BYTES_EACH;
        at = HW(READ_RING_REFERENCE);
    }
    send();
}

void low_read_is_done(void) {
    uint32_t at = HW(READ_LOW_RING + 8);
    while (at != HW(READ_LOW_RING + 4)) {
        shared.status.sent++;
        HW(READ_LOW_RING + 8) = at + DMA_BYTES_EACH;
        at = HW(READ_LOW_RING + 8);
    }
    news = true;
    send();
}

void high_write_is_done(void) {
    HW(WRITE_RING_REFERENCE) = HW(WRITE_RING_CONSUMER);
}

/* The recovery of tigon2.md 13.7: the transfer that failed is done once more. */
void dma_has_failed(void) {
    shared.counts.failed_dma++;
    HW(ASSIST_STATE) = 3;
    if (HW(READ_STATE) & DMA_ATTENTIONS)
        HW(READ_STATE) = DMA_RESET;
    if (HW(WRITE_STATE) & DMA_ATTENTIONS)
        HW(WRITE_STATE) = DMA_RESET;
    HW(ASSIST_STATE) = 1;
}

void frames_have_come(void) {
    clear_event(CORE_A, EVENT_NEWS, CORE_A);
    news = true;
    if (shared.status.received - told >= shared.information.coalesce_frames)
        tell();
}

void time_a(void) {
    HW(TIMER_REFERENCE_A) = HW(TIMER) + shared.information.coalesce_us;
    watch_link();
    if (news)
        tell();
    send();
    fetch_buffers();
}

/* The information block is read by hand, as the only thing. */
static void begin(void) {
    HW(READ_HOST_HIGH) = SRAM(MAILBOX(RELAY_INFORMATION_HIGH));
    HW(READ_HOST_LOW) = SRAM(MAILBOX(RELAY_INFORMATION_LOW));
    HW(READ_LENGTH) = sizeof(struct relay_information);
    HW(READ_LOCAL) = (uint32_t)&shared.information;
    HW(READ_STATE) = MOVE_WORDS;
    while (HW(READ_STATE) & DMA_START)
        ;
    if (HW(READ_STATE) & DMA_ATTENTIONS) {
        HW(READ_STATE) = DMA_RESET;
        SRAM(RELAY_STATE) = RELAY_FAILED;
        return;
    }
    HW(ASSIST_STATE) = 1;
    HW(MAC_ADDRESS_HIGH) = SRAM(RELAY_MAC_ADDRESS);
    HW(MAC_ADDRESS_LOW) = SRAM(RELAY_MAC_ADDRESS + 4);
    HW(SERDES) = 0x00C801FEu;
    HW(MAC_RECEIVE) = MAC_RECEIVE_USUAL | MAC_ENABLE;
    link_down();
    shared.running = true;
    HW(TIMER_REFERENCE_A) = HW(TIMER) + shared.information.coalesce_us;
    enabled |= 1u << EVENT_TIMER;
    HW(CPU_B_STATE) = CPU_HALT;
    HW(CPU_B_COUNTER) = (uint32_t)start_b;
    HW(CPU_B_STATE) = 0;
    SRAM(RELAY_STATE) = RELAY_RUNNING;
}

void host_has_written(void) {
    uint32_t mailboxes;
    while ((mailboxes = HW(MAILBOX_EVENT_A)) != 0) {
        HW(MAILBOX_EVENT_A) = mailboxes;
        if ((mailboxes & 1u << RELAY_INFORMATION_LOW) && !shared.running)
            begin();
        if (mailboxes & 1u << RELAY_TO_SEND)
            shared.sends.given = SRAM(MAILBOX(RELAY_TO_SEND));
        if (mailboxes & 1u << RELAY_BUFFERS)
            shared.buffers.given = SRAM(MAILBOX(RELAY_BUFFERS));
    }
    if (shared.running) {
        send();
        fetch_buffers();
    }
}

void initialise_a(void) {
    static const uint16_t cleared[] = {READ_RING_PRODUCER, READ_LOW_RING, WRITE_RING_PRODUCER,
                                       WRITE_LOW_RING};
    for (uint32_t *word = _bss_begin; word < _bss_end; word++)
        *word = 0;
    HW(CONFIGURATION) |= 0x55u;
    HW(TIMER) = 0;
    for (uint32_t offset = 0; offset < 12; offset += 4) {
        HW(TRANSMIT_BASE + offset) = TRANSMIT;
        HW(RECEIVE_BASE + offset) = RECEIVE;
        HW(RECEIVED_PRODUCER + offset) = TRANSMIT - RECEIVED_RING;
        HW(TO_SEND_PRODUCER + offset) = TRANSMIT - TO_SEND_RING;
        for (unsigned i = 0; i < 4; i++)
            HW(cleared[i] + offset) = 0;
    }
    HW(READ_STATE) = DMA_RESET;
    HW(WRITE_STATE) = DMA_RESET;
    local = TRANSMIT;
    HW(MAILBOX_EVENT_A) = ~0u;
    enabled = 1u << EVENT_RECEIVE_ATTENTION | 1u << EVENT_NEWS | 1u << EVENT_MAILBOX | 1u << 20 |
              1u << 19 | 1u << EVENT_READ_DONE | 1u << EVENT_WRITE_DONE |
              1u << EVENT_LOW_READ_DONE | 1u << EVENT_BUFFERS;
    SRAM(RELAY_STATE) = RELAY_READY;
}

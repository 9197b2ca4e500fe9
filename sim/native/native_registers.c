/* SPDX-License-Identifier: MIT */
/*
 * Allocation of the host's registers to registers of the core. Results stay in host registers, and
 * constants in none, until a place of the block where other parts may read the core.
 */
#include "sim/native/native_private.h"

#include "sim/native/native_emit.h"

/* Registers with shorter instructions first. */
static const uint8_t pool[] = {EAX, EDX, ESI, EDI, R8, R9, R10, R11};

static void save(struct block *b, unsigned number) {
    struct knowledge *now = &b->now;
    if (now->held >> number & 1u) {
        host_core(b, 0x89, now->host[number], number);
    } else {
        host_core(b, 0xC7, 0, number);
        word(b, now->constant[number]);
    }
    now->unsaved &= ~(1u << number);
}

static void let_go(struct knowledge *now, unsigned number) {
    if (now->held >> number & 1u)
        now->busy &= (uint16_t) ~(1u << now->host[number]);
    now->held &= ~(1u << number);
}

unsigned native_take(struct block *b, unsigned keep) {
    struct knowledge *now = &b->now;
    for (size_t i = 0; i < sizeof pool; i++)
        if (((now->busy | keep) >> pool[i] & 1u) == 0)
            return pool[i];
    do
        now->next = (uint8_t)((now->next + 1u) % sizeof pool);
    while (keep >> pool[now->next] & 1u);
    const unsigned host = pool[now->next];
    for (unsigned number = 0; number < 32; number++) {
        if (!is_held(b, number) || now->host[number] != host)
            continue;
        if (now->unsaved >> number & 1u)
            save(b, number);
        let_go(now, number);
    }
    return host;
}

static void hold(struct knowledge *now, unsigned number, unsigned host) {
    now->host[number] = (uint8_t)host;
    now->held |= 1u << number;
    now->busy |= (uint16_t)(1u << host);
}

unsigned native_in(struct block *b, unsigned number, unsigned keep) {
    if (is_held(b, number))
        return b->now.host[number];
    const unsigned host = native_take(b, keep);
    native_copy(b, host, number);
    hold(&b->now, number, host);
    return host;
}

unsigned native_for(struct block *b, unsigned number, unsigned keep) {
    if (number != TIGON_REGISTER_DISCARD && is_held(b, number))
        return b->now.host[number];
    return native_take(b, keep);
}

void native_copy(struct block *b, unsigned host, unsigned number) {
    if (is_known(b, number))
        host_constant(b, host, b->now.constant[number]);
    else if (!is_held(b, number))
        host_core(b, 0x8B, host, number);
    else if (b->now.host[number] != host)
        host_host(b, 0x8B, host, b->now.host[number]);
}

void native_with(struct block *b, unsigned opcode, unsigned host, unsigned number) {
    if (is_known(b, number))
        host_immediate(b, opcode, host, b->now.constant[number]);
    else if (is_held(b, number))
        host_host(b, opcode, host, b->now.host[number]);
    else
        host_core(b, opcode, host, number);
}

void native_compare_immediate(struct block *b, unsigned source, uint32_t value) {
    if (is_known(b, source)) {
        host_constant(b, ECX, b->now.constant[source]);
        host_immediate(b, 0x3B, ECX, value);
    } else if (is_held(b, source)) {
        const unsigned host = b->now.host[source];
        if (value == 0)
            host_host(b, 0x85, host, host); /* test */
        else
            host_immediate(b, 0x3B, host, value);
    } else {
        host_core(b, is_short(value) ? 0x83 : 0x81, 7, source);
        if (is_short(value))
            byte(b, value);
        else
            word(b, value);
    }
}

void native_compare(struct block *b, unsigned source, unsigned second) {
    if (is_known(b, second)) {
        native_compare_immediate(b, source, b->now.constant[second]);
    } else if (is_known(b, source)) {
        host_constant(b, ECX, b->now.constant[source]);
        native_with(b, 0x3B, ECX, second);
    } else if (!is_held(b, source) && is_held(b, second)) {
        host_core(b, 0x39, b->now.host[second], source);
    } else {
        native_with(b, 0x3B, native_in(b, source, 0), second);
    }
}

void native_result(struct block *b, unsigned number, unsigned host) {
    if (number == TIGON_REGISTER_DISCARD)
        return;
    let_go(&b->now, number);
    hold(&b->now, number, host);
    b->now.unsaved |= 1u << number;
    b->now.known &= ~(1u << number);
}

void native_result_constant(struct block *b, unsigned number, uint32_t value) {
    if (number == TIGON_REGISTER_DISCARD)
        return;
    let_go(&b->now, number);
    b->now.unsaved |= 1u << number;
    b->now.known |= 1u << number;
    b->now.constant[number] = value;
}

void native_save(struct block *b) {
    for (unsigned number = 0; b->now.unsaved != 0; number++)
        if (b->now.unsaved >> number & 1u)
            save(b, number);
}

void native_drop(struct block *b) {
    b->now.held = 0;
    b->now.busy = 0;
}

void native_load_again(struct block *b, unsigned except) {
    for (unsigned number = 0; number < 32; number++)
        if (number != except && is_held(b, number))
            host_core(b, 0x8B, b->now.host[number], number);
}

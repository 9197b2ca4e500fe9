/* SPDX-License-Identifier: MIT */
/*
 * Frames to payloads and back with what hsmc generates, for whoever asks in records: here on
 * standard input and output, on the chip's core (CHIP, run by tests/sim_cpu/run_program) from
 * memory to a system call. All numbers of a record are big-endian.
 *
 * A question is a payload, a verb, a count of bytes, values of the payload's fields in the order of
 * P_FIELDS, and a frame; the answer a result, values and a frame.
 */
#include "abp_codec.h"
#include "emp_codec.h"
#include "everything_codec.h"
#include "fetch_codec.h"

enum { FRAME_BYTES = 64, VALUES = 16 };
enum verb { READ, WRITE, READ_WORDS, WRITE_WORDS, VERBS };

struct question {
    uint32_t payload, verb, count;
    uint32_t value[VALUES];
    uint32_t words[FRAME_BYTES / 4];
};

struct answer {
    uint32_t result;
    uint32_t value[VALUES];
    uint32_t words[FRAME_BYTES / 4];
};

#define TO_VALUE(name, layout, first, mask)   value[i++] = f.name;
#define FROM_VALUE(name, layout, first, mask) f.name = (__typeof__(f.name))value[i++];

/* `bytes` is the frame as it lies in memory, `words` as integers: the same on the chip. */
#define PAYLOAD(p, P, protocol)                                                                    \
    static uint32_t p##_ask(uint32_t verb, uint32_t count, uint32_t *value, uint8_t *bytes,        \
                            uint32_t *words) {                                                     \
        struct p f = {0};                                                                          \
        uint32_t result, i = 0;                                                                    \
        if (verb == WRITE || verb == WRITE_WORDS) {                                                \
            P##_FIELDS(FROM_VALUE) result = p##_bytes(&f);                                         \
            count = verb == WRITE ? p##_write(bytes, &f) : p##_pack(words, &f);                    \
            return count == p##_header_bytes(&f) ? result : 0;                                     \
        }                                                                                          \
        if (verb == READ) {                                                                        \
            result = (uint32_t)p##_read(bytes, count, &f);                                         \
        } else {                                                                                   \
            result = (uint32_t)p##_accept(words, count);                                           \
            if (result == 0)                                                                       \
                p##_unpack(words, &f);                                                             \
        }                                                                                          \
        P##_FIELDS(TO_VALUE) return result;                                                        \
    }
#define PAYLOADS(X)                                                                                \
    X(emp_frame, EMP_FRAME, emp)                                                                   \
    X(abp_frame, ABP_FRAME, abp)                                                                   \
    X(fetch_request, FETCH_REQUEST, fetch)                                                         \
    X(fetch_refusal, FETCH_REFUSAL, fetch)                                                         \
    X(fetch_block, FETCH_BLOCK, fetch)                                                             \
    X(fetch_acknowledgement, FETCH_ACKNOWLEDGEMENT, fetch)                                         \
    X(fetch_cancel, FETCH_CANCEL, fetch)                                                           \
    X(everything_any, EVERYTHING_ANY, everything)                                                  \
    X(everything_single, EVERYTHING_SINGLE, everything)                                            \
    X(everything_plain, EVERYTHING_PLAIN, everything)                                              \
    X(everything_entry, EVERYTHING_ENTRY, everything)
PAYLOADS(PAYLOAD)

static uint32_t ask(uint32_t payload, uint32_t verb, uint32_t count, uint32_t *value,
                    uint8_t *bytes, uint32_t *words) {
    uint32_t number = 0;
#define ASK(p, P, protocol)                                                                        \
    if (payload == number++)                                                                       \
        return p##_ask(verb, count, value, bytes, words);
    PAYLOADS(ASK)
    return UINT32_MAX;
}

#ifdef CHIP

__asm__(".section .text.start,\"ax\",@progbits\n"
        ".globl start\n"
        "start: lui $29, 0x10\n"
        "       j chip\n"
        "       nop\n"
        ".previous\n");

static uint32_t system_call(uint32_t number, uint32_t first, uint32_t second, uint32_t third) {
    register uint32_t v0 __asm__("$2") = number;
    register uint32_t a0 __asm__("$4") = first;
    register uint32_t a1 __asm__("$5") = second;
    register uint32_t a2 __asm__("$6") = third;
    __asm__ volatile("syscall" : "+r"(v0) : "r"(a0), "r"(a1), "r"(a2) : "$7", "memory");
    return v0;
}

/* How many questions there are, and then they. */
#define QUESTIONS ((uint32_t *)0x100000)

void chip(void);
void chip(void) {
    struct question *question = (struct question *)(QUESTIONS + 1);
    for (uint32_t left = *QUESTIONS; left != 0; left--, question++) {
        struct answer answer;
        answer.result = ask(question->payload, question->verb, question->count, question->value,
                            (uint8_t *)question->words, question->words);
        for (uint32_t i = 0; i < VALUES; i++)
            answer.value[i] = question->value[i];
        for (uint32_t i = 0; i < FRAME_BYTES / 4; i++)
            answer.words[i] = question->words[i];
        (void)system_call(4004, 1, (uint32_t)&answer, sizeof answer);
    }
    (void)system_call(4001, 0, 0, 0);
}

#else

#include <stdio.h>
#include <string.h>

/* Between the numbers of a record and those of this machine, with what is generated for that. */
static void take(uint32_t *words, const uint8_t *bytes, size_t count) {
    emp_load_words(words, bytes, (uint32_t)count);
}

int main(void) {
    uint8_t raw[sizeof(struct question)];
    uint32_t left;
    if (fread(raw, 4, 1, stdin) != 1)
        return 2;
    take(&left, raw, 4);
    for (; left != 0; left--) {
        struct question question;
        uint32_t head[3 + VALUES];
        uint8_t frame[FRAME_BYTES];
        uint8_t out[sizeof(struct answer)];
        struct answer answer;
        if (fread(raw, sizeof raw, 1, stdin) != 1)
            return 2;
        take(head, raw, sizeof head);
        memcpy(frame, raw + sizeof head, sizeof frame);
        memcpy(question.value, head + 3, sizeof question.value);
        take(question.words, frame, sizeof frame);
        answer.result = ask(head[0], head[1], head[2], question.value, frame, question.words);
        memcpy(answer.value, question.value, sizeof answer.value);
        emp_store_words(out, &answer.result, 4);
        emp_store_words(out + 4, answer.value, sizeof answer.value);
        if (head[1] == WRITE)
            memcpy(out + 4 + sizeof answer.value, frame, sizeof frame);
        else
            emp_store_words(out + 4 + sizeof answer.value, question.words, sizeof frame);
        if (fwrite(out, sizeof out, 1, stdout) != 1)
            return 2;
    }
    return 0;
}

#endif

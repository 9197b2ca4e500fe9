/* SPDX-License-Identifier: MIT */
/*
 * Runs the protocol post on two processors and on one, and compares what the machines tell.
 *
 * First as one thread, by turns; then as two threads, with as many orders as the first argument
 * says. A program that waits for ever ends by its alarm.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/backend/messages/unit.h"

struct shared shared = {.locked = ATOMIC_FLAG_INIT};

static uint64_t sum;         /* of the values that Clerk reports; only A reports them */
static uint32_t count;       /* so often */
static uint16_t numbers[64]; /* the first of them, in their order */
static uint32_t hurried;     /* by B */

void told(uint16_t number, uint32_t value) {
    if (number == 0) {
        hurried += value;
        return;
    }
    if (count < 64)
        numbers[count] = number;
    count++;
    sum += (uint64_t)number * value;
}

static void demand(bool holds, const char *what) {
    if (holds)
        return;
    (void)printf("not so: %s\n", what);
    exit(1);
}

static struct post_parcel parcel(uint32_t number) {
    return (struct post_parcel){.number = (uint16_t)(number % 60000 + 1),
                                .weight = 1000000 + number,
                                .fragile = number % 3 == 0};
}

static void place(const struct unit *unit, uint32_t number) {
    struct post_parcel next = parcel(number);
    demand(unit->order(&next) == HSM_DONE, "a record is free");
}

static void by_turns(void) {
    struct post_parcel sixth = parcel(6);
    uint64_t sum_of_one;
    for (uint32_t number = 0; number < 5; number++)
        place(&unit_whole, number);
    unit_whole.expire();
    demand(count == 5 && hurried == 7, "one processor tells of all at once");
    sum_of_one = sum;
    sum = count = hurried = 0;

    for (uint32_t number = 0; number < 4; number++) /* as many as there are records */
        place(&unit_a, number);
    demand(count == 0, "nothing has been packed yet");
    demand(unit_a.order(&sixth) == HSM_NO_ROOM, "all records are in use");
    for (uint32_t number = 0; number < 4; number++)
        demand(unit_b.take(), "each order is a message");
    demand(!unit_b.take() && count == 0, "packed, and Clerk has not heard of it");
    while (unit_a.take())
        ;
    demand(count == 4, "Clerk has heard of all");
    place(&unit_a, 4);
    unit_a.expire();
    while (unit_b.take() || unit_a.take())
        ;
    demand(count == 5 && hurried == 7 && sum == sum_of_one, "two processors tell the same");
    for (uint32_t number = 0; number < 5; number++)
        demand(numbers[number] == parcel(number).number, "in the order of the orders");
}

static atomic_bool all_placed;

static void *second(void *unused) {
    while (!atomic_load(&all_placed))
        (void)unit_b.take();
    return unused;
}

static void side_by_side(uint32_t orders) {
    uint64_t wanted = 0;
    pthread_t thread;
    sum = count = hurried = 0;
    demand(pthread_create(&thread, NULL, second, NULL) == 0, "a thread starts");
    for (uint32_t number = 0; number < orders; number++) {
        struct post_parcel next = parcel(number);
        wanted += (uint64_t)next.number * (next.weight + next.number + next.fragile);
        while (unit_a.order(&next) == HSM_NO_ROOM)
            (void)unit_a.take();
        if (number % 16 == 0)
            unit_a.expire();
    }
    while (count != orders)
        (void)unit_a.take();
    atomic_store(&all_placed, true);
    demand(pthread_join(thread, NULL) == 0, "it ends");
    while (unit_b.take())
        ;
    demand(sum == wanted, "every order was packed as it was posted");
    demand(hurried == 7 * ((orders + 15) / 16), "every expiry was heard of");
}

int main(int argc, char **argv) {
    demand(argc == 2, "expected the number of orders");
    (void)alarm(100);
    unit_whole.start();
    unit_a.start();
    unit_b.start();
    if (NIC_MESSAGE_LIMIT >= 8)
        by_turns();
    side_by_side((uint32_t)strtoul(argv[1], NULL, 10));
    (void)printf("%u orders\n", (unsigned)count);
    return 0;
}

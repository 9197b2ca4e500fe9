/* SPDX-License-Identifier: MIT */
#include "host/emp/session.h"

#include "host/driver/uapi/emp_ioctl.h"
#include "host/emp/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

_Static_assert(EMP_DESCRIPTOR_LIMIT <= UINT16_MAX, "slots are numbered in 16 bits");

enum {
    COLLECT_AT = EMP_IOCTL_BATCH_LIMIT / 2, /* requests that have ended and were not collected */
    INDEX_MASK = UINT16_MAX
};

enum state {
    FREE,
    WAITING, /* in the queue */
    POSTED,
    ENDED,  /* and collected, but the program does not know */
    FAILED, /* the driver did not take it */
};

struct entry {
    enum state state;
    uint32_t request; /* the driver's number */
    uint32_t word;    /* with which it ended */
    int error;        /* with which it failed */
    bool named;       /* peer and tag below are known */
    uint16_t peer;    /* of the message that it met */
    uint64_t tag;
    struct emp_ioctl_entry waiting;
    struct emp_ioctl_piece *pieces; /* of a message that waits */
};

struct libemp_session {
    int file;
    uint32_t tag_bits;
    uint32_t ends_step;
    const uint8_t *ends;
    size_t ends_bytes;
    struct entry entries[EMP_DESCRIPTOR_LIMIT]; /* by slot */
    uint16_t queue[EMP_DESCRIPTOR_LIMIT];       /* slots that wait */
    size_t first;
    size_t waiting;
    uint32_t ended[EMP_IOCTL_BATCH_LIMIT]; /* requests to collect */
    size_t ended_count;
};

static int call(const struct libemp_session *session, unsigned long command, void *argument) {
    return ioctl(session->file, command, argument) ? -errno : 0;
}

int session_open(struct libemp_session **session, int file) {
    struct emp_ioctl_information information;
    struct libemp_session *new = calloc(1, sizeof *new);
    if (!new)
        return -ENOMEM;
    new->file = file;
    int error = call(new, EMP_INFORMATION, &information);
    if (!error && information.version != EMP_IOCTL_VERSION)
        error = -EPROTO;
    if (!error) {
        new->tag_bits = information.tag_bits;
        new->ends_step = information.ends_step;
        new->ends_bytes = (size_t)information.descriptors << information.ends_step;
        void *ends = mmap(NULL, new->ends_bytes, PROT_READ, MAP_SHARED, file, EMP_IOCTL_MAP_ENDS);
        error = ends == MAP_FAILED ? -errno : 0;
        new->ends = error ? NULL : ends;
    }
    if (error)
        free(new);
    else
        *session = new;
    return error;
}

void session_close(struct libemp_board *board) {
    struct libemp_session *session = board->session;
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++)
        free(session->entries[i].pieces);
    if (board_check_process(board->hardware) == 0) /* a child has not inherited them */
        (void)munmap((void *)(uintptr_t)session->ends, session->ends_bytes);
    free(session);
}

/* ------------------------------------------------------------------------------------------------
 * The board */

int session_start(struct libemp_board *board, const struct board_start_options *options) {
    struct emp_ioctl_start start = {.node = options->node, .epoch = options->epoch};
    memcpy(start.mac_address, options->mac_address, sizeof start.mac_address);
    const int error = call(board->session, EMP_START, &start);
    if (error == -EPERM)
        return libemp_fail(board, error,
                           "the driver's firmware does not run as node %u, and only a program with "
                           "CAP_NET_ADMIN may start it",
                           options->node);
    return error ? libemp_fail(board, error,
                               "the driver could not start its firmware: %s; the kernel log has "
                               "the reason",
                               strerror(-error))
                 : 0;
}

int session_adopt(struct libemp_board *board) {
    struct emp_ioctl_information information;
    const int error = call(board->session, EMP_INFORMATION, &information);
    if (error)
        return libemp_fail(board, error, "the driver does not answer: %s", strerror(-error));
    if (!information.running)
        return libemp_fail(board, -ENODEV, "the driver runs no firmware");
    if (information.protocol_hash != EMP_PROTOCOL_HASH)
        return libemp_fail(board, -EPROTO,
                           "a driver of specification 0x%08X; this library is of specification "
                           "0x%08X: build it with PROFILE=modern NODES=64 BOARDS=16",
                           information.protocol_hash, EMP_PROTOCOL_HASH);
    board->node = information.node;
    return 0;
}

unsigned session_tag_bits(const struct libemp_board *board) {
    return board->session->tag_bits;
}

int session_set_peer(struct libemp_board *board, uint16_t node, const uint8_t mac_address[6]) {
    struct emp_ioctl_peer peer = {.node = node};
    memcpy(peer.mac_address, mac_address, sizeof peer.mac_address);
    const int error = call(board->session, EMP_SET_PEER, &peer);
    return error ? libemp_fail(board, error,
                               error == -EPERM ? "node %u: only a program with CAP_NET_ADMIN may "
                                                 "set another address than the driver has"
                                               : "no node %u",
                               node)
                 : 0;
}

int session_set_parameter(struct libemp_board *board, size_t index, uint32_t value) {
    struct emp_ioctl_parameter parameter = {.index = (uint32_t)index, .value = value};
    const int error = call(board->session, EMP_SET_PARAMETER, &parameter);
    return error ? libemp_fail(board, error, "the driver: %s", strerror(-error)) : 0;
}

/* ------------------------------------------------------------------------------------------------
 * Batches */

static const volatile uint32_t *end_of(const struct libemp_session *session,
                                       const struct entry *entry) {
    const size_t place = (size_t)(entry->request & INDEX_MASK) << session->ends_step;
    return (const volatile uint32_t *)(const void *)(session->ends + place);
}

static int submit(const struct libemp_session *session, struct emp_ioctl_entry *entries,
                  size_t count, size_t *done) {
    struct emp_ioctl_batch batch = {.entries = (uintptr_t)entries, .count = (uint32_t)count};
    const int error = call(session, EMP_SUBMIT, &batch);
    *done = error ? 0 : batch.done;
    return error;
}

/* As many that have ended as the batch has room for. */
static size_t put_collects(struct libemp_session *session, struct emp_ioctl_entry *entries) {
    size_t count = 0;
    while (session->ended_count && count < COLLECT_AT)
        entries[count++] = (struct emp_ioctl_entry){
            .kind = EMP_IOCTL_COLLECT, .request = session->ended[--session->ended_count]};
    return count;
}

static struct entry *queued(struct libemp_session *session, size_t place) {
    return &session->entries[session->queue[(session->first + place) % EMP_DESCRIPTOR_LIMIT]];
}

static void leave_queue(struct libemp_board *board, struct entry *entry, int error) {
    struct libemp_session *session = board->session;
    struct libemp_posted *posted = &board->slots[entry - session->entries].posted;
    free(entry->pieces);
    entry->pieces = NULL;
    entry->state = error ? FAILED : POSTED;
    entry->error = error;
    entry->request = entry->waiting.request;
    if (!error)
        posted->word = entry->waiting.word;
    session->first = (session->first + 1) % EMP_DESCRIPTOR_LIMIT;
    session->waiting--;
}

/* One batch. True: the driver took all that it was given, and something is left. */
static bool flush_once(struct libemp_board *board) {
    struct libemp_session *session = board->session;
    struct emp_ioctl_entry entries[EMP_IOCTL_BATCH_LIMIT];
    const size_t collects = put_collects(session, entries);
    size_t count = collects;
    size_t done;
    while (count < EMP_IOCTL_BATCH_LIMIT && count - collects < session->waiting) {
        const struct entry *entry = queued(session, count - collects);
        entries[count] = entry->waiting;
        entries[count++].pieces = (uintptr_t)entry->pieces;
    }
    if (count == 0)
        return false;
    const int failed = submit(session, entries, count, &done);
    for (size_t i = collects; i < (failed ? count : done); i++) {
        struct entry *entry = queued(session, 0);
        const int error = failed ? failed : entries[i].error;
        if (error == -EAGAIN)
            return false;
        entry->waiting.request = entries[i].request;
        entry->waiting.word = entries[i].word;
        leave_queue(board, entry, error);
    }
    return session->waiting || session->ended_count;
}

/* Collects a request that has ended, though the program has not asked for it, so that its
 * descriptors are free for what waits. */
static bool collect(struct libemp_session *session, struct entry *entry) {
    struct emp_ioctl_entry line = {.kind = EMP_IOCTL_COLLECT, .request = entry->request};
    const uint32_t word = *end_of(session, entry);
    size_t done;
    const int failed = submit(session, &line, 1, &done);
    if (failed || line.error == -EAGAIN)
        return false;
    entry->state = ENDED;
    entry->word = word;
    entry->named = line.error == 0 || line.error == -EMSGSIZE;
    entry->peer = (uint16_t)line.peer;
    entry->tag = line.tag;
    return true;
}

static bool collect_all(struct libemp_board *board) {
    struct libemp_session *session = board->session;
    bool any = false;
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++) {
        struct entry *entry = &session->entries[i];
        if (entry->state == POSTED && *end_of(session, entry) != board->slots[i].posted.word)
            any = collect(session, entry) || any;
    }
    return any;
}

void session_collect(struct libemp_board *board) {
    while (board->session->ended_count)
        (void)flush_once(board);
}

void session_flush(struct libemp_board *board) {
    struct libemp_session *session = board->session;
    do {
        while (flush_once(board))
            ;
    } while (session->waiting && collect_all(board));
}

/* ------------------------------------------------------------------------------------------------
 * Requests */

static uint32_t kind_of(const struct libemp_header *header) {
    return header->peek                                 ? EMP_IOCTL_PEEK
           : header->direction == EMP_DIRECTION_RECEIVE ? EMP_IOCTL_RECEIVE
                                                        : EMP_IOCTL_SEND;
}

int session_post(struct libemp_board *board, size_t index, const struct libemp_header *header,
                 const struct libemp_piece *pieces, size_t count, bool later) {
    struct libemp_session *session = board->session;
    struct entry *entry = &session->entries[index];
    *entry = (struct entry){.state = WAITING};
    if (count) {
        entry->pieces = calloc(count, sizeof *entry->pieces);
        if (!entry->pieces)
            return libemp_fail(board, -ENOMEM, "no memory for %zu pieces", count);
    }
    uint32_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (pieces[i].length != 0) /* an empty one may have no memory */
            entry->pieces[used++] = (struct emp_ioctl_piece){.handle = pieces[i].memory->pin,
                                                             .length = (uint32_t)pieces[i].length,
                                                             .offset = pieces[i].offset};
    entry->waiting = (struct emp_ioctl_entry){.kind = kind_of(header),
                                              .peer = header->peer,
                                              .piece_count = used,
                                              .tag = header->tag,
                                              .ignored = header->ignored};
    session->queue[(session->first + session->waiting++) % EMP_DESCRIPTOR_LIMIT] = (uint16_t)index;
    if (later)
        return 0;
    session_flush(board);
    if (entry->state != FAILED)
        return 0;
    const int error = entry->error;
    entry->state = FREE;
    return libemp_fail(board, error, "the driver refused the request: %s", strerror(-error));
}

/* Out of the queue; those behind it keep their order. */
static void withdraw(struct libemp_session *session, size_t index) {
    size_t place = 0;
    while (session->queue[(session->first + place) % EMP_DESCRIPTOR_LIMIT] != index)
        place++;
    for (; place + 1 < session->waiting; place++)
        session->queue[(session->first + place) % EMP_DESCRIPTOR_LIMIT] =
            session->queue[(session->first + place + 1) % EMP_DESCRIPTOR_LIMIT];
    session->waiting--;
    free(session->entries[index].pieces);
    session->entries[index].pieces = NULL;
    session->entries[index].state = FAILED;
    session->entries[index].error = -ECANCELED;
}

int session_cancel(struct libemp_board *board, size_t index) {
    struct libemp_session *session = board->session;
    struct entry *entry = &session->entries[index];
    struct emp_ioctl_entry line = {.kind = EMP_IOCTL_CANCEL, .request = entry->request};
    size_t done;
    int error = 0;
    if (entry->state == WAITING)
        withdraw(session, index);
    else if (entry->state == POSTED)
        while ((error = submit(session, &line, 1, &done)) == 0 && line.error == -EAGAIN)
            board_sleep_ns(board->hardware, SESSION_NAP_NS); /* the card's time is used up */
    return error ? libemp_fail(board, error, "the driver: %s", strerror(-error)) : 0;
}

bool session_has_news(const struct libemp_board *board) {
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++)
        if (board->session->entries[i].state == ENDED || board->session->entries[i].state == FAILED)
            return true;
    return false;
}

bool session_is_waiting(const struct libemp_board *board) {
    return board->session->waiting != 0;
}

const volatile uint32_t *session_end(const struct libemp_board *board, size_t index) {
    const struct entry *entry = &board->session->entries[index];
    return entry->state == POSTED ? end_of(board->session, entry) : NULL;
}

uint32_t session_word(const struct libemp_board *board, size_t index) {
    const struct entry *entry = &board->session->entries[index];
    switch (entry->state) {
    case POSTED:
        return *end_of(board->session, entry);
    case ENDED:
        return entry->word;
    default:
        return board->slots[index].posted.word;
    }
}

int session_failure(const struct libemp_board *board, size_t index) {
    const struct entry *entry = &board->session->entries[index];
    if (entry->state != FAILED)
        return 0;
    /* It was valid when it was posted. So the board has started as another node since, which ends
     * requests that the driver has with -ECONNRESET; -EINVAL stands for no such request. */
    return entry->error == -EINVAL ? -ECONNRESET : entry->error;
}

bool session_source(struct libemp_board *board, size_t index, struct libemp_completion *found) {
    struct entry *entry = &board->session->entries[index];
    if (entry->state == POSTED)
        (void)collect(board->session, entry);
    found->peer = entry->peer;
    found->tag = entry->tag;
    return entry->state == ENDED && entry->named;
}

void session_finish(struct libemp_board *board, size_t index) {
    struct libemp_session *session = board->session;
    struct entry *entry = &session->entries[index];
    if (entry->state == POSTED) {
        session->ended[session->ended_count++] = entry->request;
        while (session->ended_count >= COLLECT_AT)
            (void)flush_once(board);
    }
    entry->state = FREE;
}

/* SPDX-License-Identifier: MIT */
/* A client as a program of its board's host: each request is a call of tigon_host_ functions. */
#include "sim/serve/server_private.h"

#include <errno.h>
#include <string.h>

/* Limits of one request; larger ones make no sense and would delay the service of other sockets. */
enum { REQUEST_WORDS = 6 };

#define SLICE_NS           UINT64_C(1000000) /* of waiting, between two checks of the sockets */
#define FREE_SLICE_NS      UINT64_C(10000)
#define BUSY_LIMIT_NS      UINT64_C(1000000000) /* of one piece of work */
#define ABSENT_SLICE_NS    UINT64_C(100000)
#define LOOK_NS            UINT64_C(1000000000) /* so that a signal just before a wait is seen, too */
#define CONFIGURATION_COPY 0x40u                /* bytes of configuration space that the chip has */
#define COMMAND_STATUS     0x04u

struct request {
    struct tigon_serve_header header;
    const uint8_t *payload;
    uint64_t words[REQUEST_WORDS];
};

/* The result of a request. */
struct answer {
    int32_t status;
    const char *text; /* of a failure */
    size_t count;
    uint64_t *words; /* TIGON_SERVE_PAGES_LIMIT of the session */
};

static const struct {
    const char *name;
    size_t words;
    bool posted;
} types[TIGON_SERVE_TYPES] = {
    [TIGON_SERVE_BOARD] = {"BOARD", 1, false},
    [TIGON_SERVE_CONFIGURATION_READ] = {"CONFIGURATION_READ", 2, false},
    [TIGON_SERVE_CONFIGURATION_WRITE] = {"CONFIGURATION_WRITE", 3, false},
    [TIGON_SERVE_READ] = {"READ", 2, false},
    [TIGON_SERVE_WRITE] = {"WRITE", 3, true},
    [TIGON_SERVE_WRITE_BLOCK] = {"WRITE_BLOCK", 2, true},
    [TIGON_SERVE_POLL] = {"POLL", 6, false},
    [TIGON_SERVE_SYNCHRONISE] = {"SYNCHRONISE", 0, false},
    [TIGON_SERVE_SPEND] = {"SPEND", 1, false},
    [TIGON_SERVE_SLEEP] = {"SLEEP", 1, false},
    [TIGON_SERVE_WAIT_INTERRUPT] = {"WAIT_INTERRUPT", 1, false},
    [TIGON_SERVE_POLL_MEMORY] = {"POLL_MEMORY", 5, false},
    [TIGON_SERVE_ALLOCATE] = {"ALLOCATE", 1, false},
    [TIGON_SERVE_ALLOCATE_PAGES] = {"ALLOCATE_PAGES", 1, false},
    [TIGON_SERVE_RESET] = {"RESET", 0, false},
    [TIGON_SERVE_FREE_PAGES] = {"FREE_PAGES", 2, false},
    [TIGON_SERVE_GIVE_BACK] = {"GIVE_BACK", 3, false},
    [TIGON_SERVE_READ_ROW] = {"READ_ROW", 3, false},
};

static void fail(struct answer *answer, int error, const char *text) {
    answer->status = error;
    answer->text = text;
}

static void give(struct answer *answer, uint64_t word) {
    answer->words[answer->count++] = word;
}

/* Between two slices of something long: whether anybody still wants it. */
static bool wanted(struct session *session) {
    server_look(session->server, 0);
    return session->connection.descriptor >= 0 && !session->server->stopping;
}

/* ------------------------------------------------------------------------------------------------
 * Registers */

/* An access of that width stays within an aligned one. */
static bool good_access(uint64_t offset, uint64_t width, uint64_t bytes, uint64_t widest) {
    return (width == 1 || width == 2 || width == 4 || width == 8) && width <= widest &&
           offset % width == 0 && offset < bytes;
}

static uint64_t lane_mask(uint64_t width) {
    return width >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * width)) - 1;
}

static void read_register(struct session *session, const struct request *request,
                          struct answer *answer) {
    const uint32_t offset = (uint32_t)request->words[0];
    const uint64_t width = request->words[1];
    if (!good_access(request->words[0], width, TIGON_SERVE_BAR_BYTES, 8)) {
        fail(answer, -EINVAL, "an access is 1, 2, 4 or 8 bytes at a multiple of that below 0x4000");
        return;
    }
    uint64_t value = tigon_host_read32(session->host, offset & ~3u);
    if (width == 8)
        value |= (uint64_t)tigon_host_read32(session->host, offset + 4) << 32;
    else /* the bus fetches the whole word, and the host takes its bytes */
        value = value >> (8 * (offset & 3u)) & lane_mask(width);
    give(answer, value);
}

static void read_row(struct session *session, const struct request *request,
                     struct answer *answer) {
    const uint64_t offset = request->words[0];
    const uint64_t step = request->words[1];
    const uint64_t count = request->words[2];
    if (offset % 4 != 0 || offset >= TIGON_SERVE_BAR_BYTES || step % 4 != 0 || step == 0 ||
        count == 0 || count > TIGON_SERVE_ROW_WORDS ||
        (count - 1) > (TIGON_SERVE_BAR_BYTES - 4 - offset) / step) {
        fail(answer, -EINVAL, "a row is of 1 to 2048 whole words within 0x4000 bytes");
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        give(answer, tigon_host_read32(session->host, (uint32_t)(offset + i * step)));
}

static void write_register(struct session *session, const struct request *request,
                           struct answer *answer) {
    const uint32_t offset = (uint32_t)request->words[0];
    const uint64_t width = request->words[1];
    const uint64_t value = request->words[2] & lane_mask(width);
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    if (!good_access(request->words[0], width, TIGON_SERVE_BAR_BYTES, 8))
        fail(answer, -EINVAL, "an access is 1, 2, 4 or 8 bytes at a multiple of that below 0x4000");
    else if (width == 8)
        tigon_host_write_block(session->host, offset, words, 2);
    else /* the chip has no byte enables: lanes without data are written, too, as zeros */
        tigon_host_write32(session->host, offset & ~3u, words[0] << (8 * (offset & 3u)));
}

static void write_block(struct session *session, const struct request *request,
                        struct answer *answer) {
    static uint32_t words[TIGON_SERVE_BLOCK_WORDS]; /* used up before anything else runs */
    const uint64_t offset = request->words[0];
    const uint64_t count = request->words[1];
    if (offset % 4 != 0 || offset > TIGON_SERVE_BAR_BYTES || count == 0 ||
        count > (TIGON_SERVE_BAR_BYTES - offset) / 4 ||
        request->header.length != sizeof request->header + 16 + 4 * count) {
        fail(answer, -EINVAL, "a block is whole words, as many as it says, within 0x4000 bytes");
        return;
    }
    memcpy(words, request->payload + 16, 4 * count);
    for (size_t i = 0; i < count; i++)
        words[i] = le32toh(words[i]);
    tigon_host_write_block(session->host, (uint32_t)offset, words, count);
}

static void poll_register(struct session *session, const struct request *request,
                          struct answer *answer) {
    const uint64_t *words = request->words;
    const uint64_t spend_ns = words[3];
    const uint64_t until_ns = words[4];
    uint64_t made = 0;
    uint32_t value;
    if (words[0] % 4 != 0 || words[0] >= TIGON_SERVE_BAR_BYTES || words[5] == 0 ||
        spend_ns > BUSY_LIMIT_NS) {
        fail(answer, -EINVAL,
             "a poll is of a word below 0x4000, at least one turn, and at most a "
             "second between two turns");
        return;
    }
    do {
        uint64_t turns = SLICE_NS / (spend_ns + 500) + 1;
        if (turns > words[5] - made)
            turns = words[5] - made;
        value = tigon_host_poll32(session->host, (uint32_t)words[0], (uint32_t)words[1],
                                  (uint32_t)words[2], spend_ns, until_ns, &turns);
        made += turns;
    } while ((value & (uint32_t)words[1]) == (uint32_t)words[2] && made < words[5] &&
             tigon_host_now_ns(session->host) < until_ns && wanted(session));
    give(answer, value);
    give(answer, made);
}

/* A configuration cycle takes as long as a register read, and follows earlier posted writes. */
static void configuration_cycle(struct session *session) {
    (void)tigon_host_read32(session->host, 0);
}

static uint32_t configuration_word(const struct session *session, uint32_t offset) {
    if (!tigon_board_alive(session->served.board))
        return UINT32_MAX;
    return offset < CONFIGURATION_COPY
               ? tigon_board_peek_register(session->served.board, offset & ~3u)
               : 0;
}

static bool good_configuration(const struct request *request, struct answer *answer) {
    if (good_access(request->words[0], request->words[1], TIGON_SERVE_CONFIGURATION_BYTES, 4))
        return true;
    fail(answer, -EINVAL, "an access is 1, 2 or 4 bytes at a multiple of that below 256");
    return false;
}

static void read_configuration(struct session *session, const struct request *request,
                               struct answer *answer) {
    const uint32_t offset = (uint32_t)request->words[0];
    if (!good_configuration(request, answer))
        return;
    configuration_cycle(session);
    give(answer,
         configuration_word(session, offset) >> (8 * (offset & 3u)) & lane_mask(request->words[1]));
}

static void write_configuration(struct session *session, const struct request *request,
                                struct answer *answer) {
    const uint32_t offset = (uint32_t)request->words[0];
    if (!good_configuration(request, answer))
        return;
    configuration_cycle(session);
    const unsigned shift = 8 * (offset & 3u);
    const uint32_t lanes = (uint32_t)lane_mask(request->words[1]) << shift;
    uint32_t others = configuration_word(session, offset);
    if ((offset & ~3u) == COMMAND_STATUS)
        others &= 0xFFFFu; /* status bits are cleared by ones */
    if (offset < CONFIGURATION_COPY && tigon_board_alive(session->served.board))
        tigon_board_poke_register(session->served.board, offset & ~3u,
                                  (others & ~lanes) |
                                      ((uint32_t)request->words[2] << shift & lanes));
}

/* ------------------------------------------------------------------------------------------------
 * Time */

static uint64_t slice_of(const struct session *session) {
    return session->server->options.free_running ? FREE_SLICE_NS : SLICE_NS;
}

static void sleep_long(struct session *session, uint64_t ns) {
    const uint64_t slice = slice_of(session);
    while (ns > 0) {
        const uint64_t piece = ns < slice ? ns : slice;
        tigon_host_sleep_ns(session->host, piece);
        ns -= piece;
        if (ns > 0 && !wanted(session))
            return;
    }
}

static void spend(struct session *session, uint64_t ns, struct answer *answer) {
    if (ns > BUSY_LIMIT_NS)
        fail(answer, -EINVAL, "a piece of work takes at most a second");
    else
        tigon_host_spend_ns(session->host, ns);
}

static void wait_interrupt(struct session *session, uint64_t timeout_ns, struct answer *answer) {
    bool up = false;
    for (;;) {
        const uint64_t piece = timeout_ns < SLICE_NS ? timeout_ns : SLICE_NS;
        up = tigon_host_wait_interrupt(session->host, piece);
        if (timeout_ns != UINT64_MAX)
            timeout_ns -= piece;
        if (up || timeout_ns == 0 || !wanted(session))
            break;
    }
    give(answer, up);
}

static void poll_memory(struct session *session, const struct request *request,
                        struct answer *answer) {
    const uint64_t length = request->words[1];
    const uint64_t interval_ns = request->words[3];
    uint64_t timeout_ns = request->words[4];
    uint64_t seen = request->words[2];
    const uint64_t base = tigon_host_bus_address(session->host, tigon_host_memory(session->host));
    const uint64_t size = tigon_host_memory_size(session->host);
    const uint64_t at = request->words[0] - base;
    bool written = false;
    if (request->words[0] < base || at >= size || length == 0 || length > size - at ||
        interval_ns == 0 || interval_ns > BUSY_LIMIT_NS) {
        fail(answer, -EINVAL, "polled memory lies in host memory, and a turn takes 1 ns to 1 s");
        return;
    }
    /* Pieces are whole turns, so that the last turn is where it would be without them. */
    const uint64_t slice = (SLICE_NS / interval_ns + 1) * interval_ns;
    for (;;) {
        const uint64_t piece = timeout_ns < slice ? timeout_ns : slice;
        written = tigon_host_poll(session->host, tigon_host_memory(session->host) + at, length,
                                  seen, interval_ns, piece);
        if (timeout_ns != UINT64_MAX)
            timeout_ns -= piece;
        if (written || timeout_ns == 0 || !wanted(session))
            break;
        /* Writes elsewhere came meanwhile; those into the range would have woken it. */
        seen = tigon_host_write_count(session->host);
    }
    give(answer, written);
}

/* ------------------------------------------------------------------------------------------------
 * Host memory and the rest */

static void allocate(struct session *session, uint64_t bytes, struct answer *answer) {
    uint64_t address;
    if (bytes == 0)
        fail(answer, -EINVAL, "at least 1 byte of host memory at a time");
    else if (bytes > tigon_host_memory_size(session->host) ||
             !tigon_host_allocate(session->host, bytes, &address))
        fail(answer, -ENOMEM, "host memory is used up (knob host_memory_bytes)");
    else {
        memory_take(session, address, bytes);
        give(answer, address);
    }
}

static void allocate_pages(struct session *session, uint64_t bytes, struct answer *answer) {
    if (bytes == 0 || bytes > TIGON_SERVE_PAGES_LIMIT * UINT64_C(4096)) {
        fail(answer, -EINVAL, "1 byte to 8 MB of scattered pages at a time");
        return;
    }
    if (tigon_host_allocate_pages(session->host, bytes, answer->words)) {
        fail(answer, -ENOMEM, "host memory is used up (knob host_memory_bytes)");
        return;
    }
    answer->count = (bytes + 4095) / 4096;
    for (size_t i = 0; i < answer->count; i++)
        memory_take(session, answer->words[i], 1);
}

static void tell_board(const struct session *session, uint64_t index, struct answer *answer) {
    const struct tigon_board *board = tigon_world_board(session->server->world, index);
    uint8_t address[6];
    uint64_t word = 0;
    char name[8 * TIGON_SERVE_NAME_WORDS] = "";
    if (!board) {
        fail(answer, -ENOENT, "there are not so many boards");
        return;
    }
    tigon_board_mac_address(board, address);
    for (size_t i = 0; i < sizeof address; i++)
        word = word << 8 | address[i];
    give(answer, word);
    (void)snprintf(name, sizeof name, "%s", tigon_board_name(board));
    for (size_t i = 0; i < TIGON_SERVE_NAME_WORDS; i++) {
        uint64_t part;
        memcpy(&part, name + 8 * i, sizeof part);
        give(answer, le64toh(part)); /* goes out as it is */
    }
}

/* ------------------------------------------------------------------------------------------------
 * Requests */

static void carry_out(struct session *session, const struct request *request,
                      struct answer *answer) {
    const uint64_t *words = request->words;
    switch (request->header.type) {
    case TIGON_SERVE_BOARD:
        tell_board(session, words[0], answer);
        return;
    case TIGON_SERVE_CONFIGURATION_READ:
        read_configuration(session, request, answer);
        return;
    case TIGON_SERVE_CONFIGURATION_WRITE:
        write_configuration(session, request, answer);
        return;
    case TIGON_SERVE_READ:
        read_register(session, request, answer);
        return;
    case TIGON_SERVE_READ_ROW:
        read_row(session, request, answer);
        return;
    case TIGON_SERVE_WRITE:
        write_register(session, request, answer);
        return;
    case TIGON_SERVE_WRITE_BLOCK:
        write_block(session, request, answer);
        return;
    case TIGON_SERVE_POLL:
        poll_register(session, request, answer);
        return;
    case TIGON_SERVE_SPEND:
        spend(session, words[0], answer);
        return;
    case TIGON_SERVE_SLEEP:
        sleep_long(session, words[0]);
        return;
    case TIGON_SERVE_WAIT_INTERRUPT:
        wait_interrupt(session, words[0], answer);
        return;
    case TIGON_SERVE_POLL_MEMORY:
        poll_memory(session, request, answer);
        return;
    case TIGON_SERVE_ALLOCATE:
        allocate(session, words[0], answer);
        return;
    case TIGON_SERVE_ALLOCATE_PAGES:
        allocate_pages(session, words[0], answer);
        return;
    case TIGON_SERVE_FREE_PAGES:
        if (!memory_free(session, words[0], words[1]))
            fail(answer, -EINVAL, "these are not pages that this client has allocated");
        return;
    case TIGON_SERVE_GIVE_BACK:
        memory_give_back(session, words[0], words + 1);
        return;
    case TIGON_SERVE_RESET:
        configuration_cycle(session); /* posted writes arrive before */
        tigon_board_reset(session->served.board);
        return;
    default:
        return; /* TIGON_SERVE_SYNCHRONISE: the header of the reply is the answer */
    }
}

/* Reads the arguments. Returns an error message if they do not fit the type. */
static const char *understand(struct request *request) {
    const struct tigon_serve_header *header = &request->header;
    const unsigned type = header->type;
    if (type == TIGON_SERVE_HELLO)
        return "HELLO comes once, as the first message";
    if (type >= TIGON_SERVE_TYPES || !types[type].name)
        return "expected a request of version 1 of the protocol, found an unknown type";
    const size_t bytes = 8 * types[type].words;
    const size_t found = header->length - sizeof *header;
    if (found < bytes || (found > bytes && type != TIGON_SERVE_WRITE_BLOCK))
        return "a request has fewer or more arguments than its type";
    memcpy(request->words, request->payload, bytes);
    for (size_t i = 0; i < types[type].words; i++)
        request->words[i] = le64toh(request->words[i]);
    return NULL;
}

static int reply(struct session *session, const struct request *request, struct answer *answer) {
    const struct tigon_serve_header header =
        session_header(session, request->header.type, request->header.sequence, answer->status);
    const int patience_ms =
        session->server->options.patience_ms ? (int)session->server->options.patience_ms : 10000;
    if (answer->status)
        return connection_send(&session->connection, &header, answer->text, strlen(answer->text),
                               NULL, patience_ms);
    for (size_t i = 0; i < answer->count; i++)
        answer->words[i] = htole64(answer->words[i]);
    return connection_send(&session->connection, &header, answer->words,
                           answer->count * sizeof *answer->words, NULL, patience_ms);
}

/* A violation of the protocol gets an error reply and ends the connection: the client's state is
 * unknown. */
static void expel(struct session *session, const struct request *request, int error,
                  const char *text) {
    char line[TIGON_SERVE_TEXT_BYTES];
    struct answer answer = {.status = error, .text = text};
    (void)reply(session, request, &answer);
    session->server->expelled++;
    (void)snprintf(line, sizeof line, "the client is sent away: %s", text);
    session_leave(session, line);
}

/* Serves the sockets while the session has no work. False when the client's patience limit is
 * over. */
static bool idle(struct session *session, uint64_t *waited_ms) {
    const unsigned patience_ms = session->server->options.patience_ms;
    if (session->server->options.free_running) {
        tigon_host_sleep_ns(session->host, FREE_SLICE_NS); /* the world serves the sockets */
        return true;
    }
    const uint64_t before_ms = server_clock_ns() / 1000000;
    server_look(session->server, LOOK_NS);
    *waited_ms += server_clock_ns() / 1000000 - before_ms;
    return patience_ms == 0 || *waited_ms <= patience_ms;
}

/* Waits for the next request. False when the client is gone or the server stops. */
static bool next_request(struct session *session, struct request *request) {
    uint64_t waited_ms = 0;
    for (;;) {
        const int found =
            connection_message(&session->connection, &request->header, &request->payload);
        if (session->server->stopping)
            return false;
        if (found < 0) {
            request->header.type = 0;
            expel(session, request, -EPROTO, "a message is shorter than its header or too long");
            return false;
        }
        if (found)
            return true;
        if (session->connection.descriptor < 0) {
            session_leave(session, "the client has gone");
            return false;
        }
        if (!idle(session, &waited_ms)) {
            request->header.type = 0;
            expel(session, request, -ETIMEDOUT, "no request for too long; the others wait for it");
            return false;
        }
    }
}

/* Handles all requests of one client. */
static void serve_client(struct session *session) {
    struct request request = {0};
    while (next_request(session, &request)) {
        struct answer answer = {.words = session->answer};
        const char *mistake = understand(&request);
        if (!mistake)
            carry_out(session, &request, &answer);
        if (!mistake && types[request.header.type].posted)
            mistake = answer.text; /* there is no reply to report it */
        if (mistake) {
            expel(session, &request, answer.status ? answer.status : -EPROTO, mistake);
            return;
        }
        /* A failed reply closes the connection, which the next turn detects. */
        if (!types[request.header.type].posted)
            (void)reply(session, &request, &answer);
        connection_consume(&session->connection, &request.header);
    }
}

/* False when the server stops. Without clients time stops, so that a client misses no event. */
static bool wait_for_client(struct session *session) {
    struct tigon_server *server = session->server;
    while (!session->attached) {
        if (server->stopping)
            return false;
        const bool first = session->served.wait && !session->came;
        if (first || (!server->options.free_running && !server_has_clients(server))) {
            server_look(server, LOOK_NS);
            server_restart_clock(server);
        } else {
            tigon_host_sleep_ns(session->host, ABSENT_SLICE_NS);
            server_look(server, 0);
        }
    }
    return true;
}

/* Whether all expected clients have connected and disconnected. */
static bool all_done(const struct tigon_server *server) {
    for (size_t i = 0; i < server->session_count; i++)
        if (server->sessions[i].served.wait && !server->sessions[i].came)
            return false;
    return server->options.once && !server_has_clients(server);
}

int session_program(struct tigon_host *host, void *argument) {
    struct session *session = argument;
    struct tigon_server *server = session->server;
    (void)host; /* session->host */
    while (wait_for_client(session)) {
        serve_client(session);
        if (server->stopping)
            break;
        if (session->served.reset_at_leave) {
            configuration_cycle(session); /* a write on its way could start a transfer afterwards */
            tigon_board_reset(session->served.board);
            memory_release(session);
        }
        if (all_done(server))
            server->stopping = 1;
    }
    tigon_world_stop(server->world);
    return 0;
}

/*
 * EMP's start: what the host wrote before it, the control block, and where things are.
 */
#include "fw-runtime/port/tigon2/board.h"
#include "fw-runtime/port/tigon2/memory_map.h"
#include "spec/emp/firmware/glue.h"

/* The state in its places, see emp_port.h. */
#define DEFINE_HOT(member)  EMP_MEMBER(member) NIC_FAST;
#define DEFINE_COLD(member) EMP_MEMBER(member);
EMP_STATE_MEMBERS(DEFINE_HOT, DEFINE_COLD)

volatile struct emp_parameters emp_parameters = EMP_PARAMETERS_DEFAULT;
uint32_t emp_fixed_node NIC_FAST;
uint32_t emp_fixed_epoch NIC_FAST;
uint32_t emp_counters[EMP_COUNTER_COUNT];

static_assert(EMP_CONTROL_ADDRESS == TIGON2_CONTROL_ADDRESS,
              "the control block is where the port has it");

static_assert(NIC_TRACE_ENTRIES == 1u << TIGON2_TRACE_BITS, "the ring is as start.S has it");
static_assert(EMP_TRANSITION_COUNT <= 0x7FFF, "a transition is the upper half of one word");

#define CONTROL(field) control[EMP_CONTROL_##field##_WORD]

/* Tables are indexed by fixed parameters. Live ones are looked at where they are read. */
static NIC_COLD void check_fixed(void) {
#define CHECK(name, initial, lowest, highest, live, text)                                          \
    if (!(live) && emp_parameters.name - (lowest) > (highest) - (lowest))                          \
        nic_panic(GLUE_PANIC_CONTROL);
    EMP_PARAMETERS(CHECK)
#undef CHECK
}

void nic_on_start(void) {
    volatile uint32_t *control = nic_control();
    CONTROL(STATE) = EMP_CONTROL_STATE_STARTING;
    CONTROL(LINK) = 0;
    CONTROL(FAULT) = 0;
    CONTROL(VERSION) = EMP_CONTROL_VERSION;
    CONTROL(PROTOCOL_HASH) = EMP_PROTOCOL_HASH;
    CONTROL(DESCRIPTORS) = nic_host_name(glue_descriptors);
    CONTROL(POSTING_RING) = nic_host_name(glue_posting_ring);
    CONTROL(PEERS) = nic_host_name(glue_peers);
    CONTROL(PARAMETERS) = nic_host_name(&emp_parameters);
    CONTROL(COUNTERS) = nic_host_name(emp_counters);
    CONTROL(RUNTIME_COUNTERS) = nic_host_name(&glue_counters);
#if NIC_TRACE
    CONTROL(TRACE) = nic_host_name(nic_trace_ring);
    CONTROL(TRACE_ENTRIES) = NIC_TRACE_ENTRIES;
    nic_trace_start(&CONTROL(TRACE_NEXT));
#else
    CONTROL(TRACE) = 0;
    CONTROL(TRACE_ENTRIES) = 0;
#endif
    CONTROL(SRAM_BYTES) = nic_memory_bytes();
    CONTROL(FREE_BYTES) = nic_memory_free();

    emp_parameters.node = CONTROL(NODE);
    emp_parameters.epoch = CONTROL(EPOCH);
    check_fixed();
    emp_fixed_node = CONTROL(NODE);
    emp_fixed_epoch = CONTROL(EPOCH);
    tigon2_set_scratch(CONTROL(SCRATCH_HIGH), CONTROL(SCRATCH_LOW));
    glue_wire_start(CONTROL(MAC_HIGH), CONTROL(MAC_LOW));
    glue_memory_start();
    emp_initialise();
    CONTROL(MAGIC) = EMP_CONTROL_MAGIC;
    CONTROL(STATE) = EMP_CONTROL_STATE_READY;
}

void glue_count(uint32_t counter) {
    emp_counters[counter]++;
}

void glue_never(void) {
    glue_counters.never++;
}

void nic_on_panic(uint32_t code) {
    volatile uint32_t *control = nic_control();
    CONTROL(FAULT) = code;
    CONTROL(LINK) = 0;
    CONTROL(STATE) = EMP_CONTROL_STATE_STOPPED;
}

void nic_on_timer(uint32_t timer) {
    if (timer < EMP_SEND_LIMIT)
        emp_timer_expired(EMP_TIMER_SEND_WAIT_ACK, timer + 1);
    else
        emp_timer_expired(EMP_TIMER_LINK_COMPLETE, 0);
}

void nic_on_link(enum nic_link_event event, uint32_t word) {
    switch (event) {
    case NIC_LINK_SYNCHRONISED:
        (void)emp_link_synchronised();
        break;
    case NIC_LINK_SYNC_LOST:
        (void)emp_link_sync_lost();
        break;
    case NIC_LINK_CONFIGURATION:
        (void)emp_link_configuration((uint16_t)word);
        break;
    case NIC_LINK_IDLE:
        (void)emp_link_idle_seen();
        break;
    }
}

void emp_device_link_send(const uint16_t word) {
    nic_link_send(word);
}

void emp_device_link_idle(void) {
    nic_link_idle();
}

void emp_device_link_enable(const bool up) {
    volatile uint32_t *control = nic_control();
    nic_link_enable(up);
    CONTROL(LINK) = up;
}

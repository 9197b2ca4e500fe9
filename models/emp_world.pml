/* The world around EMP: two nodes, their hosts, and a link that loses, repeats and reorders.
 *
 * Faults: loss, duplication, reordering (in_flight > 1), restart of either side (restarts > 0)
 * Wire: send_frame, send_control
 *
 * The protocol itself is generated and included: as Promela, or with ENGINE_C as the C the firmware is built from. Both
 * engines see this same text and must reach the same number of states.
 *
 * Every event is one d_step, which is exact: the firmware runs each event to completion. The link is a set of frames,
 * for loss, duplication and reordering make it one: an array of their codes in ascending order, so that a set has one
 * form. Before the link has become good a delivered frame also stays on the wire (it may come again) until it is lost:
 * so delivering once is delivering and losing, and needs no command of its own. At most IN_FLIGHT frames are on the wire,
 * both directions together; further ones are lost. The number of faults is not bounded.
 *
 * A frame the link has corrupted is one it has lost: the MAC's check sum finds it. A frame may be as old as it likes, for
 * message numbers do not come round here: in the world outside a frame must not outlive 2^32 messages of its pair of
 * nodes, or 255 restarts of one.
 *
 * Hosts post at any time, receives perhaps too late, and the device confirms a placement at any later time. A check may
 * say `posted_first` (what can be posted is, before anything else happens) and `placed_at_once` (the confirmation comes
 * with the frame) to look further elsewhere; the verdict lists it.
 *
 * `restarts` bounds how often nodes restart, at any moment, both together. A node that restarts has forgotten everything
 * and is another incarnation; its host posts again. The sending host wants MESSAGES messages delivered to one
 * incarnation of the receiver: it begins again when its node or, as PEER_RESTARTED tells, the other one restarted. The
 * receiving host posts what is needed to receive them. At first the nodes do not know each other's incarnations; with
 * `acquainted` the refusal that tells comes as soon as the first message is posted.
 *
 * Safety: anything may happen at any time, timers included. LIVENESS adds `good`, which becomes true at some time and
 * stays so. From then on nothing is lost or repeated (a data frame waits for room, an answer finds it), and a timer runs
 * out only when nothing else is left to happen, timers in the order they were armed in, as timers of equal duration do.
 * Every choice but that one is finite, so no fairness is assumed. The claim says that a good link and no completion of
 * everything cannot go together for ever.
 */
#define NODES 2
#define EMP_VALUE_NODE emp_node
#define EMP_VALUE_EPOCH incarnation[emp_node]
byte incarnation[NODES] = 1;

#ifdef LIVENESS
#define SET_YOUNGEST(timer) youngest = good * (timer)
#else
#define SET_YOUNGEST(timer) skip
#endif
#define hsm_timer_arm(timer)                                                                                           \
	armed[emp_node] = armed[emp_node] | (1 << (timer));                                                            \
	SET_YOUNGEST((armed[emp_node] != (1 << (timer))) * ((timer) + 1))
#define hsm_timer_cancel(timer)                                                                                        \
	armed[emp_node] = armed[emp_node] & ~(1 << (timer));                                                           \
	SET_YOUNGEST(0)

#include "emp.pml"
#include "emp_world.h"

#ifndef IN_FLIGHT
#define IN_FLIGHT WORLD_IN_FLIGHT
#endif

#ifdef LIVENESS
bool good;
#else
#define good false
#endif

#include "emp_link.pml"

/* --- the devices --- */
byte armed[NODES];	/* timers */
bit slot_wanted;	/* of the sender: request_slot() without its slot yet */
byte placing_count;	/* confirmations owed, first in first out */
byte placing_record[PLACEMENT_SLOTS];
byte placing_frame[PLACEMENT_SLOTS];

/* --- the hosts; sets of descriptors --- */
byte sends_posted;	/* to this incarnation of the receiver */
byte sends_open;	/* given to the NIC */
byte receives_open;
byte receives_waiting;	/* how many of them have met no message yet */
byte next_matched;	/* whose turn it is to meet one, counted as posted */

/* --- what the properties speak of; sets of messages of one pair of incarnations --- */
byte believed;		/* the incarnation of the receiver that the sender believes in */
byte sends_done;
byte reached;		/* were complete in the memory of the incarnation believed in */
byte heard;		/* the incarnation of the sender whose messages the receiver takes */
int placed;		/* frames written to the receiver's memory, perhaps not finished */
int memory;		/* frames certainly in the receiver's memory */
byte into[MESSAGES];	/* descriptor -> message + 1 that is being received there */
byte homed;		/* have met a receive */
byte delivered;		/* given to the receiving host */

hidden int code;
hidden int arrived;	/* code of the frame that has come */

#ifdef LIVENESS
byte youngest;		/* of two timers, the one armed last, + 1; 0 while there is one, or it was before good */
#define TURN_OF(timer) (QUIET && youngest != (timer) + 1)
#else
#define TURN_OF(timer) true
#endif

/* Spelt out: in a d_step, a loop of Promela may stand in one place only. */
#if PLACEMENT_SLOTS == 1
#define EACH_PLACING(do) do(0)
#elif PLACEMENT_SLOTS == 2
#define EACH_PLACING(do) do(0) do(1)
#elif PLACEMENT_SLOTS == 3
#define EACH_PLACING(do) do(0) do(1) do(2)
#endif
#if WORLD_MESSAGES == 1
#define EACH_DESCRIPTOR(do) do(0)
#elif WORLD_MESSAGES == 2
#define EACH_DESCRIPTOR(do) do(0) do(1)
#else
#define EACH_DESCRIPTOR(do) do(0) do(1) do(2)
#endif

#if WORLD_MESSAGES == 1
#define NOTHING_BEGUN (into[0] == 0)
#define SIZE_OF_SET(set) ((set) & 1)
#elif WORLD_MESSAGES == 2
#define NOTHING_BEGUN (into[0] == 0 && into[1] == 0)
#define SIZE_OF_SET(set) (((set) & 1) + (((set) >> 1) & 1))
#else
#define NOTHING_BEGUN (into[0] == 0 && into[1] == 0 && into[2] == 0)
#define SIZE_OF_SET(set) (((set) & 1) + (((set) >> 1) & 1) + (((set) >> 2) & 1))
#endif

/* Receives are posted in turn, as many as messages are still to come. */
#define NEXT_SEND DESCRIPTOR_OF(sends_posted)
#define NEXT_RECEIVE DESCRIPTOR_OF((next_matched + receives_waiting) % MESSAGES)
#define TO_COME (MESSAGES - (heard == incarnation[SENDER]) * SIZE_OF_SET(homed))
#define CAN_POST_SEND (sends_posted < MESSAGES && ((sends_open >> NEXT_SEND) & 1) == 0)
#define CAN_POST_RECEIVE (receives_waiting < TO_COME && ((receives_open >> NEXT_RECEIVE) & 1) == 0)

#define DONE (sends_done == (1 << MESSAGES) - 1 && sends_open == 0 && NOTHING_BEGUN)
#define QUIET (LINK_EMPTY && placing_count == 0 && !slot_wanted && !CAN_POST_SEND && !CAN_POST_RECEIVE)

/* What a check says must come before everything else has come. */
#ifdef WORLD_ACQUAINTED
#define MET (believed != 0 || sends_posted == 0)
#else
#define MET true
#endif
#ifdef WORLD_POSTED_FIRST
#define RECEIVES_POSTED !CAN_POST_RECEIVE
#define READY (MET && !CAN_POST_SEND && !CAN_POST_RECEIVE)
#else
#define RECEIVES_POSTED true
#define READY MET
#endif

#ifdef ENGINE_C
c_decl {
\#include "emp_model.h"
	struct emp_state emp_nodes[2];
}
c_track "emp_nodes" "sizeof(emp_nodes)" "Matched"
c_code {
\#include "emp_devices.h"
\#include "emp.c"
}
#else
#include "emp_devices.pml"
#endif

/* --- what comes in --- */

inline fill_posting(d_)
{
	emp_event_posting.descriptor = d_;
	emp_event_posting.peer = 1 - emp_node;
	emp_event_posting.tag = TAG;
	emp_event_posting.length = TOTAL
}

inline fill_frame(pair_, m_, n_)
{
	emp_event_frame.position = POSITION_OF(n_);
	emp_event_frame.epoch = EPOCH_OF(pair_);
	emp_event_frame.peer_epoch = PEER_OF(pair_);
	emp_event_frame.message = m_;
	emp_event_frame.frame = n_;
	emp_event_frame.collection = COLLECTION_OF(n_);
	emp_event_frame.size = SIZE_OF(COLLECTION_OF(n_));
	emp_event_frame.total_length = 0;
	emp_event_frame.frames = 0;
	emp_event_frame.tag = 0
}

inline take_placement()
{
	placing_count--;
#if PLACEMENT_SLOTS > 1
	placing_record[0] = placing_record[1];
	placing_frame[0] = placing_frame[1];
#endif
#if PLACEMENT_SLOTS > 2
	placing_record[1] = placing_record[2];
	placing_frame[1] = placing_frame[2];
#endif
#if PLACEMENT_SLOTS > 3
#error "write the queue for this limit"
#endif
	placing_record[PLACEMENT_SLOTS - 1] = 0;
	placing_frame[PLACEMENT_SLOTS - 1] = 0
}

inline confirm_placement()
{
	emp_node = RECEIVER;
	code = placing_frame[0];
	emp_receive_placed_r = placing_record[0];
	take_placement();
	if
	:: code == NO_FRAME ->
		emp_event_collection.frame = 0;
		emp_event_collection.collection = 0;
		emp_event_collection.position = 0;
		emp_event_collection.size = 0
	:: else ->
		memory = memory | COLLECTION_BITS(code / FRAMES, COLLECTION_OF(code % FRAMES));
		if
		:: ((memory & MESSAGE_BITS(code / FRAMES)) == MESSAGE_BITS(code / FRAMES)
			&& heard == incarnation[SENDER] && believed == incarnation[RECEIVER]) ->
			reached = reached | (1 << (code / FRAMES))
		:: else
		fi;
		emp_event_collection.frame = code % FRAMES;
		emp_event_collection.collection = COLLECTION_OF(code % FRAMES);
		emp_event_collection.position = POSITION_OF(code % FRAMES);
		emp_event_collection.size = SIZE_OF(COLLECTION_OF(code % FRAMES))
	fi;
	emp_receive_placed();
	assert(hsm_verdict == HSM_DONE)
}

/* After a frame has come. */
inline settle_placement()
{
#ifdef WORLD_PLACED_AT_ONCE
	if
	:: placing_count > 0 -> confirm_placement()
	:: else
	fi
#else
	skip
#endif
}

inline post_send()
{
	emp_node = SENDER;
	fill_posting(NEXT_SEND);
	sends_open = sends_open | (1 << NEXT_SEND);
	sends_posted++;
	emp_send_posted();
	assert(hsm_verdict == HSM_DONE)
}

inline post_receive()
{
	emp_node = RECEIVER;
	fill_posting(NEXT_RECEIVE);
	receives_open = receives_open | (1 << NEXT_RECEIVE);
	receives_waiting++;
	emp_match_posted();
	assert(hsm_verdict == HSM_DONE)
}

/* --- what `arrived` stands for comes to its node --- */

inline deliver_frame()
{
	emp_node = RECEIVER;
	fill_frame(PAIR_IN(arrived), MESSAGE_IN(arrived), FRAME_IN(arrived));
	emp_event_frame.sender = SENDER;
	emp_event_frame.length = LENGTH_OF(FRAME_IN(arrived));
	emp_event_frame.buffer = arrived + 1
}

inline deliver_header()
{
	deliver_frame();
	emp_event_frame.kind = EMP_FRAME_KIND_HEADER;
	emp_event_frame.total_length = TOTAL;
	emp_event_frame.frames = FRAMES;
	emp_event_frame.tag = TAG;
	emp_match_header();
	assert(hsm_verdict == HSM_DONE);
	settle_placement()
}

inline deliver_data()
{
	deliver_frame();
	emp_event_frame.kind = EMP_FRAME_KIND_DATA;
	emp_match_data();
	assert(hsm_verdict == HSM_DONE);
	settle_placement()
}

inline deliver_ack()
{
	emp_node = SENDER;
	fill_frame(ACK_PAIR_IN(arrived), ACK_MESSAGE_IN(arrived), LAST_OF(ACK_COLLECTION_IN(arrived)));
	emp_event_frame.kind = EMP_FRAME_KIND_ACK;
	emp_event_frame.sender = RECEIVER;
	emp_event_frame.length = 0;
	emp_event_frame.buffer = 0;
	emp_send_ack();
	assert(hsm_verdict != HSM_REFUSED)
}

inline deliver_nack()
{
	emp_node = SENDER;
	if
	:: arrived < EPOCH_CODES ->
		fill_frame(NACK_PAIR_IN(arrived), NACK_MESSAGE_IN(arrived), 0);
		emp_event_frame.length = EMP_REFUSAL_RECEIVER_NOT_READY
	:: else ->
		fill_frame(EPOCH_PAIR_IN(arrived), EPOCH_MESSAGE_IN(arrived), 0);
		emp_event_frame.frame = EPOCH_OWN_IN(arrived);
		emp_event_frame.length = EMP_REFUSAL_PEER_EPOCH
	fi;
	emp_event_frame.kind = EMP_FRAME_KIND_NACK;
	emp_event_frame.sender = RECEIVER;
	emp_event_frame.buffer = 0;
	emp_send_nack();
	assert(hsm_verdict != HSM_REFUSED);
	see_belief()
}

#ifdef ENGINE_C
#define LOOK_AT_BELIEF() c_code { code = emp_nodes[SENDER].send_peer[RECEIVER].epoch; }
#else
#define LOOK_AT_BELIEF() code = emp_nodes[SENDER].send_peer[RECEIVER].epoch
#endif

/* The sender believes in another incarnation than before: then its messages are numbered from 0 again, but for the first
 * it believes in, and all of them are still to be sent. */
inline see_belief()
{
	LOOK_AT_BELIEF();
	if
	:: code != believed ->
		assert(honest_result || (code > believed && code <= incarnation[RECEIVER]));
		if
		:: believed != 0 ->
			sends_posted = 0;
			sends_done = 0;
			reached = 0
		:: else
		fi;
		believed = code
	:: else
	fi
}

/* Guarded commands, one per slot: an index chosen in a loop would be a control point and so more states. */
#define COMES(s, condition, deliver)                                                                                   \
	:: d_step { READY && link[s] != 0 && (condition) ->                                                            \
		arrived = link[s] - 1;                                                                                 \
		TELL_FRAME(take, arrived);                                                                             \
		if                                                                                                     \
		:: good -> take_off(s)                                                                                 \
		:: else                                                                                                \
		fi;                                                                                                    \
		deliver() }
#define ARRIVES(s)                                                                                                     \
	COMES(s, link[s] <= ANSWER_CODES && FRAME_IN(link[s] - 1) == 0 && placing_count < PLACEMENT_LIMIT, deliver_header) \
	DATA_COMES(s)                                                                                                  \
	COMES(s, link[s] > ANSWER_CODES && link[s] <= NACK_CODES, deliver_ack)                                         \
	COMES(s, link[s] > NACK_CODES, deliver_nack)                                                                   \
	:: d_step { READY && !good && link[s] != 0 -> TELL_FRAME(lose, link[s] - 1); take_off(s) }
#if WORLD_FRAMES > 1
#define DATA_COMES(s)                                                                                                  \
	COMES(s, link[s] <= ANSWER_CODES && FRAME_IN(link[s] - 1) != 0 && placing_count < PLACEMENT_LIMIT, deliver_data)
#else
#define DATA_COMES(s)
#endif
#define TIMER_OF(instance) (EMP_TIMER_SEND_WAIT_ACK * EMP_TIMER_STRIDE + (instance) - 1)
#define TIMER_EXPIRES(instance)                                                                                        \
	:: d_step { READY && ((armed[SENDER] >> TIMER_OF(instance)) & 1) && (!good || TURN_OF(TIMER_OF(instance))) ->           \
		emp_node = SENDER; emp_send_after_wait_ack_m = instance; emp_expire_send_wait_ack() }

/* A node has lost its memory. What its host had posted is gone with it. */
#ifdef ENGINE_C
#define FORGET(n) c_code { memset(&emp_nodes[n], 0, sizeof(emp_nodes[n])); }
#else
#define FORGET(n) c_code { memset(&now.emp_nodes[n], 0, sizeof(now.emp_nodes[n])); }
#endif
#define MAY_RESTART (READY && !good && incarnation[SENDER] + incarnation[RECEIVER] < 2 + RESTARTS)

inline restart_sender()
{
	emp_node = SENDER;
	hsm_tell("@ restart 0\n");
	FORGET(SENDER);
	incarnation[SENDER]++;
	emp_initialise();
	armed[SENDER] = 0;
	slot_wanted = 0;
	sends_posted = 0;
	sends_open = 0;
	believed = 0;
	sends_done = 0;
	reached = 0
}

#define CLEAR_PLACING(i) placing_record[i] = 0; placing_frame[i] = 0;
#define CLEAR_INTO(i) into[i] = 0;

inline restart_receiver()
{
	emp_node = RECEIVER;
	hsm_tell("@ restart 1\n");
	FORGET(RECEIVER);
	incarnation[RECEIVER]++;
	emp_initialise();
	armed[RECEIVER] = 0;
	placing_count = 0;
	EACH_PLACING(CLEAR_PLACING)
	receives_open = 0;
	receives_waiting = 0;
	next_matched = 0;
	heard = 0;
	placed = 0;
	memory = 0;
	EACH_DESCRIPTOR(CLEAR_INTO)
	homed = 0;
	delivered = 0
}

active proctype World()
{
	d_step {
		emp_node = SENDER;
		emp_initialise();
		emp_node = RECEIVER;
		emp_initialise()
	}
	do
	:: d_step { (RECEIVES_POSTED && MET && CAN_POST_SEND) -> post_send() }
	:: d_step { (MET && CAN_POST_RECEIVE) -> post_receive() }
#ifdef WORLD_ACQUAINTED
	:: d_step { !MET ->
		arrived = EPOCH_CODE(incarnation[SENDER], 0, incarnation[RECEIVER], 0);
		TELL_FRAME(take, arrived);
		deliver_nack() }
#endif
	:: d_step { (READY && slot_wanted && (!good || !LINK_FULL)) ->
		slot_wanted = 0;
		emp_node = SENDER;
		emp_transmit_slot() }
#if !defined(WORLD_PLACED_AT_ONCE) || RESTARTS > 0
	:: d_step { READY && placing_count > 0 -> confirm_placement() }
#endif
#if RESTARTS > 0
	:: d_step { MAY_RESTART -> restart_sender() }
	:: d_step { MAY_RESTART -> restart_receiver() }
#endif
	LINK_EACH(ARRIVES, ARRIVES)
	TIMER_EXPIRES(1)
#if WORLD_MESSAGES > 1
	TIMER_EXPIRES(2)
#endif
#if WORLD_MESSAGES > 2
	TIMER_EXPIRES(3)
#endif
#if WORLD_MESSAGES > 3
#error "write the guarded commands for this number of messages"
#endif
#ifdef LIVENESS
	:: d_step { READY && !good -> hsm_tell("@ good\n"); good = true }
#endif
	:: d_step { READY && DONE && QUIET ->
		emp_node = SENDER;
		emp_pools_full();
		assert(nothing_leaked || (hsm_answer && armed[SENDER] == 0));
		emp_node = RECEIVER;
		emp_pools_full();
		assert(nothing_leaked || (hsm_answer && armed[RECEIVER] == 0)) }
		break
	od
}

#ifdef LIVENESS
never every_send_completes {
faults:
	if
	:: !good -> goto faults
	:: good && !DONE -> goto accept
	fi;
accept:
	if
	:: !DONE -> goto accept
	fi
}
#endif

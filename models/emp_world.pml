/* The world around EMP: two nodes, their hosts, and a link that loses, repeats and reorders.
 *
 * Faults: loss, duplication, reordering (in_flight > 1)
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
 * Hosts post at any time, receives perhaps too late, and the device confirms a placement at any later time. A check may
 * say `posted_first` (everything is posted before anything else happens) and `placed_at_once` (the confirmation comes
 * with the frame) to look further elsewhere; the verdict lists it.
 *
 * Safety: anything may happen at any time, timers included. LIVENESS adds `good`, which becomes true at some time and
 * stays so. From then on nothing is lost or repeated (a data frame waits for room, an answer finds it), and a timer runs
 * out only when nothing else is left to happen, timers in the order they were armed in, as timers of equal duration do.
 * Every choice but that one is finite, so no fairness is assumed. The claim says that a good link and no completion of
 * everything cannot go together for ever.
 */
#define NODES 2
#define EMP_VALUE_NODE emp_node

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
byte placing_record[PLACEMENT_LIMIT];
byte placing_frame[PLACEMENT_LIMIT];

/* --- the hosts --- */
byte sends_posted;
byte receives_posted;
byte sends_done;	/* set of messages */
byte receives_done;	/* set of messages, by the descriptor they belong in */

/* --- what the properties speak of --- */
int placed;		/* frames written to the receiver's memory, perhaps not finished */
int memory;		/* frames certainly in the receiver's memory */
byte into[MESSAGES];	/* descriptor -> message + 1 that it holds */
byte homed;		/* set of messages that have a descriptor */
byte delivered;		/* set of messages given to the receiving host */

hidden int code;
hidden int arrived;	/* code of the frame that has come */

#ifdef LIVENESS
byte youngest;		/* of two timers, the one armed last, + 1; 0 while there is one, or it was before good */
#define TURN_OF(timer) (QUIET && youngest != (timer) + 1)
#else
#define TURN_OF(timer) true
#endif

#define DONE (sends_done == (1 << MESSAGES) - 1 && receives_done == (1 << MESSAGES) - 1)
#define QUIET                                                                                                          \
	(LINK_EMPTY && placing_count == 0 && !slot_wanted && sends_posted == MESSAGES && receives_posted == MESSAGES)

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

inline fill_posting(m_)
{
	emp_event_posting.descriptor = DESCRIPTOR_OF(m_);
	emp_event_posting.peer = 1 - emp_node;
	emp_event_posting.tag = TAG;
	emp_event_posting.length = TOTAL
}

inline fill_frame(m_, n_)
{
	emp_event_frame.position = POSITION_OF(n_);
	emp_event_frame.epoch = EPOCH;
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
#if PLACEMENT_LIMIT == 1
	placing_record[0] = 0;
	placing_frame[0] = 0
#elif PLACEMENT_LIMIT == 2
	placing_record[0] = placing_record[1];
	placing_frame[0] = placing_frame[1];
	placing_record[1] = 0;
	placing_frame[1] = 0
#else
#error "write the queue for this limit"
#endif
}

inline confirm_placement()
{
	emp_node = RECEIVER;
	code = placing_frame[0];
	emp_receive_placed_r = placing_record[0];
	take_placement();
	memory = memory | COLLECTION_BITS(code / FRAMES, COLLECTION_OF(code % FRAMES));
	emp_event_collection.frame = code % FRAMES;
	emp_event_collection.collection = COLLECTION_OF(code % FRAMES);
	emp_event_collection.position = POSITION_OF(code % FRAMES);
	emp_event_collection.size = SIZE_OF(COLLECTION_OF(code % FRAMES));
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
	fill_posting(sends_posted);
	sends_posted++;
	emp_send_posted();
	assert(hsm_verdict == HSM_DONE)
}

inline post_receive()
{
	emp_node = RECEIVER;
	fill_posting(receives_posted);
	receives_posted++;
	emp_match_posted();
	assert(hsm_verdict == HSM_DONE)
}

/* What `arrived` stands for comes to its node. */
inline deliver()
{
	if
	:: arrived < ANSWER_CODES ->
		emp_node = RECEIVER;
		fill_frame(MESSAGE_IN(arrived), FRAME_IN(arrived));
		emp_event_frame.sender = SENDER;
		emp_event_frame.length = LENGTH_OF(FRAME_IN(arrived));
		emp_event_frame.buffer = arrived + 1;
		if
		:: FRAME_IN(arrived) == 0 ->
			emp_event_frame.kind = EMP_FRAME_KIND_HEADER;
			emp_event_frame.total_length = TOTAL;
			emp_event_frame.frames = FRAMES;
			emp_event_frame.tag = TAG;
			emp_match_header()
		:: else ->
			emp_event_frame.kind = EMP_FRAME_KIND_DATA;
			emp_match_data()
		fi;
		assert(hsm_verdict == HSM_DONE);
		settle_placement()
	:: else ->
		emp_node = SENDER;
		emp_event_frame.sender = RECEIVER;
		emp_event_frame.buffer = 0;
		if
		:: arrived < NACK_CODES ->
			fill_frame(ACK_MESSAGE_IN(arrived), LAST_OF(ACK_COLLECTION_IN(arrived)));
			emp_event_frame.kind = EMP_FRAME_KIND_ACK;
			emp_event_frame.length = 0;
			emp_send_ack()
		:: else ->
			fill_frame(NACK_MESSAGE_IN(arrived), 0);
			emp_event_frame.kind = EMP_FRAME_KIND_NACK;
			emp_event_frame.length = EMP_REFUSAL_RECEIVER_NOT_READY;
			emp_send_nack()
		fi;
		assert(hsm_verdict != HSM_REFUSED)
	fi
}

/* Guarded commands, one per slot: an index chosen in a loop would be a control point and so more states. */
#define ARRIVES(s)                                                                                                     \
	:: d_step { link[s] != 0 && (link[s] > ANSWER_CODES || placing_count < PLACEMENT_LIMIT) ->                     \
		arrived = link[s] - 1;                                                                                 \
		TELL_FRAME(take, arrived);                                                                             \
		if                                                                                                     \
		:: good -> take_off(s)                                                                                 \
		:: else                                                                                                \
		fi;                                                                                                    \
		deliver() }                                                                                            \
	:: d_step { !good && link[s] != 0 -> TELL_FRAME(lose, link[s] - 1); take_off(s) }
#define TIMER_OF(instance) (EMP_TIMER_SEND_WAIT_ACK * EMP_TIMER_STRIDE + (instance) - 1)
#define TIMER_EXPIRES(instance)                                                                                        \
	:: d_step { ((armed[SENDER] >> TIMER_OF(instance)) & 1) && (!good || TURN_OF(TIMER_OF(instance))) ->           \
		emp_node = SENDER; emp_send_after_wait_ack_m = instance; emp_expire_send_wait_ack() }

active proctype World()
{
	d_step {
		emp_node = SENDER;
		emp_initialise();
		emp_node = RECEIVER;
		emp_initialise()
	}
#ifdef WORLD_POSTED_FIRST
	do
	:: d_step { receives_posted < MESSAGES -> post_receive() }
	:: d_step { receives_posted == MESSAGES && sends_posted < MESSAGES -> post_send() }
	:: else -> break
	od;
#endif
	do
	:: d_step { sends_posted < MESSAGES -> post_send() }
	:: d_step { receives_posted < MESSAGES -> post_receive() }
	:: d_step { slot_wanted && (!good || !LINK_FULL) ->
		slot_wanted = 0;
		emp_node = SENDER;
		emp_transmit_slot() }
#ifndef WORLD_PLACED_AT_ONCE
	:: d_step { placing_count > 0 -> confirm_placement() }
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
	:: d_step { !good -> hsm_tell("@ good\n"); good = true }
#endif
	:: d_step { DONE && QUIET ->
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

/* The world around EMP: two nodes, their hosts, and a link that loses, repeats and reorders.
 *
 * Faults: loss (faultless < 1), duplication (faultless < 1), reordering (in_flight > 1), detected corruption (faultless < 1)
 * Besides: restart of either side (restarts > 0), frames that make no sense (malformed > 0)
 * Besides: truncated receives (capacity > 0), sends without a receive (unreceived > 0), sends that are too long (too_long > 0)
 * Besides: change of the collection size (other_size > 0), cancels of receives (cancels > 0)
 * Besides: reads of the sending host's memory late (reads > 0)
 * Besides: want of send records (send_limit < messages), want of receive records (receive_limit < messages)
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
 * numbers do not come round here: in the world outside a frame must not outlive 2^32 messages of its pair of nodes, or
 * 65 280 restarts of one.
 *
 * Hosts post at any time, receives perhaps too late, and the device confirms a placement at any later time. A check may
 * say `posted_first` (what can be posted is, before anything else happens) and `placed_at_once` (the confirmation comes
 * with the frame) to look further elsewhere; the verdict lists it.
 *
 * `cancels` bounds how often the receiving host takes back, at any moment, a receive that no message has met. It posts
 * another where messages are still to come. Besides it cancels, as often as it likes, what a message has met or what has
 * ended: that must change nothing. The NIC takes postings and cancels in the order in which the host writes them, and so
 * a cancel here names any descriptor, at any moment, but never a receive that is posted after it.
 *
 * With `reads` the wire keeps a frame that is handed over and reads its data at any later time; only then it is on its way.
 * Without, it reads them at once.
 *
 * `faultless`: the link is good from the beginning, and nobody may wait for a time-out (no_needless_time_out).
 *
 * `restarts` bounds how often nodes restart, at any moment, both together. A node that restarts has forgotten everything
 * and is another incarnation, whose number may be above or below those before; its host posts again. The sending host wants MESSAGES messages delivered to one
 * incarnation of the receiver: it begins again when its node or, as PEER_RESTARTED tells, the other one restarted. The
 * receiving host posts what is needed to receive them. At first the nodes have no contact; with `acquainted` the refusal
 * that offers it comes as soon as the first message is posted.
 *
 * Safety: anything may happen at any time, timers included. LIVENESS adds `good`, which becomes true at some time and
 * stays so. From then on nothing is lost or repeated (a data frame waits for room, an answer finds it), and a timer runs
 * out only when nothing else is left to happen, timers in the order they were armed in, as timers of equal duration do.
 * Every choice but that one is finite, so no fairness is assumed. The claim says that a good link and no completion of
 * everything cannot go together for ever.
 */
#define NODES 2
#define EMP_VALUE_NODE emp_node
#define EMP_VALUE_EPOCH number[emp_node]
#define EMP_VALUE_COLLECTION_SIZE collection_size
byte incarnation[NODES] = 1;
byte collection_size;	/* of messages that start from now on */
#define FALLING falling
bit falling;		/* do the hosts' numbers of incarnations fall? */
byte number[NODES] = 1;	/* of the incarnation: NUMBER() */

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

#ifdef WORLD_FAULTLESS
bool good = true;
#elif defined(LIVENESS)
bool good;
#else
#define good false
#endif
#if defined(LIVENESS) || defined(WORLD_FAULTLESS)
#define EVER_GOOD
#endif

#include "emp_link.pml"

/* --- the devices --- */
byte armed[NODES];	/* timers */
byte slot_wanted;	/* of the sender: SLOT_... */
#if READS > 0
short unread;		/* code + 1 of the frame handed over and not read */
byte unread_before;	/* of `draining`, those for whom it must be read first */
#else
#define unread 0
#define unread_before 0
#endif
byte draining;		/* set of records of messages that wait for what was handed over to be read */
#ifdef WORLD_MALFORMED
bit unanswered;		/* what comes makes no sense: the wire does not carry the refusal */
#endif
bit refusing;		/* the sender has been given a posting it must give back at once */
byte placing_count;	/* confirmations owed, first in first out */
byte placing_record[PLACEMENT_SLOTS];
byte placing_frame[PLACEMENT_SLOTS];	/* PLACED_CODE */

/* --- the hosts; sets of descriptors --- */
byte sends_posted;	/* to this incarnation of the receiver */
byte sends_open;	/* given to the NIC */
byte receives_open;
byte receives_waiting;	/* how many of them have met no message yet */
#if CANCELS > 0
byte waiting;	/* those that wait, in order of posting */
byte cancels;		/* made */
byte wanted_back;	/* descriptor + 1, within the event that cancels it */
#else
byte next_matched;	/* whose turn it is to meet one, counted as posted */
#endif

/* --- what the properties speak of; sets of messages of one pair of incarnations --- */
byte believed;		/* the contact that the sender names */
byte sends_done;
byte reached;		/* were complete in the memory of the incarnation that made up that contact */
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
#elif defined(WORLD_FAULTLESS)
#define TURN_OF(timer) QUIET
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
#if CANCELS > 0
#define IS_OPEN(message) ((receives_open >> DESCRIPTOR_OF(message)) & 1)
#if WORLD_MESSAGES == 1
#define NEXT_RECEIVE 0
#else
#define NEXT_RECEIVE DESCRIPTOR_OF(IS_OPEN(0) * (1 + (MESSAGES > 2) * IS_OPEN(1)))
#endif
#else
#define NEXT_RECEIVE DESCRIPTOR_OF((next_matched + receives_waiting) % MESSAGES)
#endif
#define TO_COME (MESSAGES - UNRECEIVED - (heard == incarnation[SENDER]) * SIZE_OF_SET(homed))
#define SEND_IS_NEXT (sends_posted < MESSAGES && ((sends_open >> NEXT_SEND) & 1) == 0)
#define RECORD_IS_FREE (SIZE_OF_SET(sends_open) < EMP_SEND_LIMIT)
#define CAN_POST_SEND (SEND_IS_NEXT && RECORD_IS_FREE)
#define CAN_POST_RECEIVE (receives_waiting < TO_COME && ((receives_open >> NEXT_RECEIVE) & 1) == 0)

#define EXPECTED ((1 << (MESSAGES - UNRECEIVED)) - 1)
#define SENDS_DONE ((sends_done & EXPECTED) == EXPECTED && (UNRECEIVED > 0 || sends_open == 0))
#define RECEIVES_DONE NOTHING_BEGUN
#define QUIET (LINK_EMPTY && placing_count == 0 && ALL_READ && slot_wanted == SLOT_NONE && !CAN_POST_SEND && !CAN_POST_RECEIVE)
#define ALL_READ (unread == 0 && draining == 0)

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

inline fill_frame(pair_, way_, m_, n_)
{
	emp_event_frame.position = POSITION_OF(way_, n_);
	emp_event_frame.contact = CONTACT_FIELD(CONTACT_IN(pair_));
	emp_event_frame.message = MESSAGE_FIELD(EPOCH_OF(pair_), m_);
	emp_event_frame.frame = n_;
	emp_event_frame.collection = COLLECTION_OF(way_, n_);
	emp_event_frame.size = SIZE_OF(way_, COLLECTION_OF(way_, n_));
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
		memory = memory | PLACED_BITS(code);
		if
		:: ((memory & MESSAGE_BITS(PLACED_MESSAGE(code))) == MESSAGE_BITS(PLACED_MESSAGE(code))
			&& heard == incarnation[SENDER] && MADE_BY(believed) == incarnation[RECEIVER]) ->
			reached = reached | (1 << PLACED_MESSAGE(code))
		:: else
		fi;
		emp_event_collection.frame = PLACED_FRAME(code);
		emp_event_collection.collection = COLLECTION_OF(PLACED_WAY(code), PLACED_FRAME(code));
		emp_event_collection.position = POSITION_OF(PLACED_WAY(code), PLACED_FRAME(code));
		emp_event_collection.size = SIZE_OF(PLACED_WAY(code), COLLECTION_OF(PLACED_WAY(code), PLACED_FRAME(code)))
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
	emp_event_posting.length = CAPACITY;
	receives_open = receives_open | (1 << emp_event_posting.descriptor);
#if CANCELS > 0
	waiting = APPENDED(waiting, receives_waiting, emp_event_posting.descriptor);
#endif
	receives_waiting++;
	emp_match_posted();
	assert(hsm_verdict == HSM_DONE)
}

/* --- what must change nothing but the wire --- */
c_code {
\#include "emp_unchanged.h"
}
hidden byte watched;

#define STALE_AT_RECEIVER                                                                                              \
	(MADE_BY(CONTACT_IN(PAIR_IN(arrived))) != incarnation[RECEIVER] || EPOCH_OF(PAIR_IN(arrived)) < heard                      \
		|| (EPOCH_OF(PAIR_IN(arrived)) == heard && ((delivered >> MESSAGE_IN(arrived)) & 1)))
#define STALE_AT_SENDER(pair, m)                                                                                       \
	(EPOCH_OF(pair) != incarnation[SENDER] || CONTACT_IN(pair) != believed || ((sends_done >> (m)) & 1))

inline watch_if(stale_)
{
	watched = (stale_);
	if
	:: watched -> hsm_tell("@ unchanged stale_frame_changes_nothing\n"); c_code { remember(); }
	:: else
	fi
}

inline compare_if_watched()
{
	if
	:: watched ->
		c_code { hsm_answer = unchanged(); };
		assert(stale_frame_changes_nothing || hsm_answer)
	:: else
	fi
}

#define WATCH_NONSENSE() hsm_tell("@ unchanged nonsense_changes_nothing\n"); c_code { remember(); }
#define COMPARE_NONSENSE() c_code { hsm_answer = unchanged(); }; assert(nonsense_changes_nothing || hsm_answer)

#ifdef WORLD_MALFORMED
#include "emp_nonsense.pml"
#endif

#if CANCELS > 0
/* Is it posted, and has no message met it? */
#define IS_WAITING(d) (((receives_open >> (d)) & 1) && into[d] == 0)

inline fill_cancellation(d_)
{
	emp_node = RECEIVER;
	emp_event_cancellation.descriptor = d_
}

inline cancel_waiting(d_)
{
	fill_cancellation(d_);
	cancels++;
	wanted_back = (d_) + 1;
	emp_match_cancel();
	assert(hsm_verdict == HSM_DONE);
	wanted_back = 0;
	assert(cancel_ends_receive || ((receives_open >> (d_)) & 1) == 0)
}

inline cancel_in_vain(d_)
{
	fill_cancellation(d_);
	hsm_tell("@ unchanged late_cancel_changes_nothing\n");
	c_code { remember(); };
	emp_match_cancel();
	assert(hsm_verdict == HSM_DONE);
	c_code { hsm_answer = unchanged(); };
	assert(late_cancel_changes_nothing || hsm_answer)
}
#endif

/* A send that finds no record, and one that is longer than anything may be. */
inline post_in_vain()
{
	emp_node = SENDER;
	fill_posting(NEXT_SEND);
	WATCH_NONSENSE();
	emp_send_posted();
	assert(hsm_verdict == HSM_NO_ROOM);
	COMPARE_NONSENSE()
}

inline post_too_long()
{
	emp_node = SENDER;
	fill_posting(SPARE_DESCRIPTOR);
	emp_event_posting.length = EMP_MESSAGE_LIMIT + 1;
	WATCH_NONSENSE();
	refusing = 1;
	emp_send_posted();
	assert(hsm_verdict == HSM_DONE);
	COMPARE_NONSENSE()
}

/* --- what `arrived` stands for comes to its node --- */

inline deliver_frame()
{
	emp_node = RECEIVER;
	fill_frame(PAIR_IN(arrived), WAY_IN(arrived), MESSAGE_IN(arrived), FRAME_IN(arrived));
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
	watch_if(STALE_AT_RECEIVER);
	emp_match_header();
	assert(hsm_verdict == HSM_DONE);
	compare_if_watched();
	settle_placement()
}

inline deliver_data()
{
	deliver_frame();
	emp_event_frame.kind = EMP_FRAME_KIND_DATA;
	watch_if(STALE_AT_RECEIVER);
	emp_match_data();
	assert(hsm_verdict == HSM_DONE);
	compare_if_watched();
	settle_placement()
}

inline deliver_ack()
{
	emp_node = SENDER;
	fill_frame(ACK_PAIR_IN(arrived), ACK_WAY_IN(arrived), ACK_MESSAGE_IN(arrived),
		LAST_OF(ACK_WAY_IN(arrived), ACK_COLLECTION_IN(arrived)));
	emp_event_frame.kind = EMP_FRAME_KIND_ACK;
	emp_event_frame.sender = RECEIVER;
	emp_event_frame.length = 0;
	emp_event_frame.buffer = 0;
	watch_if(STALE_AT_SENDER(ACK_PAIR_IN(arrived), ACK_MESSAGE_IN(arrived)));
	emp_send_ack();
	assert(hsm_verdict != HSM_REFUSED);
	compare_if_watched()
}

inline deliver_nack()
{
	emp_node = SENDER;
	if
	:: arrived < OTHER_CODES ->
		fill_frame(NACK_PAIR_IN(arrived), 0, NACK_MESSAGE_IN(arrived), 0);
		watch_if(STALE_AT_SENDER(NACK_PAIR_IN(arrived), NACK_MESSAGE_IN(arrived)));
		emp_event_frame.length = NACK_REASON_IN(arrived)
	:: else ->
		fill_frame(OTHER_PAIR_IN(arrived), 0, OTHER_MESSAGE_IN(arrived), 0);
		watch_if(STALE_AT_SENDER(OTHER_PAIR_IN(arrived), OTHER_MESSAGE_IN(arrived)));
		emp_event_frame.frame = CONTACT_FIELD(OTHER_OFFERED_IN(arrived));
		emp_event_frame.length = EMP_REFUSAL_OTHER_CONTACT
	fi;
	emp_event_frame.kind = EMP_FRAME_KIND_NACK;
	emp_event_frame.sender = RECEIVER;
	emp_event_frame.buffer = 0;
	emp_send_nack();
	assert(hsm_verdict != HSM_REFUSED);
	compare_if_watched();
	see_belief()
}

#ifdef ENGINE_C
#define LOOK_AT_BELIEF() c_code { code = emp_nodes[SENDER].send_peer[RECEIVER].contact; }
#define LOOK_AT_CONTACT() c_code { code = emp_nodes[RECEIVER].receive_peer[SENDER].contact; }
#else
#define LOOK_AT_BELIEF() code = emp_nodes[SENDER].send_peer[RECEIVER].contact
#define LOOK_AT_CONTACT() code = emp_nodes[RECEIVER].receive_peer[SENDER].contact
#endif

/* In `code`: what the receiver offers, if its contact is `code`. */
inline look_at_offer()
{
	LOOK_AT_CONTACT();
	code = CONTACT_OF(code);
	code = (code == 0) * FIRST_CONTACT(incarnation[RECEIVER]) + (code != 0) * (code + 1)
}

/* The sender names another contact than before: then its messages are numbered from the first again, but for the first
 * contact, and all of them are still to be sent. */
inline see_belief()
{
	LOOK_AT_BELIEF();
	code = CONTACT_OF(code);
	if
	:: code != believed ->
		assert(honest_result || (code > believed && MADE_BY(code) <= incarnation[RECEIVER]));
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

#define TIMER_OF(instance) (EMP_TIMER_SEND_WAIT_ACK * EMP_TIMER_STRIDE + (instance) - 1)

#ifdef WORLD_QUIET_TIMERS
#define PATIENT (LINK_EMPTY && slot_wanted == SLOT_NONE && placing_count == 0 && ALL_READ)
#else
#define PATIENT true
#endif
#define INSTANCE (_pid - LINK_SLOTS + 1)
#define HAS_COME(first, end) (link[_pid] > (first) && link[_pid] <= (end))
#define take(deliver)                                                                                                  \
	arrived = link[_pid] - 1;                                                                                      \
	TELL_FRAME(take, arrived);                                                                                     \
	if                                                                                                             \
	:: good -> take_off(_pid)                                                                                      \
	:: else                                                                                                        \
	fi;                                                                                                            \
	deliver()

#ifdef ENGINE_C
#define LOOK_AT_SEND() c_code { hsm_answer = emp_nodes[SENDER].send_message[code - 1].state_; }
#else
#define LOOK_AT_SEND() hsm_answer = emp_nodes[SENDER].send_message[code - 1].state_
#endif

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
	FORGET(SENDER);
	incarnation[SENDER]++;
	number[SENDER] = NUMBER(incarnation[SENDER]);
	emp_initialise();
	armed[SENDER] = 0;
	slot_wanted = SLOT_NONE;
#if READS > 0
	unread = 0;
	unread_before = 0;
#endif
	draining = 0;
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
	FORGET(RECEIVER);
	incarnation[RECEIVER]++;
	number[RECEIVER] = NUMBER(incarnation[RECEIVER]);
	emp_initialise();
	armed[RECEIVER] = 0;
	placing_count = 0;
	EACH_PLACING(CLEAR_PLACING)
	receives_open = 0;
	receives_waiting = 0;
#if CANCELS > 0
	waiting = 0;
#else
	next_matched = 0;
#endif
	heard = 0;
	placed = 0;
	memory = 0;
	EACH_DESCRIPTOR(CLEAR_INTO)
	homed = 0;
	delivered = 0
}

/* One process for each place on the wire and one for each timer: the same command for all, so that its text stands in the
 * verifier once. They have one state each and add none. They stand before World: their numbers are their places. */
active [LINK_SLOTS] proctype Wire()
{
end:	do
	:: d_step { READY && HAS_COME(0, ANSWER_CODES) && FRAME_IN(link[_pid] - 1) == 0 && placing_count < PLACEMENT_LIMIT ->
		take(deliver_header) }
#if WORLD_FRAMES > 1
	:: d_step { READY && HAS_COME(0, ANSWER_CODES) && FRAME_IN(link[_pid] - 1) != 0 && placing_count < PLACEMENT_LIMIT ->
		take(deliver_data) }
#endif
	:: d_step { READY && HAS_COME(ANSWER_CODES, NACK_CODES) -> take(deliver_ack) }
	:: d_step { READY && HAS_COME(NACK_CODES, LINK_CODES) -> take(deliver_nack) }
	:: d_step { READY && !good && link[_pid] != 0 -> TELL_FRAME(lose, link[_pid] - 1); take_off(_pid) }
	od
}

active [EMP_SEND_LIMIT] proctype Clock()
{
end:	do
	:: d_step { READY && ((armed[SENDER] >> TIMER_OF(INSTANCE)) & 1) && PATIENT && (!good || TURN_OF(TIMER_OF(INSTANCE))) ->
		emp_node = SENDER;
		code = INSTANCE;
		LOOK_AT_SEND();
		assert(timer_only_where_handled || hsm_answer == EMP_SEND_STATE_WAIT_ACK);
#ifdef WORLD_FAULTLESS
		assert(no_needless_time_out || false);
#endif
		emp_send_after_wait_ack_m = INSTANCE;
		emp_expire_send_wait_ack() }
	:: d_step { READY && (((draining & ~unread_before) >> (INSTANCE - 1)) & 1) ->
		draining = draining & ~(1 << (INSTANCE - 1));
		emp_node = SENDER;
		emp_send_memory_read_m = INSTANCE;
		emp_send_memory_read();
		assert(hsm_verdict == HSM_DONE) }
	od
}

#if CANCELS > 0
#define CANCELLED (_pid - LINK_SLOTS - EMP_SEND_LIMIT)

/* One process for each descriptor. On a good wire, too; but what changes nothing would then go on for ever. */
active [MESSAGES] proctype Cancel()
{
end:	do
	:: d_step { READY && cancels < CANCELS && IS_WAITING(CANCELLED) -> cancel_waiting(CANCELLED) }
	:: d_step { READY && !good && !IS_WAITING(CANCELLED) -> cancel_in_vain(CANCELLED) }
	od
}
#endif

#ifdef WORLD_MALFORMED
NONSENSE(NonsenseHeaders, 0, HEADER_NONSENSE, bring_headers)
NONSENSE(NonsenseData, HEADER_NONSENSE, DATA_NONSENSE, bring_data)
NONSENSE(NonsenseAcks, DATA_NONSENSE, ACK_NONSENSE, bring_acks)
NONSENSE(NonsenseNacks, ACK_NONSENSE, ALL_NONSENSE, bring_nacks)
#endif

active proctype World()
{
#if RESTARTS > 0
	if
	:: falling = 0
	:: falling = 1
	fi;
#endif
	d_step {
		number[SENDER] = NUMBER(1);
		number[RECEIVER] = NUMBER(1);
		collection_size = SIZE;
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
		look_at_offer();
		arrived = OTHER_CODE(PAIR_OF(incarnation[SENDER], 0), code, 0);
		TELL_FRAME(take, arrived);
		deliver_nack() }
#endif
#if READS > 0
	:: d_step { READY && unread != 0 && (!good || !LINK_FULL) ->
		put_on_link(unread - 1, !LINK_FULL && ON_LINK(CONTACT_IN(PAIR_IN(unread - 1))));
		unread = 0;
		unread_before = 0 }
#endif
	:: d_step { (READY && slot_wanted == SLOT_WANTED && unread == 0 && (!good || !LINK_FULL)) ->
		slot_wanted = SLOT_GIVEN;
		emp_node = SENDER;
		emp_transmit_slot();
		slot_wanted = slot_wanted * (slot_wanted != SLOT_GIVEN) }
#if EMP_SEND_LIMIT < WORLD_MESSAGES
	:: d_step { (READY && !good && SEND_IS_NEXT && !RECORD_IS_FREE) -> post_in_vain() }
#endif
#ifdef WORLD_TOO_LONG
	:: d_step { (READY && !good && RECORD_IS_FREE) -> post_too_long() }
#endif
#ifdef WORLD_OTHER_SIZE
	:: d_step { (READY && !good) ->
		collection_size = SIZE + WORLD_OTHER_SIZE - collection_size;
		hsm_tell("@ set %d collection_size %d\n", SENDER, EMP_VALUE_COLLECTION_SIZE) }
#endif
#if !defined(WORLD_PLACED_AT_ONCE) || RESTARTS > 0
	:: d_step { READY && placing_count > 0 -> confirm_placement() }
#endif
#if RESTARTS > 0
	:: d_step { MAY_RESTART -> restart_sender() }
	:: d_step { MAY_RESTART -> restart_receiver() }
#endif
#if defined(LIVENESS) && !defined(WORLD_FAULTLESS)
	:: d_step { READY && !good -> hsm_tell("@ good\n"); good = true }
#endif
	:: d_step { READY && SENDS_DONE && sends_open == 0 && RECEIVES_DONE && QUIET ->
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
/* A search for one property alone leaves the others out (hsm_off_...). */
#ifndef hsm_off_every_send_completes
#define hsm_off_every_send_completes 0
#endif
#ifndef hsm_off_every_receive_completes
#define hsm_off_every_receive_completes 0
#endif
#ifndef hsm_off_comes_to_rest
#define hsm_off_comes_to_rest 0
#endif
#define AT_REST (UNRECEIVED > 0 || (QUIET && armed[SENDER] == 0 && armed[RECEIVER] == 0))
#define FULFILLED                                                                                                      \
	((hsm_off_every_send_completes || SENDS_DONE) && (hsm_off_every_receive_completes || RECEIVES_DONE)            \
		&& (hsm_off_comes_to_rest || AT_REST))

/* Together the three, once unfulfilled, stay so until they are fulfilled; one alone may be fulfilled in between. */
#if hsm_off_every_send_completes + hsm_off_every_receive_completes + hsm_off_comes_to_rest > 0
#define MAY_WAIT true
#else
#define MAY_WAIT !good
#endif

never every_send_completes {
faults:
	if
	:: MAY_WAIT -> goto faults
	:: good && !FULFILLED -> goto accept
	fi;
accept:
	if
	:: !FULFILLED -> goto accept
	fi
}
#endif

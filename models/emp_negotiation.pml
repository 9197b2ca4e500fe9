/* Another world around EMP, of a check that says `negotiation`: two machines `Link` that face each other. Included by
 * emp_world.pml, whose parameters and timers are the same.
 *
 * A receiver tells what has changed: code groups are there or not, another configuration word comes, or idle. It tells
 * only what is there when it looks, so words that come for a short time are missed. Before the fibre is good the receiver
 * may lose the code groups at any time, tell of words nobody sent or of what is over, and the timer may run out at any
 * time; so the machines come into every state they can have, together with every state of the other. From then on only
 * what is there is told, and the timer, far longer than a word takes, runs out when all of it is.
 */
/* Zero, ability, ability and acknowledge, two that no EMP node sends; idle. */
#define IDLE	5
#define NO_WORD	6	/* nothing told yet */
#define WORD_OF(w)                                                                                                     \
	((w == 1) * EMP_LINK_ABILITY + (w == 2) * (EMP_LINK_ABILITY | EMP_LINK_ACKNOWLEDGE)                            \
		+ (w == 3) * EMP_LINK_ACKNOWLEDGE + (w == 4) * EMP_LINK_ABILITY * 2)
#define INDEX_OF(word)                                                                                                 \
	((word == EMP_LINK_ABILITY) * 1 + (word == (EMP_LINK_ABILITY | EMP_LINK_ACKNOWLEDGE)) * 2)

byte sending[NODES];	/* index of a word, or IDLE */
byte told[NODES] = NO_WORD;
byte agreed[NODES];	/* the last word told was an acknowledged ability */
byte synchronised[NODES];
byte flowing[NODES];	/* frames flow */
byte armed[NODES];
bool begun;
hidden byte word;

#ifdef LIVENESS
byte youngest;		/* SET_YOUNGEST() of the other world; no two timers of one node here */
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
inline emp_device_link_send()
{
	assert(emp_device_link_send_word == WORD_OF(INDEX_OF(emp_device_link_send_word)));
	sending[emp_node] = INDEX_OF(emp_device_link_send_word)
}
inline emp_device_link_idle() { sending[emp_node] = IDLE }
inline emp_device_link_enable()
{
	assert(link_up_when_agreed || !emp_device_link_enable_up || (synchronised[emp_node] && agreed[emp_node]));
	flowing[emp_node] = emp_device_link_enable_up
}
inline emp_device_send_frame(g_) { assert(false) }
inline emp_device_send_control(g_) { assert(false) }
inline emp_device_request_slot() { assert(false) }
inline emp_device_notify_read() { assert(false) }
inline emp_device_place(f_) { assert(false) }
inline emp_device_complete() { assert(false) }
#endif

#define TIMER (EMP_TIMER_LINK_COMPLETE * EMP_TIMER_STRIDE)
#define OTHER (1 - _pid)
#define NEWS(n) (!synchronised[n] || told[n] != sending[1 - (n)])
#define BOTH_UP (flowing[0] && flowing[1] && !NEWS(0) && !NEWS(1))

#define CHECK_FLOW()                                                                                                \
	assert(link_up_when_agreed || !flowing[_pid] || (synchronised[_pid] && agreed[_pid]))

inline bring_word(word_)
{
	emp_node = _pid;
	told[_pid] = word_;
	if
	:: word_ != IDLE ->
		agreed[_pid] = (word_ == 2);
		emp_link_configuration_word = WORD_OF(word_);
		emp_link_configuration();
		assert(hsm_verdict == HSM_DONE);
		CHECK_FLOW()
	:: else ->
		emp_link_idle_seen();
		assert(hsm_verdict == HSM_DONE);
		CHECK_FLOW()
	fi
}

active [NODES] proctype Receiver()
{
	begun;
end:	do
	:: d_step { !synchronised[_pid] ->
		synchronised[_pid] = 1;
		emp_node = _pid;
		emp_link_synchronised();
		assert(hsm_verdict == HSM_DONE) }
	:: d_step { synchronised[_pid] && !good ->
		synchronised[_pid] = 0;
		told[_pid] = NO_WORD;
		agreed[_pid] = 0;
		emp_node = _pid;
		emp_link_sync_lost();
		assert(hsm_verdict == HSM_DONE);
		CHECK_FLOW() }
	:: d_step { synchronised[_pid] && told[_pid] != sending[OTHER] -> word = sending[OTHER]; bring_word(word) }
	:: d_step { synchronised[_pid] && !good && told[_pid] != 0 -> word = 0; bring_word(word) }
	:: d_step { synchronised[_pid] && !good && told[_pid] != 1 -> word = 1; bring_word(word) }
	:: d_step { synchronised[_pid] && !good && told[_pid] != 2 -> word = 2; bring_word(word) }
	:: d_step { synchronised[_pid] && !good && told[_pid] != 3 -> word = 3; bring_word(word) }
	:: d_step { synchronised[_pid] && !good && told[_pid] != 4 -> word = 4; bring_word(word) }
	:: d_step { synchronised[_pid] && !good && told[_pid] != IDLE -> word = IDLE; bring_word(word) }
	:: d_step { !synchronised[_pid] && !good -> /* told late: code groups were lost since */
		emp_node = _pid;
		emp_link_configuration_word = WORD_OF(1);
		emp_link_configuration();
		assert(hsm_verdict == HSM_DONE);
		CHECK_FLOW() }
	:: d_step { !synchronised[_pid] && !good -> /* told twice, or when they were there and lost again unseen */
		emp_node = _pid;
		emp_link_sync_lost();
		assert(hsm_verdict == HSM_DONE);
		CHECK_FLOW() }
	:: d_step { !synchronised[_pid] && !good ->
		emp_node = _pid;
		emp_link_idle_seen();
		assert(hsm_verdict == HSM_DONE);
		CHECK_FLOW() }
	:: d_step { ((armed[_pid] >> TIMER) & 1) && (!good || (!NEWS(_pid) && !NEWS(OTHER))) ->
		emp_node = _pid;
		emp_expire_link_complete();
		CHECK_FLOW() }
	od
}

active proctype World()
{
	d_step {
		collection_size = EMP_INITIAL_COLLECTION_SIZE;
		emp_node = 0;
		emp_initialise();
		emp_node = 1;
		emp_initialise();
		begun = true
	}
#ifdef LIVENESS
	d_step { hsm_tell("@ good\n"); good = true }
#endif
}

#ifdef LIVENESS
#ifndef hsm_off_link_comes_up
#define hsm_off_link_comes_up 0
#endif
never link_comes_up {
faults:
	if
	:: !good -> goto faults
	:: good && !(hsm_off_link_comes_up || BOTH_UP) -> goto accept
	fi;
accept:
	if
	:: !(hsm_off_link_comes_up || BOTH_UP) -> goto accept
	fi
}
#endif

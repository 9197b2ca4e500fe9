/* The world around the alternating-bit protocol: a sending and a receiving host, and a link that loses and repeats but
 * keeps order, for with two frame numbers nothing more can be survived.
 *
 * Faults: loss, duplication
 * Wire: send
 *
 * As in emp_world.pml: one d_step per event, both engines, and delivering leaves the frame on the wire until it is
 * lost, as long as the link is not good. Each direction carries at most IN_FLIGHT frames, further ones are lost.
 */
#define NODES 2
#define hsm_timer_arm(timer) armed[abp_node] = armed[abp_node] | (1 << (timer))
#define hsm_timer_cancel(timer) armed[abp_node] = armed[abp_node] & ~(1 << (timer))

#include "abp.pml"
#include "abp_world.h"

byte data_frames[IN_FLIGHT];	/* first in first out; CODE_OF a frame, 0 where there is none */
byte data_count;
byte ack_frames[IN_FLIGHT];
byte ack_count;
byte armed[NODES];
byte submitted;
byte accepted;
byte delivered;

hidden int code;

#ifdef LIVENESS
bool good;
#else
#define good false
#endif

#define IDLE (data_count == 0 && ack_count == 0 && (submitted > accepted || submitted == ITEMS))

/* What befalls a frame, for people who read a trail. */
#define TELL_DATA(what, c) hsm_tell("@ "); hsm_tell(#what); hsm_tell(" DATA bit=%d item=%d\n", BIT_OF(c), ITEM_OF(c))
#define TELL_ACK(what, c) hsm_tell("@ "); hsm_tell(#what); hsm_tell(" ACK bit=%d\n", BIT_OF(c))

#ifdef ENGINE_C
c_decl {
\#include "abp_model.h"
	struct abp_state abp_nodes[2];
}
c_track "abp_nodes" "sizeof(abp_nodes)" "Matched"
c_code {
\#include "abp_devices.h"
\#include "abp.c"
}
#else
#include "abp_devices.pml"
#endif

#if IN_FLIGHT != 2
#error "write the queues for this bound"
#endif

inline drop_data()
{
	data_frames[0] = data_frames[1];
	data_frames[1] = 0;
	data_count--
}

inline drop_ack()
{
	ack_frames[0] = ack_frames[1];
	ack_frames[1] = 0;
	ack_count--
}

inline fill_frame(k_)
{
	abp_event_frame.kind = k_;
	abp_event_frame.bit_ = BIT_OF(code);
	abp_event_frame.item = ITEM_OF(code)
}

active proctype World()
{
	d_step {
		abp_node = SENDER;
		abp_initialise();
		abp_node = RECEIVER;
		abp_initialise()
	}
	do
	:: d_step { submitted < ITEMS && submitted == accepted && (!good || data_count < IN_FLIGHT) ->
		abp_node = SENDER;
		abp_sender_submit_item = FIRST_ITEM + submitted;
		submitted++;
		abp_sender_submit();
		assert(hsm_verdict == HSM_DONE) }
	:: d_step { data_count > 0 && (!good || ack_count < IN_FLIGHT) ->
		code = data_frames[0];
		TELL_DATA(take, code);
		if
		:: good -> drop_data()
		:: else
		fi;
		abp_node = RECEIVER;
		fill_frame(ABP_FRAME_KIND_DATA);
		abp_receiver_data();
		assert(hsm_verdict == HSM_DONE) }
	:: d_step { ack_count > 0 ->
		code = ack_frames[0];
		TELL_ACK(take, code);
		if
		:: good -> drop_ack()
		:: else
		fi;
		abp_node = SENDER;
		fill_frame(ABP_FRAME_KIND_ACK);
		abp_sender_ack();
		assert(hsm_verdict == HSM_DONE) }
	:: d_step { !good && data_count > 0 -> TELL_DATA(lose, data_frames[0]); drop_data() }
	:: d_step { !good && ack_count > 0 -> TELL_ACK(lose, ack_frames[0]); drop_ack() }
	:: d_step { (armed[SENDER] >> ABP_TIMER_SENDER_WAIT_ACK) & 1 && (!good || IDLE) ->
		abp_node = SENDER;
		abp_expire_sender_wait_ack() }
#ifdef LIVENESS
	:: d_step { !good -> hsm_tell("@ good\n"); good = true }
#endif
	:: d_step { accepted == ITEMS && IDLE ->
		assert(no_early_completion || (armed[SENDER] == 0 && delivered == ITEMS)) }
		break
	od
}

#ifdef LIVENESS
never every_item_arrives {
faults:
	if
	:: !good -> goto faults
	:: good && delivered < ITEMS -> goto accept
	fi;
accept:
	if
	:: delivered < ITEMS -> goto accept
	fi
}
#endif

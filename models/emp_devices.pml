/* What the device operations do, in Promela. The same once more in C: emp_devices.h. Keep the two side by side. */

#define OPEN_SEND(d) ((sends_open >> (d)) & 1)
#define OPEN_RECEIVE(d) ((receives_open >> (d)) & 1)

inline emp_device_send_frame(g_)
{
	assert(intact_placement || (emp_node == SENDER && emp_device_send_frame_peer == RECEIVER && FAITHFUL(g_)
		&& EPOCH_OF_FIELD(g_.message) == incarnation[SENDER]));
	assert(intact_placement || emp_device_send_frame_offset == OFFSET_OF(g_.frame));
	assert(wire_full_never_blocks || slot_wanted == SLOT_GIVEN);
	slot_wanted = SLOT_NONE;
	assert(no_send_after_settled || ((sends_done >> MESSAGE_OF_FIELD(g_.message)) & 1) == 0);
	assert(window_within_bounds || CONTACT_OF(g_.contact) != believed
		|| (sends_done & MESSAGES_BEFORE(MESSAGE_OF_FIELD(g_.message))) == MESSAGES_BEFORE(MESSAGE_OF_FIELD(g_.message)));
	code = WAY_OF(g_);
	assert(window_within_bounds || MADE_BY(CONTACT_OF(g_.contact)) != incarnation[RECEIVER]
		|| EPOCH_OF_FIELD(g_.message) != heard
		|| (memory & COLLECTIONS_BEFORE(code, MESSAGE_OF_FIELD(g_.message), g_.collection))
			== COLLECTIONS_BEFORE(code, MESSAGE_OF_FIELD(g_.message), g_.collection));
	assert(descriptor_once || (emp_device_send_frame_descriptor == DESCRIPTOR_OF(MESSAGE_OF_FIELD(g_.message))
		&& OPEN_SEND(emp_device_send_frame_descriptor)));
	code = FRAME_CODE(PAIR_IN_FRAME(g_), code, MESSAGE_OF_FIELD(g_.message), g_.frame);
#if READS > 0
	unread = code + 1
#else
	put_on_link(code, !LINK_FULL && ON_LINK(g_.contact))
#endif
}

inline answer(g_)
{
	assert(no_early_acknowledgement || (emp_node == RECEIVER && emp_device_send_control_peer == SENDER
		&& FAITHFUL_ANSWER(g_)));
	if
	:: g_.kind == EMP_FRAME_KIND_ACK ->
		code = WAY_OF(g_);
		assert(no_early_acknowledgement || (EPOCH_OF_FIELD(g_.message) == heard
			&& MADE_BY(CONTACT_OF(g_.contact)) == incarnation[RECEIVER]
			&& (memory & COLLECTION_BITS(code, MESSAGE_OF_FIELD(g_.message), g_.collection))
				== COLLECTION_BITS(code, MESSAGE_OF_FIELD(g_.message), g_.collection)));
		code = ACK_CODE(PAIR_IN_FRAME(g_), code, MESSAGE_OF_FIELD(g_.message), g_.collection)
	:: g_.kind == EMP_FRAME_KIND_NACK && g_.length == EMP_REFUSAL_OTHER_CONTACT ->
		assert(right_incarnation || (MADE_BY(CONTACT_OF(g_.frame)) == incarnation[RECEIVER] && g_.frame != g_.contact));
		code = OTHER_CODE(PAIR_IN_FRAME(g_), CONTACT_OF(g_.frame), MESSAGE_OF_FIELD(g_.message))
	:: else ->
		assert(right_incarnation || MADE_BY(CONTACT_OF(g_.contact)) == incarnation[RECEIVER]);
		code = NACK_CODE(PAIR_IN_FRAME(g_), MESSAGE_OF_FIELD(g_.message), (g_.length == EMP_REFUSAL_NOT_YET))
	fi;
	put_on_link(code, good || !LINK_FULL)
}

#ifdef WORLD_MALFORMED
inline emp_device_send_control(g_)
{
	if
	:: unanswered -> skip
	:: else -> answer(g_)
	fi
}
#else
inline emp_device_send_control(g_) { answer(g_) }
#endif

inline emp_device_request_slot()
{
	assert(emp_node == SENDER && slot_wanted == SLOT_NONE);
	slot_wanted = SLOT_WANTED
}

inline emp_device_notify_read()
{
	assert(emp_node == SENDER && ((draining >> (emp_device_notify_read_m - 1)) & 1) == 0);
	draining = draining | (1 << (emp_device_notify_read_m - 1));
#if READS > 0
	unread_before = unread_before | ((unread != 0) << (emp_device_notify_read_m - 1))
#endif
}

/* A confirmation will come. */
inline owe_placement(c_)
{
	placing_record[placing_count] = emp_device_place_r;
	placing_frame[placing_count] = c_;
	placing_count++
}

#define SPEAKS_FOR_NOTHING(i)                                                                                          \
	if                                                                                                             \
	:: i < placing_count -> placing_frame[i] = NO_FRAME                                                            \
	:: else                                                                                                        \
	fi;
#define IS_GIVEN_UP(i)                                                                                                 \
	if                                                                                                             \
	:: into[i] != 0 -> into[i] = GIVEN_UP                                                                          \
	:: else                                                                                                        \
	fi;

#if CANCELS > 0
#define NEXT_TO_MATCH FIRST_WAITING(waiting)
inline no_longer_waits(d_)
{
	code = BITS_BEFORE(waiting, d_);
	waiting = WITHOUT(waiting, code);
	receives_waiting--
}
#else
#define NEXT_TO_MATCH DESCRIPTOR_OF(next_matched)
inline no_longer_waits(d_)
{
	next_matched = (next_matched + 1) % MESSAGES;
	receives_waiting--
}
#endif

inline emp_device_place(f_)
{
	assert(descriptor_once || (emp_device_place_descriptor < MESSAGES && OPEN_RECEIVE(emp_device_place_descriptor)));
	assert(right_incarnation || MADE_BY(CONTACT_IN(PAIR_IN(f_.buffer - 1))) == incarnation[RECEIVER]);
	if
	:: EPOCH_OF(PAIR_IN(f_.buffer - 1)) != heard ->
		/* Another incarnation: what was being received is worth nothing. */
		assert(right_incarnation || EPOCH_OF(PAIR_IN(f_.buffer - 1)) > heard);
		heard = EPOCH_OF(PAIR_IN(f_.buffer - 1));
		placed = 0;
		memory = 0;
		homed = 0;
		delivered = 0;
		EACH_PLACING(SPEAKS_FOR_NOTHING)
		EACH_DESCRIPTOR(IS_GIVEN_UP)
		skip
	:: else
	fi;
	if
	:: into[emp_device_place_descriptor] == GIVEN_UP ->
		/* Nothing is written: only the order of confirmations counts. */
		assert(descriptor_once || (emp_device_place_length == 0 && emp_device_place_last));
		owe_placement(NO_FRAME)
	:: else ->
		code = CODE_OF(MESSAGE_IN(f_.buffer - 1), FRAME_IN(f_.buffer - 1));
		assert(delivered_once || ((delivered >> (code / FRAMES)) & 1) == 0);
		if
		:: into[emp_device_place_descriptor] == 0 ->
			assert(delivered_once || ((homed >> (code / FRAMES)) & 1) == 0);
			assert(in_order || (emp_device_place_descriptor == NEXT_TO_MATCH
				&& homed == (1 << (code / FRAMES)) - 1));
			into[emp_device_place_descriptor] = code / FRAMES + 1;
			homed = homed | (1 << (code / FRAMES));
			no_longer_waits(emp_device_place_descriptor);
			code = CODE_OF(MESSAGE_IN(f_.buffer - 1), FRAME_IN(f_.buffer - 1))
		:: else ->
			assert(in_order || into[emp_device_place_descriptor] == code / FRAMES + 1)
		fi;
		assert(intact_placement || (emp_device_place_offset == OFFSET_OF(code % FRAMES)
			&& emp_device_place_length == ROOM_FOR(code % FRAMES)));
		placed = placed | (1 << code);
		if
		:: emp_device_place_last ->
			/* The confirmation will speak of the whole collection. */
			code = PLACED_CODE(WAY_IN(f_.buffer - 1), code / FRAMES, code % FRAMES);
			assert(no_early_acknowledgement || (placed & PLACED_BITS(code)) == PLACED_BITS(code));
			owe_placement(code)
		:: else
		fi
	fi
}

inline complete_posting()
{
	if
#if CANCELS > 0
	:: emp_device_complete_result == EMP_RESULT_CANCELLED ->
		assert(cancelled_unmet || (emp_node == RECEIVER && wanted_back == emp_device_complete_descriptor + 1
			&& into[emp_device_complete_descriptor] == 0 && emp_device_complete_length == 0));
		assert(descriptor_once || OPEN_RECEIVE(emp_device_complete_descriptor));
		receives_open = receives_open & ~(1 << emp_device_complete_descriptor);
		no_longer_waits(emp_device_complete_descriptor)
#endif
	:: emp_node == SENDER ->
		code = MESSAGE_OF(emp_device_complete_descriptor);
		assert(descriptor_once || OPEN_SEND(emp_device_complete_descriptor));
		assert(memory_read_only_while_owned || unread == 0
			|| DESCRIPTOR_OF(MESSAGE_IN(unread - 1)) != emp_device_complete_descriptor);
		sends_open = sends_open & ~(1 << emp_device_complete_descriptor);
		if
		:: emp_device_complete_result == EMP_RESULT_PEER_RESTARTED ->
			assert(honest_result || incarnation[SENDER] + incarnation[RECEIVER] > 2)
		:: else ->
			assert(no_early_completion || (emp_device_complete_result == EMP_RESULT_OK && ((reached >> code) & 1)));
			sends_done = sends_done | (1 << code)
		fi
	:: else ->
		assert(descriptor_once || OPEN_RECEIVE(emp_device_complete_descriptor));
		assert(delivered_once || into[emp_device_complete_descriptor] != 0);
		receives_open = receives_open & ~(1 << emp_device_complete_descriptor);
		code = into[emp_device_complete_descriptor] - 1;
		into[emp_device_complete_descriptor] = 0;
		if
		:: emp_device_complete_result == EMP_RESULT_PEER_RESTARTED ->
			assert(honest_result || code + 1 == GIVEN_UP)
		:: else ->
			assert(right_incarnation || code < MESSAGES);
			assert(intact_placement || (emp_device_complete_result == RECEIVED
				&& emp_device_complete_length == TOTAL && (memory & MESSAGE_BITS(code)) == MESSAGE_BITS(code)));
			assert(delivered_once || ((delivered >> code) & 1) == 0);
			delivered = delivered | (1 << code)
		fi
	fi
}

inline emp_device_complete()
{
	assert(descriptor_once || emp_device_complete_descriptor < MESSAGES + refusing);
	if
	:: emp_device_complete_descriptor == SPARE_DESCRIPTOR ->
		assert(honest_result || emp_device_complete_result == EMP_RESULT_TOO_LONG);
		refusing = 0
	:: emp_device_complete_descriptor != SPARE_DESCRIPTOR -> complete_posting()
	fi
}

/* The wire's own negotiation is no part of this world: frames flow or are lost. */
inline emp_device_link_send() { skip }
inline emp_device_link_idle() { skip }
inline emp_device_link_enable() { skip }

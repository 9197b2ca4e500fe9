/* What the device operations do, in Promela. The same once more in C: emp_devices.h. Keep the two side by side. */

inline emp_device_send_frame(g_)
{
	assert(intact_placement || (emp_node == SENDER && emp_device_send_frame_peer == RECEIVER && FAITHFUL(g_)));
	assert(intact_placement || emp_device_send_frame_offset == OFFSET_OF(g_.frame));
	assert(descriptor_once || (emp_device_send_frame_descriptor == DESCRIPTOR_OF(g_.message)
		&& g_.message < sends_posted && ((sends_done >> g_.message) & 1) == 0));
	put_on_link(CODE_OF(g_.message, g_.frame), !LINK_FULL)
}

inline emp_device_send_control(g_)
{
	assert(no_early_acknowledgement || (emp_node == RECEIVER && emp_device_send_control_peer == SENDER
		&& FAITHFUL_ANSWER(g_)));
	if
	:: g_.kind == EMP_FRAME_KIND_ACK ->
		assert(no_early_acknowledgement || (memory & COLLECTION_BITS(g_.message, g_.collection))
			== COLLECTION_BITS(g_.message, g_.collection));
		put_on_link(ACK_CODE(g_.message, g_.collection), good || !LINK_FULL)
	:: else ->
		put_on_link(NACK_CODE(g_.message), good || !LINK_FULL)
	fi
}

inline emp_device_request_slot()
{
	assert(emp_node == SENDER && !slot_wanted);
	slot_wanted = 1
}

inline emp_device_place(f_)
{
	code = f_.buffer - 1;
	assert(descriptor_once || (emp_device_place_descriptor < MESSAGES
		&& MESSAGE_OF(emp_device_place_descriptor) < receives_posted
		&& ((receives_done >> MESSAGE_OF(emp_device_place_descriptor)) & 1) == 0));
	assert(delivered_once || ((delivered >> (code / FRAMES)) & 1) == 0);
	assert(delivered_once || into[emp_device_place_descriptor] != 0 || ((homed >> (code / FRAMES)) & 1) == 0);
	assert(in_order || code / FRAMES == MESSAGE_OF(emp_device_place_descriptor));
	assert(intact_placement || (emp_device_place_offset == OFFSET_OF(code % FRAMES)
		&& emp_device_place_length == LENGTH_OF(code % FRAMES)));
	into[emp_device_place_descriptor] = code / FRAMES + 1;
	homed = homed | (1 << (code / FRAMES));
	placed = placed | (1 << code);
	if
	:: emp_device_place_last ->
		/* The confirmation will speak of the whole collection. */
		assert(no_early_acknowledgement || (placed & COLLECTION_BITS(code / FRAMES, COLLECTION_OF(code % FRAMES)))
			== COLLECTION_BITS(code / FRAMES, COLLECTION_OF(code % FRAMES)));
		placing_record[placing_count] = emp_device_place_r;
		placing_frame[placing_count] = code;
		placing_count++
	:: else
	fi
}

inline emp_device_complete()
{
	assert(descriptor_once || emp_device_complete_descriptor < MESSAGES);
	code = MESSAGE_OF(emp_device_complete_descriptor);
	if
	:: emp_node == SENDER ->
		assert(descriptor_once || (code < sends_posted && ((sends_done >> code) & 1) == 0));
		assert(no_early_completion || (emp_device_complete_result == EMP_RESULT_OK
			&& (memory & MESSAGE_BITS(code)) == MESSAGE_BITS(code)));
		sends_done = sends_done | (1 << code)
	:: else ->
		assert(descriptor_once || (code < receives_posted && ((receives_done >> code) & 1) == 0));
		assert(intact_placement || (emp_device_complete_result == EMP_RESULT_OK
			&& emp_device_complete_length == TOTAL && (memory & MESSAGE_BITS(code)) == MESSAGE_BITS(code)));
		assert(delivered_once || (into[emp_device_complete_descriptor] != 0
			&& ((delivered >> (into[emp_device_complete_descriptor] - 1)) & 1) == 0));
		delivered = delivered | (1 << (into[emp_device_complete_descriptor] - 1));
		receives_done = receives_done | (1 << code)
	fi
}

/* The wire's own negotiation is no part of this world: frames flow or are lost. */
inline emp_device_link_send() { skip }
inline emp_device_link_idle() { skip }
inline emp_device_link_enable() { skip }

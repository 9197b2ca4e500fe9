/* What the device operations do, in Promela. The same once more in C: abp_devices.h. Keep the two side by side. */

inline abp_device_send(f_)
{
	if
	:: abp_node == SENDER ->
		assert(delivered_once || f_.kind == ABP_FRAME_KIND_DATA);
		if
		:: data_count < IN_FLIGHT ->
			data_frames[data_count] = CODE_OF(f_.bit_, f_.item);
			data_count++;
			TELL_DATA(put, CODE_OF(f_.bit_, f_.item))
		:: else -> TELL_DATA(full, CODE_OF(f_.bit_, f_.item))
		fi
	:: else ->
		assert(delivered_once || (f_.kind == ABP_FRAME_KIND_ACK && f_.item == 0));
		if
		:: ack_count < IN_FLIGHT ->
			ack_frames[ack_count] = CODE_OF(f_.bit_, f_.item);
			ack_count++;
			TELL_ACK(put, CODE_OF(f_.bit_, f_.item))
		:: else -> TELL_ACK(full, CODE_OF(f_.bit_, f_.item))
		fi
	fi
}

inline abp_device_deliver()
{
	assert(delivered_once || (abp_node == RECEIVER && abp_device_deliver_item == FIRST_ITEM + delivered));
	delivered++
}

inline abp_device_accepted()
{
	assert(no_early_completion || (abp_device_accepted_item == FIRST_ITEM + accepted && accepted < delivered));
	accepted++
}

/* What the device operations do, in Promela. The same once more in C: waiting_devices.h. */

inline waiting_device_call()
{
	assert(first_in_first_out || waiting_device_call_number == expected);
	expected = (expected + 1) % NUMBERS
}

inline waiting_device_eaten()
{
	assert(first_in_first_out || (((guests >> (waiting_device_eaten_g - 1)) & 1) == 1 && waiting_device_eaten_dish < 2))
}

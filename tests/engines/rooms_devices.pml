/* What the device operations do, in Promela. The same once more in C: rooms_devices.h. */

inline rooms_device_told()
{
	assert(told_right || rooms_device_told_n <= LARGEST_TOLD);
	last = rooms_device_told_n
}

inline rooms_device_departed()
{
	guests = guests & ~rooms_device_departed_g
}

inline rooms_device_left()
{
	gone = gone | rooms_device_left_g
}

/* What the device operation does, in Promela. The same once more in C: late_devices.h. */

inline late_device_given()
{
	last = late_device_given_h
}

/* A world without manners: every external event may come in every state, every timer that runs may run out. What is told
 * stays in the state until the next is: both engines must tell the same to have as many states.
 */
#define NODES 1
#define hsm_timer_arm(timer) armed = armed | (1 << (timer))
#define hsm_timer_cancel(timer) armed = armed & ~(1 << (timer))

#include "rooms.pml"
#include "rooms_world.h"

byte armed;
byte guests;	/* records in use */
byte last;	/* told */
byte gone;	/* those who had to go */

#ifdef ENGINE_C
c_decl {
\#include "rooms_model.h"
	struct rooms_state rooms_nodes[1];
}
c_track "rooms_nodes" "sizeof(rooms_nodes)" "Matched"
c_code {
\#include "rooms_devices.h"
\#include "rooms.c"
}
#else
#include "rooms_devices.pml"
#endif

#define IS_ARMED(guest) ((armed >> ((guest) - 1)) & 1)

#define NUMBER(number_)                                                                                                \
	d_step {                                                                                                       \
		rooms_visit_come_number = number_;                                                                     \
		rooms_visit_come();                                                                                    \
		assert((hsm_verdict == HSM_NO_ROOM) == (guests == 3));                                                 \
		guests = (guests | (guests + 1)) & 3                                                                   \
	}                                                                                                              \
	:: d_step {                                                                                                    \
		rooms_visit_go_number = number_;                                                                       \
		rooms_visit_go()                                                                                       \
	}                                                                                                              \
	:: d_step {                                                                                                    \
		rooms_clerk_look_number = number_;                                                                     \
		rooms_clerk_look()                                                                                     \
	}
#define GUEST(guest)                                                                                                   \
	d_step {                                                                                                       \
		((guests >> ((guest) - 1)) & 1) ->                                                                                     \
		rooms_visit_eat_g = guest;                                                                             \
		rooms_visit_eat_dish = 0;                                                                              \
		rooms_visit_eat()                                                                                      \
	}                                                                                                              \
	:: d_step {                                                                                                    \
		((guests >> ((guest) - 1)) & 1) ->                                                                                     \
		rooms_visit_eat_g = guest;                                                                             \
		rooms_visit_eat_dish = 1;                                                                              \
		rooms_visit_eat()                                                                                      \
	}                                                                                                              \
	:: d_step {                                                                                                    \
		((guests >> ((guest) - 1)) & 1) ->                                                                                     \
		rooms_visit_eat_g = guest;                                                                             \
		rooms_visit_eat_dish = 2;                                                                              \
		rooms_visit_eat()                                                                                      \
	}                                                                                                              \
	:: d_step {                                                                                                    \
		IS_ARMED(guest) ->                                                                                     \
		rooms_visit_after_asleep_g = guest;                                                                    \
		rooms_expire_visit_asleep()                                                                            \
	}

active proctype World()
{
	d_step { rooms_node = 0; rooms_initialise() }
	do
	:: NUMBER(1)
	:: NUMBER(3)
	:: GUEST(1)
	:: GUEST(2)
	/* SPIN leaves out of the state what is never read. */
	:: d_step { last > LARGEST_TOLD || gone > 3 -> assert(told_right) }
	od
}

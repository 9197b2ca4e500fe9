/* A world without manners: every external event may come in every state, every timer that runs may run out. What the
 * protocol refuses for want of room has not happened. The second guest is easily pleased, which keeps the search short.
 */
#define NODES 1
#define hsm_timer_arm(timer) armed = armed | (1 << (timer))
#define hsm_timer_cancel(timer) armed = armed & ~(1 << (timer))

#include "waiting.pml"
#include "waiting_world.h"

byte armed;
byte customers;	/* the number the next customer gets */
byte expected;	/* the number that must be called next */
byte guests;	/* records in use */

#ifdef ENGINE_C
c_decl {
\#include "waiting_model.h"
	struct waiting_state waiting_nodes[1];
}
c_track "waiting_nodes" "sizeof(waiting_nodes)" "Matched"
c_code {
\#include "waiting_devices.h"
\#include "waiting.c"
}
#else
#include "waiting_devices.pml"
#endif

#define IS_ARMED(timer, instance) ((armed >> ((timer) * WAITING_TIMER_STRIDE + (instance) - 1)) & 1)

#define ENTER(mood)                                                                                                    \
	d_step {                                                                                                       \
		waiting_guest_enter_mood = mood;                                                                       \
		waiting_guest_enter();                                                                                 \
		assert((hsm_verdict == HSM_NO_ROOM) == (guests == 3));                                                 \
		guests = (guests | (guests + 1)) & 3                                                                   \
	}
#define ORDER(guest, dish)                                                                                             \
	d_step {                                                                                                       \
		(guests >> (guest - 1)) & 1 ->                                                                         \
		waiting_guest_order_g = guest;                                                                         \
		waiting_guest_order_dish = dish;                                                                       \
		waiting_guest_order()                                                                                  \
	}
/* No member of the enumeration, or outside the range: refused before any row sees it. */
#define NO_DISH(dish)                                                                                                  \
	d_step {                                                                                                       \
		waiting_guest_order_g = 1;                                                                             \
		waiting_guest_order_dish = dish;                                                                       \
		waiting_guest_order();                                                                                 \
		assert(hsm_verdict == HSM_REFUSED)                                                                     \
	}
#define LUNCH(seconds, verdict)                                                                                        \
	d_step {                                                                                                       \
		waiting_clerk_lunch_seconds = seconds;                                                                 \
		waiting_clerk_lunch();                                                                                 \
		assert(hsm_verdict == verdict)                                                                         \
	}
#define GUEST(guest)                                                                                                   \
	d_step {                                                                                                       \
		(guests >> (guest - 1)) & 1 ->                                                                         \
		waiting_guest_table_g = guest;                                                                         \
		waiting_guest_table()                                                                                  \
	}                                                                                                              \
	:: d_step {                                                                                                    \
		(guests >> (guest - 1)) & 1 ->                                                                         \
		waiting_guest_leave_g = guest;                                                                         \
		waiting_guest_leave();                                                                                 \
		guests = guests & ~(1 << (guest - 1))                                                                  \
	}                                                                                                              \
	:: d_step {                                                                                                    \
		IS_ARMED(WAITING_TIMER_GUEST_FULL, guest) ->                                                           \
		waiting_guest_after_full_g = guest;                                                                    \
		waiting_expire_guest_full()                                                                            \
	}

active proctype World()
{
	d_step { waiting_node = 0; waiting_initialise() }
	do
	:: d_step {
		waiting_clerk_customer_number = customers;
		waiting_clerk_customer();
		if
		:: hsm_verdict == HSM_DONE -> customers = (customers + 1) % NUMBERS
		:: else -> assert(hsm_verdict == HSM_NO_ROOM)
		fi }
	:: d_step { waiting_clerk_served(); assert(hsm_verdict == HSM_DONE) }
	:: LUNCH(2147483647, HSM_DONE)
	:: LUNCH((-2147483647), HSM_DONE)
	:: LUNCH(2147483646, HSM_REFUSED)
	:: LUNCH((-2147483646), HSM_REFUSED)
	:: LUNCH(0, HSM_REFUSED)
	:: LUNCH((-1), HSM_REFUSED)
	:: d_step { waiting_clerk_back(); assert(hsm_verdict == HSM_DONE) }
	:: d_step { IS_ARMED(WAITING_TIMER_CLERK_STANDING, 1) -> waiting_expire_clerk_standing() }
	:: ENTER(0)
	:: ORDER(1, 0)
	:: ORDER(1, 1)
	:: ORDER(2, 0)
	:: NO_DISH(2)
	:: NO_DISH(3)
	:: NO_DISH(5)
	:: NO_DISH(255)
	:: GUEST(1)
	:: GUEST(2)
	od
}

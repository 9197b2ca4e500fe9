/* The world keeps the handles of the two jobs begun last, dead or alive, and tries them, and both references, at any time.
 */
#define NODES 1
#define hsm_timer_arm(timer) skip
#define hsm_timer_cancel(timer) skip

#include "late.pml"

int last;
int held[2];
byte alive;	/* bit i: the job of held[i] lives */
byte used;	/* bit i: record i is in use */

#ifdef ENGINE_C
c_decl {
\#include "late_model.h"
	struct late_state late_nodes[1];
}
c_track "late_nodes" "sizeof(late_nodes)" "Matched"
c_code {
\#include "late_devices.h"
\#include "late.c"
}
#else
#include "late_devices.pml"
#endif

#define RECORD(handle) (((handle) & 65535) - 1)
#define ENDED(record)                                                                                                  \
	used = used & ~(1 << (record));                                                                                \
	if                                                                                                             \
	:: RECORD(held[0]) == (record) -> alive = alive & ~1                                                           \
	:: else                                                                                                        \
	fi;                                                                                                            \
	if                                                                                                             \
	:: RECORD(held[1]) == (record) -> alive = alive & ~2                                                           \
	:: else                                                                                                        \
	fi

#define CANCEL(i)                                                                                                      \
	d_step {                                                                                                       \
		late_work_cancel_h = held[i];                                                                          \
		late_work_cancel();                                                                                    \
		assert(late_is_late || hsm_verdict == (((alive >> i) & 1) == 1 -> HSM_DONE : HSM_IGNORED));            \
		if                                                                                                     \
		:: hsm_verdict == HSM_DONE -> ENDED(RECORD(held[i]))                                                   \
		:: else                                                                                                \
		fi                                                                                                     \
	}

#define STOP(record)                                                                                                   \
	d_step {                                                                                                       \
		late_work_stop_j = record + 1;                                                                         \
		late_work_stop();                                                                                      \
		assert(hsm_verdict == (((used >> record) & 1) == 1 -> HSM_DONE : HSM_IGNORED));                        \
		ENDED(record)                                                                                          \
	}

active proctype World()
{
	d_step { late_node = 0; late_initialise() }
	do
	:: d_step {
		late_work_begin();
		assert((hsm_verdict == HSM_NO_ROOM) == (used == 3));
		if
		:: hsm_verdict == HSM_DONE ->
			held[1] = held[0];
			held[0] = last;
			alive = ((alive << 1) | 1) & 3;
			used = used | (1 << RECORD(last));
			last = 0
		:: else
		fi }
	:: CANCEL(0)
	:: CANCEL(1)
	:: STOP(0)
	:: STOP(1)
	od
}

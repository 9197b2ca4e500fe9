/* The link of the EMP world: a set of frames, kept as an array of their codes (emp_world.h) in ascending order, so that a
 * set has one form. Both engines take frames off here; only the Promela puts them on, the C has its own (emp_devices.h).
 */
#ifdef EVER_GOOD
/* An answer finds room once the link is good. There is none without a frame that was taken from the link before it, at
 * once or when its placement is confirmed. */
#define LINK_SLOTS (IN_FLIGHT + PLACEMENT_SLOTS)
#else
#define LINK_SLOTS IN_FLIGHT
#endif
/* Codes + 1 of the frames on their way, ascending; 0 where there is none. */
#if LINK_CODES < 255
byte link[LINK_SLOTS];
#else
short link[LINK_SLOTS];
#endif
#define LINK_FULL (link[IN_FLIGHT - 1] != 0)
#define LINK_EMPTY (link[0] == 0)

/* First contact may be taken as made at once; then what names no contact only finds deaf ears. */
#ifdef WORLD_ACQUAINTED
#define ON_LINK(contact) ((contact) != 0)
#else
#define ON_LINK(contact) true
#endif

hidden int carried;
hidden int displaced;

/* What befalls a frame, for people who read a trail. */
#ifdef HSM_TRACE
#define TELL_FRAME(what, c)                                                                                            \
	hsm_tell("@ "); hsm_tell(#what);                                                                               \
	if                                                                                                             \
	:: (c) < ANSWER_CODES ->                                                                                       \
		hsm_tell(" DATA frame=%d", FRAME_IN(c));                                                               \
		TELL_PAIR(PAIR_IN(c), MESSAGE_IN(c))                                                                   \
	:: (c) >= ANSWER_CODES && (c) < NACK_CODES ->                                                                  \
		hsm_tell(" ACK collection=%d", ACK_COLLECTION_IN(c));                                                  \
		TELL_PAIR(ACK_PAIR_IN(c), ACK_MESSAGE_IN(c))                                                           \
	:: (c) >= NACK_CODES && (c) < OTHER_CODES ->                                                                   \
		hsm_tell(" NACK length=%d", NACK_REASON_IN(c));                                                        \
		TELL_PAIR(NACK_PAIR_IN(c), NACK_MESSAGE_IN(c))                                                         \
	:: (c) >= OTHER_CODES ->                                                                                       \
		hsm_tell(" NACK offered=%d", CONTACT_FIELD(OTHER_OFFERED_IN(c)));                                      \
		TELL_PAIR(OTHER_PAIR_IN(c), OTHER_MESSAGE_IN(c))                                                       \
	fi
#define TELL_PAIR(pair, m)                                                                                             \
	hsm_tell(" message=%d contact=%d\n", MESSAGE_FIELD(EPOCH_OF(pair), m), CONTACT_FIELD(CONTACT_IN(pair)))
#else
#define TELL_FRAME(what, c) skip
#endif

#if LINK_SLOTS == 1
#define LINK_EACH(first, next) first(0)
#elif LINK_SLOTS == 2
#define LINK_EACH(first, next) first(0) next(1)
#elif LINK_SLOTS == 3
#define LINK_EACH(first, next) first(0) next(1) next(2)
#elif LINK_SLOTS == 4
#define LINK_EACH(first, next) first(0) next(1) next(2) next(3)
#elif LINK_SLOTS == 5
#define LINK_EACH(first, next) first(0) next(1) next(2) next(3) next(4)
#elif LINK_SLOTS == 6
#define LINK_EACH(first, next) first(0) next(1) next(2) next(3) next(4) next(5)
#elif LINK_SLOTS == 7
#define LINK_EACH(first, next) first(0) next(1) next(2) next(3) next(4) next(5) next(6)
#else
#error "write the list for this number of frames in flight"
#endif

/* Where the carried code belongs it takes the place, and what was there is carried on. */
#define CARRY_PAST(s)                                                                                                  \
	if                                                                                                             \
	:: carried == 0 || (link[s] != 0 && link[s] < carried)                                                         \
	:: carried != 0 && link[s] == carried -> carried = 0                                                           \
	:: carried != 0 && (link[s] == 0 || link[s] > carried) ->                                                      \
		displaced = link[s];                                                                                   \
		link[s] = carried;                                                                                     \
		carried = displaced                                                                                    \
	fi;

#define CLOSE_UP(s)                                                                                                    \
	if                                                                                                             \
	:: s >= carried -> link[s] = LINK_AFTER(s)                                                                     \
	:: else                                                                                                        \
	fi;
#define LINK_AFTER(s) ((s + 1 < LINK_SLOTS -> link[(s + 1) % LINK_SLOTS] : 0))

/* What is on the wire already is there once; what finds no room is lost. */
inline put_on_link(c_, room_)
{
	carried = (c_) + 1;
	if
	:: room_ ->
		LINK_EACH(CARRY_PAST, CARRY_PAST)
		assert(carried == 0);
		TELL_FRAME(put, c_)
	:: else -> TELL_FRAME(full, c_)
	fi
}

inline take_off(s_)
{
	carried = s_;
	LINK_EACH(CLOSE_UP, CLOSE_UP)
	skip
}


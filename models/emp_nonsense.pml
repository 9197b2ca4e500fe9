/* Frames that contradict themselves or their message, out of thin air: none may change anything but the wire, for every
 * message at every moment. What a frame of another message would say cannot be told from it, and is not here.
 *
 * All of a kind come in one step, for each leaves the state as it was; and as a loop, which in a d_step may stand in one
 * place of a process only.
 */
#define HEADER_NONSENSE 14
#define DATA_NONSENSE	(HEADER_NONSENSE + 7)
#define ACK_NONSENSE	(DATA_NONSENSE + 4)
#define ALL_NONSENSE	(ACK_NONSENSE + 4)

hidden byte nonsense;

/* A header as it should be, but for one thing. */
inline spoil_header()
{
	if
	:: nonsense == 0 -> emp_event_frame.frames = 0
	:: nonsense == 1 -> emp_event_frame.frames = EMP_FRAME_LIMIT + 1
	:: nonsense == 2 -> emp_event_frame.total_length = EMP_MESSAGE_LIMIT + 1
	:: nonsense == 3 -> emp_event_frame.size = FRAMES + 1
	:: nonsense == 4 -> emp_event_frame.position = 1
	:: nonsense == 5 -> emp_event_frame.frame = 1
	:: nonsense == 6 -> emp_event_frame.collection = 1
	:: nonsense == 7 -> emp_event_frame.length = LENGTH_OF(0) - 1
	:: nonsense == 8 -> emp_event_frame.total_length = OFFSET_OF(FRAMES - 1) + (FRAMES == 1) * (EMP_FIRST_FRAME_PAYLOAD + 1)
	:: nonsense == 9 -> emp_event_frame.size = 0
	:: nonsense == 10 -> emp_event_frame.sender = EMP_NODE_LIMIT
	:: nonsense == 11 -> emp_event_frame.contact = emp_event_frame.contact ^ 32768
	:: nonsense == 12 -> emp_event_frame.contact = 0
	:: nonsense == 13 -> emp_event_frame.contact = 0; emp_event_frame.message = 0
	fi
}

inline spoil_data()
{
	if
	:: nonsense == HEADER_NONSENSE -> emp_event_frame.position = emp_event_frame.size
	:: nonsense == HEADER_NONSENSE + 1 -> emp_event_frame.position = 2; emp_event_frame.size = 3
	:: nonsense == HEADER_NONSENSE + 2 -> emp_event_frame.frame = 0; emp_event_frame.length = LENGTH_OF(0)
	:: nonsense == HEADER_NONSENSE + 3 -> emp_event_frame.frame = FRAMES
	:: nonsense == HEADER_NONSENSE + 4 -> emp_event_frame.size = 15
	:: nonsense == HEADER_NONSENSE + 5 -> emp_event_frame.length = LENGTH_OF(1) + 1
	:: nonsense == HEADER_NONSENSE + 6 -> emp_event_frame.size = 0
	fi
}

inline spoil_ack()
{
	if
	:: nonsense == DATA_NONSENSE -> emp_event_frame.collection = 4095
	:: nonsense == DATA_NONSENSE + 1 -> emp_event_frame.size = 0
	:: nonsense == DATA_NONSENSE + 2 -> emp_event_frame.sender = EMP_NODE_LIMIT
	:: nonsense == DATA_NONSENSE + 3 -> emp_event_frame.message = emp_event_frame.message + EMP_MESSAGE_WINDOW * 2
	fi
}

inline spoil_nack()
{
	emp_event_frame.length = EMP_REFUSAL_OTHER_CONTACT;
	if
	:: nonsense == ACK_NONSENSE -> emp_event_frame.length = 0
	:: nonsense == ACK_NONSENSE + 1 -> emp_event_frame.length = EMP_REFUSAL_NOT_YET + 1
	:: nonsense == ACK_NONSENSE + 2 -> emp_event_frame.frame = 0
	:: nonsense == ACK_NONSENSE + 3 -> emp_event_frame.frame = emp_event_frame.contact
	fi
}

/* What the node takes for today's frame of message `arrived`: of the contact in `code`. */
inline fill_nonsense(node_, n_)
{
	emp_node = node_;
	fill_frame(PAIR_OF(incarnation[SENDER], code), 0, arrived, n_);
	emp_event_frame.sender = 1 - node_;
	emp_event_frame.length = LENGTH_OF(n_);
	emp_event_frame.buffer = FRAME_CODE(PAIR_OF(incarnation[SENDER], code), 0, arrived, 0) + 1
}

/* In `code`: the contact of the sender's incarnation, or the one it will have. */
inline look_at_today()
{
	look_at_offer();
	code = code - (heard == incarnation[SENDER])
}

inline bring_headers()
{
	look_at_today();
	fill_nonsense(RECEIVER, 0);
	emp_event_frame.kind = EMP_FRAME_KIND_HEADER;
	emp_event_frame.total_length = TOTAL;
	emp_event_frame.frames = FRAMES;
	emp_event_frame.tag = TAG;
	spoil_header();
	WATCH_NONSENSE();
	emp_match_header()
}

inline bring_data()
{
	look_at_today();
	fill_nonsense(RECEIVER, 1);
	emp_event_frame.kind = EMP_FRAME_KIND_DATA;
	spoil_data();
	WATCH_NONSENSE();
	emp_match_data()
}

inline bring_acks()
{
	code = believed;
	fill_nonsense(SENDER, 0);
	emp_event_frame.kind = EMP_FRAME_KIND_ACK;
	spoil_ack();
	WATCH_NONSENSE();
	emp_send_ack()
}

inline bring_nacks()
{
	code = believed;
	fill_nonsense(SENDER, 0);
	emp_event_frame.kind = EMP_FRAME_KIND_NACK;
	spoil_nack();
	WATCH_NONSENSE();
	emp_send_nack()
}

/* The statement after the loop keeps its end within the d_step. */
#define NONSENSE(name, first, end_, bring)                                                                             \
active proctype name()                                                                                                 \
{                                                                                                                      \
end:	do                                                                                                             \
	:: d_step { (READY && !good) ->                                                                                \
		nonsense = first;                                                                                      \
		arrived = 0;                                                                                           \
		do                                                                                                     \
		:: arrived < MESSAGES ->                                                                               \
			unanswered = 1;                                                                                \
			bring();                                                                                       \
			COMPARE_NONSENSE();                                                                            \
			unanswered = 0;                                                                                \
			nonsense++;                                                                                    \
			if                                                                                             \
			:: nonsense == (end_) -> nonsense = first; arrived++                                           \
			:: else                                                                                        \
			fi                                                                                             \
		:: else -> break                                                                                       \
		od;                                                                                                    \
		arrived = 0 }                                                                                          \
	od                                                                                                             \
}

# SPDX-License-Identifier: MIT
"""The broken specs of test_mutants.py: what is changed in a file of EMP's, and which property must show it.

Those of the profile `modern` are in emp_mutants_modern.py, those that show where features meet in emp_mutants_combined.py.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """`old`, however it is spaced, becomes `new` wherever it stands in the file, which must be `times` times.

    `alone`: other properties are violated sooner, so nothing else is asserted.
    """

    name: str
    file: str  # of spec/emp
    old: str
    new: str
    violates: str
    search: str  # check:engine:kind
    times: int = 1
    alone: bool = False
    profile: str | None = None  # not the default one


MUTANTS = [
    Mutant(
        "a duplicate of a finished message is not acknowledged again",
        "receive.hsm",
        "when past(f) / count frames_duplicate; raise Acknowledge.acknowledge(f)",
        "when past(f) / count frames_duplicate",
        "every_send_completes",
        "one_message:promela:liveness",
        times=3,
    ),
    Mutant(
        "a collection is acknowledged as soon as its last frame comes",
        "receive.hsm",
        "/ accept(r, f, true) -> SEND_ACK",
        "/ accept(r, f, true); raise Acknowledge.acknowledge(f) -> SEND_ACK",
        "no_early_acknowledgement",
        "one_message:promela:safety",
    ),
    Mutant(
        "the acknowledgement of any collection counts for all",
        "send.hsm",
        "= m.next_frame == m.frames and (m.settled | 1 << (f.collection - m.base & 31)) == (1 << (m.next - m.base & 31)) - 1",
        "= m.next_frame == m.frames",
        "no_early_completion",
        "two_collections:c:safety",
    ),
    Mutant(
        "a received message keeps its record",
        "receive.hsm",
        "else / deliver(r); acknowledge_collection(r, c); raise Match.finished(r) -> DONE",
        "else / r.placing := 0; deliver(r); acknowledge_collection(r, c) -> ABANDONED",
        "nothing_leaked",
        "one_message:c:safety",
    ),
    Mutant(
        "a frame is placed by its position in the collection",
        "receive.hsm",
        "place(r, f, r.descriptor, offset_of(f.frame), room(r, f), last)",
        "place(r, f, r.descriptor, offset_of(f.position), room(r, f), last)",
        "intact_placement",
        "two_collections:c:safety",
    ),
    Mutant(
        "a descriptor is given back twice",
        "receive.hsm",
        "/ deliver(r); acknowledge_collection(r, c)",
        "/ deliver(r); deliver(r); acknowledge_collection(r, c)",
        "descriptor_once",
        "one_message:c:safety",
    ),
    Mutant(
        "any message may be matched next",
        "receive.hsm",
        "function expected(f: Frame): bool = current(f) and f.message == ReceivePeer[f.sender].expected",
        "function expected(f: Frame): bool = current(f) and not past(f)",
        "in_order",
        "three_messages:c:safety",
    ),
    Mutant(
        "a message is matched again when its header comes again",
        "receive.hsm",
        "function expected(f: Frame): bool = current(f) and f.message == ReceivePeer[f.sender].expected",
        "function expected(f: Frame): bool = current(f) and (f.message == ReceivePeer[f.sender].expected or f.message & contact_mask == 0 and slot_free(f))",
        "delivered_once",
        "three_messages:c:safety",
    ),
    Mutant(
        "frames of a sender that does not know the receiver are taken",
        "receive.hsm",
        "= f.message & contact_mask == 0 and f.contact == offer(f.sender)",
        "= f.message & contact_mask == 0 and (f.contact == offer(f.sender) or f.contact == 0)",
        "right_incarnation",
        "late_reads:c:safety",
    ),
    Mutant(
        "a sender is believed to be new when its number is larger",
        "receive.hsm",
        "= f.message & contact_mask == 0 and f.contact == offer(f.sender)",
        "= f.message & contact_mask == 0 and (f.contact == offer(f.sender) or current(f) and f.message - ReceivePeer[f.sender].expected < 0x7FFF0000)",
        "right_incarnation",
        "restart:c:safety",
        alone=True,
    ),
    Mutant(
        "a contact is offered again when it has been taken up",
        "receive.hsm",
        "else next_contact(ReceivePeer[peer].contact)",
        "else ReceivePeer[peer].contact",
        "right_incarnation",
        "restart:c:safety",
        alone=True,
    ),
    Mutant(
        "a message that came before its turn waits for its time-out",
        "send.hsm",
        "if oldest != none and SendMessage[oldest].held",
        "if oldest != none and SendMessage[oldest].held and SendMessage[oldest].size == 0",
        "no_needless_time_out",
        "clean_wire:c:safety",
    ),
    Mutant(
        "a send ends while the wire has a copy of it to read",
        "send.hsm",
        "when settles_all(m, f) and not m.repeated",
        "when settles_all(m, f) and (not m.repeated or m.peer == 1)",
        "memory_read_only_while_owned",
        "late_reads:c:safety",
    ),
    Mutant(
        "a send to a peer that has restarted ends before it has been read",
        "send.hsm",
        "on peer_lost -> FAILING after retransmit_timeout",
        "on peer_lost -> FAILED\n      after retransmit_timeout",
        "memory_read_only_while_owned",
        "late_reads_restart:c:safety",
    ),
    Mutant(
        "first contact is taken for a restart",
        "send.hsm",
        "when f.contact == 0 / learn(f)",
        "when f.contact == 1 / learn(f)",
        "honest_result",
        "one_message:c:safety",
    ),
    Mutant(
        "a message given up is acknowledged when a frame of it comes again",
        "receive.hsm",
        "count frames_dropped_contact; adopt(f); abandon(f)",
        "count frames_dropped_contact; abandon(f)",
        "no_early_acknowledgement",
        "restart:c:safety",
        times=2,
    ),
    Mutant(
        "one collection more than the window is sent",
        "send.hsm",
        "m.next - m.base < collection_window",
        "m.next - m.base <= collection_window",
        "window_within_bounds",
        "window:c:safety",
    ),
    Mutant(
        "two frames are sent where the wire has room for one",
        "transmit.hsm",
        "< Transmission[m].size / transmit_frame(m); request_slot()",
        "< Transmission[m].size / transmit_frame(m); transmit_frame(m); request_slot()",
        "wire_full_never_blocks",
        "one_message:c:safety",
        times=2,
    ),
    Mutant(
        "a message is done while a collection of it is being sent again",
        "send.hsm",
        "exit / m.cursor := 0",
        "exit / m.cursor := 0\n      on ack(f) when outstanding(m, f) and settles_all(m, f)  / settle(m, f) -> DONE",
        "no_send_after_settled",
        "one_message:c:safety",
        alone=True,
    ),
    Mutant(
        "an acknowledgement of the sender before the restart counts",
        "send.hsm",
        "or f.message - first_message() - SendPeer[f.sender].oldest >= message_window",
        "or (f.message & 0xFFFF) - SendPeer[f.sender].oldest >= message_window",
        "stale_frame_changes_nothing",
        "restart:c:safety",
        alone=True,
    ),
    Mutant(
        "a collection larger than its message is taken",
        "receive.hsm",
        "and f.size <= f.frames",
        "",
        "nonsense_changes_nothing",
        "one_message:promela:safety",
        alone=True,
    ),
    Mutant(
        "an acknowledgement without an ability brings the link up",
        "nic/link.hsm",
        "= word & link_acknowledge != 0 and word & ~link_acknowledge != 0",
        "= word & link_acknowledge != 0",
        "link_up_when_agreed",
        "negotiation:promela:safety",
    ),
    Mutant(
        "a peer that has gone idle is waited for",
        "nic/link.hsm",
        "on idle_seen -> ABILITY",
        "ignore idle_seen",
        "link_comes_up",
        "negotiation:c:liveness",
    ),
    Mutant(
        "a message that has come whole is acknowledged, and kept",
        "receive.hsm",
        "else / deliver(r); acknowledge_collection(r, c); raise Match.finished(r) -> DONE",
        "else / r.placing := 0; acknowledge_collection(r, c) -> PHY",
        "every_receive_completes",
        "one_message:c:liveness",
    ),
    Mutant(
        "a receive is cancelled that a message has met",
        "receive.hsm",
        "else / count cancels_too_late",
        "else / complete(c.descriptor, CANCELLED, 0); count cancels_too_late",
        "cancelled_unmet",
        "cancelled:c:safety",
    ),
    Mutant(
        "a cancelled receive leaves the list, and the host learns nothing",
        "receive.hsm",
        "complete(descriptor, CANCELLED, 0)",
        "count cancels_too_late",
        "cancel_ends_receive",
        "cancelled:promela:safety",
    ),
    Mutant(
        "a cancel that comes too late forgets where the list ends",
        "receive.hsm",
        "else / count cancels_too_late",
        "else / Posted[head_of(Posted[c.descriptor].key)].last := 0; count cancels_too_late",
        "late_cancel_changes_nothing",
        "cancelled:c:safety",
    ),
    Mutant(
        "a cancelled receive stays on the list",
        "receive.hsm",
        "Posted[before].next := Posted[descriptor].next",
        "",
        "in_order",
        "cancelled:c:safety",
        times=2,
        alone=True,
    ),
    Mutant(
        "a cancelled receive stays the end of the list",
        "receive.hsm",
        "if Posted[descriptor].next == 0 Posted[head_of(Posted[descriptor].key)].last := before",
        "",
        "every_send_completes",
        "cancelled:c:liveness",
    ),
    Mutant(
        "a message that was sent twice asks for ever whether all copies were read",
        "send.hsm",
        "on memory_read -> DONE on ack(f) / count acknowledgements_stale",
        "on memory_read / notify_read(m)\n      on ack(f) / count acknowledgements_stale",
        "comes_to_rest",
        "one_message:c:liveness",
        alone=True,
    ),
    # Three nodes. In the world of two nodes the sender is node 0, and the only peer of the receiver. There a spec with one
    # of these mistakes does the same as the right one, so only the checks with three nodes can kill it.
    Mutant(
        "the receiver counts the messages of all peers together",
        "receive.hsm",
        "= current(f) and ReceivePeer[f.sender].expected - f.message - 1 < message_window",
        "= current(f) and ReceivePeer[0].expected - f.message - 1 < message_window",
        "others_undisturbed",
        "two_senders:c:safety",
    ),
    Mutant(
        "the contact offered to one peer follows from that of another",
        "receive.hsm",
        "if ReceivePeer[peer].contact == 0 else next_contact(ReceivePeer[peer].contact)",
        "if ReceivePeer[0].contact == 0 else next_contact(ReceivePeer[0].contact)",
        "others_undisturbed",
        "two_senders:c:safety",
    ),
    Mutant(
        "the end of a message frees the slot of another peer",
        "receive.hsm",
        "/ ReceivePeer[r.peer].active[r.message & (message_window - 1)] := none; release r",
        "/ ReceivePeer[r.peer].active[r.message & (message_window - 1)] := none"
        "; ReceivePeer[0].active[r.message & (message_window - 1)] := none; release r",
        "no_early_acknowledgement",
        "two_senders:c:safety",
    ),
    Mutant(
        "all answers go to the same node",
        "receive.hsm",
        "send_control(f.sender, a)",
        "send_control(0, a)",
        "right_peer",
        "two_senders:c:safety",
    ),
    Mutant(
        "a message being received forgets its sender",
        "receive.hsm",
        "r.peer := f.sender",
        "r.peer := 0",
        "right_peer",
        "two_senders:c:safety",
    ),
    Mutant(
        "a peer that restarts ends the messages of another",
        "receive.hsm",
        "let first: ReceiveMessage = ReceivePeer[f.sender].active[0]",
        "let first: ReceiveMessage = ReceivePeer[f.sender].active[0]\n"
        "  let other: ReceiveMessage = ReceivePeer[1].active[0]\n"
        "  if other != none and other != first\n    raise Receive[other].abandoned(f)",
        "others_undisturbed",
        "two_senders_restart:c:safety",
    ),
    Mutant(
        "a peer that restarts closes the contact of another",
        "receive.hsm",
        "action adopt(f: Frame) rare ReceivePeer[f.sender].contact := f.contact",
        "action adopt(f: Frame) rare\n  ReceivePeer[0].contact := f.contact\n  ReceivePeer[f.sender].contact := f.contact",
        "others_undisturbed",
        "two_senders_restart:c:safety",
    ),
    Mutant(
        "a receive takes a message with its tag from another source",
        "receive.hsm",
        "= peer << 16 | tag",
        "= tag",
        "right_source",
        "two_senders:c:safety",
    ),
    Mutant(
        "a peer takes a record that is reserved for the others",
        "sharing.hsm",
        "Shared[0].further < send_limit - reserved_records",
        "Shared[0].further <= send_limit - reserved_records",
        "living_served",
        "scarce:c:liveness",
    ),
    Mutant(
        "the first record of a peer counts as one that peers share",
        "sharing.hsm",
        "if reserved_records != 0 and is_sending(peer) Shared[0].further := u8(Shared[0].further + 1)",
        "if reserved_records != 0\n    Shared[0].further := u8(Shared[0].further + 1)",
        "records_counted",
        "scarce:c:safety",
        alone=True,
    ),
    Mutant(
        "messages that end with their peer stay counted",
        "send.hsm",
        "1 if first != none and second != none else 0",
        "0",
        "records_counted",
        "scarce_restart:c:safety",
    ),
    Mutant(
        "a send that is kept is not posted again when a message to its peer ends",
        "sharing.hsm",
        "u8(Shared[0].further - 1) resume(peer)",
        "u8(Shared[0].further - 1)",
        "living_served",
        "scarce_two:c:liveness",
    ),
]

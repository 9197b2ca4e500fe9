# SPDX-License-Identifier: MIT
"""Breaks the EMP spec on purpose: every mutant must be killed by the property named for it.

A property that no mutant violates might be switched off without anybody noticing. The spec as it stands must pass the
same searches.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import sys
from dataclasses import dataclass

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "gen"))

from hsmc import compile_spec  # noqa: E402
from hsmc.frontend.includes import LIBRARY  # noqa: E402
from hsmc.verification.campaign import run_all  # noqa: E402
from hsmc.verification.search import Limits, Run  # noqa: E402
from hsmc.verification.subject import Subject  # noqa: E402
from tests.long_tests import one_in  # noqa: E402


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
        times=2,
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
        "send.hsm",
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
        "a cancelled receive leaves the list, and nobody is told",
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
    Mutant(
        "a receiver that gives up the sender keeps the contact open",
        "silence.hsm",
        "ReceivePeer[r.peer].expected := r.message + 0x80000000",
        "",
        "no_early_acknowledgement",
        "silent:c:safety",
        profile="modern",
    ),
    Mutant(
        "numbers begin anew when a sender gives up",
        "send.hsm",
        "SendPeer[f.sender].next_message := number @modern SendPeer[f.sender].oldest := number @modern",
        "",
        "no_early_completion",
        "silent_twice:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receiver is given up at the first time-out",
        "silence.hsm",
        "and m.attempts == back_off_limit and unanswered(m) >= silence_timeout",
        "",
        "honest_silence",
        "silent_later:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receiver that refuses counts as silent",
        "send.hsm",
        "/ m.held := true; answered(m)",
        "/ m.held := true",
        "honest_silence",
        "silent_later:c:safety",
        profile="modern",
    ),
    Mutant(
        "a sender is given up at the first look",
        "silence.hsm",
        "= unfinished(r) and Watched[r].missing == r.missing",
        "= unfinished(r)",
        "honest_silence",
        "silent:c:safety",
        profile="modern",
    ),
    Mutant(
        "a message that waits for the window is left when its receiver is given up",
        "send.hsm",
        "repeat send_limit while waiting != none",
        "repeat send_limit while waiting != none and f.frame != 0",
        "every_send_completes",
        "silent_waiting:c:liveness",
        profile="modern",
    ),
    Mutant(
        "a receiver keeps to itself that frames are missing",
        "receive.hsm",
        "accept(r, f, false); report_gap(r, f)",
        "accept(r, f, false)",
        "gap_reported",
        "one_message:c:safety",
        times=2,
        profile="modern",
    ),
    Mutant(
        "a report names the frame after each that has come",
        "receive.hsm",
        "positions := u16(positions | 1 << (i & 15))",
        "positions := u16(positions | 2 << (i & 15))",
        "honest_report",
        "one_message:c:safety",
        profile="modern",
    ),
    Mutant(
        "messages behind a cancelled send keep their numbers",
        "send.hsm",
        "SendMessage[other].message := SendMessage[other].message - 1",
        "SendMessage[other].message := SendMessage[other].message",
        "descriptor_once",
        "sends_cancelled:c:safety",
        alone=True,
        profile="modern",
    ),
    Mutant(
        "the number of a cancelled send is left out",
        "send.hsm",
        "SendPeer[m.peer].next_message := SendPeer[m.peer].next_message - 1",
        "SendPeer[m.peer].next_message := SendPeer[m.peer].next_message",
        "cancelled_unmet",
        "sends_cancelled:c:safety",
        profile="modern",
    ),
    Mutant(
        "a send that has begun is given back as cancelled",
        "send.hsm",
        "on cancel / count cancels_too_late @modern never posted, turn, memory_read",
        "on cancel / complete(m.descriptor, CANCELLED, 0)  @modern\n    never posted, turn, memory_read",
        "cancelled_unmet",
        "sends_cancelled:c:safety",
        profile="modern",
    ),
    Mutant(
        "a send that waits is never cancelled",
        "send.hsm",
        "on cancel / take_back(m)",
        "on cancel / count cancels_too_late",
        "cancel_ends_send",
        "sends_cancelled:c:safety",
        profile="modern",
    ),
    Mutant(
        "a peek ends although a receive accepts the message",
        "receive.hsm",
        "if Posted[before].next == 0 let at",
        "if Posted[before].next == 0 or f.frame == 0\n    let at",
        "honest_peek",
        "peeked:c:safety",
        profile="modern",
    ),
    Mutant(
        "a peek ends with any message",
        "receive.hsm",
        "let at: u16 = find_accepting(f, peek_head())",
        "let at: u16 = peek_head()",
        "honest_peek",
        "peeked:c:safety",
        profile="modern",
    ),
    Mutant(
        "peeks are looked for among receives",
        "receive.hsm",
        "let at: u16 = find_accepting(f, peek_head())",
        "let at: u16 = find_accepting(f, wildcard_head())",
        "peek_answered",
        "peeked:c:safety",
        profile="modern",
    ),
    Mutant(
        "a peek stays in its list when it ends",
        "receive.hsm",
        "take_off(d, at) complete(d, PEEKED, f.total_length)",
        "complete(d, PEEKED, f.total_length)",
        "descriptor_once",
        "peeked:c:safety",
        alone=True,
        profile="modern",
    ),
    Mutant(
        "a peek takes the message",
        "receive.hsm",
        "append(p, peek_head() if p.wildcards & peek_only != 0 else wildcard_head(), p.tag_high,",
        "append(p, wildcard_head(), p.tag_high,",
        "descriptor_once",
        "peeked:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receive with wildcards compares the bits it ignores",
        "receive.hsm",
        "(Accepted[d].tag ^ f.tag) & ~Accepted[d].ignored == 0",
        "Accepted[d].tag == f.tag",
        "every_send_completes",
        "tags:c:liveness",
        profile="modern",
    ),
    Mutant(
        "a receive with wildcards is taken only where no other one is",
        "receive.hsm",
        "or Posted[named].next != 0 and older(Posted[named].next - 1, Posted[before].next - 1)",
        "or Posted[named].next != 0",
        "matched_as_posted",
        "tags:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receive without wildcards counts as older than one posted just before it",
        "receive.hsm",
        "= u32(wildcards - Accepted[d].after) > wildcards - Accepted[wildcard].after",
        "= u32(wildcards - Accepted[d].after) >= wildcards - Accepted[wildcard].after",
        "matched_as_posted",
        "tags:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receive with wildcards takes messages of another source",
        "receive.hsm",
        "and (Accepted[d].source == f.sender or Accepted[d].source == node_limit)",
        "and Accepted[d].source <= node_limit",
        "matched_as_posted",
        "tags:c:safety",
        profile="modern",
    ),
    Mutant(
        "two tags with the same key are taken for one",
        "receive.hsm",
        "= Posted[d].key == key and Accepted[d].tag == f.tag and",
        "= Posted[d].key == key and",
        "matched_as_posted",
        "tags:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receive of any source accepts none",
        "receive.hsm",
        "node_limit if p.wildcards & wildcard_source != 0 else p.peer",
        "p.peer + 1 if p.wildcards & wildcard_source != 0 else p.peer",
        "matched_as_posted",
        "tags:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receive with wildcards is told half of the tag",
        "receive.hsm",
        "name_message(d, f.sender, f.tag_high, f.tag)",
        "name_message(d, f.sender, 0, f.tag)",
        "told_its_message",
        "tags:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receive with wildcards is looked for in the list of its hash",
        "receive.hsm",
        '"The head of the list a posted receive is in." = Posted[descriptor].last',
        '"The head of the list a posted receive is in." = head_of(Posted[descriptor].key)',
        "cancel_ends_receive",
        "tags_cancelled:c:safety",
        profile="modern",
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
        "a receive takes a message with its hash from another source",
        "receive.hsm",
        "and Accepted[d].tag == f.tag and Accepted[d].source == f.sender",
        "and Accepted[d].tag == f.tag",
        "right_source",
        "two_senders:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receive of any source is told the same source of all messages",
        "receive.hsm",
        "name_message(d, f.sender, f.tag_high, f.tag)",
        "name_message(d, 0, f.tag_high, f.tag)",
        "told_its_message",
        "two_senders:c:safety",
        profile="modern",
    ),
    Mutant(
        "damage of data is ignored",
        "receive.hsm",
        "note_damage(r, min(f, damage_limit - 1)) @modern",
        "r.placing := r.placing @modern",
        "no_damage_accepted",
        "damaged:c:safety",
        profile="modern",
    ),
    Mutant(
        "a collection of which data came damaged is acknowledged",
        "receive.hsm",
        "raise Acknowledge.report(a, positions)",
        "raise Acknowledge.acknowledge(a)",
        "no_damage_accepted",
        "damaged:c:safety",
        profile="modern",
    ),
    Mutant(
        "a receiver keeps to itself that data came damaged",
        "receive.hsm",
        "message: r.message, frame: c.frame, collection: c.collection & 0xFFF, size: max(c.size & 15, 1))\n  raise Acknowledge.report(a, positions)",
        "message: r.message, frame: c.frame, collection: c.collection & 0xFFF, size: max(c.size & 15, 1))\n  if r.frames == 0\n    raise Acknowledge.report(a, positions)",
        "gap_reported",
        "damaged:c:safety",
        profile="modern",
    ),
    Mutant(
        "a frame counts as damaged for ever",
        "receive.hsm",
        "Damaged[r].number := u16(Damaged[r].number - 1) unset(Damaged[r].frames, c.frame - c.position + i)",
        "",
        "honest_report",
        "damaged:c:safety",
        profile="modern",
    ),
    Mutant(
        "a frame of a message that is abandoned stays damaged",
        "receive.hsm",
        "clear Damaged[r]",
        "r.placing := 0",
        "honest_report",
        "damaged_restart:c:safety",
        profile="modern",
    ),
    Mutant(
        "a damaged frame does not count as missing",
        "receive.hsm",
        "r.missing := u16(r.missing + 1)",
        "r.missing := r.missing",
        "no_damage_accepted",
        "damaged:c:safety",
        profile="modern",
    ),
    Mutant(
        "a copy of a damaged frame is taken before its collection is confirmed",
        "receive.hsm",
        "note_damage(r, min(f, damage_limit - 1)) @modern",
        "unset(Arrived[r].frames, min(f, damage_limit - 1)); r.missing := u16(r.missing + 1) @modern",
        "no_early_acknowledgement",
        "damaged:c:safety",
        alone=True,
        profile="modern",
    ),
    Mutant(
        "a report of a collection that is damaged as a whole says that no header has come",
        "receive.hsm",
        "let positions: u16 = 1 << 15",
        "let positions: u16 = 0",
        "honest_report",
        "damaged:c:safety",
        profile="modern",
    ),
    Mutant(
        "large collections stay large when a frame of them is lost",
        "send.hsm",
        "note_repeat(m) count collections_retransmitted",
        "if m.size == collection_size\n    note_repeat(m)\n  m.repeated := true\n  count collections_retransmitted",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "messages that went well before a repeat go on counting",
        "send.hsm",
        "m.repeated := true Pace[m.peer].smooth := 0",
        "m.repeated := true",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "a message that begins again counts as one that went well",
        "send.hsm",
        "note_repeat(m) @modern",
        "m.repeated := true  @modern",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "a repeated message counts as one that went well",
        "send.hsm",
        "if not m.repeated Pace[m.peer].smooth := min",
        "if m.frames > 1\n    Pace[m.peer].smooth := min",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "a message gets large collections amid its transmission",
        "send.hsm",
        "m.held := false m.next := u16(collection + 1)",
        "m.held := false\n  if collection != 0  @modern\n    m.size := enlarged_size\n  m.next := u16(collection + 1)",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "collections become large one message too soon",
        "send.hsm",
        "if Pace[m.peer].smooth == enlarges_after and",
        "if Pace[m.peer].smooth + 1 >= enlarges_after and",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "collections become large although the window is narrowed",
        "send.hsm",
        "Pace[m.peer].smooth == enlarges_after and not crowded(m.peer)",
        "Pace[m.peer].smooth == enlarges_after",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "collections never become large",
        "send.hsm",
        "= large_size(m.frames) if Pace",
        "= collection_size if Pace",
        "collections_adapted",
        "larger_collections:c:safety",
        profile="modern",
    ),
    Mutant(
        "a frame that does not fit its message is taken as new",
        "receive.hsm",
        "bool = fits(r, f) and not has(Arrived[r].frames, f.frame)",
        "bool = f.frame < r.frames and not has(Arrived[r].frames, f.frame)",
        "index_in_bounds",
        "one_message:c:safety",
        profile="modern",
    ),
    Mutant(
        "a frame is taken as new although it has come",
        "receive.hsm",
        "bool = fits(r, f) and not has(Arrived[r].frames, f.frame)",
        "bool = fits(r, f)",
        "nothing_leaked",
        "one_message:c:safety",
        profile="modern",
    ),
]


def run(spec: pathlib.Path, build: pathlib.Path, mutant: Mutant) -> Run:
    check, engine, kind = mutant.search.split(":")
    subject = Subject(spec, build, mutant.profile)
    limits = Limits(only=mutant.violates if mutant.alone else None)
    searches = [(subject.search(check, engine, kind), subject)]
    # Ends at the first violation: to optimise the verifier would take longer than it runs.
    (result,) = run_all(searches, limits, quick=True)
    return result


@pytest.mark.parametrize(
    "mutant", one_in(5, MUTANTS), ids=lambda mutant: mutant.name.replace(" ", "_")
)
def test_mutant_is_killed(mutant: Mutant, tmp_path: pathlib.Path) -> None:
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    path = tmp_path / "spec" / "emp" / mutant.file
    if mutant.file.startswith("nic/"):
        shutil.copytree(LIBRARY / "nic", path.parent)
    pattern = r"\s+".join(re.escape(word) for word in mutant.old.split())
    text, times = re.subn(pattern, lambda _: mutant.new, path.read_text())
    assert times == mutant.times, "the spec has changed: mend the mutant"
    path.write_text(text)
    spec = tmp_path / "spec" / "emp" / "emp.hsm"
    result = run(spec, tmp_path / "build", mutant)
    assert result.errors > 0, "survived"
    assert result.violated == mutant.violates, result.failure


def test_spec_survives(tmp_path: pathlib.Path) -> None:
    subject = Subject(ROOT / "spec/emp/emp.hsm", tmp_path)
    searches = list(subject.searches(["two_collections"], engines=["c"]))
    assert [search.kind for search in searches] == ["safety", "liveness"]
    runs = run_all([(search, subject) for search in searches])
    assert [(run.name, run.failure) for run in runs if not run.holds] == []


@pytest.mark.parametrize("profile", ["paper", "modern"])
def test_every_property_has_a_mutant(profile: str) -> None:
    protocol = compile_spec(str(ROOT / "spec" / "emp" / "emp.hsm"), profile=profile)
    assert {p.name for p in protocol.properties} == {
        mutant.violates
        for mutant in MUTANTS
        if profile == "modern" or mutant.profile is None
    }

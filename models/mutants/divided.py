# SPDX-License-Identifier: MIT
"""Mutants of divided nodes: of what placements say, of the rules by which they divide nodes, and of specs so divided."""

from __future__ import annotations

from .mutant import Compiler, Mutant, Steps

EMP = "spec/emp/emp.hsm"
SEND = "spec/emp/send.hsm"
TRANSMIT = "spec/emp/transmit.hsm"
RECEIVE = "spec/emp/receive.hsm"
SILENCE = "spec/emp/silence.hsm"
BELL = "tests/verification/divided/bell.hsm"
TICKET = "tests/verification/divided/ticket.hsm"
SHOP = "tests/verification/divided/shop.hsm"

DIVISION = "gen/hsmc/backends/world_queues.py"
EXCHANGE = "gen/hsmc/backends/exchange.py"
SCHEDULE = "gen/hsmc/templates/world/schedule.h.j2"
QUEUES = "models/queue_support.h"

PAPER = Compiler(EMP, "paper")
MODERN = Compiler(EMP, "modern")
PRESSES = Steps(BELL, "APART", "presses")
HINTS = Steps(SHOP, "TWO", "hints")
RO_ONE_RECORD = Steps(EMP, "RO", "one_record", profile="paper")
SO_ONE_RECORD = Steps(EMP, "SO", "one_record", profile="paper")

# The lines of the placements.
SO = """\
  locked SendMessage, ReceivePeer.contact
  locked Tag, Timed  @modern

placement RO"""
RO = """\
  locked ReceiveMessage, ReceivePeer.contact
  locked Abandoned  @modern

placement DSR"""
FIELDS = (
    *("descriptor", "peer", "message", "total"),
    *("capacity", "frames", "missing", "placing"),
)

RACES = [
    Mutant(
        "SO: records of sends are not under the lock",
        EMP,
        SO,
        SO.replace("SendMessage, ", ""),
        PAPER,
        "HSM0611",
    ),
    Mutant(
        "SO: the contact of a peer is not under the lock",
        EMP,
        SO,
        SO.replace(", ReceivePeer.contact", ""),
        PAPER,
        "HSM0611",
    ),
    Mutant(
        "SO: tags of sends are not under the lock",
        EMP,
        SO,
        SO.replace("Tag, Timed", "Timed"),
        MODERN,
        "HSM0611",
    ),
    Mutant(
        "SO: times of sends are not under the lock",
        EMP,
        SO,
        SO.replace("Tag, Timed", "Tag"),
        MODERN,
        "HSM0611",
    ),
    Mutant(
        "RO: records of receives are not under the lock",
        EMP,
        RO,
        RO.replace("ReceiveMessage, ", ""),
        PAPER,
        "HSM0611",
    ),
    Mutant(
        "RO: fields of receives are under the lock, but not which records are in use",
        EMP,
        RO,
        RO.replace(
            "ReceiveMessage", ", ".join(f"ReceiveMessage.{name}" for name in FIELDS)
        ),
        PAPER,
        "HSM0611",
    ),
    Mutant(
        "RO: the contact of a peer is not under the lock",
        EMP,
        RO,
        RO.replace(", ReceivePeer.contact", ""),
        PAPER,
        "HSM0611",
    ),
    Mutant(
        "RO: how a receive ends that was given up is not under the lock",
        EMP,
        RO,
        RO.replace("  locked Abandoned  @modern\n", ""),
        MODERN,
        "HSM0611",
    ),
    Mutant(
        "RO: records of receives are read and written at any time",
        EMP,
        RO,
        RO.replace(
            "locked ReceiveMessage, ReceivePeer.contact",
            'locked ReceivePeer.contact\n  shared ReceiveMessage "as it was"',
        ),
        PAPER,
        "HSM0612",
    ),
]

RULES = [
    Mutant(
        "a message is taken although its record has been released since",
        SCHEDULE,
        "return message[{{ q.late_offset }}] != 0{%",
        "return false{%",
        HINTS,
        "never_event",
    ),
    Mutant(
        "a release is not noted in the messages on their way",
        SCHEDULE,
        "message[{{ q.late_offset }}] = 1;",
        "message[{{ q.late_offset }}] = 0;",
        HINTS,
        "never_event",
    ),
    Mutant(
        "a message is taken although the machine of its record has had its end",
        DIVISION,
        "return [leaf.number for leaf in self._process(line).leaves if leaf.final]",
        "return []",
        HINTS,
        "never_event",
    ),
    Mutant(
        "no message of EMP comes too late for its record",
        EXCHANGE,
        "return process.pool in self.released_before",
        "return False",
        RO_ONE_RECORD,
        "never_event",
    ),
    Mutant(
        "an event begins although there is no room for its messages",
        DIVISION,
        "            if count\n",
        "            if False\n",
        PRESSES,
        "not_ahead",
    ),
    Mutant(
        "divided nodes count one message too many as room",
        QUEUES,
        "return there + count <= QUEUE_ROOM;",
        "return there + count <= QUEUE_ROOM + 1;",
        PRESSES,
        "not_ahead",
    ),
    Mutant(
        "a message overtakes those put before it",
        QUEUES,
        "queue_message(slot)[WIRE_DIRECTION] <= message[WIRE_DIRECTION])",
        "queue_message(slot)[WIRE_DIRECTION] < message[WIRE_DIRECTION])",
        PRESSES,
        "rings_in_order",
    ),
    Mutant(
        "a message stays in its queue when it is taken",
        QUEUES,
        "    memcpy(message, queue_message(slot), QUEUE_MESSAGE_BYTES);\n    queue_remove(slot);\n",
        "    memcpy(message, queue_message(slot), QUEUE_MESSAGE_BYTES);\n",
        PRESSES,
        "rings_in_order",
    ),
    Mutant(
        "a node that begins anew keeps its messages",
        QUEUES,
        "if (queue_message(slot)[WIRE_DIRECTION] >> 4 == node)",
        "if (queue_message(slot)[WIRE_DIRECTION] >> 4 > node)",
        Steps(BELL, "APART", "restart"),
        "rings_in_order",
    ),
    Mutant(
        "a message does not carry what properties judge its step by",
        DIVISION,
        "            if field.transient and field.name not in observed\n",
        "            if False\n",
        Steps(BELL, "APART", "touch"),
        "touch_does_not_count",
    ),
]

SPECS = [
    Mutant(
        "a record is kept although the other processor may ask after it in vain",
        TICKET,
        "    on leave         / release t                                -> GONE\n",
        "    ignore leave\n",
        Steps(TICKET, "APART", "visitor"),
        "called_while_there",
    ),
    Mutant(
        "RO: Match acknowledges a frame when it hands it over",
        RECEIVE,
        "    on data(f)\n      let r = receiving(f)\n      when r != none                        / raise Receive[r].frame(f)\n",
        "    on data(f)\n      let r = receiving(f)\n"
        "      when r != none                        / raise Receive[r].frame(f); raise Acknowledge.acknowledge(f)\n",
        RO_ONE_RECORD,
        "no_early_acknowledgement",
    ),
    Mutant(
        "RO: Receive acknowledges a collection before it is in place",
        RECEIVE,
        "        when completes(r, f)                  / accept(r, f, true)                            -> SEND_ACK\n",
        "        when completes(r, f)                  / accept(r, f, true); raise Acknowledge.acknowledge(f)  -> SEND_ACK\n",
        RO_ONE_RECORD,
        "no_early_acknowledgement",
    ),
    Mutant(
        "RO: finished is raised while a collection is not in place",
        RECEIVE,
        "        when r.placing > 1                    / r.placing := r.placing - 1; acknowledge_collection(r, c)\n"
        "        when r.missing > 0                    / r.placing := 0;",
        "        when r.placing > 1\n"
        "          / r.placing := r.placing - 1; acknowledge_collection(r, c); raise Match.finished(r)\n"
        "        when r.missing > 0                    / r.placing := 0;",
        Steps(EMP, "RO", "truncated", profile="paper"),
        "event_accepted",
    ),
    Mutant(
        "RO: a message is matched although finished of the one that had its place has not come",
        RECEIVE,
        "      when (next or fresh) and Posted[before].next != 0 and available(ReceiveMessage) and slot_free(f)\n",
        "      when (next or fresh) and Posted[before].next != 0 and available(ReceiveMessage)\n",
        Steps(EMP, "RO", "three_records", profile="paper"),
        "no_early_acknowledgement",
    ),
    Mutant(
        "RO: who fell silent is looked for among messages whose contact has ended, too",
        SILENCE,
        "Watched[r].missing == r.missing and is_current(r)\n",
        "Watched[r].missing == r.missing\n",
        Steps(EMP, "RO", "silent_restart", profile="modern"),
        "honest_silence",
    ),
    Mutant(
        "RO: a message of one frame is done when its frame is handed to the device",
        RECEIVE,
        "  place(r, f, r.descriptor, 0, min(f.length, r.capacity), true)\n",
        "  place(r, f, r.descriptor, 0, min(f.length, r.capacity), true)\n"
        "  raise Acknowledge.acknowledge_short(r.peer, ReceivePeer[r.peer].contact, r.message)\n",
        Steps(EMP, "RO", "three_messages", profile="modern"),
        "no_early_acknowledgement",
    ),
    Mutant(
        "SO: the record of a send is free while its collection is transmitted",
        SEND,
        "    on peer_lost                                                                                  -> LEAVING\n",
        "    on peer_lost                                                                                  -> FAILING\n",
        Steps(EMP, "SO", "restart", profile="paper"),
        "never_event",
    ),
    Mutant(
        "SO: Transmit says that a collection is out when its first frame is",
        TRANSMIT,
        "                                             / transmit_frame(m); request_slot()\n"
        "      when Transmission[m].follower != none  / transmit_frame(m); dequeue(); request_slot(); raise Send[m].transmitted()\n"
        "      else                                   / transmit_frame(m); dequeue(); raise Send[m].transmitted()  -> IDLE\n"
        "    on slot(now)",
        "                                             / transmit_frame(m); request_slot(); raise Send[m].transmitted()\n"
        "      when Transmission[m].follower != none  / transmit_frame(m); dequeue(); request_slot(); raise Send[m].transmitted()\n"
        "      else                                   / transmit_frame(m); dequeue(); raise Send[m].transmitted()  -> IDLE\n"
        "    on slot(now)",
        SO_ONE_RECORD,
        "never_event",
    ),
    Mutant(
        "SO: an acknowledgement that comes before transmitted is forgotten",
        SEND,
        "      on transmitted                                              @paper\n"
        "        when settled_all(m)                                                                       -> FINISHING  # acknowledged before it was sent again\n",
        "      on transmitted                                              @paper\n",
        SO_ONE_RECORD,
        "value_in_range",
    ),
    Mutant(
        "SO: a report of missing frames names one that has not come",
        RECEIVE,
        "  let positions: u16 = 0\n",
        "  let positions: u16 = 2\n",
        Steps(EMP, "SO", "new_size", profile="modern"),
        "honest_report",
    ),
]

MUTANTS = [*RACES, *RULES, *SPECS]

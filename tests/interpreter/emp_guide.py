# SPDX-License-Identifier: MIT
"""The world around one EMP node, roughly: a wire that gives frames back, peers of its own making, a host, a device.

A frame the node sends to a peer may come back as if that peer had sent it: one node then plays both sides, and whole
messages flow. Peers also send messages the node knows nothing of, with other collection sizes. Frames are lost,
repeated and overtaken; what the device was asked for (slots, placements) comes later, in any order between records.
"""

from __future__ import annotations

from typing import Optional

from hsmc.testing.differential import Command, Reference
from hsmc.interpreter.interpreter import LogEntry
from hsmc.testing.sequences import Guide

IN_FLIGHT = 40
KINDS = {1: "Match.header", 2: "Match.data", 3: "Send.ack", 4: "Send.nack"}


class EmpGuide(Guide):
    def __init__(self, reference: Reference) -> None:
        super().__init__(reference)
        self.constants = {c.name: c.value for c in self.protocol.constants}
        numbers = self.program.writer.log_numbers
        self.numbers = {number: key[1] for key, number in numbers.items()}
        self.frame_fields = [f.name for f in self.protocol.payload("Frame").fields]
        self.posting_fields = [
            field.name for field in self.protocol.payload("Posting").fields
        ]
        self.limit = self.constants["descriptor_limit"]
        self.nodes = self.constants["node_limit"]

    def begin(self, seed: int) -> Command:
        command = super().begin(seed)
        self.flying: list[tuple[int, ...]] = []
        self.slots = 0
        self.reading: list[int] = []
        self.placing: list[tuple[int, tuple[int, ...]]] = []
        self.busy: set[int] = set()
        self.peer_messages: dict[int, int] = {}
        self.peer_epoch = self.random.choice((1, 2, 65535))
        # Few peers and tags, so that things meet.
        few = [self.random.randrange(self.nodes) for _ in range(2)]
        self.peers = few[: self.random.choice((1, 2))]
        # The wire's negotiation takes many steps in a row, which events of all kinds would seldom make.
        self.only_link = self.random.random() < 0.1
        return command

    def entry(self, name: str, *values: object) -> Command:
        number = self.program.entry_by_name[name].number
        return ("E", number, *values)  # type: ignore[arg-type]

    # --- what the node did

    def observe(self, log: list[LogEntry]) -> None:
        super().observe(log)
        width = len(self.frame_fields)
        for entry in log:
            name = self.numbers[entry[0]]
            if name in ("send_frame", "send_control"):
                self.fly(self.reflected(entry[2 : 2 + width], entry[1]))
            elif name == "request_slot":
                self.slots += 1
            elif name == "notify_read":
                self.reading.append(entry[1])
            elif name == "place" and entry[-1]:
                frame = self.named(entry[2 : 2 + width])
                fields = self.protocol.payload("Collection").fields
                collection = tuple(frame[field.name] for field in fields)
                self.placing.append((entry[1], collection))
            elif name == "complete":
                self.busy.discard(entry[1])

    def named(self, frame: tuple[int, ...]) -> dict[str, int]:
        return dict(zip(self.frame_fields, frame, strict=True))

    def reflected(self, frame: tuple[int, ...], peer: int) -> tuple[int, ...]:
        values = self.named(frame)
        values["sender"] = peer
        return tuple(values.values())

    def fly(self, frame: tuple[int, ...]) -> None:
        self.flying.append(frame)
        if len(self.flying) > IN_FLIGHT:
            del self.flying[self.random.randrange(len(self.flying))]

    # --- what may happen next

    def likely_command(self) -> Optional[Command]:
        choices = [self.arrival] * 4 + [self.slot] * 4 + [self.placed] * 2
        if self.only_link:
            return self.link()
        choices += [self.answer] * 2 + [self.read] * 2
        choices += [self.send, self.receive, self.peer_begins, self.link]
        return self.random.choice(choices)()

    def arrival(self) -> Optional[Command]:
        if not self.flying:
            return self.peer_begins()
        # Mostly in order; with repeats and losses.
        index = self.random.choice((0, 0, 0, self.random.randrange(len(self.flying))))
        frame = self.flying[index]
        if self.random.random() < 0.85:
            del self.flying[index]
        if self.random.random() < 0.08:
            frame = self.bent(frame)
        return self.entry(KINDS.get(frame[0], "Match.data"), frame)

    def bent(self, frame: tuple[int, ...]) -> tuple[int, ...]:
        """Wrong by one somewhere: what a careless peer might send, and where comparisons have their edges."""
        index = self.random.randrange(1, len(frame))
        field = self.protocol.payload("Frame").fields[index]
        largest = (1 << self.program.number_of_bits(field.type)) - 1
        value = frame[index] + self.random.choice((1, -1))
        return (*frame[:index], min(max(value, 0), largest), *frame[index + 1 :])

    def slot(self) -> Optional[Command]:
        if not self.slots:
            return self.send()
        self.slots -= 1
        return self.entry("Transmit.slot")

    def placed(self) -> Optional[Command]:
        if not self.placing:
            return self.arrival()
        # In order for each record, as the device promises.
        record = self.random.choice(self.placing)[0]
        index = next(i for i, p in enumerate(self.placing) if p[0] == record)
        _, collection = self.placing.pop(index)
        return self.entry("Receive.placed", record, collection)

    def read(self) -> Optional[Command]:
        if not self.reading:
            return self.slot()
        index = self.random.randrange(len(self.reading))
        return self.entry("Send.memory_read", self.reading.pop(index))

    def answer(self) -> Optional[Command]:
        """A peer answers a message being sent: a collection within the window, or next to it, or a refusal."""
        instances = self.node.instances("Send")
        if not instances:
            return None
        record = f"SendMessage[{self.random.choice(instances)}]"
        names = ("message", "base", "next", "peer")
        message, base, following, peer = (
            self.node.value(f"{record}.{name}") for name in names
        )
        collection = self.random.choice(
            (base, base, base + 1, following - 1, following)
        )
        refused = self.random.random() < 0.25
        values = {name: 0 for name in self.frame_fields}
        values.update(
            kind=4 if refused else 3,
            sender=peer,
            contact=self.believed(peer),
            message=(self.node.value("epoch") << 16) + message & 0xFFFFFFFF,
            collection=max(collection, 0) & 0xFFFF,
            size=1,
        )
        if refused:
            # For want of a receive, because the peer is another incarnation than the node believes, or too early.
            values["length"] = self.random.choice((1, 2, 2, 2, 3, 3, 4))
            values["frame"] = self.random.choice((0, 1, 2, 256, 257, 512, 65535))
        return self.entry(
            "Send.nack" if refused else "Send.ack", tuple(values.values())
        )

    def believed(self, peer: int) -> int:
        """The contact that the node names to the peer, most times."""
        if self.random.random() < 0.05:
            return self.random.randrange(3)
        return self.node.value(f"SendPeer[{peer}].contact")

    def descriptor(self) -> Optional[int]:
        few = min(self.limit, 24)
        free = [d for d in range(few) if d not in self.busy]
        if not free:
            return None
        chosen = self.random.choice(free)
        self.busy.add(chosen)
        return chosen

    def length(self) -> int:
        payload, first = (
            self.constants["frame_payload"],
            self.constants["first_frame_payload"],
        )
        frames = self.random.choice((1, 1, 2, 3, 4, 7, 12, 40))
        frames = min(frames, self.constants["frame_limit"])
        whole = first + (frames - 1) * payload
        lengths = (0, 1, whole, whole, whole - 1, whole + 1, whole - 700)
        length = max(0, self.random.choice(lengths))
        if self.random.random() < 0.05:
            limit = self.constants["message_limit"]
            length = self.random.choice(
                (limit, limit + 1, self.random.randrange(limit))
            )
        return length

    def posting(
        self, descriptor: int, peer: int, tag: int, length: int, wild: float = 0
    ) -> tuple[int, ...]:
        """`wild`: how likely a receive has wildcards, where the profile has them."""
        values = dict.fromkeys(self.posting_fields, 0)
        values.update(descriptor=descriptor, peer=peer, tag=tag, length=length)
        if "wildcards" in values and self.random.random() < wild:
            values["wildcards"] = self.random.choice((1, 2, 3))
            values["ignored"] = self.random.choice((0, 1, 0xFFFFFFFF))
            values["ignored_high"] = self.random.choice((0, 0, 0xFFFFFFFF))
        return tuple(values.values())

    def send(self) -> Optional[Command]:
        descriptor = self.descriptor()
        if descriptor is None:
            return None
        tag = self.random.randrange(2)
        posting = self.posting(
            descriptor, self.random.choice(self.peers), tag, self.length()
        )
        return self.entry("Send.posted", posting)

    def receive(self) -> Optional[Command]:
        descriptor = self.descriptor()
        if descriptor is None:
            return None
        tag = self.random.randrange(2)
        posting = self.posting(
            descriptor, self.random.choice(self.peers), tag, self.length(), wild=0.3
        )
        return self.entry("Match.posted", posting)

    def peer_begins(self) -> Optional[Command]:
        """A peer sends a message of its own: its frames take off, and a matching receive is posted most times."""
        peer = self.random.choice(self.peers)
        if self.random.random() < 0.08:
            self.peer_epoch = self.peer_epoch % 65535 + 1
            self.peer_messages.clear()
        message = self.peer_messages.get(peer, 0)
        self.peer_messages[peer] = message + 1
        payload, first = (
            self.constants["frame_payload"],
            self.constants["first_frame_payload"],
        )
        frames = min(self.random.choice((1, 2, 3, 5, 9)), self.constants["frame_limit"])
        last = self.random.choice((0, 1, payload if frames > 1 else first, 700))
        total = last if frames == 1 else first + (frames - 2) * payload + last
        size = self.random.choice((1, 2, 3, 5, 15))
        tag = self.random.randrange(2)
        # The one offered where the peer begins; once in a while that of an incarnation of the node that is gone, or none.
        epoch = self.node.value("epoch")
        contact = self.node.value(f"ReceivePeer[{peer}].contact")
        if contact == 0:
            contact = (epoch << 8 | epoch >> 8) & 0xFFFF
        elif message == 0:
            contact = contact % 0xFFFF + 1
        if self.random.random() < 0.05:
            contact = self.random.choice((0, contact ^ 256))
        taking_off = []
        for frame in range(frames):
            collection, position = divmod(frame, size)
            values = {name: 0 for name in self.frame_fields}
            values.update(
                kind=2 if frame else 1,
                position=position,
                sender=peer,
                contact=contact,
                length=last if frame == frames - 1 else payload if frame else first,
                message=(self.peer_epoch << 16) + message & 0xFFFFFFFF,
                frame=frame,
                collection=collection,
                size=min(size, frames - collection * size),
                buffer=self.random.randrange(1 << 32),
            )
            if frame == 0:
                values.update(total_length=total, frames=frames, tag=tag)
            taking_off.append(tuple(values.values()))
        if self.random.random() < 0.3:
            self.random.shuffle(taking_off)
        for frame_values in taking_off:
            self.fly(frame_values)
        descriptor = self.descriptor()
        if descriptor is None or self.random.random() < 0.2:
            return None
        capacity = self.random.choice((total, total, total + 5000, total // 2))
        posting = self.posting(descriptor, peer, tag, capacity, wild=0.3)
        return self.entry("Match.posted", posting)

    def link(self) -> Optional[Command]:
        """Mostly what brings the link up and keeps it so."""
        state = self.node.state_of("Link").split(".")[-1]
        forward = {"ABILITY": 0x2000, "ACKNOWLEDGE": 0x2040, "UP": 0x2040}
        if self.random.random() < 0.6:
            if state == "DOWN":
                return self.entry("Link.synchronised")
            if state in ("COMPLETE", "IDLE_DETECT"):
                return self.expiry()
            return self.entry("Link.configuration", forward[state])
        word = self.random.choice((0, 0x2000, 0x2040, 0x0040, 0x4000))
        events = ("Link.synchronised", "Link.sync_lost", "Link.idle_seen")
        return self.random.choice(
            [self.entry("Link.configuration", word)] * 4
            + [self.entry(name) for name in events]
        )

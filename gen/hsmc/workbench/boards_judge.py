# SPDX-License-Identifier: MIT
"""What hosts and wire saw of two boards, judged by the properties of messages.

A host knows what it posted, what has finished, and what its memory holds; between the boards every frame can be read. That
is enough for most properties: they are shown in these terms, without looking into a board.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, field

from .boards_run import Answer, Observation

LAST_OFFSETS = 32  # frames a set of bits can name
# What libemp says of a request whose peer began another life.
PEER_RESTARTED = -errno.ECONNRESET


@dataclass
class Message:
    frames: int
    bytes: int

    @property
    def whole(self) -> int:
        return (1 << self.frames) - 1


@dataclass
class Judge:
    """Listens to everything in order; `found` are violations, by property."""

    payload: int  # bytes of a frame
    first: int  # of a message's first frame
    acknowledgement: int  # kind of frame
    messages: list[list[Message]] = field(default_factory=lambda: [[], []])
    memory: list[dict[tuple[int, int], int]] = field(default_factory=lambda: [{}, {}])
    completed: list[dict[int, int]] = field(default_factory=lambda: [{}, {}])
    finished: dict[tuple[int, str, int], int] = field(default_factory=dict)
    cancel_requested: set[tuple[int, int]] = field(default_factory=set)  # side, receive
    cancelled: set[tuple[int, int]] = field(default_factory=set)
    receives: list[int] = field(default_factory=lambda: [0, 0])
    # Of the life a side is in: its number, and how many requests were posted before.
    epochs: list[int] = field(default_factory=lambda: [1, 1])
    restarted: bool = False  # either side, since the first life
    sends_before: list[int] = field(default_factory=lambda: [0, 0])
    receives_before: list[int] = field(default_factory=lambda: [0, 0])
    found: list[tuple[str, str]] = field(default_factory=list)

    def command_done(self, command: str) -> None:
        words = command.split()
        if words[:1] == ["restart"]:
            side = int(words[1])
            self.restarted = self.restarted or self.epochs[side] != int(words[2])
            self.epochs[side] = int(words[2])
            self.sends_before[side] = len(self.messages[side])
            self.receives_before[side] = self.receives[side]
        if words[:1] == ["cancel"]:
            self.cancel_requested.add((int(words[1]), int(words[2])))
        if words[:1] != ["post"]:
            return
        side = int(words[1])
        if words[2] == "receive":
            self.receives[side] += 1
            return
        size = int(words[4])
        rest = max(size - self.first, 0)
        frames = 1 + (rest + self.payload - 1) // self.payload
        self.messages[side].append(Message(frames, size))

    def listen(self, answer: Answer) -> None:
        if not answer.failed:
            self.command_done(answer.command)
        for observation in answer.observations:
            getattr(self, f"_{observation.kind}")(observation)

    # --- what is seen

    def _put(self, observation: Observation) -> None:
        frame = observation.frame
        assert frame is not None
        if frame.fields["kind"] != self.acknowledgement:
            return
        other = 1 - observation.side
        # Messages are numbered from the incarnation of their sender on.
        incarnation, message = divmod(frame.fields["message"], 1 << 16)
        if incarnation != self.epochs[other]:
            return  # meant for a former life
        number = self.sends_before[other] + message
        if number >= len(self.messages[other]):
            return
        first = frame.fields["frame"] - frame.fields["position"]
        wanted = ((1 << frame.fields["size"]) - 1) << max(first, 0)
        held = self._held(observation.side, number)
        if held & wanted != wanted:
            missing = bits(wanted & ~held)
            self._find(
                "no_early_acknowledgement",
                f"board {observation.side} acknowledges collection {frame.fields['collection']} of message {number}, but its host's memory lacks {missing} of message {number}",
            )

    def _memory(self, observation: Observation) -> None:
        side = observation.side
        self.memory[side][observation.receive, observation.send] = observation.frames
        places = [
            r for (r, m), b in self.memory[side].items() if m == observation.send and b
        ]
        if len(places) > 1:
            self._find(
                "delivered_once",
                f"host {side} has message {observation.send} in receives {', '.join(map(str, sorted(places)))}",
            )
        if observation.receive in self.completed[side]:
            self._find(
                "descriptor_once",
                f"receive {observation.receive} of host {side} is finished, and its memory changes",
            )

    def _torn(self, observation: Observation) -> None:
        if observation.frames:
            self._find(
                "intact_placement",
                f"receive {observation.receive} of host {observation.side} holds bytes of no message in the place of {bits(observation.frames)}",
            )

    def _done(self, observation: Observation) -> None:
        self.finished[
            observation.side, observation.what, observation.receive
        ] = observation.result
        if observation.result == -errno.ECANCELED:
            self._cancelled(observation)
            return
        if observation.result == PEER_RESTARTED and self.restarted:
            return
        if observation.result != 0:
            self._find(
                "no_early_completion"
                if observation.what == "send"
                else "intact_placement",
                f"{observation.what} {observation.receive} of host {observation.side} ends with error {-observation.result}",
            )
            return
        if observation.what == "send":
            message = self.messages[observation.side][observation.receive]
            missing = message.whole & ~self._held(
                1 - observation.side, observation.receive
            )
            if missing:
                self._find(
                    "no_early_completion",
                    f"host {observation.side} gets the completion of message {observation.receive}; the memory of host {1 - observation.side} lacks {bits(missing)}",
                )
            return
        self._received(observation)

    def _received(self, observation: Observation) -> None:
        side, receive = observation.side, observation.receive
        contents = [m for (r, m), b in self.memory[side].items() if r == receive and b]
        self.completed[side][receive] = contents[0] if contents else -1
        if self.restarted and not contents:
            return  # from outside, its message cannot be determined
        # As if those that were cancelled had never been posted.
        due = receive - sum((side, r) in self.cancelled for r in range(receive))
        if contents and contents != [due] and not self.restarted:
            self._find(
                "in_order",
                f"receive {receive} of host {side} was given message {contents[0]}",
            )
        for number in contents or [due]:
            if number >= len(self.messages[1 - side]):
                continue
            message = self.messages[1 - side][number]
            missing = message.whole & ~self.memory[side].get((receive, number), 0)
            if missing or observation.length != message.bytes:
                self._find(
                    "intact_placement",
                    f"receive {receive} of host {side} is finished with {observation.length} bytes and lacks {bits(missing)} of message {number}",
                )

    def _cancelled(self, observation: Observation) -> None:
        side, receive = observation.side, observation.receive
        self.completed[side][receive] = -1
        self.cancelled.add((side, receive))
        bytes_there = any(b for (r, _), b in self.memory[side].items() if r == receive)
        if bytes_there or (side, receive) not in self.cancel_requested:
            self._find(
                "cancelled_unmet",
                f"receive {receive} of host {side} ends as cancelled, but "
                + (
                    "a message has met it"
                    if bytes_there
                    else "the host had not cancelled it"
                ),
            )

    def _held(self, side: int, message: int) -> int:
        """Frames of a message that are in one receive, the one that has most."""
        sets = [b for (_, m), b in self.memory[side].items() if m == message]
        return max(sets, key=lambda b: bin(b).count("1"), default=0)

    def _find(self, violated: str, text: str) -> None:
        if (violated, text) not in self.found:
            self.found.append((violated, text))

    def unfinished(self) -> list[str]:
        """Requests that hosts still wait for; those from before a restart do not count."""
        result = []
        for side in (0, 1):
            for what, before, count in (
                ("send", self.sends_before[side], len(self.messages[side])),
                ("receive", self.receives_before[side], self.receives[side]),
            ):
                result += [
                    f"{what} {number} of host {side}"
                    for number in range(before, count)
                    if (side, what, number) not in self.finished
                ]
        return result


def bits(frames: int) -> str:
    """
    >>> bits(0b101), bits(1)
    ('frames 0 and 2', 'frame 0')
    """
    numbers = [str(n) for n in range(LAST_OFFSETS) if frames >> n & 1]
    if len(numbers) < 2:
        return f"frame {''.join(numbers) or '-'}"
    return f"frames {', '.join(numbers[:-1])} and {numbers[-1]}"

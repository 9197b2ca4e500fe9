# SPDX-License-Identifier: MIT
"""Mutants of generated units: of what the back end writes into them and of what an image gives them."""

from __future__ import annotations

from .mutant import Accesses, Compiler, Mutant

WRITER = "gen/hsmc/backends/c_messages.py"
EXCHANGE = "gen/hsmc/backends/exchange.py"
CROSSINGS = "gen/hsmc/placement.py"
SOURCE = "gen/hsmc/templates/c/source.c.j2"
IMAGE = "gen/hsmc/templates/nic/nic.h.j2"
QUEUE = "fw-runtime/messages.h"
RECORDS = "gen/hsmc/backends/c_records.py"
ORDERS = "models/proof/orders.hsm"

ONE_SLOT = Accesses(1)
TWO_SLOTS = Accesses(2)
CHECK = Compiler(ORDERS)

MUTANTS = [
    Mutant(
        "no event runs under the lock",
        EXCHANGE,
        "return any(e in self.entries and self.entries[e].locked for e in events)",
        "return False",
        ONE_SLOT,
        "common_data_under_lock",
    ),
    Mutant(
        "an event that only reads what the other processor writes runs without the lock",
        CROSSINGS,
        "                or datum.name in access.reads\n",
        "                or False\n",
        ONE_SLOT,
        "common_data_under_lock",
    ),
    Mutant(
        "an event that only writes common data runs without the lock",
        CROSSINGS,
        "                if datum.name in access.writes\n",
        "                if False\n",
        ONE_SLOT,
        "common_data_under_lock",
    ),
    Mutant(
        "an event asks after the records in use without the lock",
        CROSSINGS,
        'unit.reads[f"{process.pool}.used"] = process.place',
        "pass",
        ONE_SLOT,
        "common_data_under_lock",
    ),
    Mutant(
        "the lock is given back before the event",
        SOURCE,
        "\tverdict_ = {{ entry }}_begun_({{ c.entry_names(process, event) }});\n"
        "{% if c.event_ends(process.name, [event.name], 1) %}\n"
        "{{ c.event_ends(process.name, [event.name], 1) }}\n{% endif %}\n",
        "{% if c.event_ends(process.name, [event.name], 1) %}\n"
        "{{ c.event_ends(process.name, [event.name], 1) }}\n{% endif %}\n"
        "\tverdict_ = {{ entry }}_begun_({{ c.entry_names(process, event) }});\n",
        ONE_SLOT,
        "common_data_under_lock",
    ),
    Mutant(
        "the lock is not given back after an event",
        WRITER,
        "        return self.line(depth, f\"{self.names.upper('UNLOCK')}();\")",
        '        return ""',
        ONE_SLOT,
        "no_lost_wake_up",
    ),
    Mutant(
        "LOCK of an image is empty",
        IMAGE,
        "_LOCK() do { nic_lock(); ",
        "_LOCK() do { ",
        ONE_SLOT,
        "common_data_under_lock",
    ),
    Mutant(
        "LOCK of an image is no barrier for the compiler",
        IMAGE,
        '_LOCK() do { nic_lock(); __asm__ volatile("" : : : "memory"); }',
        "_LOCK() do { nic_lock(); }",
        TWO_SLOTS,
        "",
        (
            "beyond",
            "In these units clang moves no access across the volatile one that takes the lock. Another compiler may.",
        ),
    ),
    Mutant(
        "an event waits for room under the lock",
        WRITER,
        "        if self.exchange.locked(*named):\n            lines.append(",
        "        if self.exchange.locked(*named):\n            lines.insert(0, ",
        ONE_SLOT,
        "no_lost_wake_up",
    ),
    Mutant(
        "an event does not wait for room",
        WRITER,
        "        if most:\n",
        "        if False:\n",
        ONE_SLOT,
        "no_wild_pointer",
    ),
    Mutant(
        "an event waits for room for one message less than it may put",
        WRITER,
        '{self.waiting_name}({most}u);"',
        '{self.waiting_name}({most - 1}u);"',
        ONE_SLOT,
        "no_wild_pointer",
    ),
    Mutant(
        "one message too many is counted as room",
        QUEUE,
        "    return NIC_MESSAGE_LIMIT - (queue->put - queue->taken);",
        "    return NIC_MESSAGE_LIMIT + 1u - (queue->put - queue->taken);",
        TWO_SLOTS,
        "no_wild_pointer",
    ),
    Mutant(
        "room is counted by the lower 16 bits",
        QUEUE,
        "    return NIC_MESSAGE_LIMIT - (queue->put - queue->taken);",
        "    return NIC_MESSAGE_LIMIT - ((queue->put & 0xFFFFu) - (queue->taken & 0xFFFFu));",
        ONE_SLOT,
        "no_wild_pointer",
    ),
    Mutant(
        "neither processor takes messages while it waits for room",
        WRITER,
        "self.takes = exchange.takes_while_waiting == processor and bool(incoming)",
        "self.takes = False",
        ONE_SLOT,
        "no_lost_wake_up",
    ),
    Mutant(
        "a raise puts its message before it is written",
        WRITER,
        '        lines += [self.line(1, f"{self.hook(\'PUT\')}();"), "}"]',
        '        lines.insert(3, self.line(1, f"{self.hook(\'PUT\')}();"))\n        lines.append("}")',
        ONE_SLOT,
        "never_event",
    ),
    Mutant(
        "an image signals before the message is put",
        IMAGE,
        "nic_message_put(&{{ prefix }}_raises[1 - NIC_PROCESSOR]), nic_signal(), nic_unlock())",
        "nic_signal(), nic_message_put(&{{ prefix }}_raises[1 - NIC_PROCESSOR]), nic_unlock())",
        ONE_SLOT,
        "no_lost_wake_up",
    ),
    Mutant(
        "an image puts messages without a signal",
        IMAGE,
        "nic_message_put(&{{ prefix }}_raises[1 - NIC_PROCESSOR]), nic_signal(), nic_unlock())",
        "nic_message_put(&{{ prefix }}_raises[1 - NIC_PROCESSOR]), nic_unlock())",
        ONE_SLOT,
        "no_lost_wake_up",
    ),
    Mutant(
        "an image takes one message for each signal",
        IMAGE,
        "\twhile ((words = nic_message_first(&{{ prefix }}_raises[NIC_PROCESSOR])) != (void *)0) {",
        "\tif ((words = nic_message_first(&{{ prefix }}_raises[NIC_PROCESSOR])) != (void *)0) {",
        TWO_SLOTS,
        "no_lost_wake_up",
    ),
    Mutant(
        "an image gives the slot back before the message is handled",
        IMAGE,
        "\t\t{{ prefix }}_message_came(words);\n\t\tnic_message_taken(&{{ prefix }}_raises[NIC_PROCESSOR]);\n",
        "\t\tnic_message_taken(&{{ prefix }}_raises[NIC_PROCESSOR]);\n\t\t{{ prefix }}_message_came(words);\n",
        ONE_SLOT,
        "never_event",
    ),
    Mutant(
        "an image handles a message twice",
        IMAGE,
        "\t\t{{ prefix }}_message_came(words);\n",
        "\t\t{{ prefix }}_message_came(words);\n\t\t{{ prefix }}_message_came(words);\n",
        ONE_SLOT,
        "never_event",
    ),
    Mutant(
        "a message is handled although its record has been released since",
        WRITER,
        '            f"releases_ != (uint16_t){self.releases(process, name)}",\n',
        "",
        TWO_SLOTS,
        "never_event",
    ),
    Mutant(
        "how often a record has been released is read when its message comes, not when it was put",
        WRITER,
        '                lines.append(self.line(2, "releases_ = (uint16_t)(words_[1] >> 16);"))',
        '                counted = self.releases(process, "(words_[1] & 0xFFu)")\n'
        '                lines.append(self.line(2, f"releases_ = (uint16_t){counted};"))',
        TWO_SLOTS,
        "never_event",
    ),
    Mutant(
        "a message does not say how often its record has been released",
        WRITER,
        '                text += f" | {self.releases(process, text)} << 16"',
        "                pass",
        ONE_SLOT,
        "no_lost_wake_up",
    ),
    Mutant(
        "releases are compared with more bits than a message has of them",
        WRITER,
        'f"releases_ != (uint16_t){self.releases(process, name)}"',
        'f"releases_ != {self.releases(process, name)}"',
        TWO_SLOTS,
        "no_lost_wake_up",
    ),
    Mutant(
        "a release is not counted",
        SOURCE,
        "{{ names.releases(declaration.name) }}[reference - 1u] + 1u;",
        "{{ names.releases(declaration.name) }}[reference - 1u];",
        TWO_SLOTS,
        "never_event",
    ),
    Mutant(
        "a message is handled although the machine of its record has had its end",
        WRITER,
        '            *(f"{record}.state_ == {self.names.leaf(process.name, e)}" for e in ends),\n',
        "",
        ONE_SLOT,
        "never_event",
    ),
    Mutant(
        "each processor has a table of its own that both use",
        EXCHANGE,
        "            result.append(naming.snake(holder))\n",
        "            if holder in pools:\n                result.append(naming.snake(holder))\n",
        ONE_SLOT,
        "told_as_packed",
    ),
    Mutant(
        "the compiler may keep a shared word in a register",
        RECORDS,
        'f"volatile {text}" if word else text',
        "text",
        ONE_SLOT,
        "shared_word_volatile",
    ),
    Mutant(
        "a shared word is written before what it tells",
        ORDERS,
        "/ o.number := number; packs(number) ",
        "/ o.number := number; Bench[0].packed := number; packs(number) ",
        ONE_SLOT,
        "seen_as_packed",
    ),
    Mutant(
        "an event reads a shared word twice",
        ORDERS,
        "seen(packed)",
        "seen(Bench[0].packed)",
        CHECK,
        "HSM0615",
    ),
    Mutant(
        "a word is shared, and the placement does not say so",
        ORDERS,
        '  shared Bench.packed "the order that was packed last, or the one before"\n',
        "",
        CHECK,
        "HSM0611",
    ),
]

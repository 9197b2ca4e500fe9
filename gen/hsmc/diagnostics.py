"""The numbered diagnostics: what each means, why it is one, and how to mend the spec.

Numbers are never reused. Hundreds: 01 text and files, 02 names, 03 types and values, 04 layouts and records,
05 state machines, 06 placements and checks, 07 what is unused. The test for a number is
tests/compiler/errors/<number>_<name>.hsm.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    severity: str  # error: nothing is generated; warning
    title: str
    text: str
    example: str


def _error(title: str, text: str, example: str) -> Explanation:
    return Explanation("error", title, text, example)


def _warning(title: str, text: str, example: str) -> Explanation:
    return Explanation("warning", title, text, example)


TABLE: dict[str, Explanation] = {
    # --- text and files
    "HSM0101": _error(
        "syntax error",
        "The line does not follow the grammar (docs/language.md). The line is left out and the rest is read on, so "
        "that further mistakes show in the same run.",
        "constant limit 4               # '=' is missing",
    ),
    "HSM0102": _error(
        "tab in the indentation",
        "Blocks are told by their indentation, and a tab has no agreed width. Indent with blanks, two per level.",
        "\\tstate READY initial",
    ),
    "HSM0103": _error(
        "indentation fits no block",
        "A line must be indented like the first line of some block around it; declarations start in column 1.",
        "    state READY initial\n   state DONE final    # one blank short",
    ),
    "HSM0104": _error(
        "file cannot be read",
        "An included file is looked for relative to the file that includes it.",
        'include "missing.hsm"',
    ),
    "HSM0105": _error(
        "file included again",
        "Each file is included once, and no file includes itself, directly or through others. Names may be used "
        "before their declaration, so no second include is ever needed.",
        'include "wire.hsm"\ninclude "wire.hsm"',
    ),
    "HSM0106": _error(
        "word of the language used as a name",
        "A thing of this name could not be used, because its uses would mean something else.",
        "constant count = 4             # 'count' is a statement",
    ),
    "HSM0107": _error(
        "protocol line missing or repeated",
        "The top file of a spec names the protocol once; the name becomes the prefix of everything generated.",
        'protocol emp "Ethernet Message Passing"',
    ),
    # --- names
    "HSM0201": _error(
        "unknown name",
        "Nothing of this name is declared here. Names are global, except for arguments and locals.",
        "m.size := colection_size       # did you mean 'collection_size'?",
    ),
    "HSM0202": _error(
        "name declared twice",
        "Names of constants, parameters, enumeration members, types, pools, tables, functions, actions, devices, "
        "processes and variables share one name space. Layouts, counters, properties, placements and checks have "
        "one each; fields, events and states belong to their owner.",
        "constant limit = 4\nconstant limit = 5",
    ),
    "HSM0203": _error(
        "unknown state",
        "A target names a state of the same process, by its name or by a dotted path.",
        "on posted -> WAITACK           # did you mean 'WAIT_ACK'?",
    ),
    "HSM0204": _error(
        "unknown event",
        "Rows and raises name an event the process declares.",
        "on transmited -> DONE          # did you mean 'transmitted'?",
    ),
    "HSM0205": _error(
        "unknown field",
        "The payload or record has no field of this name, or the thing in front of the dot has no fields.",
        "when f.lenght > 0              # did you mean 'length'?",
    ),
    "HSM0206": _error(
        "unknown or impossible type",
        "Types are u8, u16, u32, bool, enumerations, pools (a reference), payloads (arguments only), bits[n], and "
        "type[n]. Arguments, locals, results and payload fields hold single values.",
        "variable seen: u64",
    ),
    "HSM0207": _error(
        "unknown process",
        "Raises, 'written by', 'created by' and placements name processes.",
        "raise Transmitt.request(m)     # did you mean 'Transmit'?",
    ),
    "HSM0208": _error(
        "unknown counter",
        "Counters are declared, so that the host can read them by name.",
        "count frames_lost",
    ),
    "HSM0209": _error(
        "name hides another",
        "No argument or local may have the name of something global or of an outer local: a reader need not know "
        "which one wins.",
        "parameter epoch: u8 = 1\naction reset(epoch: u8)",
    ),
    "HSM0210": _error(
        "check sets what it cannot",
        "The set lines of a check give constants and parameter defaults other values; what the model's world "
        "understands stands in world lines.",
        "set messages = 2               # world messages = 2",
    ),
    "HSM0211": _error(
        "not the right kind of thing",
        "A process is not a value, an action has none, a whole record cannot be passed, a variable cannot be called.",
        "let n: u32 = SendPeer[0]       # name a field of the record",
    ),
    "HSM0212": _error(
        "ambiguous state",
        "Several states have this name. Give the path: OUTER.INNER.",
        "on restart -> IDLE             # -> RECEIVING.IDLE",
    ),
    # --- types and values
    "HSM0301": _error(
        "wrong type",
        "Numbers of all widths and enumerations mix, the latter as numbers of their base; nothing becomes an "
        "enumeration or a bool by itself. References mix with none and references to the same pool.",
        "when m.frames / ...            # when m.frames > 0",
    ),
    "HSM0302": _error(
        "wrong number of arguments",
        "Rows may leave the event's arguments out altogether, parentheses included; otherwise all are named.",
        "on request(m) / ...            # the event has four arguments",
    ),
    "HSM0303": _error(
        "constant out of range",
        "The constant does not fit its place: the type, a declared range, the elements of an array, 32 bits, a shift "
        "beyond 31. What is computed at run time keeps its low bits; what is written down must be meant.",
        "variable bit: u8 range 0..1\nbit := 2",
    ),
    "HSM0304": _error(
        "reference used as a number",
        "References are compared with == and != only. To index a table by a reference, declare it parallel to the "
        "pool: table T[Pool].",
        "m + 1",
    ),
    "HSM0305": _error(
        "cannot be assigned to",
        "Locals, variables, fields of records and elements of arrays can; arguments, constants, parameters and "
        "payloads (passed in place) cannot.",
        "f.length := 0",
    ),
    "HSM0306": _error(
        "not a constant",
        "Sizes, ranges, values of constants and durations are known at compile time. A duration may be a parameter.",
        "pool Message[node] ...         # node is a parameter",
    ),
    "HSM0307": _error(
        "multiplication of two unknowns",
        "The chip has no multiplier. With one side constant the product becomes shifts and additions.",
        "frame * m.size                 # repeat ... first := first + m.size",
    ),
    "HSM0308": _error(
        "division",
        "The chip has no divider: / and % work on constants, and never by zero. Powers of two: shift and mask.",
        "length / frame_payload",
    ),
    "HSM0309": _error(
        "return missing or out of place",
        "Every way through a function returns a value; an action returns none; rows have nothing to return from.",
        "function f(x: u32): u32\n  if x > 0\n    return 1",
    ),
    "HSM0310": _error(
        "named arguments",
        "A payload is built from named fields, each once: Frame(kind: ACK). Calls of all else go by position.",
        "Frame(ACK, 1)",
    ),
    "HSM0311": _error(
        "payload copied",
        "Payloads are passed in place. One is built by a let of its own and then named; it is never copied.",
        "send(Frame(kind: ACK))         # let a: Frame = Frame(kind: ACK); send(a)",
    ),
    "HSM0312": _error(
        "impossible range",
        "A range has a lower end not above its upper end, and belongs to a number.",
        "parameter size: u8 = 3 range 15..1",
    ),
    "HSM0313": _error(
        "function acts",
        "Functions are free of effects: guards call them, in whatever order. The same holds for lets in front of "
        "guards. Use an action.",
        "function next(): u8\n  head := head + 1",
    ),
    "HSM0314": _error(
        "constant depends on itself",
        "The values of constants are computed from each other; somewhere this must begin.",
        "constant a = b + 1\nconstant b = a - 1",
    ),
    # --- layouts and records
    "HSM0401": _error(
        "field crosses a word",
        "Layouts are read and written as 32-bit words, most significant bits first; a field lies within one word. "
        "Reorder the fields, split this one, or insert a reserved field.",
        "layout H\n  a: 24 bits\n  b: 16 bits",
    ),
    "HSM0402": _error(
        "layout not made of words",
        "The widths of a layout add up to a multiple of 32 bits, and it begins at a multiple of 4 bytes.",
        "layout H\n  a: 24 bits",
    ),
    "HSM0403": _error(
        "enumeration value taken",
        "Each member has a value of its own.",
        "SEND = 0\nRECEIVE = 0",
    ),
    "HSM0404": _error(
        "pool and process do not match",
        "A pool has exactly one process, one instance of which runs per record. Records without a life of their own "
        "belong in a table.",
        "pool Message[4] written by Send     # but no process Send(m: Message)",
    ),
    # --- state machines
    "HSM0501": _error(
        "initial state missing",
        "One state of a process, and of each state with states inside, is marked initial.",
        "process P\n  state A",
    ),
    "HSM0502": _error(
        "two initial states",
        "Only one state of a level is where it starts.",
        "state A initial\nstate B initial",
    ),
    "HSM0503": _error(
        "final state goes on",
        "Nothing happens in a final state: it may have an entry, but no rows, exit or states.",
        "state DONE final\n  on ack -> PHY",
    ),
    "HSM0504": _warning(
        "state never entered",
        "No chain of transitions leads here from the initial state, whatever the guards.",
        "state LOST                     # no row says -> LOST",
    ),
    "HSM0505": _warning(
        "event never raised",
        "No row raises the event and it is not external, so its rows are dead.",
        "event turn()",
    ),
    "HSM0506": _error(
        "event not handled",
        "In every state each event of the process is handled, ignored or declared never (it cannot happen: models "
        "and tests assert that). Silence would hide a case nobody thought of. What a state leaves open, the state "
        "around it may say.",
        "state WAIT_ACK                 # and what of 'nack'? ignore nack",
    ),
    "HSM0507": _error(
        "else missing",
        "When no guard holds, something must be said: an else row, ignore, never, or a row of a state around.",
        "on ack(f) when outstanding(m, f) / settle(m, f)",
    ),
    "HSM0508": _error(
        "row never tried",
        "Rows are tried in order. After an unguarded or else row nothing is; and a row whose event all states inside "
        "handle themselves is never reached.",
        "on ack -> DONE\non ack / count stale",
    ),
    "HSM0509": _error(
        "guard repeated",
        "An earlier row of the same event holds whenever this one does, so this row is never taken.",
        "when n > 2 -> A\nwhen n > 5 -> B",
    ),
    "HSM0510": _warning(
        "guards overlap",
        "Two rows compare the same operand with constants and both hold for some value. The first wins; write guards "
        "that exclude each other, or an else.",
        "when n > 5 -> A\nwhen n > 2 -> B",
    ),
    "HSM0511": _error(
        "expiry not handled",
        "A timer fires once. If no guard holds then, nothing will ever happen: add an else.",
        "after timeout when tries < 3 -> AGAIN",
    ),
    "HSM0512": _error(
        "second timer in a state",
        "A state has one timer. Several rows for its expiry stand in one block.",
        "after short / ...\nafter long / ...",
    ),
    "HSM0513": _error(
        "event handled and ignored",
        "The state already handles, ignores or excludes the event. (ignore after guarded rows is fine: it stands for "
        "else.)",
        "on ack -> DONE\nignore ack",
    ),
    "HSM0514": _error(
        "new record with entry",
        "A created record is put into its initial state without running anything, so that creating never does more "
        "than it says. Put the work into the row that leaves the state.",
        "process Send(m: Message)\n  state START initial\n    entry / ...",
    ),
    "HSM0515": _error(
        "raise not at the end",
        "A raise is a call that does not come back: after it only other raises may come, counting exit actions, row "
        "actions and entry actions together and looking through actions. So a chain of events needs no queue and "
        "every row finishes before the next starts.",
        "raise Transmit.request(m); m.sent := true",
    ),
    "HSM0516": _error(
        "events raise each other",
        "The events a row may raise must not lead back to its own: chains of raises must end, and their length "
        "bounds the stack.",
        "A.x raises B.y, B.y raises A.x",
    ),
    "HSM0517": _error(
        "recursion",
        "Functions and actions do not call themselves, directly or through others: stack and time are bounded.",
        "action f()\n  f()",
    ),
    "HSM0518": _error(
        "loop without constant bound",
        "repeat takes a constant number of turns; 'while' ends it earlier.",
        "repeat m.frames                # repeat frame_limit while i < m.frames",
    ),
    "HSM0519": _error(
        "record written by another process",
        "Each pool and table says which process writes it; placements on two processors rely on it. Raise an event "
        "of that process instead.",
        "SendPeer[p].oldest := 0        # in a process other than Send",
    ),
    "HSM0520": _error(
        "record created or released by another process",
        "Records are created by the process 'created by' names (else the writer) and released by it or the writer.",
        "let r: Message = create Message",
    ),
    "HSM0521": _error(
        "variable of another process",
        "A variable is read and written by its process alone, through actions and functions too. A process that "
        "runs per record keeps its data in the record.",
        "queued := 0                    # in a process other than Transmit",
    ),
    "HSM0522": _error(
        "wrong way to raise",
        "An event of a process that runs per record needs its record: Send[m].turn(). One that 'creates' its record "
        "is for the runtime only, which can offer it again when the pool was empty.",
        "raise Send.turn()              # raise Send[m].turn()",
    ),
    "HSM0523": _error(
        "creates or select out of place",
        "They say how the runtime's call of an external event finds its record, in one way or the other.",
        "event turn() creates",
    ),
    "HSM0524": _error(
        "row without content",
        "A row that does nothing and goes nowhere ignores the event. Say so.",
        "on idle                        # ignore idle",
    ),
    "HSM0525": _warning(
        "guard is constant",
        "The guard holds always or never, whatever happens.",
        "when limit > 3 -> A            # limit is a constant",
    ),
    # --- placements and checks
    "HSM0601": _error(
        "process not placed",
        "A placement says for each process where it runs.",
        "placement base\n  Send on A                    # and Receive?",
    ),
    "HSM0602": _error(
        "process placed twice",
        "A process runs on one processor.",
        "Send on A\nSend on B",
    ),
    "HSM0603": _error(
        "check sets a value twice",
        "Each name occurs once among the set lines and once among the world lines of a check.",
        "set limit = 2, limit = 3",
    ),
    # --- what is unused
    "HSM0701": _warning(
        "unused constant",
        "Nothing in the spec uses the constant. When host or runtime do, declare it 'external constant'.",
        "constant page_bytes = 4096",
    ),
    "HSM0702": _warning(
        "unused parameter",
        "Setting the parameter would change nothing.",
        "parameter retries: u8 = 3",
    ),
    "HSM0703": _warning(
        "unused counter",
        "The counter will always be 0.",
        "counter frames_lost",
    ),
    "HSM0704": _warning(
        "unused action, function or device",
        "Nothing calls it.",
        "action tidy()",
    ),
    "HSM0705": _warning(
        "payload field never read",
        "Whoever builds the payload works in vain. (A payload given to a device counts as read.)",
        "payload Frame\n  reserved: u8",
    ),
    "HSM0706": _warning(
        "state never read",
        "The field or variable is written at most, so it takes memory and multiplies states to no end.",
        "m.last := f.frame              # and nobody looks at it",
    ),
    "HSM0707": _warning(
        "state never written",
        "The field or variable always has its initial value.",
        "when m.held / ...              # but nothing sets it",
    ),
    "HSM0708": _warning(
        "unused argument or local",
        "Rows may leave out arguments; functions, actions and lets should not have what they do not need.",
        "let first: u16 = m.base",
    ),
}

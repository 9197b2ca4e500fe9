# SPDX-License-Identifier: MIT
"""The numbered diagnostics and their titles. What each means and how to mend the spec: docs/diagnostics/HSM0123.md.

Numbers are never reused. Hundreds: 01 text and files, 02 names, 03 types and values, 04 layouts and records,
05 state machines, 06 placements and checks, 07 what is unused. A number comes with a page docs/diagnostics/<number>.md
and with a test tests/compiler/errors/<number>_<name>.hsm at least.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    severity: str  # error: nothing is generated; warning
    title: str
    by: str = "hsmc check"  # the command that finds it; what `hsmc verify` alone finds hinders no build


def _error(title: str) -> Explanation:
    return Explanation("error", title)


def _warning(title: str) -> Explanation:
    return Explanation("warning", title)


TABLE: dict[str, Explanation] = {
    # --- text and files
    "HSM0101": _error("syntax error"),
    "HSM0102": _error("tab in the indentation"),
    "HSM0103": _error("indentation fits no block"),
    "HSM0104": _error("file cannot be read"),
    "HSM0105": _error("file included again"),
    "HSM0106": _error("word of the language used as a name"),
    "HSM0107": _error("protocol line missing or repeated"),
    "HSM0108": _error("mark of a profile out of place"),
    # --- names
    "HSM0201": _error("unknown name"),
    "HSM0202": _error("name declared twice"),
    "HSM0203": _error("unknown state"),
    "HSM0204": _error("unknown event"),
    "HSM0205": _error("unknown field"),
    "HSM0206": _error("unknown or impossible type"),
    "HSM0207": _error("unknown process"),
    "HSM0208": _error("unknown counter"),
    "HSM0209": _error("name hides another"),
    "HSM0210": _error("check sets what it cannot"),
    "HSM0211": _error("not the right kind of thing"),
    "HSM0212": _error("ambiguous state"),
    "HSM0213": _error("unknown profile"),
    "HSM0217": _error("two names become one"),
    # --- types and values
    "HSM0301": _error("wrong type"),
    "HSM0302": _error("wrong number of arguments"),
    "HSM0303": _error("constant out of range"),
    "HSM0304": _error("reference used as a number"),
    "HSM0305": _error("cannot be assigned to"),
    "HSM0306": _error("not a constant"),
    "HSM0307": _error("multiplication of two unknowns"),
    "HSM0308": _error("division"),
    "HSM0309": _error("return missing or out of place"),
    "HSM0310": _error("named arguments"),
    "HSM0311": _error("payload copied"),
    "HSM0312": _error("impossible range"),
    "HSM0313": _error("function acts"),
    "HSM0314": _error("constant depends on itself"),
    "HSM0315": _error("value always out of range"),
    "HSM0316": _warning("value may be out of range"),
    "HSM0317": _warning("difference below zero"),
    "HSM0318": _warning("comparison decided beforehand"),
    "HSM0319": _error("bits always lost"),
    "HSM0320": _error("payload field left out"),
    "HSM0321": _warning("number cut to fit"),
    "HSM0322": _warning("difference below zero compared"),
    "HSM0323": _error("index from outside"),
    "HSM0327": _error("fixed constant set"),
    "HSM0328": _error("fixed constant may change"),
    "HSM0333": _error("condition of a liveness property"),
    "HSM0334": _error("property says nothing of its record"),
    # --- layouts and records
    "HSM0401": _error("field crosses a word"),
    "HSM0402": _error("layout not made of words"),
    "HSM0403": _error("enumeration value taken"),
    "HSM0404": _error("pool and process do not match"),
    "HSM0405": _error("field does not fit the wire"),
    "HSM0406": _error("field not on the wire"),
    "HSM0407": _error("layouts make no frame"),
    "HSM0408": _error("kind of frame not known"),
    "HSM0409": _error("field in two layouts"),
    # --- state machines
    "HSM0501": _error("initial state missing"),
    "HSM0502": _error("two initial states"),
    "HSM0503": _error("final state goes on"),
    "HSM0504": _warning("state never entered"),
    "HSM0505": _warning("event never raised"),
    "HSM0506": _error("event not handled"),
    "HSM0507": _error("else missing"),
    "HSM0508": _error("row never tried"),
    "HSM0509": _error("guard repeated"),
    "HSM0510": _warning("guards overlap"),
    "HSM0511": _error("expiry not handled"),
    "HSM0512": _error("second timer in a state"),
    "HSM0513": _error("event handled and ignored"),
    "HSM0514": _error("new record with entry"),
    "HSM0515": _error("raise not at the end"),
    "HSM0516": _error("events raise each other"),
    "HSM0517": _error("recursion"),
    "HSM0518": _error("loop without constant bound"),
    "HSM0519": _error("record written by another process"),
    "HSM0520": _error("record created or released by another process"),
    "HSM0521": _error("variable of another process"),
    "HSM0522": _error("wrong way to raise"),
    "HSM0523": _error("creates or select out of place"),
    "HSM0524": _error("row without content"),
    "HSM0525": _warning("guard is constant"),
    "HSM0526": _error("target of a local transition outside"),
    "HSM0527": _error("history of a state without states inside"),
    "HSM0528": _error("deferred without keeping"),
    "HSM0529": _warning("kept but never deferred"),
    "HSM0530": _error("event handled and deferred"),
    "HSM0531": _error("event waits for ever"),
    "HSM0532": _error("event that creates deferred"),
    "HSM0535": _error("record not released"),
    "HSM0536": _error("record released twice"),
    "HSM0537": _error("record used after its release"),
    "HSM0538": _error("record released while its timer runs"),
    "HSM0539": _warning("record never released"),
    "HSM0540": _warning("created record lost"),
    "HSM0541": _error("duration of nothing"),
    "HSM0542": _warning("duration may be nothing"),
    "HSM0543": _warning("expiry without effect"),
    "HSM0544": _warning("event ignored in every state"),
    "HSM0545": _error("reference may be none"),
    "HSM0546": _error("create without room shown"),
    "HSM0550": _error("member of an enumeration left out"),
    "HSM0551": _error("row before all others always holds"),
    "HSM0552": _error("nothing inside to come before"),
    "HSM0553": _error("duration too long"),
    "HSM0554": _error("computed duration not bounded"),
    "HSM0555": _warning("duration computed before"),
    "HSM0556": _error("'rare' not between two rows"),
    # --- placements and checks
    "HSM0601": _error("process not placed"),
    "HSM0602": _error("process placed twice"),
    "HSM0603": _error("check sets a value twice"),
    "HSM0604": _error("two default profiles"),
    "HSM0605": _error("profile declared in the wrong place"),
    "HSM0606": _error("not for a world, or only for one"),
    "HSM0607": _error("contradiction in a world"),
    "HSM0608": _error("check sets an unknown bound of the world"),
    "HSM0609": _warning("property without meaning in the world"),
    "HSM0610": _error("unknown processor"),
    "HSM0611": _error("data race between processors"),
    "HSM0612": _error("shared data that are not one word"),
    "HSM0613": _warning("data do not cross"),
    "HSM0614": _error("no placement on either processor"),
    "HSM0615": _error("shared data used twice in an event"),
    "HSM0616": Explanation("error", "step too large for SPIN", "hsmc verify"),
    # --- what is unused
    "HSM0701": _warning("unused constant"),
    "HSM0702": _warning("unused parameter"),
    "HSM0703": _warning("unused counter"),
    "HSM0704": _warning("unused action, function or device"),
    "HSM0705": _warning("payload field never read"),
    "HSM0706": _warning("state never read"),
    "HSM0707": _warning("state never written"),
    "HSM0708": _warning("unused argument or local"),
    "HSM0709": _warning("payload field never set"),
    "HSM0710": _warning("assigned value never read"),
    "HSM0711": _warning("statement never reached"),
}

"""A question with its numbers becomes a calculation: formulas by their words, arithmetic by its signs."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.amounts import format_number
from ai_engine.specialists.computation.calculation import (
    Calculation,
    InputMissing,
    NotRecognised,
    Unit,
    in_words,
    literal,
)
from ai_engine.specialists.computation.formulas import FORMULAS, Formula, Slot
from ai_engine.specialists.computation.quantities import Quantity, of_kind, quantities

_PERIODS = {"daily": 365, "monthly": 12, "quarterly": 4, "half yearly": 2, "half-yearly": 2, "semi-annually": 2,
            "yearly": 1, "annually": 1}  # fmt: skip
_CONVENTIONS = {
    "30e/360": "30e/360", "30/360": "30/360 us", "actual/360": "actual/360", "act/360": "actual/360",
    "actual/actual": "actual/actual isda", "act/act": "actual/actual isda", "actual/365": "actual/365 fixed",
    "act/365": "actual/365 fixed",
}  # fmt: skip
_ASKING = re.compile(
    r"^(?:so |and |then )*(?:please )?(?:can you )?(?:what(?:'s| is| are| would be)?|how much (?:is|are)|"
    r"calculate|compute|work out|evaluate|tell me|find|give me)?\s*(?:the (?:value|result) of)?\s*",
    re.IGNORECASE,
)
_OPERATORS = (
    (re.compile(r"\b(?:plus)\b", re.I), "+"),
    (re.compile(r"\b(?:minus|less)\b", re.I), "-"),
    (re.compile(r"\b(?:times|multiplied by)\b|[×x](?=\s*[\d(])", re.I), "*"),
    (re.compile(r"\b(?:divided by|over)\b|÷", re.I), "/"),
    (re.compile(r"\b(?:to the power of)\b|\^", re.I), "**"),
)
_FILLERS = frozenset(
    "a an and are as at be by can do does each for from give have how i if in is it its me mean means much of on over "
    "per please rate same show tell that the then this to us want was we what which will with work would year years "
    "month months day days annum p annual annually monthly quarterly yearly interest loan loans home car personal "
    "education gold amount value values number numbers tenure term period periods figure result average next last "
    "calculate compute calculation forecast project estimate rise rises rose fall falls fell drop drops increase "
    "increases decrease decreases grow grows growth share ratio total sum percent emi instalment simple compound "
    "compounded put invest invested deposit deposited get there i my work out".split()
)
_SIGNS = re.compile(r"\*\*|[-+*/()]")
_ONLY_SIGNS = re.compile(r"[-+*/()\s]*")


@dataclass(frozen=True, slots=True)
class EarlierFigure:
    """The one figure that an agent before this one found: its name there, and the agent's."""

    value: Decimal
    name: str
    agent: str
    is_money: bool = False


def recognise(question: str, earlier: EarlierFigure | None = None) -> Calculation:
    """Read a question as a formula or as arithmetic.

    Args:
        earlier: stands in for an amount that the question refers to or leaves out.

    Raises:
        InputMissing: a formula was asked for, and something that it needs was not said.
        NotRecognised: neither a formula nor arithmetic.
    """
    text = question.strip()
    formula = next((formula for formula in FORMULAS if formula.asked_in(text)), None)
    missing: InputMissing | None = None
    if formula is not None:
        try:
            return _filled(formula, text, earlier)
        except InputMissing as fault:
            missing = fault
    calculation = _arithmetic(text)
    if calculation is not None:
        return calculation
    if missing is not None:
        raise missing
    raise NotRecognised


def unused_words(question: str) -> tuple[str, ...]:
    """The words of a question that no calculation has a use for."""
    found = quantities(question)
    words = [
        match.group().lower()
        for match in re.finditer(r"[A-Za-z]+", question)
        if not any(quantity.start <= match.start() < quantity.end for quantity in found)
    ]
    cues = " ".join(
        match.group().lower() for formula in FORMULAS for match in re.finditer(formula.cue, question, re.IGNORECASE)
    ).split()
    return tuple(word for word in words if word not in _FILLERS and word not in cues)


def _filled(formula: Formula, text: str, earlier: EarlierFigure | None) -> Calculation:
    left = [quantity for quantity in quantities(text) if not _is_part_of_convention(quantity, text)]
    given = tuple(left)
    lines: list[str] = []
    said: dict[str, str] = {}
    assumptions: list[str] = []
    values = {slot.name: value for slot in formula.slots if (value := _cued(slot, text, left)) is not None}
    for slot in formula.slots:
        if slot.name in values:
            quantity: Quantity | None = values[slot.name]
        elif slot.many:
            lines.append(_list(slot, left, said))
            continue
        elif slot.default:
            lines.append(_default(slot, text, said, assumptions))
            continue
        else:
            quantity = _taken(slot, left)
        if quantity is not None:
            lines.append(f"{slot.name} = {_in_unit(slot, quantity, said)}")
        elif earlier is not None and slot.kinds[0] == "money" and "earlier" not in said:
            lines.append(f"{slot.name} = {literal(earlier.value)}")
            said[slot.name] = said["earlier"] = format_number(earlier.value, "INR")
            assumptions.append(f"{slot.said} is {in_words(earlier.name)}, as {in_words(earlier.agent)} found it")
        else:
            raise InputMissing(f"{formula.name} needs {slot.said}")
    if left:
        unused = ", ".join(text[quantity.start : quantity.end].strip() for quantity in left)
        raise InputMissing(f"{formula.name} has no place for {unused}; it needs {_needs(formula)}")
    ignored = unused_words(text)
    if ignored:
        assumptions.append(f"nothing in the calculation depends on '{' '.join(ignored)}'")
    if "convention" in formula.expression:
        lines.append(_convention(text, said, assumptions))
    code = "\n".join([*lines, f"result = {formula.expression}"])
    return Calculation(
        formula.name,
        (f"Take {_needs(formula)}.", formula.step),
        code,
        _unit(formula, given, earlier if "earlier" in said else None),
        formula.given.format_map(said),
        formula.tail,
        tuple(assumptions),
        certainty=0.9 if "earlier" in said else 1.0,
    )


def _needs(formula: Formula) -> str:
    return ", ".join(slot.said for slot in formula.slots)


def _cued(slot: Slot, text: str, left: list[Quantity]) -> Quantity | None:
    """The quantity that stands right behind the slot's own words."""
    if not slot.before:
        return None
    for quantity in left:
        if quantity.kind in slot.kinds and re.search(slot.before, text[: quantity.start], re.IGNORECASE):
            left.remove(quantity)
            return quantity
    return None


def _taken(slot: Slot, left: list[Quantity]) -> Quantity | None:
    for kind in slot.kinds:
        found = of_kind(left, kind)
        if found:
            left.remove(found[0])
            return found[0]
    return None


def _list(slot: Slot, left: list[Quantity], said: dict[str, str]) -> str:
    found = of_kind(left, *slot.kinds)
    if len(found) < 2:
        raise InputMissing(f"two or more values are needed for {slot.said}")
    for quantity in found:
        left.remove(quantity)
    said[slot.name] = ", ".join(_words(quantity) for quantity in found)
    return f"{slot.name} = [{', '.join(literal(quantity.day or quantity.value) for quantity in found)}]"


def _default(slot: Slot, text: str, said: dict[str, str], assumptions: list[str]) -> str:
    times = next((str(n) for word, n in _PERIODS.items() if re.search(rf"\b{word}\b", text, re.I)), None)
    if times is None:
        times = slot.default
        assumptions.append("interest is added once a year, as nothing else was said")
    said[slot.name] = times
    return f"{slot.name} = {times}"


def _convention(text: str, said: dict[str, str], assumptions: list[str]) -> str:
    compact = re.sub(r"\s*/\s*", "/", text.lower())
    name = next((name for written, name in _CONVENTIONS.items() if written in compact), None)
    if name is None:
        name = "actual/365 fixed"
        assumptions.append("days are counted actual/365 fixed, as no convention was named")
    said["convention"] = name
    return f"convention = {literal(name)}"


def _is_part_of_convention(quantity: Quantity, text: str) -> bool:
    return quantity.kind == "number" and any(
        found.start() <= quantity.start and quantity.end <= found.end()
        for found in re.finditer(r"\b(?:30e?|act(?:ual)?)\s*/\s*(?:36\d|act(?:ual)?)\b", text, re.IGNORECASE)
    )


def _in_unit(slot: Slot, quantity: Quantity, said: dict[str, str]) -> str:
    """The value in the unit of the slot, written for the program."""
    value = quantity.value
    if slot.name == "months":
        value = value * 12 if quantity.kind == "years" else value
        said[slot.name] = f"{value.normalize():f}"
        return f"{int(value)}" if value == value.to_integral_value() else literal(value)
    if slot.name == "years" and quantity.kind == "months":
        said[slot.name] = f"{(value / 12).normalize():f}"
        return f"{literal(value)} / 12"
    said[slot.name] = _words(quantity)
    return literal(quantity.day or value)


def _words(quantity: Quantity) -> str:
    return quantity.day.isoformat() if quantity.day else format_number(quantity.value, "INR")


def _unit(formula: Formula, given: tuple[Quantity, ...], earlier: EarlierFigure | None) -> Unit:
    if formula.unit != "same":
        return formula.unit
    if of_kind(given, "money") or (earlier is not None and earlier.is_money):
        return "money"
    return "percent" if given and all(quantity.kind == "percent" for quantity in given) else "number"


def _arithmetic(text: str) -> Calculation | None:
    """Numbers and signs alone, after the words that ask."""
    question = _ASKING.sub("", text.rstrip(" ?=."), count=1)
    for pattern, sign in _OPERATORS:
        question = pattern.sub(f" {sign} ", question)
    pieces: list[str] = []
    end = 0
    for quantity in quantities(question):
        gap = question[end : quantity.start]
        if quantity.kind not in {"number", "money"} or not _ONLY_SIGNS.fullmatch(gap):
            return None
        pieces += [*_SIGNS.findall(gap), literal(quantity.value)]
        end = quantity.end
    rest = question[end:]
    if not _ONLY_SIGNS.fullmatch(rest):
        return None
    code = " ".join([*pieces, *_SIGNS.findall(rest)])
    if len(pieces) < 3 or not _is_expression(code):
        return None
    return Calculation("result", ("Work out the expression.",), f"result = {code}", "number", given=question.strip())


def _is_expression(code: str) -> bool:
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return False
    return True

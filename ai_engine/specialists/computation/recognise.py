"""A question with its numbers becomes a calculation: formulas by their words, arithmetic by its signs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.formats import Formats
from ai_engine.insight.amounts import format_number
from ai_engine.specialists.computation.arithmetic import arithmetic
from ai_engine.specialists.computation.calculation import (
    Calculation,
    InputMissing,
    NotRecognised,
    Unit,
    in_words,
    literal,
)
from ai_engine.specialists.computation.formula import Formula, Slot
from ai_engine.specialists.computation.formulas import FORMULAS
from ai_engine.specialists.computation.quantities import Quantity, QuantityKind, of_kind, quantities

_PERIODS = {"daily": 365, "monthly": 12, "quarterly": 4, "half yearly": 2, "half-yearly": 2, "semi-annually": 2,
            "yearly": 1, "annually": 1}  # fmt: skip
_PARTS_OF_A_YEAR = {2: "half-year", 4: "quarter", 12: "month", 52: "week", 365: "day"}
_CONVENTIONS = {
    "30e/360": "30e/360", "30/360": "30/360 us", "actual/360": "actual/360", "act/360": "actual/360",
    "actual/actual": "actual/actual isda", "act/act": "actual/actual isda", "actual/365": "actual/365 fixed",
    "act/365": "actual/365 fixed",
}  # fmt: skip
_FILLERS = frozenset(
    "a an and are as at be by can do does each for from give have how i if in is it its me mean means much of on over "
    "per please rate same show tell that the then this to us want was we what which will with work would year years "
    "month months day days annum p annual annually monthly quarterly yearly interest loan loans home car personal "
    "education gold amount value values number numbers tenure term period periods figure result average next last "
    "calculate compute calculation forecast project estimate rise rises rose fall falls fell drop drops increase "
    "increases decrease decreases grow grows growth share ratio total sum percent emi instalment simple compound "
    "compounded put invest invested deposit deposited get there i my work out assume assuming suppose supposing say "
    "they where after must keep".split()
)
_POINTING = frozenset("it its that their them these those they this our such same".split())


@dataclass(frozen=True, slots=True)
class EarlierFigure:
    """A figure that an agent before this one found: its name there, and the agent's."""

    value: Decimal
    name: str
    agent: str
    kind: QuantityKind = "number"

    @property
    def told(self) -> str:
        """As an assumption names it."""
        return f"{in_words(self.name)}, as {in_words(self.agent)} found it"


def recognise(question: str, earlier: Sequence[EarlierFigure] = ()) -> Calculation:
    """Read a question as a formula or as arithmetic.

    Args:
        earlier: figures that stand in for what the question leaves out, the latest first.

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
    calculation = arithmetic(text)
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


def _filled(formula: Formula, text: str, earlier: Sequence[EarlierFigure]) -> Calculation:
    left = [quantity for quantity in quantities(text) if not _is_part_of_convention(quantity, text)]
    given = tuple(left)
    lines: list[str] = []
    said: dict[str, str] = {}
    assumptions: list[str] = []
    values = {slot.name: value for slot in formula.slots if (value := _cued(slot, text, left)) is not None}
    before = [figure for figure in earlier if all(figure.value != quantity.value for quantity in given)]
    leant_on: list[EarlierFigure] = []
    for slot in formula.slots:
        if slot.name in values:
            quantity: Quantity | None = values[slot.name]
        elif slot.many:
            lines.append(_list(slot, left, said))
            continue
        elif slot.default:
            lines.append(_default(slot, text, given, said, assumptions))
            continue
        else:
            quantity = _taken(slot, left)
        if quantity is not None:
            lines.append(f"{slot.name} = {_in_unit(slot, quantity, said)}")
            if slot.name == "annual_rate_percent" and quantity.a_year > 1:
                each = f"{_plain(quantity.value)} % a {_PARTS_OF_A_YEAR[quantity.a_year]}"
                assumptions.append(f"{each} is taken as {_plain(quantity.value * quantity.a_year)} % a year")
        elif (figure := _left_out(slot, before, leant_on, formula)) is not None:
            leant_on.append(figure)
            lines.append(f"{slot.name} = {literal(figure.value)}")
            said[slot.name] = format_number(figure.value, Formats("INR"))
            assumptions.append(f"{slot.said} is {figure.told}")
        else:
            raise InputMissing(f"{formula.name} needs {slot.said}")
    if left:
        unused = ", ".join(text[quantity.start : quantity.end].strip() for quantity in left)
        raise InputMissing(f"{formula.name} has no place for {unused}; it needs {_needs(formula)}")
    ignored = unused_words(text)
    if ignored and leant_on:
        _check_that_it_is_meant(formula, ignored, leant_on)
    elif ignored:
        assumptions.append(f"nothing in the calculation depends on '{' '.join(ignored)}'")
    if "convention" in formula.expression:
        lines.append(_convention(text, said, assumptions))
    code = "\n".join([*lines, f"result = {formula.expression}"])
    return Calculation(
        formula.name,
        (f"Take {_needs(formula)}.", formula.step),
        code,
        _unit(formula, [quantity.kind for quantity in given] + [figure.kind for figure in leant_on]),
        formula.given.format_map(said),
        formula.tail,
        tuple(assumptions),
        certainty=0.9 if leant_on else 1.0,
    )


def _left_out(
    slot: Slot, before: Sequence[EarlierFigure], leant_on: Sequence[EarlierFigure], formula: Formula
) -> EarlierFigure | None:
    """The latest figure before that may fill a slot; only one, where it matters which is which."""
    if leant_on and not formula.in_any_order:
        return None
    kinds = {*slot.kinds, "number"} if "money" in slot.kinds else set(slot.kinds)
    return next((figure for figure in before if figure.kind in kinds and figure not in leant_on), None)


def _check_that_it_is_meant(formula: Formula, ignored: Sequence[str], leant_on: Sequence[EarlierFigure]) -> None:
    """Refuse an earlier figure where the question names something else."""
    names = {word for figure in leant_on for word in re.findall(r"[a-z]+", figure.name.lower())}
    others = [word for word in ignored if word not in names and word not in _POINTING]
    if others:
        told = " and ".join(in_words(figure.name) for figure in leant_on)
        raise InputMissing(f"{formula.name} is asked of “{' '.join(others)}”, and what was found before is {told}")


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


def _default(slot: Slot, text: str, given: Sequence[Quantity], said: dict[str, str], assumptions: list[str]) -> str:
    times = next((str(n) for word, n in _PERIODS.items() if re.search(rf"\b{word}\b", text, re.I)), None)
    a_year = max((quantity.a_year for quantity in given), default=1)
    if times is None and a_year > 1:
        times = str(a_year)
        assumptions.append(f"interest is added {a_year} times a year, as often as the rate is for")
    elif times is None:
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
        said[slot.name] = _plain(value)
        return f"{int(value)}" if value == value.to_integral_value() else literal(value)
    if slot.name == "years" and quantity.kind == "months":
        said[slot.name] = _plain(value / 12) if value % 12 == 0 else f"{_plain(value)}/12"
        return f"{literal(value)} / 12"
    if slot.name == "annual_rate_percent":
        value *= quantity.a_year
        said[slot.name] = _plain(value)
        return literal(value)
    said[slot.name] = _words(quantity)
    return literal(quantity.day or value)


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _words(quantity: Quantity) -> str:
    return quantity.day.isoformat() if quantity.day else format_number(quantity.value, Formats("INR"))


def _unit(formula: Formula, kinds: Sequence[QuantityKind]) -> Unit:
    """The unit of the outcome, from those of what went in, in its order."""
    if formula.unit == "quotient":
        return "money" if kinds[:1] == ["money"] and "money" not in kinds[1:] else "number"
    if formula.unit != "same":
        return formula.unit
    if "money" in kinds:
        return "money"
    return "percent" if kinds and set(kinds) == {"percent"} else "number"

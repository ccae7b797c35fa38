"""The sentence about the one row that a ranked list shows: which it is, and its rank."""

from __future__ import annotations

from ai_engine.insight.reading import Reading
from ai_engine.insight.wording import opening


def describe_alone(reading: Reading) -> str:
    """Say "Loan LN000000385 has the third highest loan amount, Rs.9.18 crore.", the figure where it is shown."""
    place, alone = reading.facts.ordered_by, reading.task.scope.alone
    shown = f", {reading.written(reading.task.result.rows[0][place], place)}" if place is not None else ""
    return f"{opening(_name(reading))} has the {alone}{reading.during}{shown}."


def _name(reading: Reading) -> str:
    """Name the row by its own name, else by its own number, else by what else is shown of it."""
    columns, thing = reading.shape.columns, reading.task.scope.thing
    places = [place for place in range(len(columns)) if place != reading.facts.ordered_by]
    own = [place for place in places if columns[place].label.lower().startswith(f"{thing} ")]
    named = [place for place in own if columns[place].label.lower().endswith("name")]
    if named:
        return reading.row_name(0, (named[0],))
    numbered = [place for place in own if columns[place].role == "identifier"]
    if numbered:
        return f"{thing} {reading.row_name(0, (numbered[-1],))}"
    words = [place for place in places if columns[place].role not in ("identifier", "measure")] or places
    return reading.row_name(0, tuple(words[:1])) if words else f"one {thing}"

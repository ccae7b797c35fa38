"""Finds numbers in a text about several results that none of them bears out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ai_engine.insight.changes import Way
from ai_engine.insight.checking.borne_out import FoundedNumbers, ascending, near
from ai_engine.insight.checking.dates import KnownDates, dates_in
from ai_engine.insight.checking.disguised import parts_told
from ai_engine.insight.checking.figure import Figure, Kind, Reading, repeats_a_word
from ai_engine.insight.checking.marks import currencies_of, figures_with_other_marks, told_below_zero
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.checking.told_rows import is_compared
from ai_engine.insight.checking.ways import ways_told
from ai_engine.insight.figures import figures_in
from ai_engine.insight.retold_table import RetoldTable, Table
from ai_engine.operators.links import drawn_text

_HUNDRED = Decimal(100)
LONGEST_CHARS = 20_000
"""Longer than whatever a model is asked to write; reading the figures of more takes more than a moment."""
_NOTHING = FoundedNumbers((), (), ())
_NO_FIGURE = "one"
"""A word that is hardly ever a number where it stands alone."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A number of an answer, the ways that the answer says it went, and whether it may be told with a minus."""

    reading: Reading
    ways: frozenset[Way]
    below_zero: bool


@dataclass(frozen=True, slots=True)
class _Answers:
    """What answers tell: all of it, and by kind the numbers without their sign, ascending; those below zero again."""

    told: tuple[_Told, ...]
    numbers: Mapping[Kind, Sequence[Decimal]]
    below_zero: Mapping[Kind, Sequence[Decimal]]

    @classmethod
    def of(cls, told: Iterable[_Told]) -> _Answers:
        all_told = tuple(dict.fromkeys(told))
        return cls(all_told, _by_kind(all_told), _by_kind(one for one in all_told if one.below_zero))


def _by_kind(told: Iterable[_Told]) -> dict[Kind, Sequence[Decimal]]:
    found: dict[Kind, list[Decimal]] = {}
    for one in told:
        found.setdefault(one.reading.kind, []).append(one.reading.value)
    return {kind: ascending(numbers) for kind, numbers in found.items()}


def unretold_figures(text: str, answers: Iterable[str], tables: Iterable[Table]) -> tuple[str, ...]:
    """Return the numbers of a text, in digits or words, that are in no answer and do not follow from a table.

    The text is read as it is written, and as a page draws it that knows Markdown: "cro**r**e" is crore there.
    So is what it tells in a scale, or in another currency, that no answer names. Days of an answer are told as days.

    Args:
        text: what is to be said.
        answers: texts that were themselves checked; their figures may be repeated, also rounded. What they tell as a
            fall is no rise.
        tables: of their columns of figures the cells are founded, the differences, percentage changes and ratios of
            rows that the text names beside them (see `founded.py`), and the number of rows. Whether a column may be
            added up is not known here, nor its currency.
    """
    if len(text) > LONGEST_CHARS:
        return _too_long(text)
    answers, tables = list(answers), list(tables)
    found, drawn = _unretold(text, answers, tables), drawn_text(text)
    return found if found or drawn == text else _unretold(drawn, [drawn_text(one) for one in answers], tables)


def _unretold(text: str, answers: Sequence[str], tables: Sequence[Table]) -> tuple[str, ...]:
    plain, said = plain_digits(text), [plain_digits(answer) for answer in answers]
    days = KnownDates(frozenset(day for answer in said for day in dates_in(answer)))
    told, said = days.left_out_of(plain), [days.left_out_of(answer) for answer in said]
    named, told_tables = " ".join(said).lower(), [RetoldTable(plain, table) for table in tables]
    return (
        *_unfounded(told, said, told_tables, named),
        *figures_with_other_marks(figures_in(told), told, named, currencies_of(said)),
        *_parts_from_nowhere(told, said),
        *_of_other_rows(plain, [plain_digits(answer) for answer in answers], told_tables),
    )


def _of_other_rows(plain: str, said: Sequence[str], tables: Sequence[RetoldTable]) -> Iterator[str]:
    """Yield the first figure that the words right beside it give to a row of a table, where no table or answer does."""
    judged = [(table, [RetoldTable(answer, table.rows) for answer in said]) for table in tables]
    for figure in figures_in(plain) if judged else ():
        if any(one.kind != "plain" for one in _all(figure)) or is_compared(figure, plain):
            continue
        given = [(table, answers, rows) for table, answers in judged if (rows := table.given(figure))]
        if any(table.has(figure, rows) for table, _, rows in given):
            continue
        is_cell = any(table.has_anywhere(figure) for table, _, _ in given)
        if is_cell and not any(answer.gives(figure, rows) for _, answers, rows in given for answer in answers):
            yield figure.text
            return


def _parts_from_nowhere(text: str, said: Sequence[str]) -> Iterator[str]:
    """Yield words for a part ("most customers") that no answer has, nor a percentage that they may stand for."""
    known = [
        reading
        for answer in said
        for figure in (*figures_in(answer), *parts_told(answer))
        for reading in _all(figure)
        if reading.kind in {"percent", "part"}
    ]
    for figure in parts_told(text):
        if not any(abs(one.value - part.value) <= part.slack for part in _all(figure) for one in known):
            yield figure.text


def unwritten_figures(text: str, written: Iterable[str], tables: Iterable[Table] = ()) -> tuple[str, ...]:
    """Return the numbers of a text that nobody wrote; a number is one whatever it was a number of, a day too."""
    plain = plain_digits(text)
    return _unfounded(plain, [plain_digits(one) for one in written], [RetoldTable(plain, table) for table in tables])


class WrittenFigures:
    """The numbers of what somebody wrote, read once however many texts are held to them."""

    def __init__(self, written: Iterable[str]) -> None:
        self._said = [plain_digits(one) for one in written]
        self._answers = _told_in(self._said)

    def missing(self, text: str) -> tuple[str, ...]:
        """Return what `unwritten_figures` does; a text that is longer than anybody reads is one figure."""
        if len(text) > LONGEST_CHARS:
            return _too_long(text)
        return _unfounded(plain_digits(text), self._said, (), answers=self._answers)


def _told_in(said: Iterable[str]) -> _Answers:
    return _Answers.of(one for answer in said for one in _told(answer))


def _unfounded(
    plain: str, said: Sequence[str], tables: Sequence[RetoldTable], named: str = "", answers: _Answers | None = None
) -> tuple[str, ...]:
    told, figures = answers or _told_in(said), figures_in(plain)
    figures = [replace(one, below_zero=told_below_zero(one, plain, named)) for one in figures]
    return tuple(
        figure.text
        for at, figure in enumerate(figures)
        if not (
            _is_founded(figure, _NOTHING, told)
            or any(_is_founded(figure, table.founded_at(figure), told) for table in tables)
            or repeats_a_word(figure, plain, _texts(said, tables))
        )
        or _is_turned_round(figure, ways_told(figures, at, plain), told)
    )


def _texts(said: Iterable[str], tables: Iterable[RetoldTable]) -> Iterator[str]:
    yield from said
    yield from (plain_digits(cell) for table in tables for row in table.rows for cell in row if isinstance(cell, str))


def unsaid_figures(text: str, said: Iterable[str], tables: Iterable[Table] = ()) -> tuple[str, ...]:
    """Return the numbers of words that are handed on which nobody said or found; days, months and years are periods.

    Who works with such words takes their numbers for the person's own.
    """
    if len(text) > LONGEST_CHARS:
        return _too_long(text)
    plain = plain_digits(text)
    told = KnownDates(frozenset(dates_in(plain))).left_out_of(plain)
    return tuple(figure for figure in unwritten_figures(told, said, tables) if figure.lower() != _NO_FIGURE)


def figures_of_text(text: str) -> set[Decimal]:
    """Return every number that a text may mean."""
    return {reading.value for figure in _figures(text) for way in figure.readings for reading in way}


def _too_long(text: str) -> tuple[str, ...]:
    return (f"a text of {len(text):,} characters, of which {LONGEST_CHARS:,} are read",)


def _figures(text: str) -> list[Figure]:
    return figures_in(plain_digits(text))


def _told(plain: str) -> Iterator[_Told]:
    figures = figures_in(plain)
    for at, figure in enumerate(figures):
        ways = ways_told(figures, at, plain)
        below_zero = told_below_zero(figure, plain, "") or "fall" in ways
        yield from (_Told(reading, ways, below_zero) for way in figure.readings for reading in way)


def _is_turned_round(figure: Figure, ways: frozenset[Way], answers: _Answers) -> bool:
    """Whether every answer that says which way this figure went says the other one."""
    if not ways:
        return False
    said = [one.ways for reading in _all(figure) for one in answers.told if one.ways and _is_same(one.reading, reading)]
    return bool(said) and all(ways.isdisjoint(other) for other in said)


def _all(figure: Figure) -> list[Reading]:
    return [reading for readings in figure.readings for reading in readings]


def _is_same(told: Reading, reading: Reading) -> bool:
    return told.kind == reading.kind and abs(abs(told.value) - abs(reading.value)) <= reading.slack


def _has(told: Mapping[Kind, Sequence[Decimal]], reading: Reading) -> bool:
    return near(told.get(reading.kind, ()), abs(reading.value), reading.slack)


def _is_founded(figure: Figure, founded: FoundedNumbers, answers: _Answers) -> bool:
    return any(
        all(_is_one(reading, founded, answers) for reading in readings)
        and (not figure.below_zero or all(_is_below_zero(reading, founded, answers) for reading in readings))
        for readings in figure.readings
    )


def _is_below_zero(reading: Reading, founded: FoundedNumbers, answers: _Answers) -> bool:
    return founded.is_below_zero(reading) or _has(answers.below_zero, reading)


def _is_one(reading: Reading, founded: FoundedNumbers, answers: _Answers) -> bool:
    value, slack = reading.value, reading.slack
    if _has(answers.numbers, reading):
        return True
    if reading.kind == "percent":
        return founded.has_percent(value, slack)
    if reading.kind == "fraction":
        return founded.has_percent(value * _HUNDRED, slack * _HUNDRED) or founded.has_ratio(value, slack)
    if reading.kind == "ratio":
        return founded.has_ratio(value, slack)
    return reading.kind == "plain" and founded.has_number(value, slack)

"""Parts that lean on what was found before them: "4 % of that", "divide the first by the second", "when is it open?".

A part is sent to its agent standing alone, so what such words stand for is written in their place once it is known.
Where that could be several things they stay, and the agent says what it misses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from ai_engine.agent import AgentExecutionStatus, AgentResult
from ai_engine.agent_results import described
from ai_engine.insight.amounts import exact
from ai_engine.specialists.computation.calculation import in_words

_END = (
    r"(?=\s*(?:[?.,;:!)]|$|(?:at|over|by|to|into|in|on|as|with|for|from|than|of|and|mean|means|plus|minus|times|per|grow|"
    r"grows|become|becomes|after|is|be|earn|earns|together|up|unpaid|[a-z]+ed)\b))"
)
_FIGURE = r"(?:amount|figure|number|value|sum|total|balance|rate|result)"
_ONE = re.compile(
    rf"\b(?:(?:that|this)(?: (?P<noun>{_FIGURE}))?|it|they|the result|the same {_FIGURE}){_END}", re.IGNORECASE
)
_BOTH = re.compile(
    rf"\b(?:the two|both(?: of them)?|(?:these|those)(?: two)?|them)(?: {_FIGURE}s)?{_END}", re.IGNORECASE
)
_IN_TURN = re.compile(r"\bone (?P<link>by|from|to|of|into|with) the other\b", re.IGNORECASE)
_NUMBERED = re.compile(
    rf"\bthe (?P<which>first|second|third|fourth|former|latter)(?: (?:one|{_FIGURE}))?{_END}", re.IGNORECASE
)
_THING = re.compile(r"\b(?:(?P<its>its)|it|(?:that|this|the same) (?P<noun>[a-z]+))\b", re.IGNORECASE)
_RATE = re.compile(
    r"\b(?:at|with|using) (?P<phrase>(?:the|today's|our|its|current)\b[^,;?.\d]*?\brates?\b[^,;?.\d]*?)"
    r"(?=\s+(?:over|for|on|in|after)\s+(?:\d|[a-z]+\s+(?:years?|months?)\b)|\s*[,;?.]|\s*$)",
    re.IGNORECASE,
)
THAT_RATE = "that rate"
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "former": -2, "latter": -1}
_LEANING = 0.1
_STAND_INS = ("INR 100000", "8 %", "100")


@dataclass(frozen=True, slots=True)
class Found:
    """A figure or a thing that an agent found.

    Attributes:
        text: as a question writes it: "INR 1405843535.05", "8.75 %", "154", "Pune Shivajinagar".
        name: of its column.
        agent: who found it.
        alone: its result has no other figure, so that "that" means it.
    """

    text: str
    name: str
    agent: str
    alone: bool = True


@dataclass(frozen=True, slots=True)
class StandingAlone:
    """A part with nothing left to lean on, and what was put for which words."""

    question: str
    taken: tuple[tuple[str, Found], ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """What was put, a clause for each of the words."""
        meant: dict[str, list[Found]] = {}
        for words, one in self.taken:
            meant.setdefault(words, []).append(one)
        return tuple(
            f"“{words}” {'is' if len(found) == 1 else 'are'} "
            f"{' and '.join(f'{in_words(one.name)} ({in_words(one.agent)})' for one in found)}"
            for words, found in meant.items()
        )


_Written: TypeAlias = tuple[str, tuple[Found, ...]]
"""What is written for words, and what was found that it names."""
_Put: TypeAlias = Callable[[re.Match[str], Sequence[Found]], _Written | None]


def leans(part: str) -> bool:
    """Whether words of a part stand for something found before it."""
    return any(pattern.search(part) for pattern in (_ONE, _BOTH, _IN_TURN, _NUMBERED, _THING))


def rate_to_look_up(part: str) -> str | None:
    """The words for a rate that somebody else may know: "today's home loan rate" of "EMI at today's home loan rate"."""
    found = _RATE.search(part)
    return found["phrase"] if found else None


def with_stand_ins(part: str) -> Iterator[str]:
    """Yield the part with figures of each kind in place of what it leans on, as long as nothing is found yet."""
    for text in _STAND_INS:
        found = [Found(text, "", ""), Found(text, "", "")]
        replaced = _with_figures(part, found)
        if replaced.taken:
            yield replaced.question


def claim_with_stand_ins(part: str, claim: Callable[[str], float | None], *, looks_up: bool) -> float | None:
    """How surely a part is somebody's, as if what it leans on were there.

    Args:
        looks_up: whose work is to look figures up claims hardly any of a part that works with figures found before.
    """
    stand_ins = list(with_stand_ins(part))
    if looks_up and stand_ins:
        return _LEANING
    return max((claimed for text in (part, *stand_ins) if (claimed := claim(text)) is not None), default=None)


def standing_alone(part: str, earlier: Sequence[AgentResult], *, calculates: bool) -> StandingAlone:
    """Put what was found for the words that stand for it.

    Args:
        earlier: results of the parts before, in their order.
        calculates: the agent works with figures; for any other, "it" is the thing that they describe.
    """
    succeeded = [one for one in earlier if one.status is AgentExecutionStatus.succeeded]
    if calculates:
        return _with_figures(part, [figure for result in succeeded for figure in _figures(result)])
    things = [thing for result in succeeded if (thing := _thing(result)) is not None]
    if things:
        return _replaced(part, _THING, lambda match: _as_thing(match, things[-1]))
    return _with_figures(part, [figure for result in succeeded for figure in _figures(result)])


def _with_figures(part: str, found: Sequence[Found]) -> StandingAlone:
    """Put figures, each once: "15 % of it, how much would that be?" asks in "that" for what comes of the part."""
    taken: list[tuple[str, Found]] = []
    for pattern, put in (
        (_IN_TURN, _one_and_the_other),
        (_BOTH, _both),
        (_NUMBERED, _numbered),
        (_ONE, _latest),
    ):
        meant: set[Found] = set()

        def once(match: re.Match[str], put: _Put = put, meant: set[Found] = meant) -> _Written | None:
            written = put(match, found)
            if written is None or meant & set(written[1]):
                return None
            meant.update(written[1])
            return written

        step = _replaced(part, pattern, once)
        part = step.question
        taken += step.taken
    return StandingAlone(part, tuple(taken))


def _replaced(part: str, pattern: re.Pattern[str], put: Callable[[re.Match[str]], _Written | None]) -> StandingAlone:
    taken: list[tuple[str, Found]] = []

    def written(match: re.Match[str]) -> str:
        meant = put(match)
        if meant is None:
            return match[0]
        text, figures = meant
        taken.extend((match[0], figure) for figure in figures)
        return text

    return StandingAlone(pattern.sub(written, part), tuple(taken))


def _one_and_the_other(match: re.Match[str], found: Sequence[Found]) -> _Written | None:
    if len(found) != 2:
        return None
    return f"{found[0].text} {match['link']} {found[1].text}", tuple(found)


def _both(_: re.Match[str], found: Sequence[Found]) -> _Written | None:
    return (f"{found[0].text} and {found[1].text}", tuple(found)) if len(found) == 2 else None


def _numbered(match: re.Match[str], found: Sequence[Found]) -> _Written | None:
    place = _PLACES[match["which"].lower()]
    if len(found) < 2 or place >= len(found) or (place < 0 and len(found) != 2):
        return None
    return found[place].text, (found[place],)


def _latest(match: re.Match[str], found: Sequence[Found]) -> _Written | None:
    """The latest figure; for "that rate" the latest percentage."""
    if match["noun"] == "rate":
        found = [one for one in found if one.text.endswith("%")]
    return (found[-1].text, (found[-1],)) if found and found[-1].alone else None


def _as_thing(match: re.Match[str], thing: Found) -> _Written | None:
    noun = match["noun"]
    if noun is not None and noun.lower() not in thing.name.lower():
        return None
    return (f"{thing.text}'s" if match["its"] else thing.text), (thing,)


def _figures(result: AgentResult) -> list[Found]:
    """The figures of a table of one row: its measures, or what has a unit where no measures were told."""
    table = result.tabular
    if table is None or table.row_count != 1:
        return []
    told = described(result)
    units = told.get("units") or {}
    measures = {column["name"] for column in told.get("columns", ()) if column.get("role") == "measure"} or set(units)
    figures = [
        (name, number)
        for name in table.columns
        if (number := exact(table.rows[0].get(name))) is not None and (name in measures or not measures)
    ]
    return [
        Found(_written(number, str(units.get(name, ""))), name, result.agent, alone=len(figures) == 1)
        for name, number in figures
    ]


def _thing(result: AgentResult) -> Found | None:
    """The one thing that a table of one row is about: its first text."""
    table = result.tabular
    if table is None or table.row_count != 1:
        return None
    row = table.rows[0]
    texts = [name for name in table.columns if isinstance(row.get(name), str)]
    return Found(str(row[texts[0]]), texts[0], result.agent) if texts else None


def _written(number: Decimal, unit: str) -> str:
    digits = f"{number:f}"
    if unit == "percent":
        return f"{digits} %"
    return f"{unit} {digits}" if unit.isupper() else digits

"""Parts of what was counted that nobody asked for ("240 overdue customers"), and parts of less ("240 of 130")."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from sqlglot import exp

from ai_engine.insight.checking.counted import ROWS
from ai_engine.insight.checking.figure import Figure
from ai_engine.insight.checking.figure import Reading as NumberReading
from ai_engine.insight.checking.ways import speaks_of_a_change
from ai_engine.insight.reading import Reading
from ai_engine.semantics.words import stem, words

_WORDS_AFTER = re.compile(r"(?:[\s-]+[^\W\d_]+(?:'s)?){1,9}")
_MOST_BETWEEN = 3
_JUDGED_AFTER = 3
_COMPARED_ROWS = 1_000
_SAYS_MORE = frozenset("who that which are is were was have has had".split())
_ENDS = frozenset("where match matches and or but while whereas than as compared followed against versus".split())
_TELLS_OF_ROWS = frozenset({"has", "have", "had"})
"""What follows is said of the rows: "1 has no average credit score"."""
_SAYS_NOTHING = frozenset(
    "a about above account across after ahead all almost also altogether among an and are as at available based been "
    "before behind being below between bigger both by close combined concentrated counted different distinct "
    "distributed down each either equal even exactly few fewer fewest for found from further greater had has have "
    "held here high higher highest in include included individual is it its just kept larger largest least less level "
    "listed located low lower lowest many more most much nearly new now of on only or other our out over own part per "
    "place placed present recorded registered remaining reported respectively roughly same second separate several "
    "shared shown smaller smallest so some split spread still such than that the their them then there these they "
    "third this those tied to together told total under unique up was well were which while who whole with within "
    "no not "
    "crore lakh million thousand billion rupees rupee inr rs usd eur gbp dollars euros pounds percent points times day "
    "days week weeks month months quarter quarters year years row rows name names group groups".split()
)
_OF = re.compile(
    r"(?:\s+|(?:\s+[a-z]+)?\s+out\s+)of\s+(?:(?:the|all|its|our|these|those)\s+)*"
    r"|(?:\s+[a-z]+)?\s+(?:in|for|(?:out\s+)?of)\s+(?:every|each)\s+",
    re.IGNORECASE,
)


def said_of_result(reading: Reading, named: str, tree: exp.Expr | None) -> Iterator[str]:
    """Yield what may be said of all that was counted: what question, result and statement narrow it by."""
    scope = reading.task.scope
    yield from (named, reading.task.restatement, scope.phrase, scope.things or "")
    for node in tree.find_all(exp.Column, exp.Literal) if tree is not None else ():
        if isinstance(node, exp.Column) or isinstance(node.parent, (exp.Predicate, exp.In)):
            yield node.name


def parts_nobody_asked_for(
    figures: Iterable[Figure], text: str, things: Collection[str], said: Iterable[str]
) -> Iterator[str]:
    """Yield figures that are told of a part of what was counted, by a word that nothing says.

    Args:
        figures: the numbers of the text.
        text: what is told.
        things: stems of words for what was counted.
        said: see `said_of_result`.
    """
    known: frozenset[str] | None = None
    for figure in figures:
        after = _WORDS_AFTER.match(text, figure.end)
        if after is None or any(one.kind != "plain" for way in figure.readings for one in way):
            continue
        if known is None:
            known = frozenset(stem(word) for part in said for word in words(part)).union(things, ROWS)
        is_whole = not re.match(r"[\s-]+[^\W\d_]", text[after.end() :])
        following = [word.removesuffix("'s") for word in after.group().lower().replace("-", " ").split()]
        if any(stem(word) not in known for word in _narrowing(following, things, is_whole=is_whole)):
            yield figure.text + after.group()


def _narrowing(following: Sequence[str], things: Collection[str], *, is_whole: bool) -> list[str]:
    """Return the words behind a figure that make a part of what was counted; `is_whole`: no others follow."""
    at = next((at for at, word in enumerate(following) if stem(word) in things), None)
    if at is None or at > _MOST_BETWEEN:
        alone = is_whole and len(following) == 1
        judged = list(following[:1]) if alone or following[0].endswith("s") else []
    else:
        judged, rest = list(following[:at]), following[at + 1 :]
        if rest and rest[0] in _SAYS_MORE:
            end = next((place for place, word in enumerate(rest) if word in _ENDS), len(rest))
            judged += rest[: min(end, _JUDGED_AFTER)]
    if not _ENDS.isdisjoint(judged) or following[0] in _TELLS_OF_ROWS:
        return []
    return [word for word in judged if word not in _SAYS_NOTHING and not speaks_of_a_change(word)]


def parts_of_less(figures: Sequence[Figure], text: str, reading: Reading) -> Iterator[str]:
    """Yield what is told as a part of less, or of another row's figure: "240 of 130 customers"."""
    columns = [reading.shape.numbers(at) for at in reading.shape.measures]
    for part, whole in pairwise(figures):
        if not _OF.fullmatch(text, part.end, whole.start):
            continue
        parts, wholes = ([one for way in each.readings for one in way if one.kind == "plain"] for each in (part, whole))
        if not parts or not wholes:
            continue
        is_more = min(one.value - one.slack for one in parts) > max(one.value + one.slack for one in wholes)
        if is_more or any(_are_of_other_rows(parts, wholes, numbers) for numbers in columns):
            yield text[part.start : whole.end]


def _are_of_other_rows(
    parts: Iterable[NumberReading], wholes: Iterable[NumberReading], numbers: Sequence[Decimal | None]
) -> bool:
    """Tell whether two figures are those of different rows, and the second is not what all come to."""
    cells = [(row, abs(cell)) for row, cell in enumerate(numbers[:_COMPARED_ROWS]) if cell is not None]
    of_part, of_whole = (
        {row for row, cell in cells for one in each if abs(cell - one.value) <= one.slack} for each in (parts, wholes)
    )
    return bool(of_part and of_whole) and of_part.isdisjoint(of_whole) and len(cells) > len(of_whole)

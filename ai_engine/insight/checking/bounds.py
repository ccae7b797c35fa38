"""Numbers that a statement compares with, and whether a text names them as what they are.

"Loans over 5 lakh" names the threshold of `amount > 500000`, "the top 5" the rows that were asked for. The same number
said as a figure ("5 lakh loans") is none of the result's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal, TypeAlias

from sqlglot import exp

from ai_engine.insight.checking.figure import Figure
from ai_engine.row_bounds import most_rows
from ai_engine.semantics.words import stem, words

Side: TypeAlias = Literal["above", "below", "equal"]

_MOST_RANKED = 10_000
_SIDES: dict[type[exp.Expr], tuple[Side, ...]] = {
    exp.GT: ("above",), exp.GTE: ("above",), exp.LT: ("below",), exp.LTE: ("below",),
    exp.EQ: ("equal",), exp.In: ("equal",), exp.Between: ("above", "below"),
}  # fmt: skip
_OTHER_SIDE: dict[Side, Side] = {"above": "below", "below": "above", "equal": "equal"}
_MONEY = r"(?:[A-Za-z]{2,3}\.?\s?|[₹$€£¥]\s?)?"
_SIDE_WORDS: dict[Side, str] = {
    "above": r"over|above|more\s+than|greater\s+than|higher\s+than|exceed(?:s|ing)?|at\s+least|minimum\s+of|beyond"
    r"|(?:no|not)\s+(?:less|fewer)\s+than|older\s+than|longer\s+than|between|from",
    "below": r"under|below|less\s+than|fewer\s+than|lower\s+than|smaller\s+than|at\s+most|up\s+to|maximum\s+of"
    r"|within|(?:no|not)\s+more\s+than|younger\s+than|shorter\s+than|between\s+.{1,40}\band|from\s+.{1,40}\bto",
    "equal": r"is|of|equals|equal\s+to|exactly",
}
_SAID = {
    side: re.compile(rf"(?P<said>\b(?:is\s+|are\s+|of\s+)?(?:{words})\s+){_MONEY}$", re.IGNORECASE)
    for side, words in _SIDE_WORDS.items()
}
_RESTRICTS = re.compile(r"\b(?:whose|where|with|having|that|which|who)\b[^.;:,]*$", re.IGNORECASE)
_TELLS = re.compile(
    r"\b(?:are|is|was|were|has|have|had|holds?|totals?|total|reached|at|to|by|number|of)\s*$", re.IGNORECASE
)
_ASSERTS = re.compile(r"(?:is|are|exceeds?)\s", re.IGNORECASE)
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_COUNTED_AFTER = re.compile(
    r"(?:\s+(?:rupees|days?|weeks?|months?|years?|hours?|points?))?\s+"
    r"(?!(?:and|or|in|for|on|at|by|with|to|as|each|is|are|was|were|has|have|had|hold|holds|show|make|of|who|that|which"
    r"|during|since|from|per|but|only|while|across|among|than|the|a|an|there|lead|leads|stand|stands|belong|belongs)\b)"
    r"[A-Za-z]"
)
_RANKED_BEFORE = re.compile(
    r"\b(?:top|bottom|first|last|leading|highest|lowest|largest|smallest|biggest|latest|earliest|next)\s+$",
    re.IGNORECASE,
)
_RANKED_AFTER = re.compile(
    r"\s+(?:highest|lowest|largest|smallest|biggest|leading|latest|earliest|most|least|oldest|youngest|best|worst)\b",
    re.IGNORECASE,
)
_PERCENTILE = re.compile(r"(?:th|st|nd|rd)?[\s-]percentiles?\b", re.IGNORECASE)
_FRAMED = re.compile(r"[\s-](?:day|week|month|quarter|year|row|point|period)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a statement compares with.

    Attributes:
        thresholds: (side, number, whether it is a number of rows that is compared).
        ranked: how many rows a ranking was asked for.
        windows: how many rows a moving figure looks at.
        literals: every number of the statement.
        known: stems of words of the question and of the bank's own names in the statement.
    """

    thresholds: frozenset[tuple[Side, Decimal, bool]]
    ranked: frozenset[Decimal]
    windows: frozenset[Decimal]
    literals: frozenset[Decimal]
    known: frozenset[str]

    def names(self, figure: Figure, text: str) -> bool:
        """Tell whether the text says this number as a bound of the statement."""
        values = [way[0].value for way in figure.readings if len(way) == 1 and way[0].kind in {"plain", "rank"}]
        return any(self._names(value, figure, text) for value in values)

    def _names(self, value: Decimal, figure: Figure, text: str) -> bool:
        before, after = text[: figure.start], text[figure.end :]
        if value in self.ranked and (_RANKED_BEFORE.search(before) or _RANKED_AFTER.match(after)):
            return True
        if value / 100 in self.literals and _PERCENTILE.match(after):
            return True
        if value in self.windows and _FRAMED.match(after):
            return True
        return any(
            value == number and self._named_as(side, counts, before, after) for side, number, counts in self.thresholds
        )

    def _named_as(self, side: Side, counts: bool, before: str, after: str) -> bool:
        said = _SAID[side].search(before)
        if said is None:
            return False
        head = before[: said.start()].rstrip()
        restricts = bool(_RESTRICTS.search(head))
        if not restricts and (_ASSERTS.match(said["said"]) or side == "equal" or not self._is_of(head)):
            return False
        return (counts and restricts) or not _COUNTED_AFTER.match(after)

    def _is_of(self, head: str) -> bool:
        """Tell whether a bound stands behind what it bounds: "loans over", and not "their number climbed above"."""
        if _TELLS.search(head):
            return False
        last = _LAST_WORD.search(head)
        return last is None or stem(last.group().lower()) in self.known


def read_bounds(tree: exp.Expr | None, row_count: int, question: str = "") -> Bounds:
    """Gather what a statement compares its columns with; a comparison of constants bounds nothing."""
    thresholds: set[tuple[Side, Decimal, bool]] = set()
    ranked, windows = {Decimal(row_count)}, set[Decimal]()
    nodes = list(tree.walk()) if tree is not None else []
    counts = frozenset(
        node.alias.lower() for node in nodes if isinstance(node, exp.Alias) and node.this.find(exp.Count) is not None
    )
    ranks = frozenset(
        node.alias.lower() for node in nodes if isinstance(node, exp.Alias) and node.this.find(exp.Window) is not None
    )
    literals = frozenset(number for node in nodes if (number := _literal(node)) is not None)
    for node in nodes:
        if isinstance(node, (exp.Limit, exp.Fetch)):
            bound = most_rows(node)
            number = _number(bound) if bound is not None else None
            ranked.update({number} if number is not None and number <= _MOST_RANKED else ())
        elif isinstance(node, exp.WindowSpec):
            number = _number(node.args.get("start"))
            windows.update({number + 1} if number is not None else ())
        elif isinstance(node, exp.Offset):
            number = _number(node.expression)
            ranked.update({number + 1} if number is not None else ())
        elif type(node) in _SIDES:
            compared = _compared(node, counts)
            thresholds.update(compared)
            if _ranks_rows(node, ranks):
                ranked.update(number for side, number, _ in compared if side != "above" and number <= _MOST_RANKED)
    names = [node.name for node in nodes if isinstance(node, (exp.Column, exp.Table))]
    known = frozenset(stem(word) for text in (question, *names) for word in words(text.replace("_", " ")))
    return Bounds(frozenset(thresholds), frozenset(ranked), frozenset(windows), literals, known)


def _ranks_rows(node: exp.Expr, ranks: frozenset[str]) -> bool:
    return node.find(exp.Window) is not None or any(one.name.lower() in ranks for one in node.find_all(exp.Column))


def _compared(node: exp.Expr, counts: frozenset[str]) -> list[tuple[Side, Decimal, bool]]:
    sides = _SIDES[type(node)]
    pairs: list[tuple[Side, exp.Expr, exp.Expr]]
    if isinstance(node, exp.Between):
        pairs = [("above", node.this, node.args["low"]), ("below", node.this, node.args["high"])]
    elif isinstance(node, exp.In):
        pairs = [("equal", node.this, item) for item in node.expressions]
    else:
        pairs = [(sides[0], node.this, node.expression), (_OTHER_SIDE[sides[0]], node.expression, node.this)]
    found: list[tuple[Side, Decimal, bool]] = []
    for side, measured, bound in pairs:
        number = _number(bound)
        if number is not None and measured.find(exp.Column, exp.Count) is not None:
            found.append((side, number, _counts_rows(measured, counts)))
    return found


def _counts_rows(measured: exp.Expr, counts: frozenset[str]) -> bool:
    return measured.find(exp.Count) is not None or any(
        column.name.lower() in counts for column in measured.find_all(exp.Column)
    )


def _number(node: exp.Expr | str | None) -> Decimal | None:
    while isinstance(node, (exp.Cast, exp.Paren)):
        node = node.this
    return _literal(node)


def _literal(node: exp.Expr | str | None) -> Decimal | None:
    if not isinstance(node, exp.Literal):
        return None
    try:
        number = Decimal(node.name)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None

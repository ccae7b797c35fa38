"""Words that say nothing where they belong, and something elsewhere: "kept in Hof", "customer data", "paid out"."""

from __future__ import annotations

from collections.abc import Sequence
from types import UnionType

from ai_engine.built_in.meanings import Attribute, Cue, Figure, Meaning, Span, Stored, Thing
from ai_engine.built_in.tokens import Token

_BEFORE_PLACES = frozenset("in at on with within under from to into by for through via up down".split())
_BEFORE_SUBJECTS = frozenset("of for on about in from to with by are is were was do does did".split())
_AUXILIARIES = frozenset("do does did have has had was were is are been be get got".split())
_DID = frozenset({"do", "does", "did"})
_BEFORE_PARTICLES = frozenset(
    """
    pay pays paid send sends sent give gives gave given put take took taken sell sold lend lends lent make makes made
    buy bought get got run ran came went year years month months
    """.split()
)


def is_silent(meaning: Meaning, span: Span, tokens: Sequence[Token], spans: Sequence[Span]) -> bool:
    """Tell whether a word of the closed class stands where it says nothing.

    The value of its cue says where: anywhere without one, "place" before the place that it leads to, "motion" before
    that or a state, "noun" beside the rows that it is another word for, "particle" behind its verb or number.
    """
    if not isinstance(meaning, Cue) or meaning.kind not in {"filler", "stop"}:
        return False
    before, behind = tokens[: span.start], tokens[span.end :]
    following = behind[0].word if behind else ""
    match meaning.value:
        case "place":
            return following in _BEFORE_PLACES or (not behind and _is_asked(before, _DID))
        case "motion":
            return following in _BEFORE_PLACES or any(
                _means(Stored, other) for other in spans if other.start == span.end
            )
        case "noun":
            if any(_means(Thing | Stored | Attribute | Figure, other) for other in spans if other.start == span.end):
                return False  # "listed loans", "the available balance"
            beside = any(_means(Thing | Stored, other) for other in spans if other.end == span.start)
            return not before or not behind or beside or following in _BEFORE_SUBJECTS
        case "particle":
            verb = before[-1].word if before else ""
            return verb.endswith("ed") or verb in _BEFORE_PARTICLES
    return True


def ends_idly(span: Span, tokens: Sequence[Token], spans: Sequence[Span]) -> bool:
    """Tell whether a last verb only repeats what is asked: "how many loans did they take", "largest payment made"."""
    beside = any(_means(Thing | Stored, other) for other in spans if other.end == span.start)
    return span.end == len(tokens) and (beside or _is_asked(tokens[: span.start], _AUXILIARIES))


def _is_asked(before: Sequence[Token], by: frozenset[str]) -> bool:
    return any(token.word in by for token in before)


def _means(kind: type | UnionType, span: Span) -> bool:
    return any(isinstance(item.meaning, kind) for item in span.candidates)

"""Abbreviations of a question written out, as the glossary of the vocabulary explains them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Days
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token, tokenise

_RELATIVES = frozenset({"who", "which", "that", "whose", "where"})
_PREPOSITIONS = frozenset({"in", "over", "during", "for", "within", "on", "from", "since", "of", "at", "as"})
_GROUPINGS = frozenset({"each", "every", "per", "by"})
_STEPS = frozenset({"day", "week", "month", "quarter", "year", "period"})
_OF_STEP = re.compile(rf"^(?:{'|'.join(sorted(_STEPS))})\s+of\s+", re.IGNORECASE)
_FREQUENCIES = "daily|weekly|monthly|quarterly|yearly|annual"
_GIVEN_PERIOD = re.compile(
    rf"\s+(?:in|during|within|for|of|on|at)\s+(?:(?:the|a|that|this)\s+(?:given|same|respective|relevant|chosen)"
    rf"|the|that)\s+(?:{'|'.join(sorted(_STEPS))}|date)\b",
    re.IGNORECASE,
)
_LONGEST_CLAUSE_WORDS = 3
_COUNTING = re.compile(r"\b(?:how many|total|(?:number|count|no\.?) of(?: the)?)\s+$", re.IGNORECASE)
_COUNTED = re.compile(r"^(?:the )?(?:total )?(?:(?:number|count) of )?", re.IGNORECASE)


@dataclass(frozen=True)
class WrittenOut:
    """A question without abbreviations, and what each was taken for."""

    question: str
    assumptions: tuple[str, ...] = ()


def write_out(question: str, knowledge: Knowledge) -> WrittenOut:
    """Replace the glossary's words by their phrases, leaving out what the question itself says.

    Its own period and its own "for each" go before those of a phrase. A word that is also a name in the vocabulary
    keeps that meaning, and one that is also an everyday word is an abbreviation only in capitals.
    """
    periods = PeriodReader(knowledge.as_of, knowledge.model.fiscal_year_start_month)
    assumptions: list[str] = []
    for word, written in knowledge.model.glossary.items():
        phrase = meaning = _without_today(written, knowledge)
        if _GIVEN_PERIOD.search(meaning) and _spelled(word).search(question):
            question, phrase = _with_its_period(question, word, meaning, periods)
        found = [match for match in _spelled(word).finditer(question) if _is_meant(match.group(), knowledge)]
        if not found:
            continue
        said = tokenise(_spelled(word).sub(" ", question))
        first = _shortened(tokenise(phrase), said, periods)
        question = _replaced(question, found, first, _shortened(first, (*said, *first), periods))
        assumptions.append(f"“{found[0].group()}” was read as {_text(first)}")
    return WrittenOut(question, tuple(assumptions))


def _without_today(phrase: str, knowledge: Knowledge) -> str:
    """Leave the day out on which ages are reckoned anyhow: "65 or older on 2026-11-21"."""
    today = re.escape(knowledge.as_of.isoformat())
    return re.sub(rf"(\b(?:older|younger|old|age))\s+(?:on|as of|as at|at)\s+{today}", r"\1", phrase)


def _with_its_period(question: str, word: str, phrase: str, periods: PeriodReader) -> tuple[str, str]:
    """Move the question's period into a phrase that speaks of "the given month"; without one the phrase loses it."""
    said = tokenise(question)
    place = next(_periods(said, periods), None)
    if place is None:
        return question, _GIVEN_PERIOD.sub("", phrase)
    at, _ = place
    read = periods.read(said, at)
    end = read[0] if read else at
    start = at
    while start and (said[start - 1].word in _PREPOSITIONS | {"the"} or said[start - 1].word in _STEPS):
        start -= 1
    rest = _text((*said[:start], *said[end:]))
    rest = re.sub(rf"\b(?:{_FREQUENCIES})\s+(?={re.escape(word)}\b)", "", rest, flags=re.IGNORECASE)
    return rest, _GIVEN_PERIOD.sub(f" in {_OF_STEP.sub('', _text(said[at:end]))}", phrase)


def _spelled(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'\"`‘“]){re.escape(word)}(?![\w'\"`’”])", re.IGNORECASE)


def _is_meant(written: str, knowledge: Knowledge) -> bool:
    key = tuple(written.lower().split())
    if any(not candidate.cost for candidate in knowledge.lexicon.names(key)):
        return False
    return written.isupper() or not all(word in cue_table().words for word in key)


def _replaced(question: str, found: list[re.Match[str]], first: tuple[Token, ...], later: tuple[Token, ...]) -> str:
    """Put the phrase where the word stood; said again, it needs no period of its own."""
    for place, match in reversed(list(enumerate(found))):
        before, phrase = question[: match.start()], _text(later if place else first)
        phrase = _COUNTED.sub("", phrase) if _COUNTING.search(before) else phrase
        question = f"{before}{phrase}{question[match.end() :]}"
    return question


def _shortened(phrase: tuple[Token, ...], said: tuple[Token, ...], periods: PeriodReader) -> tuple[Token, ...]:
    grouped = next((at for at in range(1, len(phrase)) if _groups(phrase, at)), len(phrase))
    head, groups = phrase[:grouped], phrase[grouped:]
    if any(token.word in _GROUPINGS for token in said):
        groups = ()
    if any(_periods(said, periods)):
        cut = next((at for at, _ in _periods(head, periods) if at), None)
        head = head if cut is None else head[: _start_of_clause(head, cut)] or head
    return (*head, *groups)


def _groups(phrase: tuple[Token, ...], at: int) -> bool:
    """Tell whether "for each" or "per" begins here; what stands before it is the figure."""
    following = phrase[at + 1].word if at + 1 < len(phrase) else ""
    return phrase[at].word == "per" or (phrase[at].word == "for" and following in {"each", "every"})


def _periods(tokens: tuple[Token, ...], periods: PeriodReader) -> Iterator[tuple[int, Days]]:
    for at in range(len(tokens)):
        read = periods.read(tokens, at)
        if read is not None:
            yield at, read[1]


def _start_of_clause(phrase: tuple[Token, ...], at: int) -> int:
    """Where the clause begins that ends in the period at `at`: "who joined since 2023", "in the last week"."""
    while at > 1 and phrase[at - 1].word in _PREPOSITIONS | {",", "the"}:
        at -= 1
    for start in range(max(at - _LONGEST_CLAUSE_WORDS, 1), at):
        if phrase[start].word in _RELATIVES:
            return start
    return at


def _text(tokens: tuple[Token, ...]) -> str:
    written = " ".join(f"“{token.text}”" if token.kind == "quoted" else token.text for token in tokens)
    return written.replace(" ,", ",").replace(" .", ".").replace(" ?", "?")

"""From the spans of a question to the leaves of its chart: all its words can be, and the words that say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ai_engine.built_in.cover import WHOLE_NAME, nearest, spans_of
from ai_engine.built_in.grammar.beside import Beside
from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.leaves_of_adjectives import adjectives, is_of_a_scale
from ai_engine.built_in.grammar.leaves_of_days import dates_of_verbs, participles, priced, shorter_periods
from ai_engine.built_in.grammar.leaves_of_verbs import (
    acting,
    in_directions,
    is_another_word,
    is_deed_of_noun,
    is_participle,
    is_verb,
    leaves_out,
    names_a_doer,
    says_a_deed,
    says_how,
    says_of_a_deed,
)
from ai_engine.built_in.grammar.phrases import Fig, Rows
from ai_engine.built_in.grammar.prices import Prices
from ai_engine.built_in.grammar.reasons import LeafReason
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.silent import ends_idly, is_silent
from ai_engine.built_in.grammar.spelled_out import may_be_a_value, spells_a_value
from ai_engine.built_in.grammar.units import figures_by_unit
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.linking import named_by_its_code
from ai_engine.built_in.meanings import (
    Attribute,
    Candidate,
    Cue,
    Days,
    Figure,
    Meaning,
    Number,
    Quote,
    Span,
    Step,
    Stored,
    Thing,
)  # fmt: skip
from ai_engine.built_in.role_verbs import is_stewardship
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token
from ai_engine.built_in.whole_names import halves_of_names_dearer, without_verbs_in_names
from ai_engine.built_in.word_classes import NAME_COST
from ai_engine.semantics.intent import Measure

_AUXILIARIES = frozenset({"have", "has", "had"})
_ROLES = {"measure": "Amt", "time": "Date", "flag": "Flag"}
_LITERAL_COST = 0.05
_FOR_A_DEED = 0.4
_STOP_COST = 0.06
_OVER = frozenset({"across", "over"})
_LAST_VERB_COST = 0.15
_WORTHWHILE = 0.75
_MOST_MEANINGS = 8
_THEIRS = frozenset({"their", "its", "his", "her", "whose"})
_LEAVING_NOTHING_OUT = frozenset({"included", "included too"})
_HAVING = frozenset({"have", "has", "had", "with", "having", "do", "does", "did"})  # "the city they live in has"
_COPULAS = frozenset({"is", "are", "was", "were"})
_LEANING = [["from", "how"], ["from", "which"], ["of", "how"], ["to", "how"]]  # "from how many" asks of what was told
_ENDS = {"worst": "bad", "best": "good", "youngest": "young", "busiest": "busy", "quietest": "idle"}

Skipped = dict[int, list[tuple[int, float]]]


def leaves_of(
    tokens: tuple[Token, ...], schema: Schema, periods: PeriodReader, prices: Prices
) -> tuple[list[Phrase], Skipped]:
    """The leaves, and by where they begin the words that may be skipped."""
    lexicon = schema.knows.lexicon
    spans = _spans(tokens, lexicon, periods)
    leaves: list[Phrase] = []
    beside = Beside(tokens, spans, schema.knows)
    for span in spans:
        for candidate in _worthwhile(span):
            rather = is_of_a_scale(span.text, candidate.meaning) or beside.excludes(span, candidate.meaning)
            if rather or is_deed_of_noun(span.text, candidate.meaning, schema):
                continue
            leaves += _leaves(tokens, span, candidate, schema, prices)
        leaves += acting(span, tokens, schema, prices)
        leaves += in_directions(span)
    leaves += dates_of_verbs(tokens, lexicon, prices)
    leaves += participles(tokens, schema.knows)
    leaves += shorter_periods(tokens, periods, prices)
    leaves += figures_by_unit(tokens, schema)
    leaves += adjectives(tokens)
    for place, token in enumerate(tokens):
        if not spells_a_value(token, lexicon):
            leaves.append(Phrase(place, place + 1, f"={token.word}", token.word, _LITERAL_COST))
        if token.kind in {"word", "quoted", "number"}:
            leaves.append(
                priced(prices, Phrase(place, place + 1, "Word", token.text, NAME_COST), "a word as it stands")
            )
    return leaves, _skipped(tokens, spans, schema.knows)


def _spans(tokens: tuple[Token, ...], lexicon: Lexicon, periods: PeriodReader) -> tuple[Span, ...]:
    whole = NAME_COST + WHOLE_NAME
    spans = without_verbs_in_names(tuple(spans_of(tokens, lexicon, periods)), whole, lexicon.is_figure)
    return tuple(nearest(halves_of_names_dearer(spans, whole), lexicon))


def _skipped(tokens: tuple[Token, ...], spans: tuple[Span, ...], knows: Knowledge) -> Skipped:
    skipped: Skipped = {}
    for span in spans:
        for candidate in _worthwhile(span):
            single = span.end == span.start + 1
            if (single and may_be_a_value(tokens[span.start], knows.lexicon)) or _says_what_share(tokens, span, spans):
                continue
            if span.start == 0 and [token.word for token in tokens[:2]] in _LEANING:
                continue
            if (
                is_silent(candidate.meaning, span, tokens, spans)
                and not names_a_doer(span.text, knows.lexicon)
                and not _of_every(tokens, span)
                and not leaves_out(tokens, span)
                and not _begins_a_name(span, spans)
            ):
                cost = _STOP_COST if candidate.meaning == Cue("stop") else candidate.cost
                skipped.setdefault(span.start, []).append((span.end, cost))
        idle = any(c.meaning == Cue("have") for c in span.candidates) and not says_a_deed(span.text, knows)
        idle = idle and span.text.lower() not in _LEAVING_NOTHING_OUT and ends_idly(span, tokens, spans)
        if idle and not says_how(tokens, span) and not _within_a_value(span, spans):
            skipped.setdefault(span.start, []).append((span.end, _LAST_VERB_COST))
    for place, token in enumerate(tokens):
        if token.word in _AUXILIARIES and _is_auxiliary(place, spans):
            skipped.setdefault(place, []).append((place + 1, _STOP_COST))
    return skipped


def _says_what_share(tokens: tuple[Token, ...], span: Span, spans: tuple[Span, ...]) -> bool:
    """ "what share of active accounts is savings": of all that are active, not the other way round."""
    if span.text.lower() not in _COPULAS or [t.word for t in tokens[: span.start][-1:]] in (
        ["that"],
        ["which"],
        ["who"],
    ):
        return False
    compared = [item.meaning for other in spans if other.start == span.end for item in other.candidates]
    if any(isinstance(meaning, Cue) and meaning.kind == "compare" for meaning in compared):
        return False  # "whose share of savings is above 10%"
    return any(item.meaning == Cue("share") for other in spans if other.end <= span.start for item in other.candidates)


def _within_a_value(span: Span, spans: tuple[Span, ...]) -> bool:
    """A verb that is a value or a word of one: "processed", "on hold"."""
    longer = (other for other in spans if other.start <= span.start and other.end == span.end)
    return any(isinstance(item.meaning, Stored) for other in longer for item in other.candidates)


def _begins_a_name(span: Span, spans: tuple[Span, ...]) -> bool:
    """ "money in and money out" are two figures, though "money" alone may say nothing."""
    longer = (other for other in spans if other.start == span.start and other.end > span.end)
    return any(isinstance(item.meaning, Figure | Attribute) for other in longer for item in other.candidates)


def _of_every(tokens: tuple[Token, ...], span: Span) -> bool:
    """ "all their loans", "whose loans are all closed": of each of them, which is not left out."""
    before, behind = tokens[: span.start][-1:], tokens[span.end :][:1]
    said = {token.word for token in tokens[span.start : span.end]}
    theirs = any(token.word in _THEIRS for token in (*behind, *tokens[span.start : span.end]))
    return "all" in said and (theirs or any(token.word in _COPULAS for token in before))


def _is_auxiliary(place: int, spans: tuple[Span, ...]) -> bool:
    """ "have opened", "has never made", "each customer has": it says nothing beside another verb or at the end."""
    following = [candidate.meaning for span in spans if span.start == place + 1 for candidate in span.candidates]
    verb = any(isinstance(m, Cue) and m.kind in {"have", "not", "stop", "superlative"} for m in following)
    return verb or not following or any(isinstance(m, Attribute) for m in following)


def _worthwhile(span: Span) -> list[Candidate]:
    cheapest = span.candidates[0].cost
    return [item for item in span.candidates if item.cost <= cheapest + _WORTHWHILE][:_MOST_MEANINGS]


def _leaves(
    tokens: tuple[Token, ...], span: Span, candidate: Candidate, schema: Schema, prices: Prices
) -> Iterator[Phrase]:
    notes = (candidate.note,) if candidate.note else ()
    reasons: tuple[LeafReason, ...] = ()
    inner = tokens[span.start + 1 : span.end - 1]
    if isinstance(candidate.meaning, Attribute) and any(token.word == "of" for token in inner):
        reasons = ("an of within a name",)  # "balance of current accounts" is rather composed
    if isinstance(candidate.meaning, Stored) and candidate.meaning.by_part:
        reasons = ("a part of a value",)
    if is_another_word(span.text.lower(), candidate.meaning, schema):
        return
    if candidate.meaning == Cue("have"):
        if says_how(tokens, span) and span.text.lower() not in _HAVING:
            return
        if is_participle(span.text) and schema.knows.lexicon.stored((span.text.lower(),)):
            return  # "processed" is said of rows that have it as a state
        if is_participle(span.text) and schema.knows.lexicon.dates_of_verbs.get(span.text.lower()):
            return  # "grants used in May" have a day of use
        if is_stewardship(span.text.lower()):  # who manages something plays that role, or nobody is known to
            yield Phrase(span.start, span.end, "Tends", True, candidate.cost)
            return
        reasons = ("a role of others",) if names_a_doer(span.text, schema.knows.lexicon) else ()
    if (
        candidate.meaning == Cue("group")
        and span.text.lower() in _OVER
        and [t.word for t in tokens[span.end :][:1]] == ["all"]
    ):
        return  # "across all claims" is over all of them
    verb = is_verb(span.text, candidate.meaning, schema.knows.lexicon)
    denied = [t.word for t in tokens[: span.start][-1:]] == ["not"]
    if candidate.meaning == Cue("have") and span.text.lower() == "included" and not denied:
        return  # "closed ones included" leaves nothing out
    named = named_by_its_code(span.text, candidate.meaning, schema.knows)
    if named is not None:
        yield Phrase(span.start, span.end, "Thing", replace(named, said=span.text.lower()), candidate.cost, notes)
        reasons = (*reasons, "a code of what has a name")
    for category, value in _categories(_judged(span.text.lower(), candidate.meaning), schema):
        said = "Deed" if verb and category == "Thing" else category
        meant = replace(value, said=span.text.lower()) if isinstance(value, Thing) else value
        cost = candidate.cost + _FOR_A_DEED * says_of_a_deed(span.text.lower(), candidate.meaning, schema.knows.lexicon)
        leaf = Phrase(span.start, span.end, said, meant, cost, notes)
        yield priced(prices, leaf, *reasons)


def _judged(said: str, meaning: Meaning) -> Meaning:
    """Ends of a scale that are not of its numbers: the worst failure rate is the highest, the youngest is a person."""
    return Cue("superlative", _ENDS[said]) if isinstance(meaning, Cue) and said in _ENDS else meaning


def _categories(meaning: Meaning, schema: Schema) -> Iterator[tuple[str, object]]:
    """The categories of a meaning, each with its value."""
    knows = schema.knows
    match meaning:
        case Thing():
            yield "Thing", meaning
        case Attribute():
            yield _ROLES.get(knows.field(meaning).role, "Field"), ref(meaning)
        case Figure(metric=name):
            measure = Measure(metric=name)
            base = knows.base(measure)
            if base is not None:
                yield "Metric", Fig(measure, Rows(base))
        case Stored(with_noun=with_noun):
            yield ("ValN" if with_noun else "Val"), meaning
        case Number():
            yield "Num", meaning
        case Days():
            yield "Days", meaning
        case Step(adverb=adverb):
            yield ("Adverb" if adverb else "Step"), meaning
        case Quote():
            yield "Quote", meaning
        case Cue(kind=kind, value=value) if kind not in {"filler", "direction"}:
            yield f":{kind}", value
            if value is not None:
                yield f":{kind}={value}", value

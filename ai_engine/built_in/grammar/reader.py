"""Readings of a question by the grammar: leaves of its words, a chart, and the structured questions on top."""

from __future__ import annotations

from ai_engine.built_in.grammar.accounts import leaves_of, lost_words, meanings_of
from ai_engine.built_in.grammar.all_kinds import english
from ai_engine.built_in.grammar.chart import Chart
from ai_engine.built_in.grammar.leaves import leaves_of as leaves_of_words
from ai_engine.built_in.grammar.left_over import left_over
from ai_engine.built_in.grammar.prices import Prices, fitted_prices
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.to_intent import said
from ai_engine.built_in.head_nouns import share_head_noun
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.one_reading import LEFT_OVER_COST, Reading
from ai_engine.built_in.plausible import strange
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token, tokenise
from ai_engine.semantics.intent import Intent

_CLOSING_MARKS = " \t\n.?!"
_MOST_READINGS = 12
_IDLE_COST = 0.15  # of a thing that was named and leaves nothing out


def grammar_readings(question: str, knowledge: Knowledge, prices: Prices | None = None) -> tuple[Reading, ...]:
    """The readings worth considering, cheapest first; one with the words left over where nothing covers them all."""
    tokens = tokens_of(question, knowledge)
    if not tokens:
        return ()
    schema = Schema(knowledge)
    chart = chart_of(tokens, schema, prices or fitted_prices())
    found: dict[str, Reading] = {}
    objected: Reading | None = None
    for phrase in chart.whole("Q")[:_MOST_READINGS]:
        told = said(schema, phrase.value)
        if told.is_beyond and not found:
            return (Reading(None, phrase.cost + LEFT_OVER_COST, (told.reason,), (), (), is_objected_to=True),)
        if told.reason:
            cost = phrase.cost + LEFT_OVER_COST
            objected = objected or Reading(None, cost, (told.reason,), (), (), is_objected_to=True)
        if told.intent is None or (same := in_order(told.intent)) in found:
            continue
        lost, idle = lost_words(phrase, told.intent, tokens, schema)
        named = frozenset(leaf.value.dataset for leaf in leaves_of(phrase) if isinstance(leaf.value, Thing))
        against = (*lost, *strange(told.intent, named, knowledge))
        notes = tuple(dict.fromkeys((*phrase.notes, *told.notes, *idle)))
        meanings = meanings_of(phrase, tokens, schema)
        if against:
            cost = phrase.cost + LEFT_OVER_COST * len(against)
            objected = objected or Reading(told.intent, cost, against, notes, meanings, is_objected_to=True)
            continue
        found[same] = Reading(told.intent, phrase.cost + _IDLE_COST * len(idle), (), notes, meanings)
    if found or objected:
        every = (*found.values(), *((objected,) if objected else ()))
        return tuple(sorted(every, key=lambda reading: reading.cost))
    left = left_over(chart, tokens)
    return (Reading(None, LEFT_OVER_COST * len(left), left, (), ()),)


def tokens_of(question: str, knowledge: Knowledge) -> tuple[Token, ...]:
    """The words of a question without what ends it."""
    tokens = tokenise(question.rstrip(_CLOSING_MARKS), knowledge.lexicon.spelled)
    return share_head_noun(tokens, knowledge.lexicon)


def chart_of(tokens: tuple[Token, ...], schema: Schema, prices: Prices) -> Chart:
    """Fill a chart with everything that the words can be together."""
    knows = schema.knows
    periods = PeriodReader(knows.as_of, knows.model.fiscal_year_start_month)
    leaves, skipped = leaves_of_words(tokens, schema, periods, prices)
    return Chart(len(tokens), leaves, skipped, english(), prices, schema)


def in_order(intent: Intent) -> str:
    """The same text for questions that differ in the order of their conditions and columns only."""

    def told(value: object, name: str = "") -> str:
        if isinstance(value, tuple):
            parts = [told(part) for part in value]
            return f"({', '.join(parts if name in {'order', 'via', 'edges'} else sorted(parts))})"
        if hasattr(value, "model_fields_set"):
            named = (f"{name}={told(part, name)}" for name, part in vars(value).items() if part)
            return f"{type(value).__name__}({', '.join(named)})"
        return repr(value)

    return told(intent)

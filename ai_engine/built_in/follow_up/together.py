"""The readings of a few words put together with the question before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.built_in.follow_up.address import Address
from ai_engine.built_in.follow_up.figures import base_of_intent, field_behind
from ai_engine.built_in.follow_up.filters import fields_of
from ai_engine.built_in.follow_up.fragment import Setting, Words
from ai_engine.built_in.follow_up.merge import merge
from ai_engine.built_in.follow_up.step import Merge
from ai_engine.built_in.grammar.accounts import lost_words, meanings_of
from ai_engine.built_in.grammar.constructions.turns import without_replaced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import LEFT_OVER_COST, Reading
from ai_engine.semantics.intent import FieldRef, Intent
from ai_engine.types import Turn as EarlierTurn


def together(
    earlier: Intent, history: Sequence[EarlierTurn], said: Address, words: Words, knowledge: Knowledge
) -> list[Reading]:
    """The readings of a fragment put together with the question before, cheapest first."""
    figure = earlier.measures[0] if earlier.measures and earlier.dimensions else None
    setting = Setting(
        subject=base_of_intent(earlier, knowledge),
        datasets=_datasets(earlier, knowledge),
        grouped_figure=figure,
        compared=_compared(earlier, history, knowledge),
        shown=frozenset((dimension.field.dataset, dimension.field.field) for dimension in earlier.dimensions),
    )
    found: dict[Intent, Reading] = {}
    for fragment in words.fragments(setting):
        reading = _of_same_groups(earlier, _reading(merge(earlier, said, fragment, knowledge)), knowledge)
        assert reading.intent is not None  # noqa: S101 - a changed question is a question
        if reading.intent not in found or reading.cost < found[reading.intent].cost:
            found[reading.intent] = reading
    if found and earlier.over_groups and earlier.measures and all(reading.unplaced for reading in found.values()):
        groups = earlier.model_copy(update={"over_groups": None})
        return together(groups, history, said, words, knowledge)  # what else is asked is asked of the groups
    return sorted(found.values(), key=lambda reading: reading.cost)


def _of_same_groups(earlier: Intent, reading: Reading, knowledge: Knowledge) -> Reading:
    """Groups that were counted or added up can be narrowed; nothing else is a question about the same."""
    if earlier.over_groups is None or reading.intent is None or reading.unplaced:
        return reading
    narrowed = earlier.model_copy(update={"filters": reading.intent.filters, "period": reading.intent.period})
    more = [place for place in fields_of(reading.intent.filters) if place not in fields_of(earlier.filters)]
    bounded = any(knowledge.field(place).role == "measure" for place in more)  # "above 10" of which figure?
    if narrowed != reading.intent or narrowed == earlier or bounded:
        return replace(reading, unplaced=("what should change",), cost=reading.cost + LEFT_OVER_COST)
    return reading


def _reading(step: Merge) -> Reading:
    """The question as it is now, in which every word has its place."""
    said, s = step.fragment, Schema(step.knowledge)
    left = list(step.left)
    if said.phrase is not None and not (
        said.turn.denied or step.lifted or step.said.has("exclude", "unfilter", "everything")
    ):
        besides = (*said.turn.sorted_by, *step.nouns)
        lost, _ = lost_words(without_replaced(said.phrase), step.intent, said.tokens, s, strict=True, besides=besides)
        left += [] if left else lost
    if not (step.changed or left or step.said.has("back", "both")):
        left = ["what should change"]
    return Reading(
        intent=step.intent,
        cost=said.cost + step.cost + LEFT_OVER_COST * len(left),
        unplaced=tuple(left),
        assumptions=tuple(dict.fromkeys((*said.notes, *step.notes))),
        meanings=meanings_of(said.phrase, said.tokens, s) if said.phrase else (),
    )


def _compared(earlier: Intent, history: Sequence[EarlierTurn], knowledge: Knowledge) -> FieldRef | None:
    """The number the conversation was about last: one that was compared, or one that was averaged or added up."""
    base = base_of_intent(earlier, knowledge)
    for intent in (turn.intent for turn in reversed(history) if turn.intent is not None):
        if base_of_intent(intent, knowledge) != base:
            return None
        behind = [field_behind(measure, knowledge) for measure in intent.measures]
        for place in (*reversed(fields_of(intent.filters)), *behind):
            if place is not None and knowledge.field(place).role == "measure":
                return place
    return None


def _datasets(intent: Intent, knowledge: Knowledge) -> frozenset[str]:
    named = {dimension.field.dataset for dimension in intent.dimensions}
    named |= {column.dataset for column in intent.columns} | {place.dataset for place in fields_of(intent.filters)}
    base = base_of_intent(intent, knowledge)
    return frozenset(named | ({base} if base else set()) | ({intent.subject} if intent.subject else set()))

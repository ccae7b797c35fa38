"""Decides whether a question leans on the one before, and reads it so; a question that stands alone is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ai_engine.built_in.follow_up.address import Address, address, may_point_back
from ai_engine.built_in.follow_up.figures import base_of_intent, field_behind
from ai_engine.built_in.follow_up.filters import fields_of
from ai_engine.built_in.follow_up.fragment import Fragment, Setting, first_name, fragments
from ai_engine.built_in.follow_up.merge import merge
from ai_engine.built_in.follow_up.step import Merge
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Days, Stored
from ai_engine.built_in.one_reading import Reading
from ai_engine.built_in.outcomes.rivals import Verdict, judge, restated, said_in_known_words
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.intent import FieldRef, Intent
from ai_engine.semantics.restatement import plural
from ai_engine.types import Turn, WordMeaning

_LEFT_OVER_COST = 3.0


@dataclass(frozen=True)
class Continued:
    """What a question means in its conversation.

    Attributes:
        verdict: its readings together with the question before; None when it stands alone.
        dangling: it refers to an earlier question, and there is none.
    """

    verdict: Verdict | None = None
    dangling: bool = False


def continued(question: str, history: Sequence[Turn], alone: Verdict, knowledge: Knowledge) -> Continued:
    """Read a question in the light of the last one that was answered.

    Args:
        question: as typed.
        history: earlier turns, oldest first.
        alone: what the question comes to by itself.
        knowledge: the vocabulary.
    """
    written = said_in_known_words(question, knowledge)
    tokens = tokenise(written.question)
    earlier = next((turn.intent for turn in reversed(history) if turn.intent is not None), None)
    about = base_of_intent(earlier, knowledge) if earlier is not None else None
    noun = plural(knowledge.dataset(about).label) if about is not None else ""
    said = address(tokens, first_name(tokens, knowledge) if may_point_back(tokens) else 0, noun)
    best = _best(said, Setting(about), knowledge)
    own = best is not None and _own(best, earlier, knowledge)
    if earlier is None or about is None:
        leans = said.has("strong", "pronoun", "only") or (best is not None and _only_shapes(best))
        return Continued(dangling=leans and not own)
    own = own or (best is not None and _asks_a_figure(said, best, about, alone, knowledge))
    own = own or (best is not None and _names_other_rows(said, best, about, alone, knowledge))
    if _stands_alone(said, own, alone) and not _lifts_a_filter(earlier, said, knowledge):
        return Continued()
    verdict = judge(_noting(written.assumptions, _together(earlier, history, said, knowledge)), knowledge)
    if not verdict.distinct:
        leans = said.has("pronoun") or (said.has("strong") and not own)
        return Continued(verdict if leans else None)
    if own and alone.is_answered and not said.has("strong", "pronoun") and _may_be_new(said):
        return Continued(_either(verdict, alone, knowledge))
    return Continued(verdict)


def _own(best: Fragment, earlier: Intent | None, knowledge: Knowledge) -> bool:
    """Whether the question names what it is about: a thing, a figure or a field, not merely sorted or grouped by."""
    sketch = best.sketch
    if best.walk.superlative is not None and earlier is not None and not (sketch.things or sketch.measures):
        return any(knowledge.field(named).role == "measure" for named in sketch.attributes)  # "which region has most?"
    return bool(sketch.things or sketch.measures or sketch.attributes)


def _asks_a_figure(said: Address, best: Fragment, about: str, alone: Verdict, knowledge: Knowledge) -> bool:
    """ "how much was spent on travel?": a whole question, though it names no table and no figure.

    Of the rows that were asked about before it must ask an amount, and say which: "how many women?" goes on with them.
    """
    intent = alone.distinct[0].intent if alone.is_answered and said.leans <= {"everything"} else None
    if intent is None or said.leaves_noun_out:
        return False
    pending = best.walk.pending if best.walk.pending is not None and not best.walk.pending.implied else None
    names = pending is not None or bool(best.sketch.orders)
    if base_of_intent(intent, knowledge) != about:
        return names or (said.opens_itself and best.walk.superlative is None)  # not "which city has the most?"
    counts = pending is not None and "count" in pending.aggregates
    return said.opens_itself and names and not counts and bool(best.sketch.filters)


def _names_other_rows(said: Address, best: Fragment, about: str, alone: Verdict, knowledge: Knowledge) -> bool:
    """ "ATM withdrawals last month" below customers: a kind of rows called by its plural, its days and nothing else."""
    intent = alone.distinct[0].intent if alone.is_answered and not said.leans else None
    values = [item for item in best.walk.items if isinstance(item.meaning, Stored)]
    whole = bool(values) and best.sketch.period is not None and not best.sketch.unplaced
    if intent is None or not whole or any(not isinstance(item.meaning, Stored | Days) for item in best.walk.items):
        return False
    base, named = base_of_intent(intent, knowledge), values[-1]
    return base != about and named.is_plural and getattr(named.meaning, "dataset", None) == base


def _best(said: Address, setting: Setting, knowledge: Knowledge) -> Fragment | None:
    return min(fragments(said.rest, setting, knowledge), key=_left_cost, default=None)


def _only_shapes(best: Fragment) -> bool:
    """ "by region", "top 5", "as a percentage": the shape of an answer, and nothing that is asked."""
    if best.sketch.unplaced:
        return False
    sketch, pending = best.sketch, best.walk.pending
    if pending is not None and not pending.implied:
        return False  # "spend per category"
    shapes = sketch.groups or sketch.limit or sketch.share or sketch.transform
    other = sketch.orders or sketch.havings or sketch.filters or sketch.period or sketch.asks_list or sketch.asks_what
    return bool(shapes) and not other


def _left_cost(found: Fragment) -> float:
    return found.cost + _LEFT_OVER_COST * len(found.sketch.unplaced)


def _stands_alone(said: Address, own: bool, alone: Verdict) -> bool:
    """A question with a subject of its own that nothing ties to the one before."""
    if not own or said.has("strong", "pronoun"):
        return False
    if said.has("soft") and not said.has("only", "deeper", "add") and alone.is_answered:
        intent = alone.distinct[0].intent
        if intent is not None and intent.measures and intent.dimensions:
            return True  # "now deposits by region" begins anew
    if said.has("soft") and not said.opens_itself:
        return False
    return alone.understood and not _may_be_new(said) if said.leans else True


def _lifts_a_filter(earlier: Intent, said: Address, knowledge: Knowledge) -> bool:
    """ "all cities" after "in Pune" takes the condition off; elsewhere it asks for the cities."""
    if not said.has("everything"):
        return False
    best = _best(said, Setting(), knowledge)
    if best is None:
        return False
    sketch = best.sketch
    named = {(attribute.dataset, attribute.field) for attribute in sketch.attributes}
    other = sketch.things or sketch.measures or sketch.filters or sketch.groups or sketch.asks_list or sketch.asks_what
    return not other and any((place.dataset, place.field) in named for place in fields_of(earlier.filters))


def _may_be_new(said: Address) -> bool:
    """ "and how many customers are there?": a new question, or the same place and period as before?"""
    return said.opens_itself and said.has("soft")


def _either(together: Verdict, alone: Verdict, knowledge: Knowledge) -> Verdict:
    """Offer both where they differ; a question with conditions of its own is a new one."""
    first, second = together.distinct[0], alone.distinct[0]
    assert first.intent is not None and second.intent is not None  # noqa: S101 - distinct readings have one
    narrowed = second.intent.filters or second.intent.period or second.intent.dimensions
    if narrowed or restated(first, knowledge) == restated(second, knowledge):
        return alone
    return Verdict(first, understood=True, distinct=(first, second))


def _noting(notes: tuple[str, ...], found: list[Reading]) -> list[Reading]:
    return [replace(reading, assumptions=(*notes, *reading.assumptions)) for reading in found]


def _together(earlier: Intent, history: Sequence[Turn], said: Address, knowledge: Knowledge) -> list[Reading]:
    """The readings of a fragment put together with the question before, cheapest first."""
    figure = earlier.measures[0] if earlier.measures and earlier.dimensions else None
    setting = Setting(
        subject=base_of_intent(earlier, knowledge),
        datasets=_datasets(earlier, knowledge),
        grouped_figure=figure,
        compared=_compared(earlier, history, knowledge),
        shown=frozenset((dimension.field.dataset, dimension.field.field) for dimension in earlier.dimensions),
        ignore_negation=said.has("unfilter"),
    )
    found: dict[Intent, Reading] = {}
    for fragment in fragments(said.rest, setting, knowledge):
        reading = _reading(merge(earlier, said, fragment, knowledge))
        assert reading.intent is not None  # noqa: S101 - a changed question is a question
        if reading.intent not in found or reading.cost < found[reading.intent].cost:
            found[reading.intent] = reading
    if not said.rest:
        nothing = next(fragments((), setting, knowledge), None)
        if nothing is not None:
            reading = _reading(merge(earlier, said, nothing, knowledge))
            return [reading]
    return sorted(found.values(), key=lambda reading: reading.cost)


def _reading(step: Merge) -> Reading:
    left = tuple(step.left) if step.changed or step.left else ("what should change",)
    return Reading(
        intent=step.intent,
        cost=step.fragment.cost + step.cost + _LEFT_OVER_COST * len(left),
        unplaced=left,
        assumptions=tuple(dict.fromkeys((*step.fragment.notes, *step.notes))),
        meanings=tuple(WordMeaning(words, meaning) for words, meaning in step.sketch.meanings),
    )


def _compared(earlier: Intent, history: Sequence[Turn], knowledge: Knowledge) -> FieldRef | None:
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

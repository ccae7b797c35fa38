"""What a few words say when the question before supplies the rest: the reader's own walk, with that subject in mind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pydantic import ValidationError

from ai_engine.built_in.cover import covers
from ai_engine.built_in.head_nouns import share_head_noun
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Number, Stored, Thing
from ai_engine.built_in.reading import choices, merged
from ai_engine.built_in.rules import rule_for
from ai_engine.built_in.sketch import COMPARISONS, Item, Sketch, Walk
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import FieldRef, Having, Measure

_MOST_CHOICES = 40
_DISTANCE_COST = 0.1
_LAKH = 100_000
_OF = frozenset({"of", "for", "among", "from", "in", "at", "on", "against", "under", "across", "to"})
_ROWS = frozenset({"these", "those", "them", "their", "that"})
_DO = frozenset({"do", "did"})
_RELATIVE = frozenset({"who", "whose", "that", "which"})


@dataclass(frozen=True)
class Fragment:
    """One way to understand a few words.

    Attributes:
        walk: what was gathered, nothing finished; the assumed subject is taken out again.
        cost: price of the meanings, with their distance from what the conversation is about.
        notes: assumptions behind the meanings.
        descending: a direction that was said without anything to sort by.
    """

    walk: Walk
    cost: float
    notes: tuple[str, ...]
    descending: bool | None = None

    @property
    def sketch(self) -> Sketch:
        """What was said."""
        return self.walk.sketch


@dataclass(frozen=True)
class Setting:
    """What the conversation is about while a fragment is read.

    Attributes:
        subject: dataset the earlier question is about, None when nothing stands before.
        datasets: everything it names; what lies near is likelier meant.
        grouped_figure: figure that "over 10 crore" is about when the earlier answer had one per group.
        compared: number that "above 750" is about when the conversation was about it.
        shown: what the earlier answer is grouped by: "only states above 5%" are its groups.
        ignore_negation: negations are not read, because "without" belongs to "filter".
    """

    subject: str | None = None
    datasets: frozenset[str] = frozenset()
    grouped_figure: Measure | None = None
    compared: FieldRef | None = None
    shown: frozenset[tuple[str, str]] = frozenset()
    ignore_negation: bool = False


def fragments(tokens: tuple[Token, ...], setting: Setting, knowledge: Knowledge) -> Iterator[Fragment]:
    """Yield the ways to understand words, roughly the cheapest first."""
    spelled = share_head_noun(tokens, knowledge.lexicon)
    periods = PeriodReader(knowledge.as_of, knowledge.model.fiscal_year_start_month)
    found = covers(spelled, knowledge.lexicon, periods)
    for price, cover, choice in islice(choices(found, knowledge), _MOST_CHOICES):
        items = merged(
            [
                Item(span.text, candidate.meaning)
                for span, candidate in zip(cover.spans, choice, strict=True)
                if not (isinstance(candidate.meaning, Cue) and _is_silent(candidate.meaning, setting))
            ]
        )
        notes = tuple(note for candidate in choice if (note := candidate.note))
        try:
            fragment = _walked(items, price + _distance(items, setting, knowledge), notes, setting, knowledge)
        except ValidationError:
            continue  # a number that nothing can be: the question by itself says so
        yield fragment


def first_name(tokens: tuple[Token, ...], knowledge: Knowledge) -> int:
    """Index of the first token that names a thing, a field or a figure; the number of tokens when none does.

    "Balance of these customers" and "loans of those" point to rows that were named before, and not to what is theirs.
    """
    found = covers(tokens, knowledge.lexicon, PeriodReader(knowledge.as_of, knowledge.model.fiscal_year_start_month))
    theirs = _end_of_what_is_theirs(tokens)
    for span in found[0].spans if found else ():
        meant = span.candidates[0].meaning
        named = isinstance(meant, Thing | Attribute | Figure | Stored)
        if named and not (theirs and (span.end == theirs or _is_figure(meant, knowledge))):
            return span.start
    return len(tokens)


def _end_of_what_is_theirs(tokens: tuple[Token, ...]) -> int:
    """ "balance of those", "how many loans do they have": where the words for what belongs to them end, 0 for none."""
    said = [token.word for token in tokens]
    for place, (link, it, after) in enumerate(zip(said, said[1:], [*said[2:], ""], strict=False)):
        if (link in _OF and it in _ROWS and after not in _RELATIVE) or (link in _DO and it == "they"):
            return place
    return 0


def _is_figure(meant: object, knowledge: Knowledge) -> bool:
    return isinstance(meant, Figure) or (isinstance(meant, Attribute) and knowledge.lexicon.is_figure(meant))


def _is_silent(cue: Cue, setting: Setting) -> bool:
    return cue.kind == "filler" or (setting.ignore_negation and cue.kind == "not")


def _distance(items: list[Item], setting: Setting, knowledge: Knowledge) -> float:
    places = [place for item in items if (place := getattr(item.meaning, "dataset", None))]
    if not setting.datasets:
        return 0.0
    return _DISTANCE_COST * sum(min(knowledge.distance(near, place) for near in setting.datasets) for place in places)


def _walked(items: list[Item], cost: float, notes: tuple[str, ...], setting: Setting, knowledge: Knowledge) -> Fragment:
    sketch = Sketch(things=[Thing(setting.subject)] if setting.subject else [])
    descending = None
    if setting.subject is not None:
        items, descending = _without_direction(items)
        if setting.grouped_figure is not None:
            items = _without_bounds(_without_shown(items, setting.shown), setting.grouped_figure, sketch)
        elif setting.compared is not None:
            items = _naming(items, setting.compared)
    walk = Walk(tuple(items), knowledge, sketch)
    while walk.position < len(walk.items):
        rule_for(walk.items[walk.position].meaning)(walk)
    if setting.subject is not None:
        del sketch.things[0]
    return Fragment(walk, cost + sketch.cost, (*notes, *sketch.assumptions), descending)


def _without_direction(items: list[Item]) -> tuple[list[Item], bool | None]:
    """ "descending", "highest first" with nothing to sort by turns the order that is there."""
    said = [item for item in items if isinstance(item.meaning, Cue)]
    directions = [item for item in said if isinstance(item.meaning, Cue) and item.meaning.kind == "direction"]
    names = any(isinstance(item.meaning, Attribute | Figure | Thing) for item in items)
    if names or len(directions) != 1:
        return items, None
    cue = directions[0].meaning
    assert isinstance(cue, Cue)  # noqa: S101 - looked just now
    rest = [item for item in items if item is not directions[0]]
    return [item for item in rest if not _is_order_cue(item)], bool(cue.value)


def _is_order_cue(item: Item) -> bool:
    return isinstance(item.meaning, Cue) and item.meaning.kind == "order"


def _without_shown(items: list[Item], shown: frozenset[tuple[str, str]]) -> list[Item]:
    """ "states above 5%" after figures by state: the noun only says what is kept."""
    left: list[Item] = []
    for place, item in enumerate(items):
        named, after = item.meaning, items[place + 1].meaning if place + 1 < len(items) else None
        bounds = isinstance(after, Cue) and after.kind == "compare"
        is_shown = isinstance(named, Attribute) and (named.dataset, named.field) in shown
        is_shown |= isinstance(named, Thing) and any(dataset == named.dataset for dataset, _ in shown)
        if not (bounds and is_shown):
            left.append(item)
    return left


def _naming(items: list[Item], compared: FieldRef) -> list[Item]:
    """ "above 750?" after credit scores: the number that is compared is put before a bare comparison."""
    left: list[Item] = []
    for place, item in enumerate(items):
        before = items[place - 1].meaning if place else None
        number, after = (items[at].meaning if at < len(items) else None for at in (place + 1, place + 2))
        bare = not isinstance(before, Attribute | Figure | Thing) and not isinstance(after, Attribute | Thing | Figure)
        bare &= isinstance(item.meaning, Cue) and item.meaning.kind == "compare"
        if bare and isinstance(number, Number) and number.unit is None:
            left.append(Item(item.text, Attribute(compared.dataset, compared.field, compared.via)))
        left.append(item)
    return left


def _without_bounds(items: list[Item], figure: Measure, sketch: Sketch) -> list[Item]:
    """ "only those above 10 crore" keeps groups whose figure is so: take it before it is read as a row's."""
    left: list[Item] = []
    place = 0
    while place < len(items):
        cue, number = items[place].meaning, items[place + 1].meaning if place + 1 < len(items) else None
        before = items[place - 1].meaning if place else None
        after = items[place + 2].meaning if place + 2 < len(items) else None
        named = isinstance(before, Attribute | Figure | Thing) or isinstance(after, Attribute | Thing)
        operator = COMPARISONS.get(str(cue.value)) if isinstance(cue, Cue) and cue.kind == "compare" else None
        in_lakhs = isinstance(number, Number) and figure.aggregate == "count" and number.value >= _LAKH
        if operator and isinstance(number, Number) and not named and not in_lakhs:  # nobody counts rows in lakhs
            sketch.havings.append(Having(measure=figure, operator=operator, value=number.value))
            sketch.meanings.append((f"{items[place].text} {items[place + 1].text}", "condition on the figure"))
            place += 2
            continue
        left.append(items[place])
        place += 1
    return left

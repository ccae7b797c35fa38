"""How well the meanings of neighbouring words go together: the cheaper the likelier."""

from __future__ import annotations

from itertools import pairwise

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    CueKind,
    Days,
    Figure,
    Meaning,
    Number,
    Stored,
    Thing,
    dataset_of,
    dataset_of_meaning,
)
from ai_engine.built_in.passed_states import passed_states
from ai_engine.built_in.sketch import Item
from ai_engine.semantics.words import stem, words

_AGREEMENT = 0.3
_NOT_ITS_KEY = 0.6
_SAID_TWICE = 0.3
_FIGURE_OF_A_FIGURE = 0.6
_OTHER_FIELD = 0.15
_OF_ANOTHER_TABLE = 0.8
_BARE_AMOUNTS = {"amount", "amounts", "amt", "amts", "value"}
_OF_UNNAMED_ROWS = 0.4
_ALTERNATIVE_VALUE = 0.5
_FLAG_OF_UNNAMED = 0.3
_OF_NO_FLAG = 4.0  # more than words left over cost
_BARE_ANSWERS = {"yes", "no", "y", "n", "true", "false"}
_WITH_ITS_FIELD = 0.45  # "status is active" says which column holds the value
_KEY_WORDS = frozenset(map(stem, ("id", "number", "no", "code", "key", "identifier")))
_HOLDING: frozenset[CueKind] = frozenset({"have", "relative"})
_COUNTING: frozenset[CueKind] = frozenset({"distinct", "limit"})
_RANKING: frozenset[CueKind] = _COUNTING | {"superlative"}
_LISTING: frozenset[CueKind] = frozenset({"and", "or", "stop"})
_TRANSPARENT: frozenset[CueKind] = frozenset({"and", "or", "stop", "distinct", "relative", "have", "whatever"})


def agreement(items: list[Item], knowledge: Knowledge) -> float:
    """Neighbours of one table are likelier: "names of the banks", "customers from Utah", "name and city"."""
    total = -_WITH_ITS_FIELD * sum(item.with_field for item in items)
    before: Meaning | None = None
    listed = False
    for item in items:
        meaning = item.meaning
        if isinstance(meaning, Cue):
            listed |= meaning.kind in _LISTING
            before = before if meaning.kind in _TRANSPARENT else None
            continue
        if isinstance(meaning, Stored) and item.text.lower() in _BARE_ANSWERS:
            total += _OF_NO_FLAG  # "no customers" denies them; a flag is "no" where it is named
        if isinstance(meaning, Figure) and not listed and _is_figure(before, knowledge):
            total += _FIGURE_OF_A_FIGURE  # "balance of active accounts" is of the accounts, not of their number
        if before is not None:
            if isinstance(before, Thing | Stored) and isinstance(meaning, Thing) and item.apart:
                before, listed = meaning, False  # "users from Spain to merchants": Spain is none of the merchants'
                continue
            total -= _AGREEMENT if _plays_in(before, meaning, knowledge) else _bond(before, meaning, listed)
            if isinstance(before, Attribute) and isinstance(meaning, Days):
                total -= _AGREEMENT / 2 * (knowledge.field(before).role == "time")
        before, listed = meaning, False
    total += _SAID_TWICE * (_differently_said(items, knowledge) + _unsaid_years(items, knowledge))
    return (
        total
        + _whose_keys(items)
        + _whose_names(items)
        + _whose_amounts(items, knowledge)
        + _shown_again(items, knowledge)
        + _halves_of_kinds(items, knowledge)
        + _OTHER_FIELD * _lists_a_figure(items, knowledge)
        + passed_states(items, knowledge)
        + _whose_fields(items, knowledge)
        + _FLAG_OF_UNNAMED * _flags_of_unnamed(items, knowledge)
        + _whose_days(items, knowledge)
        - _ALTERNATIVE_VALUE * _alternative_values(items)
    )


def _shown_again(items: list[Item], knowledge: Knowledge) -> float:
    """ "top 5 branches by savings balance, with balance": the shorter name repeats the longer one before it."""
    total = 0.0
    before: dict[str, Meaning] = {}
    for item in items:
        if not isinstance(item.meaning, Attribute) or knowledge.field(item.meaning).role != "measure":
            continue
        said = words(item.text)
        if len(said) == 1 and before.get(said[0], item.meaning) != item.meaning:
            total += _OF_ANOTHER_TABLE
        before.setdefault(said[-1], item.meaning)
    return total


def _halves_of_kinds(items: list[Item], knowledge: Knowledge) -> float:
    """ "spend on credit cards": the kind of card, and neither money that came in nor whatever else cards may be."""
    halves = 0
    for first, second in pairwise(items):
        if second.apart or isinstance(first.meaning, Cue) or not isinstance(second.meaning, Thing | Stored):
            continue
        kinds = _kinds_of_things(f"{first.text} {second.text}", knowledge)
        halves += bool(kinds) and (dataset_of_meaning(first.meaning), getattr(first.meaning, "field", "")) not in kinds
    return _OF_NO_FLAG * halves


def _lists_a_figure(items: list[Item], knowledge: Knowledge) -> bool:
    """ "list loans disbursed in May": the loans, whatever figure is called so too."""
    listed, rest = items[:1], items[1:]
    if not rest or not isinstance(listed[0].meaning, Cue) or not listed[0].text.lower().endswith("list"):
        return False
    figure, noun = rest[0].meaning, words(rest[0].text)[:1]
    things = (found.meaning for found in knowledge.lexicon.names(noun) if isinstance(found.meaning, Thing))
    grouped = any(isinstance(item.meaning, Cue) and item.meaning.kind in {"group", "each"} for item in rest)
    return isinstance(figure, Figure) and not grouped and any(knowledge.lexicon.is_noun(noun[0], one) for one in things)


def _kinds_of_things(said: str, knowledge: Knowledge) -> set[tuple[str | None, str]]:
    """Where a kind is kept that was said with the noun of its rows: "savings accounts"."""
    found = (known.meaning for known in knowledge.lexicon.stored(words(said)))
    return {(kind.dataset, kind.field) for kind in found if isinstance(kind, Stored) and kind.with_noun}


def _whose_amounts(items: list[Item], knowledge: Knowledge) -> float:
    """ "top branches by loans, with amount": a bare "amount" is of what is spoken of, not of a table never named."""
    total = 0.0
    for item in items:
        bare = isinstance(item.meaning, Attribute) and item.text.lower() in _BARE_AMOUNTS
        others = {dataset_of_meaning(other.meaning) for other in items if other is not item} - {None}
        if bare and others and dataset_of_meaning(item.meaning) not in others:
            kept = any(knowledge.main_measure(str(other), money_only=True) is not None for other in others)
            total += _OF_ANOTHER_TABLE * kept
    return total


def _whose_fields(items: list[Item], knowledge: Knowledge) -> float:
    """ "declined payments by reason": the decline reason, and none of the complaints about them that nobody named."""
    total = 0.0
    for item in items:
        found, said = item.meaning, words(item.text)
        if not isinstance(found, Attribute) or len(said) != 1:
            continue
        others = {dataset_of_meaning(other.meaning) for other in items if other is not item} - {None, found.dataset}
        if any(dataset_of_meaning(other.meaning) == found.dataset for other in items if other is not item):
            continue
        near = [str(other) for other in others if not knowledge.is_parent(str(other), found.dataset)]
        labels = [words(field.label) for other in near for field in knowledge.dataset(other).fields]
        total += _OF_UNNAMED_ROWS * (len(near) == len(others) and any(label[-1:] == said for label in labels))
    return total


def _flags_of_unnamed(items: list[Item], knowledge: Knowledge) -> int:
    """ "active loans": whether they are, rather than whether the broker behind them is."""
    count = 0
    for item in items:
        found = item.meaning
        if isinstance(found, Attribute) and knowledge.field(found).role == "flag":
            others = {dataset_of_meaning(other.meaning) for other in items if other is not item} - {None}
            count += bool(others) and found.dataset not in others
    return count


def _whose_days(items: list[Item], knowledge: Knowledge) -> float:
    """ "staff who joined in 2019": the verb is theirs where they have such a day, and not that of their customers."""
    total = 0.0
    for place, item in enumerate(items):
        said = words(item.text)
        if not isinstance(item.meaning, Attribute) or len(said) != 1:
            continue
        doer = next((before.meaning for before in items[:place][::-1] if not isinstance(before.meaning, Cue)), None)
        if isinstance(doer, Thing | Stored) and doer.dataset != item.meaning.dataset:
            own = any(dataset_of(found) == doer.dataset for found in knowledge.lexicon.date_of(said[0]))
            total += _OF_UNNAMED_ROWS * own
    return total


def _alternative_values(items: list[Item]) -> int:
    """ "approved vs declined": beside a value of its field a word that is a cue elsewhere is one too."""
    count = 0
    for first, link, second in zip(items, items[1:], items[2:], strict=False):
        one, other = first.meaning, second.meaning
        linked = isinstance(link.meaning, Cue) and link.meaning.kind in {"against", "and", "or"}
        if linked and isinstance(one, Stored) and isinstance(other, Stored):
            told = any(words(item.text) in cue_table().by_phrase for item in (first, second))
            count += (one.dataset, one.field) == (other.dataset, other.field) and told
    return count


def _plays_in(before: Meaning, meaning: Meaning, knowledge: Knowledge) -> bool:
    """ "loan borrowers": who plays a role in the rows that were named."""
    if not (isinstance(before, Thing) and isinstance(meaning, Thing) and meaning.via):
        return False
    return knowledge.model.relationship(meaning.via[-1]).from_dataset == before.dataset


def _is_figure(meaning: Meaning | None, knowledge: Knowledge) -> bool:
    return isinstance(meaning, Figure) or (
        isinstance(meaning, Attribute) and knowledge.field(meaning).role == "measure"
    )


def _unsaid_years(items: list[Item], knowledge: Knowledge) -> int:
    """Columns named by a year that the question does not say: "crimes 1995" where it asks for 1996."""
    said = {word for item in items for word in words(item.text)}
    named = {item.meaning for item in items if isinstance(item.meaning, Attribute)}
    return sum(
        bool({w for w in words(knowledge.field(one).label) if w.isdigit() and len(w) == 4} - said) for one in named
    )


def _says_whose(text: str, dataset: str, knowledge: Knowledge) -> bool:
    """ "customer city" and "branch city" are two fields that share a name."""
    return not set(words(knowledge.dataset(dataset).label)).isdisjoint(words(text))


def _differently_said(items: list[Item], knowledge: Knowledge) -> int:
    """How often the same words name two fields, or two names one: "balance above the average balance" is about one."""
    said = [(item.text.lower(), item.meaning) for item in items if isinstance(item.meaning, Attribute | Stored)]
    first_meant: dict[str, Meaning] = {}
    for text, found in said:
        first_meant.setdefault(text, found)
    two_fields = sum(first_meant[text] != found and text not in _KEY_WORDS for text, found in said)
    named = [(text, found) for text, found in said if isinstance(found, Attribute)]
    one_name = 0
    for field in {found.field.lower() for _, found in named}:
        same = [(text, found.dataset) for text, found in named if found.field.lower() == field]
        same = [(text, dataset) for text, dataset in same if not _says_whose(text, dataset, knowledge)]
        one_name += len({text for text, _ in same}) > 1 < len({dataset for _, dataset in same})
    return two_fields + one_name


def _whose_keys(items: list[Item]) -> float:
    """ "the account with the id 532", "ids of the 3 female clients": the thing beside a bare "id" says whose it is."""
    total = 0.0
    for place, item in enumerate(items):
        if isinstance(item.meaning, Attribute) and stem(item.text.lower()) in _KEY_WORDS:
            owner = _neighbour(items[:place][::-1], _HOLDING) or _neighbour(items[place + 1 :], _COUNTING)
            total += _NOT_ITS_KEY if owner is not None and owner.dataset != item.meaning.dataset else 0.0
    return total


def _whose_names(items: list[Item]) -> float:
    """ "names of the last 3 clients", "clients without a loan, names please": of what follows, else of the first."""
    total = 0.0
    for place, item in enumerate(items):
        if isinstance(item.meaning, Attribute) and item.text.lower() in {"name", "names"}:
            first = next((before.meaning for before in items[:place] if isinstance(before.meaning, Thing)), None)
            owner = _neighbour(items[place + 1 :], _RANKING) or first
            total += _NOT_ITS_KEY * (owner is not None and owner.dataset != item.meaning.dataset)
    return total


def _neighbour(items: list[Item], between: frozenset[CueKind]) -> Thing | None:
    """The first thing, past numbers, values and these cues."""
    for item in items:
        if isinstance(item.meaning, Thing):
            return item.meaning
        if not (isinstance(item.meaning, Cue) and item.meaning.kind in between) and (
            between is _HOLDING or not isinstance(item.meaning, Number | Stored)
        ):
            return None
    return None


def _bond(first: Meaning, second: Meaning, listed: bool) -> float:
    if isinstance(first, Stored) and isinstance(second, Stored) and listed:
        if first.field == second.field:
            return 0.0 if first.dataset == second.dataset else -_AGREEMENT
        return -_OTHER_FIELD if first.dataset == second.dataset else 0.0  # "Pune or Delhi" are two cities
    same = getattr(first, "dataset", None) == getattr(second, "dataset", "")
    if not same:
        return 0.0
    if isinstance(first, Attribute) and isinstance(second, Thing) and not listed:
        return _AGREEMENT
    if isinstance(first, Thing) and isinstance(second, Attribute) and not listed:
        return _AGREEMENT / 2
    if isinstance(first, Attribute) and first == second and listed:
        return -2 * _AGREEMENT  # "claim date and settlement date" are two
    if isinstance(first, Attribute) and isinstance(second, Attribute):
        return _AGREEMENT / 2 if listed else 0.0
    if isinstance(first, Stored) and isinstance(second, Thing):
        return _AGREEMENT  # "sell transactions", "active customers"
    return _AGREEMENT / 2 if isinstance(first, Thing | Stored) and isinstance(second, Thing | Stored) else 0.0

"""Words that became something beside the word they belong to: a number of sites that bounds days, a waterway's name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from ai_engine.built_in.grammar.accounts import leaves_of
from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Number, Stored, Thing
from ai_engine.built_in.states import amount_called_after
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Membership

_NAMING = frozenset({"name", "identifier"})
_BESIDE = frozenset({"with", "and", ",", "their", "its"})
_OF = frozenset({"of", "their", "its", "the", "each", "every"})


def misplaced(phrase: Phrase, intent: Intent, tokens: tuple[Token, ...], s: Schema) -> tuple[str, ...]:
    """The words of a question that say more of their neighbour than the reading took from them."""
    said = (
        *_numbers_of_others(phrase, tokens, s),
        *_names_of_others(phrase, tokens, s),
        *_roles_of_others(phrase, s),
        *_states_of_others(phrase, intent, s),
        *_shown_rather(phrase, intent, tokens, s),
    )
    return tuple(" ".join(token.text for token in tokens[start:end]) for start, end in said)


def _numbers_of_others(phrase: Phrase, tokens: tuple[Token, ...], s: Schema) -> Iterator[tuple[int, int]]:
    """ "worked on more than 17 sites" bounds a number of sites, and no days that somebody worked."""
    nouns = {leaf.start: leaf for leaf in leaves_of(phrase) if _is_noun(leaf, s)}
    for clause in _every(phrase):
        last = tuple(leaves_of(clause))[-1]
        bounded = any(isinstance(leaf.value, FieldRef) for leaf in leaves_of(clause))
        plain = isinstance(last.value, Number) and last.value.unit is None
        noun = nouns.get(clause.end)
        if clause.category == "Clause" and bounded and plain and noun and tokens[noun.end - 1].word.endswith("s"):
            yield last.start, noun.end


def _names_of_others(phrase: Phrase, tokens: tuple[Token, ...], s: Schema) -> Iterator[tuple[int, int]]:
    """ "the name of their waterway" is no name of locks, of which each belongs to one."""
    leaves = tuple(leaves_of(phrase))
    for field, thing in ((a, b) for a in leaves for b in leaves if a.end < b.start):
        between = {token.word for token in tokens[field.end : thing.start]}
        of_it = "of" in between and between <= _OF
        if not (of_it and isinstance(thing.value, Thing) and isinstance(field.value, FieldRef)):
            continue
        named = s.field(field.value).role == "name" and field.value.dataset != thing.value.dataset
        if named and any(item.role == "name" for item in s.knows.dataset(thing.value.dataset).fields):
            yield field.start, thing.end


def _roles_of_others(phrase: Phrase, s: Schema) -> Iterator[tuple[int, int]]:
    """ "Asha Rao's manager" is somebody else, where managers are people too."""
    for one, other in pairwise(leaves_of(phrase)):
        if one.end != other.start or not (isinstance(one.value, Stored) and isinstance(other.value, Stored)):
            continue
        first, second = (s.field(FieldRef(dataset=v.dataset, field=v.field)).role for v in (one.value, other.value))
        if one.value.dataset == other.value.dataset and first == "name" != second:
            yield other.start, other.end


def _states_of_others(phrase: Phrase, intent: Intent, s: Schema) -> Iterator[tuple[int, int]]:
    """ "total claims, paid" is no amount that was claimed, where another was paid."""
    leaves = tuple(leaves_of(phrase))
    told = {leaf.value for leaf in leaves if isinstance(leaf.value, FieldRef)}
    summed = [
        m.field for m in intent.measures if m.field and m.field not in told and s.field(m.field).role == "measure"
    ]
    for leaf, field in product(leaves, summed):
        if isinstance(leaf.value, Stored) and leaf.value.dataset == field.dataset:
            place = FieldRef(dataset=leaf.value.dataset, field=leaf.value.field)
            state = Condition(field=place, operator="=", values=(leaf.value.value,))
            named = amount_called_after(field.dataset, (state,), None, s.knows)
            if named not in {None, field, s.knows.main_measure(field.dataset, money_only=True)}:
                yield leaf.start, leaf.end


def _shown_rather(phrase: Phrase, intent: Intent, tokens: tuple[Token, ...], s: Schema) -> Iterator[tuple[int, int]]:
    """ "loads with lorry and client" are all of them, and no loads that have one: "a lorry" would say so."""
    had = {item.dataset for item in intent.filters if isinstance(item, Membership) and _says_of_one(item)}
    for leaf in leaves_of(phrase):
        if not isinstance(leaf.value, Thing) or leaf.value.dataset not in had or leaf.value.plural:
            continue
        before = tokens[leaf.start - 1].word if leaf.start else ""
        if intent.subject and s.up(intent.subject, leaf.value.dataset) and before in _BESIDE:
            yield leaf.start, leaf.end


def _says_of_one(item: Membership) -> bool:
    return not (item.negated or item.filters or item.at_least or item.at_most)


def _is_noun(leaf: Phrase, s: Schema) -> bool:
    return isinstance(leaf.value, Thing) or (isinstance(leaf.value, FieldRef) and s.field(leaf.value).role in _NAMING)


def _every(phrase: Phrase) -> Iterator[Phrase]:
    yield phrase
    for part in phrase.parts:
        yield from _every(part)

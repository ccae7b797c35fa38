"""Numbers, periods and stored values of a question, and whether a structured question or a statement has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal

from sqlglot import exp

from ai_engine.bm25 import FUNCTION_WORDS
from ai_engine.built_in.numbers import number_at
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token, tokenise
from ai_engine.catalogue import Catalogue
from ai_engine.llm.read_sources import query_of
from ai_engine.model_use import is_typed
from ai_engine.semantics.intent import (
    Condition,
    Dimension,
    FieldRef,
    Having,
    Intent,
    Measure,
    Membership,
    parts_of,
)
from ai_engine.semantics.values import Phrase, StoredValue
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_LONGEST_VALUE = 4
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TELLING_ROLES = frozenset({"category", "name"})
_PERIOD_REMEDY = "`period`, or a condition on a date"
_NUMBER_REMEDY = "a condition, `limit`, `having` or another place with this number"
_VALUE_REMEDY = "a condition with this value"


def values_left_out(question: str, intent: Intent, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Yield each period, number and stored value that the intent lacks, with where it would stand."""
    tokens = tokenise(question)
    periods, dated = _periods(tokens, vocabulary), _is_dated(intent, vocabulary)
    for start, end in periods:
        if not dated:
            yield _as_said(tokens, start, end), _PERIOD_REMEDY
    inside = {place for start, end in periods for place in range(start, end)}
    numbers, texts = _numbers_of(intent, vocabulary), _texts_of(intent, vocabulary)
    for said, value in _numbers(tokens, inside):
        if not _stands(value, numbers) and said not in texts:
            yield said, _NUMBER_REMEDY
    for said, stored in _stored(tokens, inside, vocabulary):
        if said not in texts and not any(str(one.value).lower() in texts for one in stored):
            yield said, _VALUE_REMEDY


def quoted_left_out(question: str, intent: Intent) -> Iterator[str]:
    """Yield each quoted text that no condition has."""
    compared = " ".join(str(value).lower() for one in parts_of(intent, Condition) for value in one.values)
    for token in tokenise(question):
        if token.kind == "quoted" and token.text.lower().strip() not in compared:
            yield token.text


def left_out_of_sql(question: str, sql: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the numbers, quoted texts and stored values of a question that a statement has nowhere.

    It has them in literals, or in names of tables and columns: a comment or an alias decides no row, nor does a literal
    that is compared with no column (`'Mumbai' = 'Mumbai'`). What the guard does not read is left to the guard.
    """
    tree = query_of(sql, vocabulary.catalogue)
    if tree is None:
        return ()
    tokens, text = tokenise(question), " | ".join(_deciding(tree, vocabulary.catalogue)).lower()
    inside = {place for start, end in _periods(tokens, vocabulary) for place in range(start, end)}
    numbers = {Decimal(found) for found in _NUMBER.findall(text)}
    lost = [said for said, value in _numbers(tokens, inside) if not _stands(value, numbers)]
    lost += [token.text for token in tokens if token.kind == "quoted" and token.text.lower().strip() not in text]
    for said, stored in _stored(tokens, inside, vocabulary):
        if said not in text and not any(str(one.value).lower() in text for one in stored):
            lost.append(said)
    return tuple(dict.fromkeys(lost))


def _deciding(tree: exp.Query, catalogue: Catalogue) -> Iterator[str]:
    """Yield the literals of a statement, and the names in it that the database has."""
    known = {name.lower() for table in catalogue.tables for name in (table.name, *(one.name for one in table.columns))}
    yield from (one.name for one in tree.find_all(exp.Column, exp.Table) if one.name.lower() in known)
    for literal in tree.find_all(exp.Literal):
        compared = literal.find_ancestor(exp.Predicate)
        if compared is None or compared.find(exp.Column, exp.AggFunc, exp.Window) is not None:
            yield literal.name


def _periods(tokens: tuple[Token, ...], vocabulary: Vocabulary) -> list[tuple[int, int]]:
    reader = PeriodReader(vocabulary.as_of, vocabulary.model.fiscal_year_start_month)
    found, place = [], 0
    while place < len(tokens):
        read = reader.read(tokens, place)
        if read is not None:
            found.append((place, read[0]))
        place = read[0] if read is not None else place + 1
    return found


def _is_dated(intent: Intent, vocabulary: Vocabulary) -> bool:
    refs = [one.field for one in parts_of(intent, Condition)]
    times = [vocabulary.model.dataset(ref.dataset).field(ref.field).role == "time" or ref.grain for ref in refs]
    return intent.period is not None or any(times) or any(ref.since for ref in refs)


def _numbers(tokens: tuple[Token, ...], inside: set[int]) -> Iterator[tuple[str, Decimal]]:
    """Yield the numbers above one that belong to no period: "one" is seldom a number."""
    place = 0
    while place < len(tokens):
        read = None if place in inside else number_at(tokens, place)
        if read is not None and abs(read[1].value) > 1 and tokens[place].kind in {"number", "word"}:
            yield _as_said(tokens, place, read[0]), read[1].value
        place = max(read[0], place + 1) if read is not None else place + 1


def _stands(value: Decimal, numbers: set[Decimal]) -> bool:
    """Tell whether a number is there as it is, as a bound beside it, or as a fraction of 100."""
    return bool({value, value + 1, value - 1, value / 100} & numbers)


def _numbers_of(intent: Intent, vocabulary: Vocabulary) -> set[Decimal]:
    found: list[object] = [intent.limit, intent.skip, intent.skip + 1]
    for condition in parts_of(intent, Condition):
        found += [*condition.values, condition.times]
        found += [part for value in condition.values if isinstance(value, str) for part in _NUMBER.findall(value)]
        found += [part for value in condition.values if isinstance(value, date) for part in (value.year, value.day)]
    for membership in parts_of(intent, Membership):
        found += [membership.at_least, membership.at_most]
    for having in parts_of(intent, Having):
        found.append(having.value)
    for dimension in parts_of(intent, Dimension):
        found += dimension.edges
    for measure in parts_of(intent, Measure):
        found += [measure.window, measure.shown_in]
        found += [Decimal(str(measure.quantile)) * 100] if measure.quantile is not None else []
        if measure.metric is not None:
            metric = vocabulary.model.metric(measure.metric)
            found += _NUMBER.findall(f"{metric.expression} {metric.description}")
    skipped = (bool, date, datetime, type(None))
    return {
        Decimal(str(one)) for one in found if not isinstance(one, skipped) and _NUMBER.fullmatch(str(one).lstrip("-"))
    }


def _texts_of(intent: Intent, vocabulary: Vocabulary) -> str:
    """All that an intent compares with and all that its names mean, in lower case."""
    model = vocabulary.model
    texts = [str(value) for one in parts_of(intent, Condition) for value in one.values]
    for measure in parts_of(intent, Measure):
        if measure.metric is not None:
            metric = model.metric(measure.metric)
            texts += [metric.label, metric.description, metric.expression, *metric.synonyms]
    for ref in parts_of(intent, FieldRef):
        item = model.dataset(ref.dataset).field(ref.field)
        texts += [item.label, item.name, *item.synonyms, *ref.via]
    return " | ".join(texts).lower()


def _stored(
    tokens: tuple[Token, ...], inside: set[int], vocabulary: Vocabulary
) -> Iterator[tuple[str, tuple[StoredValue, ...]]]:
    """Yield phrases that are values of fields that group rows, and no name of anything else; longer ones first."""
    names = schema_stems(vocabulary)
    taken = set(inside)
    for length in range(_LONGEST_VALUE, 0, -1):
        for start in range(len(tokens) - length + 1):
            places = set(range(start, start + length))
            phrase = tuple(word for token in tokens[start : start + length] for word in words(token.word))
            if places & taken or not phrase or not is_typed(phrase):
                continue
            if all(stem(word) in names or word.isdigit() for word in phrase):
                continue
            named = tokens[start].text[:1].isupper()
            found = as_written(vocabulary.values.exactly(phrase), phrase, tokens[start].text)
            stored = tuple(one for one in found if _tells(one, vocabulary, named=named))
            if stored:
                taken |= places
                yield _as_said(tokens, start, start + length), stored


def as_written(stored: Sequence[StoredValue], phrase: Phrase, text: str) -> tuple[StoredValue, ...]:
    """Keep what a phrase may stand for: words that carry the grammar are a code only as it is stored (IN, US, No)."""
    if not FUNCTION_WORDS.issuperset(phrase):
        return tuple(stored)
    codes = ((str(one.value), one) for one in stored)
    return tuple(one for code, one in codes if not code.islower() and re.search(rf"\b{re.escape(code)}\b", text))


def _tells(one: StoredValue, vocabulary: Vocabulary, *, named: bool) -> bool:
    """Tell whether a word can only be that value; names that are words too, as More, are written with a capital."""
    item = vocabulary.model.dataset(one.dataset).field(one.field)
    return (
        item.role in (_TELLING_ROLES if named else _TELLING_ROLES - {"name"})
        and not item.sensitive
        and len(str(one.value)) > 1
    )


def schema_stems(vocabulary: Vocabulary) -> frozenset[str]:
    """Return the stems of all words by which metrics, datasets and fields are called."""
    texts = [name for one in vocabulary.model.metrics for name in (one.label, *one.synonyms)]
    for dataset in vocabulary.model.datasets:
        texts += [dataset.name, dataset.label, *dataset.synonyms]
        texts += [name for item in dataset.fields for name in (item.name, item.label, *item.synonyms)]
    return frozenset(stem(word) for text in texts for word in words(text))


def _as_said(tokens: tuple[Token, ...], start: int, end: int) -> str:
    return " ".join(token.text for token in tokens[start:end]).lower()

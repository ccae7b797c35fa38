"""Codes that another table describes, one row per kind of code and code: shown by their description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from ai_engine.semantics.infer.code_lists import CodeLists, abbreviates, code_list_columns, kind_of
from ai_engine.semantics.infer.naming import Key, NamedColumn, NamedTable
from ai_engine.semantics.learnt import Learnt
from ai_engine.semantics.model import Dataset, Field, Relationship
from ai_engine.semantics.names import singular
from ai_engine.semantics.schema_words import WORDS
from ai_engine.semantics.words import words
from ai_engine.types import Scalar

_SHORTEST = 3


@dataclass(frozen=True)
class _List:
    """A list of codes whose rows are told apart by kind and code, and the kinds in it."""

    dataset: str
    kind: str
    code: str
    meaning: str
    kinds: frozenset[str]


def with_descriptions(
    tables: Sequence[NamedTable],
    datasets: Sequence[Dataset],
    sampled: Mapping[Key, tuple[Scalar, ...]],
    lists: CodeLists,
) -> tuple[tuple[Dataset, ...], tuple[Relationship, ...]]:
    """Return the datasets, where a code that a list describes leads to its description, and the links that do so."""
    known = [found for named in tables for found in _lists(named, sampled)]
    nouns = {noun for dataset in datasets for noun in (dataset.label, *dataset.synonyms)}
    described: list[Dataset] = []
    links: list[Relationship] = []
    for named, dataset in zip(tables, datasets, strict=True):
        fields = []
        for item in dataset.fields:
            column = named.by_name.get(item.name.lower())
            codes = sampled.get((named.table.name.lower(), item.name.lower()), ())
            link = _link(item, column, named, codes, known, lists) if column and known else None
            fields.append(item if link is None else _described(item, link[0], link[1], nouns, lists))
            links += [link[0]] if link else []
        described.append(replace(dataset, fields=tuple(fields)))
    silent = {(one.dataset, name) for one in known for name in (one.kind, one.code)} if links else set()
    return tuple(_without_words(dataset, silent) for dataset in described), tuple(links)


def _without_words(dataset: Dataset, silent: Set[Key]) -> Dataset:
    """Leave the words for kinds and codes to the columns that hold the codes: in a list each means several things."""
    fields = (replace(i, value_synonyms={}) if (dataset.name, i.name) in silent else i for i in dataset.fields)
    return replace(dataset, fields=tuple(fields))


def _lists(named: NamedTable, sampled: Mapping[Key, tuple[Scalar, ...]]) -> Iterator[_List]:
    places = code_list_columns(named.table)
    if places is None:
        return
    kind, code, meaning = (named.table.columns[place].name for place in places)
    keys = (named.table.primary_key, *named.table.unique_keys)
    if any({name.lower() for name in key} == {kind.lower(), code.lower()} for key in keys):
        kinds = frozenset(map(str, sampled.get((named.table.name.lower(), kind.lower()), ())))
        yield _List(named.dataset, kind, code, meaning, kinds)


def _link(
    item: Field,
    column: NamedColumn,
    named: NamedTable,
    codes: Sequence[Scalar],
    known: Sequence[_List],
    lists: CodeLists,
) -> tuple[Relationship, str] | None:
    """Return the link from a code to its row in the only list of its kind, and the field that describes it."""
    if item.role != "category" or item.type != "text" or any(one.dataset == named.dataset for one in known):
        return None
    stored = frozenset(str(code).strip().lower() for code in codes if code is not None)
    kind = kind_of(column.words, named.label.split(), stored, lists, column.column.name)
    holding = [one for one in known if kind in one.kinds]
    if kind is None or len(holding) != 1:
        return None
    there = holding[0]
    name = f"{named.dataset}_{item.name}_to_{there.dataset}"
    link = Relationship(
        name, named.dataset, (item.name,), there.dataset, (there.code,), only_where=((there.kind, kind),)
    )
    return link, there.meaning


def _described(item: Field, link: Relationship, meaning: str, nouns: Set[str], lists: CodeLists) -> Field:
    """Call a described code by what it stands for: the "product" of a product code, unless rows are called so."""
    bare = _written_out(
        item.label.removesuffix(" code"), [m for _, kind in link.only_where for m in lists[kind].meanings.values()]
    )
    label = item.label if bare in nouns else bare
    synonyms = tuple(word for word in dict.fromkeys((item.label, *item.synonyms)) if word != label)
    listed = lists[link.only_where[0][1]]
    learnt = Learnt(listed.source, listed.columns, label, item.label)
    return replace(item, label=label, synonyms=synonyms, described_by=(link.name, meaning), learnt=learnt)


def _written_out(label: str, meanings: Sequence[str]) -> str:
    """Write out short words as the one word of the meanings that they shorten: `flt` where "door fault" is one."""
    said = {singular(word) for meaning in meanings for word in words(meaning)}

    def spelled(short: str) -> str:
        long = [word for word in said if short not in WORDS and len(short) < len(word) and abbreviates(short, word)]
        return long[0] if len(short) >= _SHORTEST and len(long) == 1 else short

    return " ".join(map(spelled, label.split()))

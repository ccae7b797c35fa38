"""Codes that a list of several kinds of code describes: shown by their description."""

from __future__ import annotations

from collections import defaultdict
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
    """A list of codes, and the kinds in it.

    Attributes:
        tells_apart: rows are told apart by the code alone, so that columns point at it.
    """

    dataset: str
    kind: str
    code: str
    meaning: str
    kinds: frozenset[str]
    tells_apart: bool


def with_descriptions(
    tables: Sequence[NamedTable],
    datasets: Sequence[Dataset],
    pointing: Sequence[Relationship],
    sampled: Mapping[Key, tuple[Scalar, ...]],
    lists: CodeLists,
) -> tuple[tuple[Dataset, ...], tuple[Relationship, ...]]:
    """Return the datasets, where a code that a list describes leads to its description, and all links.

    Args:
        tables: with their human names.
        datasets: as inferred one by one.
        pointing: the links between them; one that leads from a code to its row in a list is no path to other rows.
        sampled: lower-case (table, column) to distinct sampled values.
        lists: kind of code to code to meaning.
    """
    known = [one for named in tables for one in _lists(named, sampled)]
    nouns = {noun for dataset in datasets for noun in (dataset.label, *dataset.synonyms)}
    described: list[Dataset] = []
    links: list[Relationship] = []
    if not known:
        return tuple(datasets), tuple(pointing)
    leading: defaultdict[tuple[str, tuple[str, ...]], list[Relationship]] = defaultdict(list)
    for link in pointing:
        leading[link.from_dataset, link.from_columns].append(link)
    for named, dataset in zip(tables, datasets, strict=True):
        fields = []
        for item in dataset.fields:
            column = named.by_name.get(item.name.lower())
            codes = sampled.get((named.table.name.lower(), item.name.lower()), ())
            own = leading[dataset.name, (item.name,)]
            found = _link(item, column, named, codes, own, known, lists) if column else None
            fields.append(item if found is None else _described(item, *found, codes, nouns, lists))
            links += [found[0]] if found else []
        described.append(replace(dataset, fields=tuple(fields)))
    silent = {(one.dataset, name) for one in known for name in (one.kind, one.code)} if links else set()
    by_name = {link.name: link for link in (*pointing, *links)}
    still_paths = {link.to_dataset for link in by_name.values() if not link.only_where}
    told = {(one.dataset, one.meaning) for one in known if one.tells_apart and one.dataset not in still_paths}
    return tuple(_without_words(dataset, silent, told) for dataset in described), tuple(by_name.values())


def _without_words(dataset: Dataset, silent: Set[Key], told: Set[Key]) -> Dataset:
    """Leave the words for kinds and codes to the columns that hold the codes: in a list each means several things.

    What the codes are called is said of these columns too, where all of them lead to their description.
    """
    fields = (
        replace(i, value_synonyms={}, learnt=None) if (dataset.name, i.name) in silent else i for i in dataset.fields
    )
    texts = (replace(i, role="text") if (dataset.name, i.name) in told else i for i in fields)
    return replace(dataset, fields=tuple(texts))


def _lists(named: NamedTable, sampled: Mapping[Key, tuple[Scalar, ...]]) -> Iterator[_List]:
    places = code_list_columns(named.table)
    if places is None:
        return
    kind, code, meaning = (named.table.columns[place].name for place in places)
    keys = (named.table.primary_key, *named.table.unique_keys)
    told_apart = [{name.lower() for name in key} for key in keys]
    if {code.lower()} in told_apart or {kind.lower(), code.lower()} in told_apart:
        kinds = frozenset(map(str, sampled.get((named.table.name.lower(), kind.lower()), ())))
        yield _List(named.dataset, kind, code, meaning, kinds, tells_apart={code.lower()} in told_apart)


def _link(
    item: Field,
    column: NamedColumn,
    named: NamedTable,
    codes: Sequence[Scalar],
    own: Sequence[Relationship],
    known: Sequence[_List],
    lists: CodeLists,
) -> tuple[Relationship, str] | None:
    """Return the link from a code to its row in the only list of its kind, and the field that describes it.

    `own` are the links that the database itself has from there.
    """
    if item.sensitive or item.type != "text" or any(one.dataset == named.dataset for one in known):
        return None
    stored = frozenset(str(code).strip().lower() for code in codes if code is not None)
    for link in own:
        there = next((one for one in known if one.dataset == link.to_dataset and one.tells_apart), None)
        kinds = [
            kind for kind in (there.kinds if there else ()) if kind in lists and stored & set(lists[kind].meanings)
        ]
        if there is not None and len(kinds) == 1:
            return replace(link, only_where=((there.kind, kinds[0]),)), there.meaning
    if own or item.role != "category":
        return None
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


def _described(
    item: Field, link: Relationship, meaning: str, codes: Sequence[Scalar], nouns: Set[str], lists: CodeLists
) -> Field:
    """Call a described code by what it stands for: the "product" of a product code, unless rows are called so."""
    ((_, kind),) = link.only_where
    listed = lists[kind]
    bare = _written_out(item.label.removesuffix(" code"), list(listed.meanings.values()))
    label = item.label if bare in nouns else bare
    stored = {str(code): str(code).strip().lower() for code in codes if code is not None}
    said = {code: (listed.meanings[key],) for code, key in stored.items() if key in listed.meanings}
    called = item.value_synonyms or said
    learnt = called if item.learnt is not None or not item.value_synonyms else {}
    return replace(
        item,
        role="category",
        label=label,
        synonyms=tuple(word for word in dict.fromkeys((item.label, *item.synonyms)) if word != label),
        value_synonyms=called,
        described_by=(link.name, meaning),
        learnt=Learnt(listed.source, listed.columns, label, item.label, learnt),
    )


def _written_out(label: str, meanings: Sequence[str]) -> str:
    """Write out short words as the one word of the meanings that they shorten: `flt` where "door fault" is one."""
    said = {singular(word) for meaning in meanings for word in words(meaning)}
    alone = {singular(meaning) for meaning in meanings}  # a code is called so: "active" of an account's status

    def spelled(short: str) -> str:
        long = [word for word in said if short not in WORDS and len(short) < len(word) and abbreviates(short, word)]
        return long[0] if len(short) >= _SHORTEST and len(long) == 1 and long[0] not in alone else short

    return " ".join(map(spelled, label.split()))

"""A vocabulary for a database that brought none, from its keys, types, names, comments and a few sampled values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace

from ai_engine.catalogue import Catalogue, Table, names_in
from ai_engine.semantics.data_dictionary import EMPTY, DataDictionary
from ai_engine.semantics.infer.calendar import as_calendar, days_beside, is_calendar, with_days_behind
from ai_engine.semantics.infer.code_lists import CodeList, CodeLists
from ai_engine.semantics.infer.datasets import default_time, display, is_about_people, own_numbers, unique_names
from ai_engine.semantics.infer.described_codes import with_descriptions
from ai_engine.semantics.infer.fields import field_of, is_doubtful, is_sensitive
from ai_engine.semantics.infer.keys import Link, links, primary_key, relationships
from ai_engine.semantics.infer.line_values import line_value
from ai_engine.semantics.infer.naming import Key, NamedTable, name_tables
from ai_engine.semantics.infer.reference_tables import described_rows, has_few_rows
from ai_engine.semantics.infer.roles import AMOUNTS_AND_KINDS
from ai_engine.semantics.infer.sightings import UNSEEN, Sighting, look_into
from ai_engine.semantics.infer.snapshots import flows, snapshot_nouns, snapshot_time
from ai_engine.semantics.infer.wording import dataset_synonyms, without_clashes
from ai_engine.semantics.infer.years import year_columns
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.types import Scalar

__all__ = ["infer_vocabulary"]

_FEWEST_OF_ITS_OWN = 2
_PREPOSITIONS = frozenset({"to", "from", "by", "of", "for"})


def infer_vocabulary(
    catalogue: Catalogue,
    samples: Mapping[Key, tuple[Scalar, ...]] | None = None,
    dictionary: DataDictionary = EMPTY,
    *,
    unique: Collection[Key] = (),
    code_lists: Sequence[CodeList] = (),
    contained: Mapping[Key, Key | None] | None = None,
    looked: Mapping[Key, Sighting] | None = None,
) -> SemanticModel:
    """Return a vocabulary of every table of the catalogue; the same input gives the same vocabulary.

    Args:
        catalogue: tables and columns.
        samples: (table, column) to some of its distinct values, most frequent first; thirty tell a category from text.
        dictionary: what the bank calls tables and columns; stands above their names, comments and values.
        unique: (table, column) whose values are known to differ in every row; a name among them stands for its row.
        code_lists: what codes mean by the database's own lists; one that has a sensitive column says nothing.
        contained: (table, column) to the key among whose values its own are, None where they are not among those of the
            key that its name says; a column that is not there is judged by its name.
        looked: (table, column) to what was seen in all values that were read, None where `samples` are all; a column
            that is not there could not be looked at.
    """
    tables = name_tables(catalogue, dictionary)
    sampled = _by_small_letters(samples or {})
    different = {(table.lower(), column.lower()) for table, column in unique}
    keys = {named.dataset: primary_key(named) for named in tables}
    by_values = {(table.lower(), column.lower()): key for (table, column), key in (contained or {}).items()}
    found = links(tables, keys, by_values)
    pointing = {(link.from_dataset, name.lower()) for link in found for name in link.columns}
    pointing |= _called_like_tables(tables)
    masters = {link.to_dataset for link in found}
    joining = {(link.to_dataset, name.lower()) for link in found for name in link.to_columns}
    joining |= {(dataset, name.lower()) for dataset, key in keys.items() for name in key}
    if looked is None:
        looked = _sightings(tables, samples or {})
    closed, unseen = _sensitive(tables, pointing | joining, looked, keeps_any_type=catalogue.dialect == "sqlite")
    kept_back = closed | unseen
    sampled = {place: values for place, values in sampled.items() if place not in kept_back}  # they decide nothing else
    lists = {listed.kind: listed for listed in code_lists if kept_back.isdisjoint(_places(listed))}
    nouns = {named.dataset: named.label for named in tables}
    datasets = tuple(
        replace(dataset, description=dataset.description or _joins(named, found, nouns))
        for named, dataset in (
            (named, _dataset(named, keys[named.dataset], pointing, masters, kept_back, sampled, different, lists))
            for named in tables
        )
    )
    named_links = relationships(found)
    datasets = with_days_behind(datasets, named_links)
    datasets, named_links = with_descriptions(tables, datasets, named_links, sampled, lists)
    return SemanticModel(
        name="database",
        datasets=without_clashes(datasets, _states(tables, datasets, sampled)),
        relationships=named_links,
        inferred=True,
        unseen=tuple(
            f"{named.dataset}.{name}"
            for named in tables
            for name in named.table.column_names
            if (named.table.name.lower(), name.lower()) in unseen
        ),
    )


def _by_small_letters(samples: Mapping[Key, tuple[Scalar, ...]]) -> dict[Key, tuple[Scalar, ...]]:
    """The samples of each place; of those that only the case of letters tells apart, together."""
    found: dict[Key, tuple[Scalar, ...]] = {}
    for (table, column), values in samples.items():
        place = (table.lower(), column.lower())
        found[place] = (*found.get(place, ()), *values)
    return found


def _sightings(tables: Sequence[NamedTable], samples: Mapping[Key, tuple[Scalar, ...]]) -> dict[Key, Sighting]:
    sampled = _by_small_letters(samples)
    return {
        (named.table.name, item.column.name): look_into(
            item.column.type,
            item.column.native_type,
            sampled.get((named.table.name.lower(), item.column.name.lower()), ()),
        )
        for named in tables
        for item in named.columns
    }


def _sensitive(
    tables: Sequence[NamedTable], joining: Set[Key], looked: Mapping[Key, Sighting], *, keeps_any_type: bool
) -> tuple[set[Key], set[Key]]:
    """Return the (table, column) that are secret or personal, and others of which that cannot be told.

    `joining` are keys and what points at them.
    """
    closed, unseen = set(), set()
    for named in tables:
        for item in named.columns:
            seen = looked.get((named.table.name, item.column.name), UNSEEN)
            place = (named.table.name.lower(), item.column.name.lower())
            is_key = (named.dataset, place[1]) in joining
            if is_sensitive(item, seen, is_key=is_key):
                closed.add(place)
            elif is_doubtful(item, seen, is_key=is_key, keeps_any_type=keeps_any_type):
                unseen.add(place)
    return closed, unseen - closed


def _places(listed: CodeList) -> set[Key]:
    table = names_in(listed.source)[-1].lower() if listed.source else ""
    return {(table, name.lower()) for name in listed.columns}


def _states(
    tables: Sequence[NamedTable], datasets: Sequence[Dataset], sampled: Mapping[Key, tuple[Scalar, ...]]
) -> dict[str, set[str]]:
    """Return what the categories of each dataset store, in lower case."""
    return {
        dataset.name: {
            str(value).lower()
            for item in dataset.fields
            if item.role == "category"
            for value in sampled.get((named.table.name.lower(), item.name.lower()), ())
        }
        for named, dataset in zip(tables, datasets, strict=True)
    }


def _joins(named: NamedTable, found: Sequence[Link], nouns: Mapping[str, str]) -> str:
    """Say what a table joins that has two foreign keys and hardly anything else."""
    own = [link for link in found if link.from_dataset == named.dataset]
    ends = list(dict.fromkeys(nouns[link.to_dataset] for link in own))
    others = len(named.columns) - sum(len(link.columns) for link in own)
    return f"Links {ends[0]} and {ends[1]}." if len(ends) == 2 and others <= _FEWEST_OF_ITS_OWN else ""


def _called_like_tables(tables: Sequence[NamedTable]) -> set[Key]:
    """Return the whole-number columns called like a table ("account to"): they name its rows, and do not add up."""
    nouns = {named.label for named in tables} - AMOUNTS_AND_KINDS
    return {
        (named.dataset, item.column.name.lower())
        for named in tables
        for item in named.columns
        if item.column.type == "integer" and " ".join(word for word in item.words if word not in _PREPOSITIONS) in nouns
    }


def _dataset(
    named: NamedTable,
    key: tuple[str, ...],
    pointing: set[Key],
    masters: Set[str],
    kept_back: Set[Key],
    sampled: Mapping[Key, tuple[Scalar, ...]],
    different: Set[Key],
    lists: CodeLists,
) -> Dataset:
    table = named.table
    keys = {name.lower() for name in key}
    years = year_columns(named, sampled)
    refers, is_pointed_at = any(dataset == named.dataset for dataset, _ in pointing), named.dataset in masters
    described = described_rows(named, key, sampled, refers=refers, is_pointed_at=is_pointed_at)
    fields = []
    for item in named.columns:
        name = item.column.name.lower()
        points = (named.dataset, name) in pointing
        is_key = name in keys and (len(keys) == 1 or points)
        values = sampled.get((table.name.lower(), name), ())
        fields.append(
            field_of(
                item,
                values,
                is_key=is_key,
                points_elsewhere=points,
                label=named.label,
                lists=lists,
                is_year=name in years,
                names_rows=name == described,
                sensitive=(table.name.lower(), name) in kept_back,
            )
        )
    beside = days_beside(named, fields, key, sampled)
    fields += beside
    words = {item.column.name: item.words for item in named.columns}
    words |= {item.name: tuple(item.label.split()) for item in beside}
    sold_for = line_value(fields, words)
    fields += sold_for
    words |= {item.name: tuple(item.label.split()) for item in sold_for}
    distinct = {name for table_name, name in different if table_name == table.name.lower()}
    distinct |= {described} if described and has_few_rows(named, key, sampled) else set()
    names = unique_names(fields, distinct)
    lasting = () if is_about_people(named.label, words.values()) else names  # of people one may be named like another
    time = default_time(named.label, fields, words, _missing(table, fields))
    snapshots = snapshot_time(named, key, fields, time)
    others = {name for dataset, name in pointing if dataset == named.dataset}
    dataset = Dataset(
        name=named.dataset,
        source=table.source,
        fields=tuple(fields),
        label=named.label,
        primary_key=key,
        unique_keys=tuple(dict.fromkeys((*table.unique_keys, *lasting))),
        synonyms=(
            *named.told.names[1:],
            *dataset_synonyms(named, key),
            *(snapshot_nouns(named.label, fields) if snapshots else ()),
        ),
        description=named.told.description or table.comment,
        default_time=time,
        snapshot_time=snapshots,
        flows=flows(fields) if snapshots else (),
        display=own_numbers(fields, key, table.unique_keys, others) or display(key, fields, names, others),
    )
    return as_calendar(dataset) if is_calendar(named, key) else dataset


def dated_by(dataset: Dataset, table: Table) -> str | None:
    """Return the field that dates the rows among those that may be asked, None where there is none."""
    fields = [item for item in dataset.fields if not item.sensitive]
    words = {item.name: tuple(item.label.lower().split()) for item in fields}
    return default_time(dataset.label, fields, words, _missing(table, fields))


def _missing(table: Table, fields: Sequence[Field]) -> frozenset[str]:
    """The columns that may be missing, where the table says of others, and not of keys alone, that they never are."""
    may_lack = {column.name for column in table.columns if column.nullable}
    told = any(item.name not in may_lack for item in fields if item.role != "identifier")
    return frozenset(may_lack) if told else frozenset()

"""Which columns name a row, and which point at a row of another table, when the database does not say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ai_engine.catalogue import Catalogue, Column
from ai_engine.semantics.data_dictionary import EMPTY
from ai_engine.semantics.infer.datasets import is_about_people
from ai_engine.semantics.infer.fields import is_sensitive
from ai_engine.semantics.infer.naming import Key, NamedColumn, NamedTable, name_tables
from ai_engine.semantics.infer.sightings import NOTHING_SEEN
from ai_engine.semantics.model import GuessedBy, Relationship
from ai_engine.semantics.names import column_words, singular
from ai_engine.semantics.parties import is_agent, names_the_doer
from ai_engine.semantics.schema_words import KEY_WORDS

_WEAK_KEY_WORDS = frozenset({"code", "ref"})
_NUMERIC = frozenset({"integer", "decimal", "float"})
_NOUNS_FOR_PEOPLE = frozenset("customer user member officer employer party parent partner".split())
_BY_MEMBERSHIP = {
    "enrollment": "member", "enrolment": "member", "membership": "member", "subscription": "subscriber",
    "participation": "participant",
}  # fmt: skip
ENROLMENTS = frozenset(_BY_MEMBERSHIP)


@dataclass(frozen=True)
class Link:
    """`columns` of one dataset point at the key of another; `role` are the words that tell this path from others.

    `guessed_by` is what stands for a link that the database does not declare.
    """

    from_dataset: str
    columns: tuple[str, ...]
    to_dataset: str
    to_columns: tuple[str, ...]
    role: str = ""
    guessed_by: GuessedBy | None = None


@dataclass(frozen=True)
class KeyGuesses:
    """Which columns look like foreign keys that the database does not declare; all places are (table, column).

    Attributes:
        by_name: column to the key that its name says.
        nameless: columns called like a key of nothing that is known: "owner id".
        targets: keys of one column that others may point at.
    """

    by_name: Mapping[Key, Key]
    nameless: tuple[Key, ...]
    targets: tuple[Key, ...]


def guess_keys(catalogue: Catalogue) -> KeyGuesses:
    """Return what the names alone say, so that the values can be asked: not of what is sensitive by its name."""
    tables = name_tables(catalogue, EMPTY)
    keys = {named.dataset: primary_key(named) for named in tables}
    table_of = {named.dataset: named.table.name for named in tables}
    columns = [(named, item) for named in tables for item in named.columns]
    secret = {(of.dataset, one.column.name) for of, one in columns if is_sensitive(one, NOTHING_SEEN, is_key=True)}
    found = links(tables, keys, {})
    by_name = {
        (table_of[link.from_dataset], link.columns[0]): (table_of[link.to_dataset], link.to_columns[0])
        for link in found
        if link.guessed_by is not None
        and secret.isdisjoint([(link.from_dataset, link.columns[0]), (link.to_dataset, link.to_columns[0])])
    }
    linked = {(link.from_dataset, name.lower()) for link in found for name in link.columns}
    nameless = (
        (named.table.name, item.column.name)
        for named, item in columns
        if not KEY_WORDS.isdisjoint(item.words[-1:])
        and keys[named.dataset] != (item.column.name,)
        and (named.dataset, item.column.name.lower()) not in linked
        and not is_sensitive(item, NOTHING_SEEN, is_key=False)
    )
    targets = (
        (named.table.name, key[0])
        for named in tables
        if _is_target(named, key := keys[named.dataset]) and (named.dataset, key[0]) not in secret
    )
    return KeyGuesses(by_name, tuple(nameless), tuple(targets))


def _is_target(named: NamedTable, key: tuple[str, ...]) -> bool:
    return len(key) == 1 and not named.table.is_view


def primary_key(named: NamedTable) -> tuple[str, ...]:
    """Return the declared key, else a unique key, else the column whose name says it, else nothing."""
    table = named.table
    if table.primary_key:
        return table.primary_key
    if table.unique_keys:
        return min(table.unique_keys, key=len)
    pointing = {name.lower() for key in table.foreign_keys for name in key.columns}
    own = [item for item in named.columns if item.column.name.lower() not in pointing]
    for endings in (KEY_WORDS - _WEAK_KEY_WORDS, _WEAK_KEY_WORDS):
        for item in own:
            if _names_a_row(item.words, named.label, endings, is_first=item is named.columns[0]):
                return (item.column.name,)
    return ()


def _names_a_row(words: tuple[str, ...], label: str, endings: frozenset[str], *, is_first: bool) -> bool:
    """Tell whether the words are the table's noun and a key word; half the noun is enough for the first column only."""
    if not words or words[-1] not in endings:
        return False
    owner = " ".join(words[:-1])
    return owner in {"", label} or (is_first and owner == label.rsplit(maxsplit=1)[-1])


def links(
    tables: Sequence[NamedTable], keys: Mapping[str, tuple[str, ...]], by_values: Mapping[Key, Key | None]
) -> tuple[Link, ...]:
    """Return declared foreign keys and the likely ones of columns that have none.

    Args:
        tables: tables with the words of their columns.
        keys: the primary key of each dataset.
        by_values: (table, column) in lower case to the key that holds its values, None where they are not in the one
            that its name says.
    """
    by_table = {named.table.name.lower(): named for named in reversed(tables)}
    targets = _targets(tables, keys)
    nouns = {named.dataset: named for named in tables}
    found: list[Link] = []
    for named in tables:
        declared = _declared(named, by_table, keys)
        taken = {name.lower() for link in declared for name in link.columns}
        reached = {link.to_dataset for link in declared}
        likely = []
        for item in named.columns:
            if item.column.name.lower() not in taken:
                place = named.table.name.lower(), item.column.name.lower()
                if place in by_values:
                    link = _by_values(named, item, by_values[place], by_table)
                else:
                    link = _likely(named, item.column, item.words, keys[named.dataset], targets)
                if link is not None and (link.role or link.to_dataset not in reached):
                    likely.append(link)
        found += [_by_membership(link, named, nouns) for link in declared + likely]
    return tuple(found)


def _by_values(
    named: NamedTable, item: NamedColumn, key: Key | None, by_table: Mapping[str, NamedTable]
) -> Link | None:
    if key is None:
        return None
    target = by_table[key[0].lower()]
    role = " ".join(item.words[:-1])
    return Link(named.dataset, (item.column.name,), target.dataset, (key[1],), role, "values")


def _by_membership(link: Link, named: NamedTable, nouns: Mapping[str, NamedTable]) -> Link:
    """Call the people to whom an enrolment points its members: "program enrolment" of a customer."""
    role = _BY_MEMBERSHIP.get(named.label.rsplit(maxsplit=1)[-1], "")
    target = nouns[link.to_dataset]
    about_people = is_about_people(target.label, [item.words for item in target.columns])
    return replace(link, role=role) if role and not link.role and about_people else link


def _declared(named: NamedTable, by_table: Mapping[str, NamedTable], keys: Mapping[str, tuple[str, ...]]) -> list[Link]:
    declared = []
    for key in named.table.foreign_keys:
        target = by_table.get(key.to_table.lower())
        if target is None:
            continue
        to_columns = key.to_columns or keys[target.dataset]
        if len(to_columns) != len(key.columns):
            continue
        words = named.by_name[key.columns[0].lower()].words
        role = _role(words, target.label, column_words(to_columns[0])) if len(key.columns) == 1 else ""
        declared.append(Link(named.dataset, key.columns, target.dataset, to_columns, role))
    return [_told_apart(link, named, declared) for link in declared]


def _told_apart(link: Link, named: NamedTable, others: Sequence[Link]) -> Link:
    """Take the words of a column for its role where it names who plays it (borrower), or where several need one."""
    if link.role or len(link.columns) > 1 or link.columns == link.to_columns:
        return link
    words = named.by_name[link.columns[0].lower()].words
    role = " ".join(words[:-1] if words[-1] in KEY_WORDS else words)
    rivals = [other for other in others if other.to_dataset == link.to_dataset]
    return replace(link, role=role) if len(rivals) > 1 or _tells_who(role, link.to_dataset) else link


def _tells_who(role: str, target: str) -> bool:
    """ "borrower" of a person, "approved by": what somebody does here, and no other noun for people."""
    if role.endswith(" by"):
        return True
    return is_agent(role) and role.rsplit(maxsplit=1)[-1] not in _NOUNS_FOR_PEOPLE | set(column_words(target))


@dataclass(frozen=True)
class _Target:
    named: NamedTable
    column: Column
    by_label: bool


def _targets(tables: Sequence[NamedTable], keys: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, ...], list[_Target]]:
    """Index the tables with a single-column key by the words a column pointing at them would have."""
    targets: dict[tuple[str, ...], list[_Target]] = defaultdict(list)
    for named in tables:
        key = keys[named.dataset]
        if not _is_target(named, key):
            continue
        item = named.by_name[key[0].lower()]
        label = tuple(named.label.split())
        suffix = item.words[-1] if item.words[-1] in KEY_WORDS else "id"
        spellings = {(*label, suffix): True, (*label, "id"): True, label: True}
        if len(item.words) > 1:
            spellings.setdefault(item.words, False)
        spellings.setdefault(column_words(key[0]), False)
        for words, by_label in spellings.items():
            if not KEY_WORDS.issuperset(words):  # "id" alone names the rows of no table
                targets[words].append(_Target(named, item.column, by_label))
    return targets


def _likely(
    named: NamedTable,
    column: Column,
    words: tuple[str, ...],
    own_key: tuple[str, ...],
    targets: Mapping[tuple[str, ...], list[_Target]],
) -> Link | None:
    is_key = own_key == (column.name,)
    singulars = (*words[:-1], singular(words[-1])) if words else ()
    for start in range(len(singulars)):
        tail = singulars[start:]
        bare = tail[-1] not in KEY_WORDS
        if bare and start > 0:
            break
        fitting = [
            target
            for target in targets.get(tail, ())
            if _fits(column, target.column, exact=bare)
            and not (target.named is named and (start == 0 or is_key))
            and not (is_key and not (target.by_label and start == 0))
        ]
        best = [target for target in fitting if target.by_label] or fitting
        if len(best) == 1:
            role = " ".join(words[:start])
            return Link(named.dataset, (column.name,), best[0].named.dataset, (best[0].column.name,), role, "name")
    return None


def _fits(column: Column, target: Column, *, exact: bool) -> bool:
    if column.type == target.type:
        return not exact or column.type == "integer"
    return not exact and column.type in _NUMERIC and target.type in _NUMERIC


def _role(words: tuple[str, ...], label: str, key: tuple[str, ...]) -> str:
    """Return the words before the target's noun or before its key as it is written: "debtor" of `poDebtorPyId`."""
    kept = words[:-1] if words and words[-1] in KEY_WORDS else words
    noun = label.split()
    for size in range(len(noun), 0, -1):
        tail = tuple(noun[-size:])
        if tuple(singular(word) for word in kept[-size:]) == tail:
            return " ".join(kept[:-size])
    return " ".join(words[: -len(key)]) if len(key) > 1 and words[-len(key) :] == key else ""


def relationships(found: Sequence[Link]) -> tuple[Relationship, ...]:
    """Name the links; of several between two datasets the one without a role is preferred, else that of the doer."""
    pairs: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for link in found:
        pairs[link.from_dataset, link.to_dataset].append(link)
    named = []
    for link in found:
        rivals = pairs[link.from_dataset, link.to_dataset]
        plain = [rival for rival in rivals if not rival.role]
        doing = [rival for rival in rivals if names_the_doer(rival.role)]
        preferred = next(iter(plain or doing), None)
        name = f"{link.from_dataset}_to_{link.to_dataset}"
        if len(rivals) > 1:
            name = f"{link.from_dataset}_{'_'.join(link.columns)}_to_{link.to_dataset}"
        named.append(
            Relationship(
                name=name,
                from_dataset=link.from_dataset,
                from_columns=link.columns,
                to_dataset=link.to_dataset,
                to_columns=link.to_columns,
                synonyms=(link.role,) if link.role else (),
                preferred=len(rivals) > 1 and link is preferred,
                guessed_by=link.guessed_by,
            )
        )
    return tuple(named)

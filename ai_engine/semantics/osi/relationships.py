"""The relationships of a vocabulary file, and those that are inferred where it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ai_engine.catalogue import Table
from ai_engine.semantics.model import Dataset, GuessedBy, Relationship, SemanticModel
from ai_engine.semantics.osi import extension as own
from ai_engine.semantics.osi.document import Part, nearest

_RELATIONSHIP = ("name", "from", "to", "from_columns", "to_columns", "description", "ai_context", "custom_extensions")


def read_columns(part: Part, table: Table | None) -> tuple[str, ...]:
    """Read column names, spelled as the database does."""
    found = []
    for item in part.items():
        column = table.column(item.name()) if table else None
        if column is None:
            known = [column.name for column in table.columns] if table else []
            item.fail(f"table {table.name if table else ''!r} has no column {item.value!r}{nearest(item.value, known)}")
        found.append(column.name)
    return tuple(found)


def read_relationship(part: Part, datasets: Mapping[str, Dataset], tables: Mapping[str, Table | None]) -> Relationship:
    """Read a relationship; BadVocabulary where it names what the datasets or their tables do not have."""
    entries = part.only(_RELATIONSHIP, ("name", "from", "to", "from_columns", "to_columns"))
    extra = own.extension(entries, own.RELATIONSHIP_KEYS)
    for end in ("from", "to"):
        if entries[end].name() not in datasets:
            entries[end].fail(f"no dataset {entries[end].value!r}{nearest(entries[end].value, list(datasets))}")
    from_columns = read_columns(entries["from_columns"], tables[entries["from"].value])
    to_columns = read_columns(entries["to_columns"], tables[entries["to"].value])
    if len(from_columns) != len(to_columns) or not from_columns:
        entries["to_columns"].fail("from_columns and to_columns must name equally many columns, at least one")
    where = extra["only_where"].entries() if "only_where" in extra else {}
    there = tables[entries["to"].value]
    for column, said in where.items():
        if there is None or there.column(column) is None:
            said.fail(f"table {entries['to'].value!r} has no column {column!r}")
    return Relationship(
        name=entries["name"].name(),
        from_dataset=entries["from"].value,
        from_columns=from_columns,
        to_dataset=entries["to"].value,
        to_columns=to_columns,
        synonyms=own.synonyms(entries),
        preferred="preferred" in extra and extra["preferred"].truth(),
        only_where=tuple((column, said.text()) for column, said in where.items()),
        guessed_by=_guessed_by(extra),
    )


def _guessed_by(extra: Mapping[str, Part]) -> GuessedBy | None:
    said = extra["guessed_by"].one_of(own.GUESSED_BY) if "guessed_by" in extra else None
    return next((basis for basis in own.GUESSED_BY if basis == said), None)


def inferred_among(datasets: Sequence[Dataset], inferred: SemanticModel) -> tuple[Relationship, ...]:
    """Return the inferred relationships among the file's datasets, under the file's names."""
    names = {item.name: [own.name for own in datasets if own.source == item.source] for item in inferred.datasets}
    return tuple(
        Relationship(
            name=link.name if (start, end) == (link.from_dataset, link.to_dataset) else f"{start}_{link.name}_{end}",
            from_dataset=start,
            from_columns=link.from_columns,
            to_dataset=end,
            to_columns=link.to_columns,
            synonyms=link.synonyms,
            preferred=link.preferred,
            only_where=link.only_where,
            guessed_by=link.guessed_by,
        )
        for link in inferred.relationships
        for start in names[link.from_dataset]
        for end in names[link.to_dataset]
    )

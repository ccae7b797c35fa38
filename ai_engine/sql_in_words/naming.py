"""What the tables and columns of one SELECT are called in the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.wording import plural


def quoted(node: exp.Expr, dialect: str) -> str:
    """Write a piece of SQL as it stands, marked as such."""
    return "`" + " ".join(node.sql(dialect, comments=False).split()).replace("`", "'") + "`"


@dataclass(frozen=True)
class Names:
    """The tables that one SELECT reads, by the names that it gives them; None for one that no vocabulary describes."""

    model: SemanticModel
    dialect: str
    sources: Mapping[str, Dataset | None]

    def table(self, name: str) -> str:
        """Say a source in the plural of its label, with its own name where that is another."""
        dataset = self.sources.get(name.lower())
        if dataset is None:
            return f"`{name}`"
        many = plural(dataset.label)
        return many if many.lower() == name.lower().replace("_", " ") else f"{many} (`{name}`)"

    def column(self, column: exp.Column) -> str:
        """Say a column by its label, and of what it is where several tables are read."""
        found = self.field(column)
        if found is None:
            return f"`{column.sql(self.dialect)}`"
        dataset, item = found
        known = [one for one in self.sources.values() if one is not None]
        if len(self.sources) == 1 or dataset.label in item.label:
            return item.label
        alias = column.table if known.count(dataset) > 1 else ""
        return f"{item.label} of `{alias}`" if alias else f"{item.label} of the {dataset.label}"

    def field(self, column: exp.Column) -> tuple[Dataset, Field] | None:
        """Return the field that is meant, None where nothing or more than one thing may be."""
        owners = [column.table.lower()] if column.table else list(self.sources)
        if not column.table and any(self.sources[name] is None for name in owners):
            return None  # it may be a column of what nobody describes
        found = [
            (dataset, item)
            for name in owners
            if (dataset := self.sources.get(name)) is not None
            for item in dataset.fields
            if item.expression.strip('"`').lower() == column.name.lower()
        ]
        return found[0] if len(found) == 1 else None


def names_of(select: exp.Select, model: SemanticModel, dialect: str, hidden: frozenset[str]) -> Names:
    """Look up what a SELECT reads; `hidden` are names of common table expressions, which are no tables."""
    by_table = {one.table_name.lower(): one for one in model.datasets}
    origin = select.args.get("from_") or select.args.get("from")
    tables = [origin.this] if origin else []
    tables += [join.this for join in select.args.get("joins") or ()]
    sources: dict[str, Dataset | None] = {}
    for source in tables:
        is_table = isinstance(source, exp.Table) and source.name.lower() not in hidden
        sources[source.alias_or_name.lower()] = by_table.get(source.name.lower()) if is_table else None
    return Names(model, dialect, sources)

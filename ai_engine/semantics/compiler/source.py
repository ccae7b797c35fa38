"""Where the figures of a statement come from: one grouped SELECT, or several joined on their dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sqlglot import exp

from ai_engine.catalogue import Dialect
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compared_periods import like_with_like
from ai_engine.semantics.compiler.bands import band_names
from ai_engine.semantics.compiler.calendar import Step, listed, shown_steps
from ai_engine.semantics.compiler.dialects import identifier, literal
from ai_engine.semantics.compiler.facts import Group, Question, Span, grouped_fact
from ai_engine.semantics.compiler.grains import TRUNCATED
from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.members import members
from ai_engine.semantics.compiler.naming import Names, leaf_name, slug
from ai_engine.semantics.compiler.parts import Part, parts_of
from ai_engine.semantics.compiler.rows import Grouped, Named
from ai_engine.semantics.compiler.scope import Setting, bare_when_alone, named
from ai_engine.semantics.intent import Condition, Filter, Intent
from ai_engine.semantics.restatement import GRAIN_WORDS

UNTIL = "until"
FOUND = "found"
EMPTY: Mapping[str, str] = {}
Table: TypeAlias = tuple[str, exp.Select]
PUTS_TOGETHER: Mapping[Dialect, Literal["FULL JOIN", "LEFT JOIN", "UNION ALL"]] = {
    "duckdb": "FULL JOIN",
    "sqlite": "FULL JOIN",
    "postgres": "FULL JOIN",
    "mysql": "LEFT JOIN",
    "trino": "FULL JOIN",
    "spark": "FULL JOIN",
    "tsql": "UNION ALL",  # it has no USING
    "oracle": "FULL JOIN",
    "snowflake": "UNION ALL",  # of columns that USING joins, it shows those of the left table
    "bigquery": "FULL JOIN",
    "databricks": "FULL JOIN",
    "clickhouse": "UNION ALL",
}
"""How rows of several tables come together that only some of them have."""


@dataclass(frozen=True)
class Source:
    """FROM to GROUP BY of a statement.

    Attributes:
        query: nothing selected yet.
        groups: name and SQL of each dimension.
        values: SQL of each aggregate, one mapping per period.
        sort_keys: what sorts a dimension whose names do not sort by themselves.
        aggregated: conditions on groups belong in HAVING.
        tables: the common table expressions that `query` reads, in order.
    """

    query: exp.Select
    groups: Named
    values: tuple[Mapping[Leaf, exp.Expr], ...]
    sort_keys: Mapping[str, exp.Expr]
    aggregated: bool
    tables: tuple[Table, ...] = ()

    def keep(self, query: exp.Select, condition: exp.Expr) -> exp.Select:
        """Keep the groups that satisfy a condition."""
        return query.having(condition) if self.aggregated else query.where(condition)


def source_of(
    intent: Intent,
    setting: Setting,
    question: Question,
    groups: Sequence[Group],
    leaves: Sequence[Leaf],
    *,
    named_values: bool,
) -> Source:
    """Lay out where aggregates come from; `named_values` asks for a name for each, to be used more than once."""
    return _Layout(intent, setting, question, groups, leaves).source(named_values=named_values)


class _Layout:
    def __init__(
        self, intent: Intent, setting: Setting, question: Question, groups: Sequence[Group], leaves: Sequence[Leaf]
    ) -> None:
        self.intent, self.setting, self.question, self.groups = intent, setting, question, tuple(groups)
        self.spans = [Span(intent.period)]
        if intent.compare is not None:
            now, before, shift = like_with_like(intent.period, intent.compare)
            self.spans = [Span(now), Span(before, shift)]
        self.along_time = self._series_group()
        self.kept = self._kept_groups()
        self.question = replace(question, keeps_groups=bool(self.kept))
        self.parts = parts_of(intent, setting, question, self.groups, leaves, self.spans)
        taken = [name for dataset in setting.model.datasets for name in (dataset.name, dataset.table_name)]
        self.names = Names(taken)

    def source(self, *, named_values: bool) -> Source:
        if len(self.parts) == 1 and not named_values and self.along_time is None and not self.kept:
            fact = self._fact(self.parts[0])
            return Source(fact.query, fact.groups, (fact.values,), fact.sort_keys, aggregated=True)
        tables = [self._table(part) for part in self.parts]
        if self.along_time is not None:
            return self._series(tables, self.along_time)
        if self.kept:
            every = self._members()
            return self._along(every[0], self.parts, [*tables, every])
        if len(self.parts) == 1:
            return self._from_one(tables)
        if not self.groups:
            return self._side_by_side(tables)
        if len({part.rows for part in self.parts}) == 1:
            return self._along(self.parts[0].name, self.parts[1:], tables)
        if PUTS_TOGETHER[self.setting.dialect] == "LEFT JOIN":
            return self._along_every_group(tables)
        return self._joined(tables)

    def _fact(self, part: Part) -> Grouped:
        return grouped_fact(self.setting, self.question, part.leaves, part.groups, self.spans[part.span])

    def _table(self, part: Part) -> tuple[str, exp.Select]:
        """Write one part as a common table expression and name its columns."""
        dialect, fact = self.setting.dialect, self._fact(part)
        names = Names(name for name, _ in fact.groups)
        part.columns = {leaf: names.unique(leaf_name(leaf, self.setting)) for leaf in part.leaves}
        items = [named(value, name, dialect) for name, value in fact.groups]
        items += [named(fact.values[leaf], part.columns[leaf], dialect) for leaf in part.leaves]
        by = "_".join(group.name for group in self.groups)[:40].rstrip("_")
        words = [part.leaves[0].dataset, f"by_{by}" if by else "total"]
        if self.intent.compare:
            words.append("before" if part.span else "now")
        part.name = self.names.unique(slug("_".join(words)))
        return part.name, bare_when_alone(fact.query.select(*items))

    def _from_one(self, tables: list[Table]) -> Source:
        part = self.parts[0]
        query = exp.Select().from_(part.name)
        groups = tuple((group.name, self._column(group.name)) for group in self.groups)
        values = {leaf: self._column(name) for leaf, name in part.columns.items()}
        return Source(query, groups, (values,), self._band_keys(groups), aggregated=False, tables=tuple(tables))

    def _side_by_side(self, tables: list[Table]) -> Source:
        """Join parts that have one row each."""
        query = exp.Select().from_(self.parts[0].name)
        for part in self.parts[1:]:
            query = query.join(part.name, join_type="cross")
        return Source(query, (), self._values(), {}, aggregated=False, tables=tuple(tables))

    def _joined(self, tables: list[Table]) -> Source:
        """Join parts on their dimensions, keeping combinations that only some of them have.

        Grouping afterwards brings the rows together in which a dimension is missing: NULL never joins NULL.
        """
        names = [group.name for group in self.groups]
        query = self._all_parts(names)
        groups = tuple((name, self._column(name)) for name in names)
        grouped = query.group_by(*(column.copy() for _, column in groups))
        values, keys = self._values(exp.Max), self._band_keys(groups)
        return Source(grouped, groups, values, keys, aggregated=True, tables=tuple(tables))

    def _all_parts(self, names: Sequence[str]) -> exp.Select:
        """Join the parts on columns of theirs, keeping rows that only some have."""
        if PUTS_TOGETHER[self.setting.dialect] == "UNION ALL":
            return self._stacked(names)
        query = exp.Select().from_(self.parts[0].name)
        for part in self.parts[1:]:
            using = [identifier(name, self.setting.dialect) for name in names]
            query.append("joins", exp.Join(this=exp.to_table(part.name), side="FULL", using=using))
        return query

    def _stacked(self, names: Sequence[str]) -> exp.Select:
        """Put the rows of the parts below each other, each figure beside NULL for those of the other parts."""
        dialect = self.setting.dialect
        rows: exp.Query | None = None
        for part in self.parts:
            items: list[exp.Expr] = [self._column(name) for name in names]
            for place, other in enumerate(self.parts, 1):
                for name in other.columns.values():
                    value = self._column(name) if other is part else exp.Null()
                    items.append(named(value, f"{name}_{place}", dialect))
            own = exp.Select().select(*items).from_(part.name)
            rows = own if rows is None else rows.union(own, distinct=False, copy=False)
        assert rows is not None  # noqa: S101 - there are several parts
        return exp.Select().from_(rows.subquery("stacked", copy=False))

    def _along(
        self, spine: str, parts: Sequence[Part], tables: list[Table], homes: Mapping[str, str] = EMPTY
    ) -> Source:
        """Join parts to a table that has every combination of the dimensions already."""
        query = exp.Select().from_(spine)
        groups = tuple((group.name, self._column(group.name, homes.get(group.name, spine))) for group in self.groups)
        for part in parts:
            matches: list[exp.Expr] = [
                exp.NullSafeEQ(this=self._column(name, part.name), expression=column.copy()) for name, column in groups
            ]
            query = query.join(part.name, on=exp.and_(*matches), join_type="left")
        return Source(query, groups, self._values(), self._band_keys(groups), aggregated=False, tables=tuple(tables))

    def _along_every_group(self, tables: list[Table]) -> Source:
        """Do without FULL JOIN: list every combination of the dimensions first, then keep those that a part has."""
        tables = [(table, query.select(exp.alias_(literal(1), FOUND))) for table, query in tables]
        found = exp.or_(*(_known(self._column(FOUND, part.name)) for part in self.parts))
        if len(self.groups) == 1 and self._steps(self.groups[0]):
            source = self._series(tables, self.groups[0])
            return replace(source, query=source.query.where(found))
        homes = {group.dimension.field.dataset for group in self.groups}
        facts = {part.leaves[0].dataset for part in self.parts}
        moved = any(span.shift for span in self.spans) and any(group.dimension.field.grain for group in self.groups)
        if (len(homes) > 1 and len(facts) > 1) or moved or len({part.groups for part in self.parts}) > 1:
            raise IntentNotCovered("MySQL cannot put these figures side by side: it has no FULL JOIN")
        rows = (facts if len(facts) == 1 else homes).pop()
        everything = replace(self.question, filters=())
        fact = grouped_fact(self.setting, everything, [Leaf(rows, "count")], self.groups, Span())
        name = self.names.unique("every_group")
        items = [named(value, key, self.setting.dialect) for key, value in fact.groups]
        tables = [(name, bare_when_alone(fact.query.select(*items))), *tables]
        source = self._along(name, self.parts, tables)
        return replace(source, query=source.query.where(found))

    def _series(self, tables: list[Table], along: Group) -> Source:
        """Give every step of the period a row; with other dimensions, each of their combinations."""
        steps = self._steps(along)
        calendar = self.names.unique("calendar")
        listing = listed(along.name, steps, self.setting.dialect) if steps else self._seen_steps(along)
        tables = [(calendar, listing), *tables]
        others = [group for group in self.groups if group is not along]
        if others and len(self.parts) > 1 and (not steps or (self.setting.dialect == "mysql" and not self.kept)):
            raise IntentNotCovered("the missing steps of these figures cannot be shown beside other groups")
        if not others and (not steps or self.setting.dialect == "tsql"):
            # A date that is missing is a step of its own, and NULL never joins NULL.
            return self._along(calendar, self.parts, tables)
        if not others:
            query = exp.Select().from_(calendar)
            for part in self.parts:
                query = query.join(part.name, using=self._column(along.name), join_type="left")
            groups = ((along.name, self._column(along.name)),)
            return Source(query, groups, self._values(), {}, aggregated=False, tables=tuple(tables))
        series = self.names.unique("series")
        if self.kept:
            tables.append(self._members())
        tables.append((series, self._combinations(tables[-1][0], others, None if steps else along)))
        source = self._along(calendar, self.parts, tables, {group.name: series for group in others})
        joined = exp.Select().join(series, join_type="cross")
        if not steps:
            # Two tables of unknown length may only be joined on a condition: the last step with data.
            seen = exp.LTE(this=self._column(along.name, calendar), expression=self._column(UNTIL, series))
            joined = exp.Select().join(series, on=seen)
        source.query.set("joins", [*joined.args["joins"], *source.query.args["joins"]])
        return source

    def _seen_steps(self, along: Group) -> exp.Select:
        """Take the steps in which anything at all happened, where the list would be too long or has no start."""
        grain = str(along.dimension.field.grain)
        self.setting.note(f"A {GRAIN_WORDS[grain]} in which nothing happened at all is not shown.")
        part = self.parts[0]
        seen = next(group for group in part.groups if group.name == along.name)
        everything = replace(self.question, filters=self._known(seen))
        any_row = Leaf(part.leaves[0].dataset, "count", time=part.leaves[0].time)
        fact = grouped_fact(self.setting, everything, [any_row], [seen], self.spans[0])
        items = [named(value, name, self.setting.dialect) for name, value in fact.groups]
        return bare_when_alone(fact.query.select(*items))

    def _known(self, along: Group) -> tuple[Filter, ...]:
        """Leave out rows that lack the date, where it is not the one that every row of its dataset has."""
        date = along.dimension.field.model_copy(update={"grain": None})
        if self.setting.dataset(date.dataset).default_time == date.field:
            return ()
        self.setting.note(f"Rows whose {self.setting.field(date).label} is not known are left out.")
        return (Condition(field=date, operator="is not null"),)

    def _steps(self, along: Group) -> tuple[Step, ...]:
        grain, start_month = along.dimension.field.grain, self.setting.model.fiscal_year_start_month
        return shown_steps(self.intent.period, grain, start_month, self.setting.as_of)

    def _combinations(self, table: str, others: Sequence[Group], until: Group | None) -> exp.Select:
        """List the combinations of the dimensions beside time, each with the last step that has data."""
        names = [group.name for group in others]
        items: list[exp.Expr] = [self._column(name) for name in names]
        if until is not None:
            last = exp.Select().select(exp.Max(this=self._column(until.name))).from_(self.parts[0].name)
            items.append(exp.Alias(this=exp.Subquery(this=last), alias=exp.to_identifier(UNTIL)))
        if self.kept or len(self.parts) == 1:
            return exp.Select().select(*items).distinct().from_(table)
        return self._all_parts(names).select(*items).group_by(*(self._column(name) for name in names))

    def _kept_groups(self) -> list[Group]:
        """Return the dimensions whose members are shown though no rows fall into them; beside time, only things."""
        others = [group for group in self.groups if group.dimension.field.grain not in TRUNCATED]
        things = [group for group in others if self.setting.field(group.dimension.field).role in ("name", "identifier")]
        if not self.intent.fill_gaps or (self.along_time is not None and not things):
            return []
        if len(others) + (self.along_time is not None) < len(self.groups):
            raise IntentNotCovered("groups are kept along one step of time only")
        return others

    def _members(self) -> Table:
        facts = list(dict.fromkeys(leaf.dataset for part in self.parts for leaf in part.leaves))
        name = self.names.unique(slug("_".join(["every", *(group.name for group in self.kept)])[:40]))
        return name, members(self.setting, self.question, facts, self.kept)

    def _series_group(self) -> Group | None:
        """Return the dimension whose missing steps are to be shown."""
        along = (group for group in self.groups if group.dimension.field.grain in TRUNCATED)
        return next(along, None) if self.intent.fill_gaps else None

    def _values(self, wrap: type[exp.AggFunc] | None = None) -> tuple[Mapping[Leaf, exp.Expr], ...]:
        values: list[dict[Leaf, exp.Expr]] = [{} for _ in self.spans]
        missing_rows = self.intent.fill_gaps or len({part.rows for part in self.parts}) > 1
        stacked = PUTS_TOGETHER[self.setting.dialect] == "UNION ALL"
        for place, part in enumerate(self.parts, 1):
            for leaf, name in part.columns.items():
                value: exp.Expr = self._column(name, part.name)
                if wrap is not None:
                    value = wrap(this=self._column(f"{name}_{place}") if stacked else value)
                one_row = not self.groups and (leaf.is_count or self.intent.compare is None)
                if leaf.empty_is_zero and missing_rows and not one_row:
                    value = exp.func("COALESCE", value, literal(0))
                values[part.span][leaf] = value
        return tuple(values)

    def _band_keys(self, groups: Named) -> dict[str, exp.Expr]:
        keys: dict[str, exp.Expr] = {}
        for group, (name, column) in zip(self.groups, groups, strict=True):
            ref, edges = group.dimension.field, group.dimension.edges
            if edges:
                whole = self.setting.field(ref).type == "integer" or ref.grain is not None
                cases = [exp.If(this=literal(band), true=literal(number))
                         for number, band in enumerate(band_names(edges, whole=whole), 1)]  # fmt: skip
                keys[name] = exp.Case(this=column.copy(), ifs=cases)
        return keys

    def _column(self, name: str, table: str | None = None) -> exp.Column:
        owner = identifier(table, self.setting.dialect) if table else None
        return exp.Column(this=identifier(name, self.setting.dialect), table=owner)


def _known(column: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=column, expression=exp.Null()))

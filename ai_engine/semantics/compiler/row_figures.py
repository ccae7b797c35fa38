"""Figures of listed rows: how many accounts each customer has, what they hold together."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import identifier, literal
from ai_engine.semantics.compiler.facts import Question
from ai_engine.semantics.compiler.figures import figure_of
from ai_engine.semantics.compiler.leaves import Leaf, dated_by
from ai_engine.semantics.compiler.naming import Names, leaf_name, slug
from ai_engine.semantics.compiler.predicates import Predicates
from ai_engine.semantics.compiler.routes import route, to_one
from ai_engine.semantics.compiler.rows import Grouped, Rows
from ai_engine.semantics.compiler.scope import Scope, Setting, bare_when_alone, named, table_column
from ai_engine.semantics.compiler.snapshots import as_of_latest, latest
from ai_engine.semantics.intent import FieldRef, Measure, Period
from ai_engine.semantics.join_paths import Path
from ai_engine.semantics.wording import plural


@dataclass(frozen=True)
class _Part:
    """One figure of every row: a grouped table, and what ties it to the list."""

    name: str
    query: exp.Select
    tie: exp.Expr
    value: exp.Expr


@dataclass
class RowFigures:
    """Aggregates related rows once for all listed rows, and joins the result to the list.

    Attributes:
        scope: the list's own tables.
        period: dates the related rows, None for all of them.
    """

    scope: Scope
    question: Question
    period: Period | None
    parts: dict[tuple[Leaf, tuple[str, ...]], _Part] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        datasets = self.scope.setting.model.datasets
        self._names = Names(name for item in datasets for name in (item.name, item.table_name))

    def value(self, measure: Measure) -> exp.Expr:
        """Return a figure of each row, zero where there is nothing to count or add up."""
        if measure.transform is not None:
            raise IntentNotCovered("a figure of one row cannot look at other rows")
        figure = figure_of(measure, self.scope.setting)
        return figure.with_values({leaf: self._related(leaf) for leaf in figure.leaves})

    def extreme(self, measure: Measure, via: tuple[str, ...]) -> exp.Expr:
        """Return the highest or lowest of each row's related values; a row without any is left out.

        `via` names the relationships to walk from the row to what is aggregated.
        """
        leaf = figure_of(measure, self.scope.setting).leaves[0]
        value = self._related(leaf, via)
        self.required.add(self.parts[leaf, via].name)
        return value

    def joined(self, query: exp.Select) -> exp.Select:
        """Join the figures to the list."""
        for part in self.parts.values():
            kind = "" if part.name in self.required else "left"
            query = query.join(part.name, on=part.tie.copy(), join_type=kind)
        return query

    def with_tables(self, query: exp.Select) -> exp.Select:
        """Put the tables of the figures before a statement that reads them."""
        for part in self.parts.values():
            query = query.with_(part.name, as_=part.query)
        return query

    def _related(self, leaf: Leaf, via: tuple[str, ...] = ()) -> exp.Expr:
        path = route(self.scope.setting, self.scope.base, leaf.dataset, via)
        if to_one(path):
            return _own(leaf, self.scope)
        part = self.parts.get((leaf, via)) or self._part(leaf, path)
        self.parts[leaf, via] = part
        value = part.value.copy()
        return exp.func("COALESCE", value, literal(0)) if leaf.empty_is_zero else value

    def _part(self, leaf: Leaf, path: Path) -> _Part:
        """Group the related rows by the columns that tie them to a row of the list."""
        setting = self.scope.setting
        hop = next(index for index, step in enumerate(path) if not step.to_one)
        walk, rest = path[: hop + 1], path[hop + 1 :]
        inner = Scope(setting, walk[-1].target)
        ties = Predicates(self.scope, None, self.question.figure).link(walk, inner.alias)
        keys = [tie.this for tie in ties]
        fact = self._aggregated(leaf, inner, rest, keys)
        words = f"{leaf.dataset} by {setting.dataset(self.scope.base).label}"
        name, column = self._names.unique(slug(words)), Names(key.name for key in keys).unique(leaf_name(leaf, setting))
        items = [named(value, key, setting.dialect) for key, value in fact.groups]
        items.append(named(fact.values[leaf], column, setting.dialect))
        for tie in ties:
            tie.this.set("table", identifier(name, setting.dialect))
        grouped = bare_when_alone(fact.query.select(*items))
        return _Part(name, grouped, exp.and_(*ties), table_column(name, column, setting.dialect))

    def _aggregated(self, leaf: Leaf, inner: Scope, rest: Path, keys: list[exp.Expr]) -> Grouped:
        setting = inner.setting
        inner.join(rest, required=True)
        predicates = Predicates(inner, None, self.question.figure, rest)
        where = predicates.all_of(leaf.filters)
        if self.period is not None:
            where += predicates.period(self.period, dated_by(self.period, leaf))
        if as_of_latest(setting, leaf, groups=(), filters=(), period=self.period):
            alias = inner.join(rest, required=True)
            where.append(latest(setting, leaf, alias, self.question.figure, period=self.period))
        fields = {ref: inner.value(ref, (*rest, *_way(leaf, ref, setting)), required=False) for ref in leaf.fields()}
        query = inner.select().where(*where) if where else inner.select()
        rows = Rows(
            setting=setting,
            query=query,
            groups=tuple((key.name, key.copy()) for key in keys),
            fields=fields,
            conditions={},
            sort_keys={},
        )
        if any(step.to_one for step in rest):
            one, many = setting.dataset(leaf.dataset).label, plural(setting.dataset(self.scope.base).label)
            setting.note(f"A {one} with several {many} counts for each of them.")
            key = [inner.column(name, rest) for name in setting.key(leaf.dataset)]
            if leaf.ignores_repeats and len(key) == 1:
                return rows.grouped([leaf], key=key[0])
            rows = rows.each_once(key, f"each_{leaf.dataset}")
        return rows.spread(leaf) if leaf.needs_spread(setting.dialect) else rows.grouped([leaf])


def _way(leaf: Leaf, ref: FieldRef, setting: Setting) -> Path:
    return route(setting, leaf.dataset, ref.dataset, ref.via)


def _own(leaf: Leaf, scope: Scope) -> exp.Expr:
    """Return a field of the row itself: over a single row, every aggregate of it is its value."""
    single = leaf.aggregate in ("sum", "avg", "min", "max", "median")
    if leaf.argument is None or leaf.weight is not None or leaf.filters or not single:
        raise IntentNotCovered("a single row has no such figure")
    path = route(scope.setting, scope.base, leaf.argument.dataset, leaf.argument.via)
    return scope.value(leaf.argument, path, required=False)

"""What the list of columns of a SELECT gives, and stars written out where restrictions concern them."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.scopes import OutputColumn, Scope, Source, local_nodes, same


def expand_projections(select: exp.Select, scope: Scope, judged: dict[int, exp.Expr]) -> tuple[OutputColumn, ...]:
    """Name the columns of a SELECT; a star is replaced by its columns when some may not be read or EXCLUDE is used."""
    outputs: list[OutputColumn] = []
    projections: list[exp.Expr] = []
    changed = False
    for projection in select.expressions:
        star = _star(projection)
        if star is None:
            outputs.append(_output(projection))
            projections.append(projection)
            continue
        sources = _starred(projection, scope)
        columns = _columns(star, projection, sources, scope)
        outputs.extend(OutputColumn(column.alias_or_name) for column in columns)
        if any(source.restricted for source in sources) or any(star.args.values()):
            projections.extend(columns)
            changed = True
        else:
            judged[id(projection)] = projection
            projections.append(projection)
    if changed:
        if not projections:
            raise refuse("no column of * may be read", "*")
        select.set("expressions", projections)
    return tuple(outputs)


def _star(projection: exp.Expr) -> exp.Star | None:
    if isinstance(projection, exp.Star):
        return projection
    if isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star):
        return projection.this
    return None


def _starred(projection: exp.Expr, scope: Scope) -> list[Source]:
    if not isinstance(projection, exp.Column):
        if not scope.sources:
            raise refuse("* needs a FROM", "*")
        return list(scope.sources.values())
    key = projection.table.lower()
    if projection.args.get("db") or key not in scope.sources:
        raise unknown(
            "table or alias", projection.table, [s.alias.this for s in scope.sources.values()], "is not in FROM"
        )
    projection.set("table", same(scope.sources[key].alias))
    return [scope.sources[key]]


def _columns(star: exp.Star, projection: exp.Expr, sources: list[Source], scope: Scope) -> list[exp.Expr]:
    if star.args.get("rename") or star.args.get("ilike"):
        raise refuse("* may not be combined with RENAME or LIKE", "*")
    excluded = {column.name.lower() for column in star.args.get("except_") or ()}
    replaced = {alias.alias.lower(): alias for alias in star.args.get("replace") or ()}
    columns: list[exp.Expr] = []
    written: set[str] = set()
    for source in sources:
        for key, column in source.columns.items():
            merged = key in scope.merged and not isinstance(projection, exp.Column)
            if key in excluded or (merged and key in written):
                continue
            written.add(key)
            if key in replaced:
                columns.append(replaced[key])
                continue
            name = exp.Identifier(this=column.name, quoted=_needs_quotes(column.name))
            qualifier = None if merged else same(source.alias)
            columns.append(exp.Column(this=name, table=qualifier))
    return columns


def _needs_quotes(name: str) -> bool:
    return not (name.isascii() and name.isidentifier() and name == name.lower())


def _output(projection: exp.Expr) -> OutputColumn:
    name = projection.output_name or projection.key
    constant = not any(isinstance(node, (exp.Column, exp.Query, exp.AggFunc)) for node in local_nodes(projection))
    return OutputColumn(name, constant)

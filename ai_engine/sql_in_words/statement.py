"""The clauses of a statement, one sentence each, its steps in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.row_bounds import most_rows
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.sql_in_words.expressions import condition, conditions, value
from ai_engine.sql_in_words.naming import Names, names_of, quoted

_JOINED = {
    "LEFT": "Adds {} where there are any",
    "RIGHT": "Adds {}, also those without a row before",
    "FULL": "Adds {}, and keeps what either side has alone",
    "CROSS": "Puts every row beside every row of {}",
    "": "Adds {}, and drops rows that have none",
}
_TOLD = frozenset(
    {"with_", "with", "from_", "from", "joins", "where", "group", "having", "expressions", "distinct", "order", "limit",
     "offset", "kind", "hint", "operation_modifiers"}
)  # fmt: skip
_SETS = {
    exp.Union: "Puts the rows of these together",
    exp.Intersect: "Keeps the rows that all of these have",
    exp.Except: "Keeps the rows of the first that the others lack",
}


def sql_in_words(sql: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Tell what a statement does.

    Args:
        sql: one statement in the dialect of the vocabulary's database.
        vocabulary: whose labels are used for tables and columns.

    Returns:
        Sentences in plain text, in which `backticks` quote SQL; empty where it cannot be read.
    """
    dialect = vocabulary.catalogue.dialect
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
        return tuple(_sentences(tree, vocabulary, dialect, frozenset()))
    except (SqlglotError, RecursionError):
        return ()


def _sentences(tree: exp.Expr, vocabulary: Vocabulary, dialect: str, hidden: frozenset[str]) -> Iterator[str]:
    tables = tree.args.get("with_") or tree.args.get("with")
    steps = [*(tables.expressions if tables is not None else ()), *_derived(tree)]
    for number, step in enumerate(steps):
        yield f"{'Next' if number else 'First'}, as `{step.alias}`:"
        yield from _sentences(step.this, vocabulary, dialect, hidden)
        hidden |= {step.alias.lower()}
    if steps:
        yield "Then, from these:"
    if isinstance(tree, exp.Select):
        yield from _of_select(tree, names_of(tree, vocabulary.model, dialect, hidden))
    elif isinstance(tree, exp.SetOperation):
        yield from _of_sets(tree, vocabulary, dialect, hidden)
    elif isinstance(tree, exp.Subquery):
        yield from _sentences(tree.this, vocabulary, dialect, hidden)
    else:
        yield f"Runs {quoted(tree, dialect)}."


def _derived(tree: exp.Expr) -> list[exp.Subquery]:
    """Return the SELECTs that stand in place of tables."""
    origin = tree.args.get("from_") or tree.args.get("from")
    sources = [origin.this] if origin else []
    sources += [join.this for join in tree.args.get("joins") or ()]
    return [one for one in sources if isinstance(one, exp.Subquery) and one.alias and isinstance(one.this, exp.Query)]


def _of_sets(tree: exp.SetOperation, vocabulary: Vocabulary, dialect: str, hidden: frozenset[str]) -> Iterator[str]:
    said = next(words for kind, words in _SETS.items() if isinstance(tree, kind))
    yield f"{said}{', each row once' if tree.args.get('distinct') else ''}:"
    for side in (tree.this, tree.expression):
        yield from _sentences(side, vocabulary, dialect, hidden)
    yield from _of_order(tree, Names(vocabulary.model, dialect, {}))


def _of_select(tree: exp.Select, names: Names) -> Iterator[str]:
    origin = tree.args.get("from_") or tree.args.get("from")
    if origin is not None:
        yield f"Reads {_source(origin.this, names)}."
    for join in tree.args.get("joins") or ():
        yield f"{_joined(join, names)}."
    where, group, having = (tree.args.get(clause) for clause in ("where", "group", "having"))
    if where is not None:
        yield f"Keeps the rows where {' and '.join(conditions(where.this, names))}."
    if group is not None:
        yield f"Groups them by {_grouped(group, tree, names)}."
    if having is not None:
        yield f"Keeps the groups where {' and '.join(conditions(having.this, names))}."
    each_once = " Each row once." if tree.args.get("distinct") else ""
    yield f"Shows {', '.join(_shown(item, names) for item in tree.selects)}.{each_once}"
    yield from _of_order(tree, names)
    for clause, part in tree.args.items():
        if part and clause not in _TOLD:
            parts = part if isinstance(part, list) else [part]
            yield f"Also: {', '.join(quoted(one, names.dialect) for one in parts if isinstance(one, exp.Expr))}."


def _source(source: exp.Expr, names: Names) -> str:
    if isinstance(source, exp.Subquery) and source.alias:
        return f"`{source.alias}`"
    if not isinstance(source, exp.Table):
        return quoted(source, names.dialect)
    known = names.sources.get(source.alias_or_name.lower())
    told = names.table(source.alias_or_name)
    if source.alias and source.alias.lower() != source.name.lower():
        return f"{told} from the table `{source.name}`" if known is not None else f"`{source.name}` as `{source.alias}`"
    return told


def _joined(join: exp.Join, names: Names) -> str:
    side = str(join.args.get("side") or join.args.get("kind") or "").upper()
    words = _JOINED.get("" if side == "INNER" else side)
    if words is None or join.args.get("method"):
        return f"Joins {quoted(join, names.dialect)}"
    said = words.format(_source(join.this, names))
    on, using = join.args.get("on"), join.args.get("using")
    if using:
        return f"{said}, matched by the same {' and '.join(f'`{column.name}`' for column in using)}"
    if on is None:
        return said if side == "CROSS" else _JOINED["CROSS"].format(_source(join.this, names))
    return f"{said}, matched where {' and '.join(conditions(on, names))}"


def _grouped(group: exp.Expr, tree: exp.Select, names: Names) -> str:
    shown = {item.alias.lower(): item.this for item in tree.selects if isinstance(item, exp.Alias)}
    words = []
    for one in group.expressions:
        is_alias = isinstance(one, exp.Column) and not one.table and names.field(one) is None
        words.append(value(shown.get(one.name.lower(), one) if is_alias else one, names))
    rest = [
        quoted(part, names.dialect)
        for name in ("rollup", "cube", "grouping_sets")
        for part in group.args.get(name) or ()
    ]
    return ", ".join([*words, *rest]) or quoted(group, names.dialect)


def _shown(item: exp.Expr, names: Names) -> str:
    if isinstance(item, exp.Star):
        return "all columns"
    bare = item.unalias()
    said = condition(bare, names) if isinstance(bare, exp.Predicate) else value(bare, names)
    return f"{said} as `{item.alias}`" if item.alias and item.alias.replace("_", " ") != said else said


def _of_order(tree: exp.Expr, names: Names) -> Iterator[str]:
    order, limit, offset = (tree.args.get(clause) for clause in ("order", "limit", "offset"))
    if order is not None:
        yield f"Sorts by {', '.join(_sorted(key, names) for key in order.expressions)}."
    skipped = f", after the first {_number(offset, names)}" if offset is not None else ""
    bound = most_rows(limit)
    if bound is not None:
        most = value(bound, names)
        yield f"Returns at most {most} row{'' if most == '1' else 's'}{skipped}."
    elif limit is not None:
        yield f"Returns {quoted(limit, names.dialect)}{skipped}."
    elif skipped:
        yield f"Leaves out the first {_number(offset, names)} rows."


def _sorted(key: exp.Expr, names: Names) -> str:
    if not isinstance(key, exp.Ordered):
        return value(key, names)
    return f"{value(key.this, names)} ({'descending' if key.args.get('desc') else 'ascending'})"


def _number(clause: exp.Expr | None, names: Names) -> str:
    return value(clause.expression, names) if clause is not None else ""

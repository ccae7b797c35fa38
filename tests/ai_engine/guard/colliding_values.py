"""The values of random statements: columns, aliases, conditions, aggregates and windows that love to collide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from ai_engine.catalogue import Dialect

LOVED = (
    *("c", "z", "customers", "cards", "segment", "people", "phone", "national_id", "pan", "contact", "city"),
    *("full_name", "vault", "secret", "label", "email", "rowid", "kind", "customer_id", "person_id", "ctid", "oid"),
    *("_rowid_", "_rowid", "clients", "rowid", "phone", "national_id", "token", "tokens"),
)
CALLED_LIKE_WORDS = {"duckdb": (*("current_date",) * 4, "count", "row", "date", "list"), "sqlite": ("count", "date")}
"""Names that an engine or its parser may also read as a clock, a function, a type or a constructor."""
_SECRETS = ("phone", "national_id", "pan", "contact", "contact.email", "secret", "token", "rowid", "_rowid_", "_rowid")
LITERALS = ("'a'", "'b'", "'1'", "'x'", "'p'")
_DARING = (0.0, 0.5, 1.0)
_SECRET_SHARE = 0.03
_WRONG_SHARE = 0.06
_ORDERED_SETS = frozenset({"duckdb", "postgres"})
QUOTES = {"duckdb": '"', "postgres": '"', "sqlite": '"', "mysql": "`", "spark": "`"}
_TEXTS = {"duckdb": "VARCHAR", "postgres": "VARCHAR(9)", "sqlite": "TEXT", "mysql": "CHAR(9)", "spark": "STRING"}
_TEXTS |= dict.fromkeys(("databricks", "bigquery", "clickhouse"), "STRING")
_TEXTS |= dict.fromkeys(("trino", "tsql", "oracle", "snowflake"), "VARCHAR(9)")
QUOTES |= {"databricks": "`", "bigquery": "`"} | dict.fromkeys(
    ("trino", "tsql", "oracle", "snowflake", "clickhouse"), '"'
)
_FAILING = {  # for some rows, and with two classes of error where the database has them: which row is looked at first?
    "duckdb": "CASE {0} WHEN 'a' THEN CAST(LN(LENGTH({0}) - 1) AS VARCHAR)"
    " WHEN 'b' THEN CAST(CAST({0} AS INT) AS VARCHAR) ELSE {0} END",
    "postgres": "CASE {0} WHEN 'a' THEN CAST(1 / (LENGTH({0}) - 1) AS VARCHAR(9))"
    " WHEN 'b' THEN CAST(CAST({0} AS INT) AS VARCHAR(9)) ELSE {0} END",
    "spark": "CASE {0} WHEN 'a' THEN CAST(1 / (LENGTH({0}) - 1) AS STRING)"
    " WHEN 'b' THEN CAST(CAST({0} AS INT) AS STRING) ELSE {0} END",
    "mysql": "CASE {0} WHEN 'a' THEN CAST(CAST(LENGTH({0}) - 1 AS UNSIGNED) - 1 AS CHAR(9)) ELSE {0} END",
}
_ORDERED = {
    "duckdb": ("STRING_AGG({}, ','", "FIRST({}", "LAST({}"),
    "postgres": ("STRING_AGG({}, ','",),
    "sqlite": ("GROUP_CONCAT({}, ','",),
    "mysql": ("GROUP_CONCAT({}",),
    "spark": ("LISTAGG({}, ',') WITHIN GROUP (",),
}
_ORDERED |= dict.fromkeys(("databricks", "trino", "tsql", "oracle", "snowflake", "clickhouse"), _ORDERED["spark"])
_ORDERED |= {
    "bigquery": ("STRING_AGG({}, ','",),
    "clickhouse": ("ANY({}",),
    "tsql": ("STRING_AGG({}, ',') WITHIN GROUP (",),
}
_WORDS = ("ALL", "ALL", "'all'", "1", "NULL")
"""What an engine may read as a key of another kind than a column."""
_OneOf = TypeVar("_OneOf")


@dataclass(frozen=True)
class Named:
    """One item of FROM as a statement sees it."""

    alias: str
    columns: tuple[str, ...]
    secrets: tuple[str, ...] = ()


Level = list[Named]


class Values:
    """Writes expressions over the sources in sight, nearest level first."""

    def __init__(self, seed: int, dialect: Dialect) -> None:
        self._random = Random(seed)
        self._dialect = dialect
        self._daring = self._one(_DARING)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _dares(self, share: float) -> bool:
        """A chance of what is often refused, by how much this statement dares."""
        return self._daring > 0 and self._random.random() < share * self._daring

    def _one(self, options: Sequence[_OneOf]) -> _OneOf:
        return options[int(self._random.random() * len(options))]

    def _query(self, depth: int, around: list[Level], width: int = 0) -> tuple[str, tuple[str, ...]]:
        raise NotImplementedError

    def _source(self, depth: int, around: list[Level], before: Level) -> tuple[Named, str]:
        raise NotImplementedError

    def _spelled(self, name: str) -> str:
        """A name as somebody may write it: quoted, or in capitals."""
        kind = self._random.random()
        if kind < 0.06:
            return f"{QUOTES[self._dialect]}{name}{QUOTES[self._dialect]}"
        return name.upper() if kind < 0.1 and self._dialect != "mysql" else name

    def _name(self, levels: list[Level], taken: tuple[str, ...]) -> str:
        """An alias, mostly one that something in sight is called."""
        if self._dialect in CALLED_LIKE_WORDS and self._chance(0.05):
            return self._one([name for name in CALLED_LIKE_WORDS[self._dialect] if name not in taken] or ["z"])
        seen = [name for level in levels for one in level for name in (one.alias, *one.secrets, *one.secrets)]
        names = seen if self._chance(0.6) else LOVED
        return self._one([name for name in names if name not in taken] or [n for n in LOVED if n not in taken])

    def _usable(self, names: Sequence[str], levels: list[Level]) -> tuple[str, ...]:
        """Aliases that may stand in expressions: all for who dares, else those that nothing else in sight is called."""
        given = tuple(name for name in names if name)
        if self._daring and self._chance(self._daring * 0.6):
            return given
        seen = {name for level in levels for one in level for name in (one.alias, *one.columns, *one.secrets)}
        return tuple(name for name in given if name not in seen and "rowid" not in name and name not in ("oid", "ctid"))

    def _of(self, level: Level) -> str:
        source = self._one(level)
        column = self._one([name for name in source.columns if name] or ["city"])
        return f"{source.alias}.{self._spelled(column)}"

    def _column(self, levels: list[Level]) -> str:
        """A column: mostly one that is there, now and then one that collides or is forbidden."""
        if self._dares(_SECRET_SHARE):
            return self._spelled(self._one(_SECRETS))
        if self._dares(_WRONG_SHARE):
            return self._one([*LOVED, "größe", f"{self._one(LOVED)}.{self._one(LOVED)}"])
        level = levels[0] if len(levels) == 1 or self._chance(0.7) else self._one(levels)
        names = [name for one in level for name in one.columns if name]
        known = [name for one in levels for source in one for name in (*source.secrets, source.alias)]
        once = [name for name in names if names.count(name) == 1 and name not in known and level is levels[0]]
        if once and self._chance(0.4):
            return self._spelled(self._one(once))
        return self._of(level)

    def _value(self, depth: int, levels: list[Level], aliases: tuple[str, ...]) -> str:
        kind = self._random.random()
        if aliases and kind < 0.35:
            return self._spelled(self._one(aliases))
        if kind < 0.62:
            return self._column(levels)
        if kind < 0.72:
            return self._literal()
        if kind < 0.78:
            return f"UPPER({self._value(0, levels, aliases)})"
        if kind < 0.82:
            return f"COALESCE({self._value(0, levels, aliases)}, {self._value(0, levels, aliases)})"
        if kind < 0.84:
            both = (self._value(0, levels, aliases), self._value(0, levels, aliases))
            return f"CONCAT({', '.join(both)})" if self._dialect == "mysql" else f"({' || '.join(both)})"
        if kind < 0.86:
            return self._text(self._value(0, levels, aliases))
        if kind < 0.87 and self._dialect in _FAILING:
            return _FAILING[self._dialect].format(self._column(levels))
        if kind < 0.9:
            return f"CASE WHEN {self._condition(0, levels, aliases)} THEN {self._column(levels)} ELSE 'a' END"
        return self._scalar(depth, levels, aliases) if depth > 0 else self._column(levels)

    def _literal(self) -> str:
        text = self._one(LITERALS) if not self._chance(0.02) else self._text(self._one(("TRUE", "false")))
        if self._dialect == "duckdb" and self._chance(0.06):
            return self._text("current_date")
        if self._dialect == "mysql" and self._chance(0.2):
            return f'"{self._one(LOVED)}"'
        if self._dialect == "sqlite" and self._chance(0.1):
            return f'"{self._one(LOVED) if self._dares(0.3) else text[1:-1]}"'
        return text

    def _scalar(self, depth: int, levels: list[Level], aliases: tuple[str, ...]) -> str:
        if self._chance(0.4):
            names = tuple(one.alias for level in levels for one in level) if self._dares(0.5) else ()
            return f"(SELECT {self._value(0, levels, aliases or names)})"
        source, text = self._source(0, levels, [])
        inside = [[source], *levels]
        where = f" WHERE {self._condition(0, inside, ())}" if self._chance(0.6) else ""
        return f"(SELECT {self._one(('MAX', 'MIN'))}({self._column(inside)}) FROM {text}{where})"

    def _condition(self, depth: int, levels: list[Level], aliases: tuple[str, ...]) -> str:
        left = self._value(depth - 1, levels, aliases)
        kind = self._random.random()
        if depth > 0 and kind < 0.12:
            text, _ = self._query(0, levels, 1)
            if self._dialect in _ORDERED_SETS and self._chance(0.3):
                return f"{left} = ANY ({text})"
            return f"{left} {self._one(('', 'NOT '))}IN ({text})"
        if depth > 0 and kind < 0.24:
            text, _ = self._query(0, levels)
            return f"EXISTS ({text})"
        if kind < 0.34:
            return f"{left} IS {self._one(('', 'NOT '))}NULL"
        right = self._value(depth - 1, levels, aliases)
        if kind < 0.38:
            return f"{left} BETWEEN {right} AND {self._value(-1, levels, aliases)}"
        if kind < 0.42:
            return f"{left} IN ({right}, {self._literal()})"
        if kind < 0.5 and depth >= 0:
            first, second = (self._condition(-1, levels, aliases) for _ in "12")
            return f"{first} {self._one(('AND', 'OR'))} {second}"
        return f"{left} {self._one(('=', '=', '<', '>=', '<>', 'LIKE'))} {right}"

    def _aggregate(self, levels: list[Level], aliases: tuple[str, ...]) -> str:
        value = self._value(0, levels, aliases)
        kind = self._random.random()
        if kind < 0.6:
            text = f"{self._one(('MAX', 'MIN'))}({value})"
        elif kind < 0.63 and len(levels) > 1 and self._dares(0.5):
            text = f"{self._one(('MAX', 'MIN'))}({self._of(self._one(levels[1:]))})"
        elif kind < 0.73 and self._dialect in _ORDERED_SETS:
            called = self._one(("PERCENTILE_DISC(0.5)", "MODE()"))
            text = f"{called} WITHIN GROUP (ORDER BY {self._key(value, levels, 0.3)})"
        elif kind < 0.8:
            key = self._key(self._column(levels), levels)
            text = f"{self._one(_ORDERED[self._dialect]).format(value)} ORDER BY {key})"
        else:
            counted = self._one(("*", "*", value, f"DISTINCT {value}"))
            if self._dialect == "duckdb" and self._dares(0.1):
                counted = self._one((f"* EXCLUDE ({value})", f"* REPLACE ('a' AS {self._one(LOVED)})", "COLUMNS(*)"))
            return self._text(f"COUNT({counted})")
        if self._dialect != "mysql" and self._chance(0.08):
            return f"{text} FILTER (WHERE {self._condition(-1, levels, aliases)})"
        return text

    def _key(self, value: str, levels: list[Level], share: float = 0.2) -> str:
        """What an aggregate or a window is ordered by: mostly a value, now and then a word or a name like one."""
        if not self._chance(share):
            return value
        source = self._one(levels[0])
        quote = QUOTES[self._dialect]
        return self._one((*_WORDS, f"{quote}all{quote}", f"{source.alias}.{quote}ALL{quote}"))

    def _text(self, value: str) -> str:
        return f"CAST({value} AS {_TEXTS[self._dialect]})"

    def _window(self, levels: list[Level], aliases: tuple[str, ...], windows: tuple[str, ...] = ()) -> str:
        function = self._one(("ROW_NUMBER()", "RANK()", "COUNT(*)"))
        if windows and self._chance(0.7):
            return f"{function} OVER {windows[0]}"
        partition = f"PARTITION BY {self._value(-1, levels, aliases)} " if self._chance(0.4) else ""
        key = self._one(aliases) if aliases and self._chance(0.4) else self._value(-1, levels, aliases)
        return f"{function} OVER ({partition}ORDER BY {self._key(key, levels)})"

    def _grouped(self, depth: int, levels: list[Level], names: tuple[str, ...], key: str) -> str:
        """GROUP BY and, often, HAVING."""
        free = self._usable(names[:1], levels) or ("1",)
        item = self._one(["1", names[0] if names[0] and self._daring else free[0], key, key, f"UPPER({key})", *free])
        kind = self._random.random()
        if kind > 0.8 and self._dialect == "mysql":
            item = self._of(levels[0])
        if kind < 0.05 and self._dialect in _ORDERED_SETS:
            item = self._one((f"ROLLUP ({key})", f"CUBE ({key})", f"GROUPING SETS (({key}), ())"))
        elif kind < 0.05 and self._dialect == "mysql":
            item = f"{key} WITH ROLLUP"
        elif kind < 0.08 and self._dialect == "duckdb":
            item = "ALL"
        text = f" GROUP BY {item}"
        if not self._chance(0.5):
            return text
        left = self._aggregate(levels, self._usable(names, levels) if self._dares(0.3) else ())
        if self._dialect != "postgres" or self._dares(0.1):
            usable = self._usable(names, levels)
            given = self._one(usable) if usable else left
            left = self._one((left, given, f"UPPER({given})"))
            if depth > 0 and usable and self._chance(0.2):
                source, table = self._source(0, levels, [])
                inside = f"{self._of([source])} = {self._one(usable)}"
                left = f"(SELECT MAX({self._of([source])}) FROM {table} WHERE {inside})"
        return f"{text} HAVING {left} {self._one(('=', '<', '>=', '<>'))} {self._literal()}"

    def _order(
        self, depth: int, levels: list[Level], names: tuple[str, ...], grouped: bool, windows: tuple[str, ...]
    ) -> str:
        given = self._usable(names, levels)
        known = tuple(name for name in names if name) or ("1",)
        options = [self._one(known), self._one(known), "1"]
        inside = given if self._dialect != "postgres" or self._dares(0.15) else ()
        if grouped:
            options += [self._aggregate(levels, ()), self._aggregate(levels, inside)]
        else:
            options += [self._value(depth, levels, inside), f"UPPER({self._value(0, levels, inside)})"]
            if self._dialect != "mysql" or self._dares(0.2):
                options.append(self._window(levels, inside if self._chance(0.5) else (), windows))
        key = self._one(options)
        return f"{f'({key})' if self._chance(0.1) else key}{self._one(('', ' DESC'))}"

"""Random statements that are mostly valid, over the tables of the twins, in which names love to collide."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from ai_engine.catalogue import Dialect
from tests.ai_engine.guard.twins import POLICY, TABLES

_LOVED = (
    *("c", "z", "customers", "cards", "segment", "people", "phone", "national_id", "pan", "contact", "city"),
    *("full_name", "vault", "secret", "label", "email", "rowid", "kind", "customer_id", "person_id", "ctid", "oid"),
)
_OPEN = {
    table: [name for name in columns if name not in POLICY.restricted_columns.get(table, ())]
    for table, columns in TABLES.items()
    if table != "clocks"  # what a clock says differs from run to run
}
LITERALS = ("'a'", "'b'", "'1'", "'x'")
_SECRET_SHARE = 0.015
_WRONG_SHARE = 0.04


@dataclass(frozen=True)
class Named:
    """One item of FROM as a statement sees it."""

    alias: str
    columns: tuple[str, ...]
    secrets: tuple[str, ...] = ()


Level = list[Named]


class Collisions:
    """Writes statements for one engine; the same seed writes the same ones."""

    def __init__(self, seed: int, dialect: Dialect) -> None:
        self._random = Random(seed)
        self._dialect = dialect
        self._ctes: list[Named] = []

    def statement(self) -> str:
        """One statement; about half of them pass the guard."""
        head = ""
        if self._chance(0.2):
            name = self._one(_LOVED)
            text, columns = self._query(1, [])
            head = f"WITH {name} AS ({text}) "
            self._ctes.append(Named(name, columns))
        text, _ = self._query(2, [])
        if self._chance(0.04):
            width = text.count("\x00")
            other, _ = self._query(0, [], width)
            text = f"{text} UNION ALL {other}"
        return (head + text).replace("\x00", "")

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _one(self, options: tuple[str, ...] | list[str]) -> str:
        return self._random.choice(options)

    def _query(self, depth: int, around: list[Level], width: int = 0) -> tuple[str, tuple[str, ...]]:
        """A SELECT, and the names of its columns; each item of the outermost list ends with a mark."""
        sources, level, tie = self._from(depth, around)
        levels = [level, *around]
        grouped = self._chance(0.25)
        columns = self._columns(depth, levels, width, grouped)
        names = tuple(name for _, name in columns)
        key = columns[0][0]
        text = f"SELECT {self._distinct(levels, names, grouped)}"
        text += ", ".join(f"{value} AS {name}\x00" if name else f"{value}\x00" for value, name in columns)
        text += f" FROM {sources}"
        conditions = [tie] if tie else []
        if self._chance(0.35):
            seen = names if self._dialect in ("duckdb", "sqlite") or self._chance(0.1) else ()
            conditions.append(self._condition(depth, levels, seen))
        if conditions:
            text += f" WHERE {' AND '.join(f'({condition})' for condition in conditions)}"
        if grouped:
            text += f" GROUP BY {self._one(['1', names[0], names[0], key, key, f'UPPER({key})', f'UPPER({names[0]})'])}"
            if self._chance(0.5):
                text += f" HAVING {self._having(depth, levels, names)}"
        if self._dialect == "duckdb" and not grouped and self._chance(0.08):
            text += f" QUALIFY {self._window(levels, names)} {self._one(('=', '<=', '>'))} 1"
        if self._chance(0.5):
            text += f" ORDER BY {self._order(depth, levels, names, grouped)}"
        if self._chance(0.12):
            text += f" LIMIT {self._one(('1', '2'))}"
        return text, names

    def _distinct(self, levels: list[Level], names: tuple[str, ...], grouped: bool) -> str:
        if self._dialect in ("duckdb", "postgres") and not grouped and self._chance(0.06):
            return f"DISTINCT ON ({self._one([names[0] or '1', self._column(levels)])}) "
        return "DISTINCT " if self._chance(0.08) else ""

    def _columns(self, depth: int, levels: list[Level], width: int, grouped: bool) -> list[tuple[str, str]]:
        count = width or self._random.randint(1, 3)
        columns: list[tuple[str, str]] = []
        for place in range(count):
            taken = tuple(name for _, name in columns if name)
            if grouped and place:
                value = self._aggregate(levels, ())
            elif self._chance(0.08) and not grouped:
                value = self._text(self._window(levels, ()))
            else:
                value = self._value(depth, levels, taken if self._dialect == "duckdb" or self._chance(0.1) else ())
            columns.append((value, self._name(levels, taken)))
        return columns

    def _name(self, levels: list[Level], taken: tuple[str, ...]) -> str:
        """An alias, mostly one that something in sight is called."""
        seen = [
            name for level in levels for one in level for name in (one.alias, one.alias, *one.secrets, *one.secrets)
        ]
        names = seen if self._chance(0.6) else [*_LOVED]
        return self._one([name for name in names if name not in taken] or [n for n in _LOVED if n not in taken])

    def _from(self, depth: int, around: list[Level]) -> tuple[str, Level, str]:
        """The text of FROM, what it offers, and what WHERE must say to tie it."""
        first, text = self._source(depth, around, [])
        level = [first]
        tie = ""
        for _ in range(self._random.choice((0, 0, 1, 1, 2))):
            kinds = ["JOIN", "JOIN", "LEFT JOIN", ",", "USING", "NATURAL JOIN"]
            kinds += ["SEMI", "ANTI", "ASOF", "LATERAL", "FULL"] if self._dialect == "duckdb" else []
            kinds += ["LATERAL", "FULL"] if self._dialect == "postgres" else []
            kinds += ["SEMI", "ASOF"] if self._chance(0.02) else []
            kind = self._one(kinds)
            lateral = [level, *around] if kind == "LATERAL" else around
            source, item = self._source(depth if kind != "LATERAL" else 1, lateral, level, kind == "LATERAL")
            pair = f"{self._of(level)} = {self._of([source])}"
            shared = [name for name in source.columns if sum(name in one.columns for one in level) == 1]
            if kind == "LATERAL":
                text += f", LATERAL {item}"
                tie = f"{tie} AND {pair}" if tie else pair
            elif kind == ",":
                text += f", {item}"
                tie = f"{tie} AND {pair}" if tie else pair
            elif kind in ("USING", "SEMI", "ANTI", "FULL") and shared and self._chance(0.8):
                side = {"USING": self._one(("", "", "LEFT ", "RIGHT "))}.get(kind, f"{kind} ")
                text += f" {side}JOIN {item} USING ({self._one(shared)})"
            elif kind in ("SEMI", "ANTI", "FULL"):
                text += f" {kind} JOIN {item} ON {pair}"
            elif kind == "ASOF":
                text += f" ASOF JOIN {item} ON {pair.replace(' = ', ' >= ')}"
            elif kind == "NATURAL JOIN":
                text += f" NATURAL JOIN {item}"
            else:
                text += f" {'JOIN' if kind == 'USING' else kind} {item} ON {pair}"
            if kind not in ("SEMI", "ANTI"):
                level = [*level, source]
        return text, level, tie

    def _source(self, depth: int, around: list[Level], before: Level, lateral: bool = False) -> tuple[Named, str]:
        taken = {one.alias for one in before}
        alias = self._one([name for name in _LOVED if name not in taken])
        if depth > 0 and (lateral or self._chance(0.3)):
            siblings = [before] if before and self._dialect == "duckdb" and self._chance(0.3) else []
            text, columns = self._query(depth - 1, [*siblings, *around])
            return Named(alias, columns), f"({text}) AS {alias}"
        if self._ctes and self._chance(0.4):
            cte = self._random.choice(self._ctes)
            if cte.alias not in taken and self._chance(0.5):
                return cte, cte.alias
            return Named(alias, cte.columns), f"{cte.alias} AS {alias}"
        table = "vault" if self._chance(0.005) else self._one(("customers", "customers", "cards", "segment", "people"))
        columns, secrets = tuple(_OPEN[table]), tuple(sorted(POLICY.restricted_columns.get(table, ())))
        if table not in taken and self._chance(0.4):
            return Named(table, columns, secrets), table
        return Named(alias, columns, secrets), f"{table} AS {alias}"

    def _of(self, level: Level) -> str:
        source = self._random.choice(level)
        return f"{source.alias}.{self._one(source.columns)}"

    def _column(self, levels: list[Level]) -> str:
        """A column: mostly one that is there, now and then one that collides or is forbidden."""
        if self._chance(_SECRET_SHARE):
            return self._one(("phone", "national_id", "pan", "contact", "contact.email", "secret", "rowid"))
        if self._chance(_WRONG_SHARE):
            return self._one([*_LOVED, f"{self._one(_LOVED)}.{self._one(_LOVED)}"])
        level = levels[0] if len(levels) == 1 or self._chance(0.7) else self._random.choice(levels)
        names = [name for one in level for name in one.columns]
        once = [name for name in names if names.count(name) == 1]
        if once and self._chance(0.35):
            return self._one(once)
        return self._of(level)

    def _value(self, depth: int, levels: list[Level], aliases: tuple[str, ...]) -> str:
        kind = self._random.random()
        if aliases and kind < 0.25:
            return self._one(aliases)
        if kind < 0.62:
            return self._column(levels)
        if kind < 0.72:
            return self._one(LITERALS)
        if kind < 0.78:
            return f"UPPER({self._value(0, levels, aliases)})"
        if kind < 0.84:
            return f"COALESCE({self._value(0, levels, aliases)}, {self._value(0, levels, aliases)})"
        if kind < 0.9:
            return f"CASE WHEN {self._condition(0, levels, aliases)} THEN {self._column(levels)} ELSE 'a' END"
        if depth > 0:
            return self._scalar(depth, levels, aliases)
        return self._column(levels)

    def _scalar(self, depth: int, levels: list[Level], aliases: tuple[str, ...]) -> str:
        if self._chance(0.4):
            names = tuple(one.alias for level in levels for one in level)
            return f"(SELECT {self._value(0, levels, aliases or names)})"
        source, text = self._source(0, levels, [])
        inside = [[source], *levels]
        where = f" WHERE {self._condition(0, inside, ())}" if self._chance(0.6) else ""
        return f"(SELECT {self._one(('MAX', 'MIN'))}({self._column(inside)}) FROM {text}{where})"

    def _condition(self, depth: int, levels: list[Level], aliases: tuple[str, ...]) -> str:
        given = tuple(name for name in aliases if name)
        left = self._value(depth - 1, levels, given)
        kind = self._random.random()
        if depth > 0 and kind < 0.12:
            text, _ = self._query(0, levels, 1)
            return f"{left} {self._one(('', 'NOT '))}IN ({text})"
        if depth > 0 and kind < 0.24:
            text, _ = self._query(0, levels)
            return f"EXISTS ({text})"
        if kind < 0.34:
            return f"{left} IS {self._one(('', 'NOT '))}NULL"
        if kind < 0.44 and depth >= 0:
            first, second = (self._condition(-1, levels, aliases) for _ in "12")
            return f"{first} {self._one(('AND', 'OR'))} {second}"
        return f"{left} {self._one(('=', '=', '<', '>=', '<>'))} {self._value(depth - 1, levels, given)}"

    def _aggregate(self, levels: list[Level], aliases: tuple[str, ...]) -> str:
        value = self._value(0, levels, tuple(name for name in aliases if name))
        kind = self._random.random()
        if kind < 0.6:
            return f"{self._one(('MAX', 'MIN'))}({value})"
        if kind < 0.7 and self._dialect in ("duckdb", "postgres"):
            return f"PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY {value})"
        if kind < 0.78 and self._dialect in ("duckdb", "postgres"):
            return f"STRING_AGG({value}, ',' ORDER BY {self._column(levels)})"
        return self._text(f"COUNT({self._one(('*', value, f'DISTINCT {value}'))})")

    def _text(self, number: str) -> str:
        return f"CAST({number} AS {'CHAR(9)' if self._dialect == 'mysql' else 'VARCHAR(9)'})"

    def _window(self, levels: list[Level], aliases: tuple[str, ...]) -> str:
        given = tuple(name for name in aliases if name)
        partition = f"PARTITION BY {self._value(-1, levels, given)} " if self._chance(0.4) else ""
        function = self._one(("ROW_NUMBER()", "RANK()", "COUNT(*)"))
        key = self._one(given) if given and self._chance(0.4) else self._value(-1, levels, given)
        return f"{function} OVER ({partition}ORDER BY {key})"

    def _having(self, depth: int, levels: list[Level], names: tuple[str, ...]) -> str:
        left = self._one([self._aggregate(levels, ()), self._one([name or "1" for name in names])])
        return f"{left} {self._one(('=', '<', '>=', '<>'))} {self._one(LITERALS)}"

    def _order(self, depth: int, levels: list[Level], names: tuple[str, ...], grouped: bool) -> str:
        given = tuple(name for name in names if name)
        options = [self._one(given or ("1",)), self._one(given or ("1",)), "1"]
        if grouped:
            options += [self._aggregate(levels, ()), self._aggregate(levels, given)]
        else:
            inside = given if self._dialect != "postgres" or self._chance(0.15) else ()
            options += [self._value(depth, levels, inside), f"UPPER({self._value(0, levels, inside)})"]
            options += [self._window(levels, given if self._chance(0.5) else ())]
        return f"{self._random.choice(options)}{self._one(('', ' DESC'))}"

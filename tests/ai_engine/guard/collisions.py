"""Random statements that are mostly valid, over the tables of the twins, in which names love to collide."""

from __future__ import annotations

from collections.abc import Mapping

from ai_engine.catalogue import Dialect
from tests.ai_engine.guard.bank import WAREHOUSES
from tests.ai_engine.guard.colliding_values import LOVED, QUOTES, Level, Named, Values
from tests.ai_engine.guard.layouts import PARTS
from tests.ai_engine.guard.twins import POLICY, TABLES, VIEWS

_OPEN = {
    table: tuple(name for name in columns if name not in POLICY.restricted_columns.get(table, ()))
    for table, columns in (TABLES | VIEWS).items()
    if table != "clocks"  # what a clock says differs from run to run
}
_TABLES = (*("customers",) * 4, *("cards", "segment", "people") * 2, "tokens", *VIEWS)
_SCHEMAS = {"duckdb": "main.", "sqlite": "main.", "postgres": "public.", "mysql": ""}
_NAMES_OF_ITS_KEY = ("rowid", "_rowid_", "_rowid")
_WITH_LATERAL = frozenset({"duckdb", "postgres"})
_SIZES = (0, 0, 0, 1, 1, 2)
_TAKEN_PREFIXES = ("q_", "q_ q1_", "q" * 70 + "_")
"""What the guard's own names could begin with."""
_FULL_JOINS = frozenset({"duckdb", "postgres", "sqlite", *WAREHOUSES})


class Collisions(Values):
    """Writes statements for one engine; the same seed writes the same ones.

    A third keeps to names that mean one thing to everybody but its aliases, which collide in all of them; the others
    dare more, and are refused more often.
    """

    def __init__(self, seed: int, dialect: Dialect, further: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """`further` are columns that tables have besides those of the twins."""
        super().__init__(seed, dialect)
        self._further = further or {}
        self._ctes: list[Named] = []

    def statement(self) -> str:
        """One statement; most of them pass the guard."""
        head = self._with() if self._chance(0.15) else ""
        text, names = self._query(self._random.choice(_SIZES), [])
        if self._chance(0.06):
            text = self._united(text, names)
        taken = f" -- {self._one(_TAKEN_PREFIXES)}" if self._chance(0.02) else ""
        return head + text + taken

    def _with(self) -> str:
        name = self._one(LOVED)
        if not self._chance(0.25):
            text, columns = self._query(self._one((0, 1)), [])
            self._ctes.append(Named(name, columns))
            return f"WITH {name} AS ({text}) "
        number, value = self._random.sample(LOVED, 2)
        source, table = self._table({})
        first = self._column([[source]])
        inside: Level = [Named(name, (value,))]
        keyword = "" if self._dialect == "sqlite" and self._chance(0.3) else "RECURSIVE "
        self._ctes.append(Named(name, (value,)))
        return (
            f"WITH {keyword}{name}({number}, {value}) AS (SELECT 1, {self._text(first)} FROM {table} "
            f"{self._one(('UNION', 'UNION ALL'))} SELECT {number} + 1, {self._text(self._value(0, [inside], ()))} "
            f"FROM {name} WHERE {name}.{number} < 3) "
        )

    def _united(self, text: str, names: tuple[str, ...]) -> str:
        other, _ = self._query(0, [], len(names))
        kind = self._one(("UNION", "UNION ALL", "UNION ALL", "INTERSECT", "EXCEPT"))
        order = f" ORDER BY {self._one([*(name for name in names if name), '1'])}" if self._chance(0.5) else ""
        if " ORDER BY " in text + other or " LIMIT " in text + other:
            return f"SELECT * FROM ({text}) AS {self._one(LOVED)}"
        return f"{text} {kind} {other}{order}"

    def _query(self, depth: int, around: list[Level], width: int = 0) -> tuple[str, tuple[str, ...]]:
        """A SELECT, and the names of its columns."""
        sources, level, tie = self._from(depth, around)
        levels = [level, *around]
        grouped = self._chance(0.25)
        if not grouped and not width and self._chance(0.07):
            text, names = self._starred(level)
            key = self._column(levels)
        else:
            columns = self._columns(depth, levels, width, grouped)
            names, key = tuple(name for _, name in columns), columns[0][0]
            text = f"{self._distinct(levels, names, grouped)}{', '.join(map(self._aliased, columns))}"
        text = f"SELECT {text} FROM {sources}"
        conditions = [tie] if tie else []
        if self._chance(0.35):
            seen = self._usable(names, levels) if self._dialect in ("duckdb", "sqlite") or self._dares(0.2) else ()
            conditions.append(self._condition(depth, levels, seen))
        if conditions:
            text += f" WHERE {' AND '.join(f'({condition})' for condition in conditions)}"
        if grouped:
            text += self._grouped(depth, levels, names, key)
        windows = ()
        if not grouped and self._chance(0.04):
            windows = (self._one(LOVED),)
            text += f" WINDOW {windows[0]} AS (ORDER BY {self._value(-1, levels, ())})"
        if self._dialect == "duckdb" and not grouped and self._chance(0.08):
            seen = self._usable(names, levels)
            text += f" QUALIFY {self._window(levels, seen, windows)} {self._one(('=', '<=', '>'))} 1"
        if self._chance(0.5):
            text += f" ORDER BY {self._order(depth, levels, names, grouped, windows)}"
        if self._chance(0.12):
            text += f" LIMIT {self._one(('1', '2'))}"
        return text, names

    def _starred(self, level: Level) -> tuple[str, tuple[str, ...]]:
        if self._chance(0.5):
            source = self._one(level)
            return f"{source.alias}.*", source.columns
        columns = tuple(dict.fromkeys(name for source in level for name in source.columns))
        if self._dialect == "duckdb" and len(columns) > 1 and self._chance(0.3):
            return f"* EXCLUDE ({columns[0]})", columns[1:]
        return "*", columns

    def _aliased(self, column: tuple[str, str]) -> str:
        value, name = column
        if not name:
            return value
        if self._dares(0.05):  # another name to PostgreSQL, the same to the others
            quote = QUOTES[self._dialect]
            return f"{value} AS {quote}{self._one((name.upper(), name.title(), 'all'))}{quote}"
        if self._dialect in ("sqlite", "mysql") and self._chance(0.02):
            return f"{value} AS '{name}'"
        return f"{value}{self._one((' AS ', ' AS ', ' AS ', ' '))}{self._spelled(name)}"

    def _distinct(self, levels: list[Level], names: tuple[str, ...], grouped: bool) -> str:
        if self._dialect in ("duckdb", "postgres") and not grouped and self._chance(0.06):
            return f"DISTINCT ON ({self._one([names[0] or '1', self._column(levels)])}) "
        return "DISTINCT " if self._chance(0.08) else ""

    def _columns(self, depth: int, levels: list[Level], width: int, grouped: bool) -> list[tuple[str, str]]:
        count = width or self._one((1, 1, 2, 3))
        columns: list[tuple[str, str]] = []
        for place in range(count):
            taken = tuple(name for _, name in columns if name)
            seen = self._usable(taken, levels) if self._dialect == "duckdb" or self._dares(0.15) else ()
            if grouped and place:
                value = self._aggregate(levels, ())
            elif self._chance(0.08) and not grouped:
                value = self._text(self._window(levels, ()))
            else:
                value = self._value(depth, levels, seen)
            columns.append((value, "" if self._chance(0.05) else self._name(levels, taken)))
        return columns

    def _from(self, depth: int, around: list[Level]) -> tuple[str, Level, str]:
        """The text of FROM, what it offers, and what WHERE must say to tie it."""
        first, text = self._source(depth, around, [])
        level = [first]
        ties: list[str] = []
        for _ in range(self._one((0, 0, 0, 1, 1, 2))):
            kinds = ["JOIN", "JOIN", "LEFT JOIN", ",", "USING", "NATURAL JOIN"]
            kinds += ["SEMI", "ANTI", "ASOF"] if self._dialect == "duckdb" or self._dares(0.05) else []
            kinds += ["LATERAL"] if self._dialect in _WITH_LATERAL else []
            kinds += ["FULL"] if self._dialect in _FULL_JOINS else []
            kind = self._one(kinds)
            lateral = [level, *around] if kind == "LATERAL" else around
            source, item = self._source(depth if kind != "LATERAL" else 1, lateral, level, kind == "LATERAL")
            pair = f"{self._of(level)} = {self._of([source])}"
            shared = [name for name in source.columns if sum(name in one.columns for one in level) == 1]
            if kind in (",", "LATERAL"):
                text += f", {'' if kind == ',' else 'LATERAL '}{item}"
                ties.append(pair)
            elif kind in ("USING", "SEMI", "ANTI", "FULL") and shared and self._chance(0.8):
                side = {"USING": self._one(("", "", "LEFT ", "RIGHT "))}.get(kind, f"{kind} ")
                text += f" {side}JOIN {item} USING ({self._one(shared)})"
            elif kind == "NATURAL JOIN":
                if not shared and not self._dares(0.5):
                    text += f" JOIN {item} ON {pair}"
                else:
                    text += f" NATURAL {self._one(('', '', 'LEFT '))}JOIN {item}"
            elif kind == "ASOF":
                text += f" ASOF JOIN {item} ON {pair.replace(' = ', ' >= ')}"
            else:
                words = {"USING": "JOIN", "SEMI": "SEMI JOIN", "ANTI": "ANTI JOIN", "FULL": "FULL JOIN"}
                text += f" {words.get(kind, kind)} {item} ON {pair}"
            if kind not in ("SEMI", "ANTI"):
                level = [*level, source]
        return text, level, " AND ".join(ties)

    def _source(self, depth: int, around: list[Level], before: Level, lateral: bool = False) -> tuple[Named, str]:
        taken = {one.alias for one in before}
        alias = self._one([name for name in LOVED if name not in taken])
        if depth > 0 and (lateral or self._chance(0.35)):
            siblings = [before] if before and self._dialect == "duckdb" and self._dares(0.3) else []
            text, columns = self._query(depth - 1, [*siblings, *around])
            if not lateral and self._chance(0.1):
                columns = tuple(self._random.sample(LOVED, len(columns)))
                return Named(alias, columns), f"({text}) AS {alias}({', '.join(columns)})"
            return Named(alias, columns), f"({text}) AS {alias}"
        if self._ctes and self._chance(0.4):
            cte = self._one(self._ctes)
            if cte.alias not in taken and self._chance(0.5):
                return cte, cte.alias
            return Named(alias, cte.columns), f"{cte.alias} AS {alias}"
        if self._dialect in _WITH_LATERAL and self._chance(0.05):
            return self._listed(alias)
        if self._dialect == "mysql" and self._chance(0.03):
            return Named(alias, ("seq",)), f"seq_1_to_3 AS {alias}"
        return self._table(taken, alias)

    def _listed(self, alias: str) -> tuple[Named, str]:
        """Rows that the statement brings along, or a PIVOT of a table."""
        first, second = self._random.sample(LOVED, 2)
        if self._dialect == "duckdb" and self._chance(0.5):
            values = f"'debit' AS {first}, 'credit' AS {second}"
            inside = f"(SELECT city, kind, card_id FROM cards) PIVOT (MAX(card_id) FOR kind IN ({values})"
            return Named(alias, ("city", first, second)), f"{inside} GROUP BY city) AS {alias}"
        if self._chance(0.5):
            return Named(alias, (first, second)), f"(VALUES ('a', 'x'), ('1', 'p')) AS {alias}({first}, {second})"
        array = "['a', '1', 'x']" if self._dialect == "duckdb" else "ARRAY['a', '1', 'x']"
        return Named(alias, (first,)), f"UNNEST({array}) AS {alias}({first})"

    def _table(self, taken: set[str] | dict[str, str], alias: str = "") -> tuple[Named, str]:
        table = self._one(("vault", *PARTS)) if self._dares(0.05) else self._one(_TABLES)
        whole = PARTS.get(table, table)
        columns = (*_OPEN[whole], *self._further.get(whole, ()))
        secrets = tuple(sorted(POLICY.restricted_columns.get(whole, ())))
        if table == "tokens":
            secrets += _NAMES_OF_ITS_KEY
        if not alias or (table not in taken and self._chance(0.4)):
            schema = _SCHEMAS.get(self._dialect, "") if self._chance(0.05) else ""
            return Named(table, columns, secrets), schema + table
        return Named(alias, columns, secrets), f"{self._spelled(table)}{self._one((' AS ', ' AS ', ' '))}{alias}"

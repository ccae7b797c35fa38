"""Random statements out of a small grammar that knows the bank's names, the forbidden ones and the usual tricks."""

from __future__ import annotations

from random import Random

TABLES = (*("customers", "accounts") * 5, "transactions", "cards", "staff_logins", "sqlite_master", "t")
COLUMNS = (*("customer_id", "account_id") * 6, "full_name", "balance", "phone", "national_id", "pan", "login", "rowid")
ALIASES = ("a", "b", "c", "t", "u", "v", "customers", "staff_logins", "phone")
FUNCTIONS = ("MAX", "COUNT", "UPPER", "COALESCE", "SUM", "HEX", "LENGTH", "load_extension", "TOTAL", "json_group_array")


class Grammar:
    """Writes statements; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def statement(self) -> str:
        """One statement, most of them wrong somewhere."""
        return self._query(3)

    def _one(self, *options: str) -> str:
        return self._random.choice(options)

    def _query(self, depth: int) -> str:
        head = ""
        if depth > 1 and self._random.random() < 0.25:
            head = f"WITH {self._one(*ALIASES, *TABLES)} AS ({self._query(depth - 1)}) "
        columns = ", ".join(self._projection(depth) for _ in range(self._random.randint(1, 3)))
        tail = ""
        if self._random.random() < 0.5:
            tail += f" WHERE {self._condition(depth)}"
        if self._random.random() < 0.2:
            tail += f" GROUP BY {self._column()}"
        if self._random.random() < 0.3:
            tail += f" ORDER BY {self._value(depth)}"
        if self._random.random() < 0.2:
            tail += f" LIMIT {self._one('5', '-1', '(SELECT 1)')}"
        query = f"{head}SELECT {columns} FROM {self._sources(depth)}{tail}"
        if self._random.random() < 0.07:
            query += f" {self._one('UNION', 'UNION ALL', 'EXCEPT')} {self._query(0)}"
        return query

    def _sources(self, depth: int) -> str:
        sources = self._source(depth)
        for _ in range(self._random.choice((0, 0, 0, 0, 1, 2))):
            kind = self._one("JOIN", "LEFT JOIN", ",", "CROSS JOIN", "NATURAL JOIN")
            sources += f"{'' if kind == ',' else ' '}{kind} {self._source(depth)}"
            if "JOIN" in kind and kind not in ("CROSS JOIN", "NATURAL JOIN"):
                sources += self._one(f" ON {self._condition(depth)}", f" USING ({self._one(*COLUMNS)})")
        return sources

    def _source(self, depth: int) -> str:
        alias = self._one("", f" AS {self._one(*ALIASES)}")
        if depth > 0 and self._random.random() < 0.25:
            return f"{self._one('', '', 'LATERAL ')}({self._query(depth - 1)}) AS {self._one(*ALIASES)}"
        if depth > 0 and self._random.random() < 0.1:
            return f"({self._source(0)} JOIN {self._source(0)} ON {self._condition(0)})"
        return self._one(*("",) * 9, "main.", "temp.") + self._one(*TABLES) + alias

    def _projection(self, depth: int) -> str:
        return self._one(
            "*", f"{self._one(*ALIASES)}.*", self._column(), self._column(), self._value(depth), self._column()
        )

    def _column(self) -> str:
        name = self._one(*COLUMNS)
        return self._one(*(name,) * 8, f"{self._one(*ALIASES, *TABLES)}.{name}", f'"{name}"', f"`{name}`")

    def _value(self, depth: int) -> str:
        if depth > 0 and self._random.random() < 0.2:
            return f"(SELECT {self._value(depth - 1)} FROM {self._source(depth - 1)})"
        if self._random.random() < 0.3:
            return f"{self._one(*FUNCTIONS)}({self._column()})"
        return self._one(
            *(self._column(), self._column(), "1", "'x'", "NULL", f"{self._column()} || 'x'"),
            *(f"'{self._one(*COLUMNS)}'", f"CAST('{self._one(*COLUMNS)}' AS CHAR(9))", f"{self._column()} * 0"),
        )

    def _condition(self, depth: int) -> str:
        left, right = self._value(depth), self._value(depth - 1)
        if depth > 0 and self._random.random() < 0.25:
            return f"{self._one('', 'NOT ')}EXISTS ({self._query(depth - 1)})"
        if self._random.random() < 0.15:
            return f"{left} IN {self._one(*TABLES)}"
        return f"{left} {self._one('=', '<', 'IS', 'LIKE', '<>')} {right}"

"""Random deep and long statements: what a parser opens, repeated and mixed, closed or not."""

from __future__ import annotations

from random import Random

_OPENERS = (
    *(("(", ")"), ("(SELECT ", ")"), ("(SELECT 1 FROM ", ")"), ("EXISTS (SELECT ", ")"), ("(WITH a AS (SELECT ", "))")),
    *(("CASE WHEN ", " THEN 1 END"), ("CASE ", " END"), ("(END + ", ")"), ("NOT ", ""), ("- ", ""), ("~", "")),
    *(("CAST(", " AS INT)"), ("CAST(1 AS DECIMAL(", "))"), ("EXTRACT(YEAR FROM ", ")"), ("TRIM(BOTH FROM ", ")")),
    *(
        ("DATE(", ")"),
        ("CHAR(", ")"),
        ("DECIMAL(", ")"),
        ("STRUCT(", ")"),
        ("ROW(", ")"),
        ("MAP(", ")"),
        ("JSON(", ")"),
    ),
    *(("DATE ", ""), ("INTERVAL ", " DAY"), ("INTERVAL (", ") DAY"), ("f(", ")"), ("a.f(", ")"), ("COALESCE(1, ", ")")),
    *(("SUM(", ") OVER ()"), ("SUM(1) OVER (ORDER BY ", ")"), ("COUNT(DISTINCT ", ")"), ("ARRAY_AGG(", ")")),
    *(("1 IN (", ")"), ("1 IN (SELECT ", ")"), ("1 BETWEEN ", " AND 2"), ("1 = ANY (", ")"), ("1 LIKE ", "")),
    *(
        ("[", "]"),
        ("ARRAY[", "]"),
        ("a[", "]"),
        ("{'a': ", "}"),
        ("x -> ", ""),
        ("(x, y) -> CHAR ", ""),
        ("f(x -> ", ")"),
    ),
    *(
        ("DISTINCT ON (", ") 1"),
        ("(VALUES (", "))"),
        ("(1, ", ")"),
        ("VALUES(", ")"),
        ("UNNEST(", ")"),
        ("PIVOT(", ")"),
    ),
    *(
        ("JSON(", ")"),
        ("f(x -> ", ")"),
        ("customers JOIN (", ") ON 1"),
        ("customers JOIN ", ""),
        ("customers, (", ")"),
        ("LATERAL (SELECT ", ") x"),
    ),
)
_LINKS = (
    *(
        "UNION ALL SELECT 1 ",
        "AND 1 ",
        "+ 1 ",
        "|| 'a' ",
        "= 1 ",
        ", 1 ",
        ":: INT ",
        "IN (1) ",
        "IS NULL ",
        "COLLATE x ",
    ),
    *("COLLATE x ", "IS DISTINCT FROM 1 "),
    *("[1] ", "[1:2] ", ".a ", "JOIN customers ", "LEFT JOIN customers ", ", customers ", "JOIN customers ON 1 "),
    *("BETWEEN 1 AND ", "-> 'a' ", "OVER () ", "LIKE 'a' ", "ESCAPE 'a' ", "; ", "/* */ ", "INTERVAL 1 DAY ", "'a' "),
    *(
        ", DATE(1) ",
        "WINDOW w AS () ",
        "PIVOT(SUM(a) FOR b IN (1)) ",
        "DIV 1 ",
        "** 1 ",
        "IS DISTINCT FROM 1 ",
        "FROM ",
    ),
)
_PLACES = (
    *("SELECT {}", "SELECT 1 FROM customers WHERE {}", "SELECT 1 ORDER BY {}", "SELECT 1 LIMIT {}", "SELECT * FROM {}"),
    *("SELECT a FROM customers GROUP BY {}", "SELECT 1 FROM customers JOIN accounts ON {}", "WITH a AS ({}) SELECT 1"),
    *("SELECT CAST(1 AS {})", "SELECT 1 FROM customers {}", "SELECT SUM(1) OVER ({})", "FROM {}", "SELECT f({}"),
)
_DEPTHS = (5, 8, 12, 16, 20, 24, 28, 31, 60, 200, 1000)
_LONGEST_CHARS = 19_000


def nest(random: Random) -> str:
    """One statement of a few kinds of nesting or chaining, up to a thousand deep."""
    depth = random.choice(_DEPTHS)
    if random.random() < 0.3:
        links = random.choices(_LINKS, k=random.randint(1, 3))
        body = random.choice(("1 ", "a ", "customers ", "")) + "".join(links[i % len(links)] for i in range(depth))
    else:
        openers = random.choices(_OPENERS, k=random.randint(1, 3))
        levels = [openers[i % len(openers)] for i in range(depth)]
        body = "".join(opening for opening, _ in levels) + random.choice(("1", "a", "customers", "SELECT 1", "*", ""))
        if random.random() < 0.7:
            body += "".join(closing for _, closing in reversed(levels))
    return random.choice(_PLACES).format(body)[:_LONGEST_CHARS]

"""Statements that would run for hours, one per dialect, and one that no interruption reaches."""

ENDLESS = {
    "duckdb": "SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x + y = -1",
    "sqlite": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "postgres": "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 100000) b",
    "mysql": "SELECT sum(a.seq * b.seq) FROM seq_1_to_100000000 a, seq_1_to_100000 b",
}
DEAF_SQLITE = "SELECT instr(zeroblob(15000000), CAST(zeroblob(7000000) || 'a' AS BLOB))"

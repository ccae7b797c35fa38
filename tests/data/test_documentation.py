"""data/README.md names every table and column as it is built."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

README = Path(__file__).parents[2] / "data" / "README.md"


def documented() -> dict[str, dict[str, str]]:
    """Table → column → type, read from the headings and tables of the README."""
    found: dict[str, dict[str, str]] = {}
    for section in re.split(r"^### ", README.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name = section.splitlines()[0].strip("`")
        found[name] = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section, flags=re.MULTILINE))
    return found


def test_the_readme_describes_exactly_the_columns_that_are_built(bank_file: Path) -> None:
    built: dict[str, dict[str, str]] = {}
    with duckdb.connect(bank_file, read_only=True) as connection:
        columns = connection.execute("""
            SELECT table_name, column_name, data_type || CASE WHEN is_nullable THEN ' NULL' ELSE '' END
            FROM duckdb_columns() WHERE NOT internal ORDER BY table_oid, column_index
        """)
        for table, column, kind in columns.fetchall():
            built.setdefault(table, {})[column] = kind
    assert documented() == built


def test_the_database_carries_a_description_of_every_table_and_column(bank_file: Path) -> None:
    with duckdb.connect(bank_file, read_only=True) as connection:
        bare = connection.execute("""
            SELECT table_name FROM duckdb_tables() WHERE NOT internal AND comment IS NULL
            UNION ALL SELECT column_name FROM duckdb_columns() WHERE NOT internal AND comment IS NULL
        """)
        assert bare.fetchall() == []

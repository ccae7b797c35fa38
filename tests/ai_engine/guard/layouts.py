"""How the twins may keep their rows, so that their places tell of restricted columns: indexes, keys and partitions.

Each is a pair of banks of its own, where a cure for one of them would be one for the others too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ai_engine.catalogue import Dialect


@dataclass(frozen=True)
class Layout:
    """What is changed when the twins are made.

    Attributes:
        types: those of columns, by their names (or `table.name`), in place of the twins' own.
        behind: what stands behind the columns of a table where it is made.
        tables: statements before the twins have rows.
        rows: statements for the first and for the second bank, behind their rows.
        indexes: statements for both when they have their rows.
        further: the columns that the statements give to tables, as far as they may be read.
    """

    name: str
    types: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    indexes: tuple[str, ...] = ()
    further: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


PARTS = {"tokens_low": "tokens", "people_old": "people", "vault_old": "vault"}
"""Tables of PostgreSQL that show rows of others: a partition and two heirs."""
_INDEXES = (
    "CREATE INDEX by_city ON customers (city, phone, customer_id)",
    "CREATE UNIQUE INDEX by_national_id ON customers (national_id)",
    "CREATE INDEX by_pan ON cards (pan)",
    "CREATE INDEX by_kind ON cards (kind, pan, customer_id, city)",
    "CREATE INDEX by_segment ON customers (segment)",
)
_OF_PEOPLE = "CREATE INDEX by_contact ON people (contact, city)"  # DuckDB has none over a struct
_IN_INDEXES = Layout("in indexes", indexes=(*_INDEXES, _OF_PEOPLE))
_IN_CONDITIONS = Layout(
    "in indexes with a condition, or of what is computed",
    indexes=(
        "CREATE INDEX by_contact ON people (contact) WHERE city IS NOT NULL",
        "CREATE INDEX by_city ON customers (city, (lower(phone)))",
    ),
)
_ALIKE = (  # what stands before the restricted column is the same in all rows, a name of each behind it
    "ALTER TABLE people ADD COLUMN label VARCHAR(20)",
    "UPDATE people SET label = person_id, person_id = '1', city = 'p'",
)
_WIDE = (
    "ALTER TABLE people DROP COLUMN contact",
    *(f"ALTER TABLE people ADD COLUMN c{number} VARCHAR(20)" for number in range(62)),
    "ALTER TABLE people ADD COLUMN contact VARCHAR(20)",
)
_BY_PERSON = "UPDATE people SET contact = substr('{}', CAST(person_id AS INTEGER), 1)"
LAYOUTS: dict[Dialect, tuple[Layout, ...]] = {
    "duckdb": (Layout("in indexes", indexes=_INDEXES),),
    "sqlite": (
        _IN_INDEXES,
        _IN_CONDITIONS,
        Layout(
            "in tables without row numbers",
            types={"customers.customer_id": "VARCHAR(20) PRIMARY KEY", "card_id": "VARCHAR(20) PRIMARY KEY"},
            behind=dict.fromkeys(("customers", "cards", "tokens"), " WITHOUT ROWID"),
            indexes=_INDEXES,
        ),
        Layout(
            "beside generated columns",
            rows=(_ALIKE, _ALIKE),
            indexes=("ALTER TABLE people ADD COLUMN kind VARCHAR(20) AS (upper(label))",),
            further={"people": ("label", "kind")},
        ),
        Layout(
            "in wide tables",
            rows=((*_WIDE, _BY_PERSON.format("acb"), *_ALIKE), (*_WIDE, _BY_PERSON.format("cba"), *_ALIKE)),
            further={"people": ("label",)},
        ),
    ),
    "postgres": (
        Layout(
            "in indexes, partitions and heirs",
            behind={"tokens": " PARTITION BY RANGE (token)"},
            tables=(
                "CREATE TABLE tokens_low PARTITION OF tokens FOR VALUES FROM (MINVALUE) TO (4)",
                "CREATE TABLE tokens_high PARTITION OF tokens FOR VALUES FROM (4) TO (MAXVALUE)",
                "CREATE TABLE people_old () INHERITS (people)",
                "CREATE TABLE vault_old () INHERITS (vault)",
            ),
            rows=(
                ("INSERT INTO people_old VALUES ('4', 'p', 'a')", "INSERT INTO vault_old VALUES ('3', 'a')"),
                ("INSERT INTO people_old VALUES ('4', 'p', 'x')", "INSERT INTO vault_old VALUES ('3', 'x')"),
            ),
            indexes=_IN_INDEXES.indexes,
        ),
        Layout("in indexes with a condition", indexes=_IN_CONDITIONS.indexes[:1]),
        Layout("in indexes of a hidden table", indexes=("CREATE INDEX by_secret ON vault (secret, customer_id)",)),
    ),
    "mysql": (
        _IN_INDEXES,
        Layout("in the key of a table without a primary one", types={"token": "INTEGER NOT NULL UNIQUE"}),
        Layout(
            "in partitions",
            types={"token": "INTEGER"},
            behind={"tokens": " PARTITION BY HASH (token) PARTITIONS 3"},
        ),
        Layout(
            "in subpartitions of what is now and what was",
            types={"token": "INTEGER"},
            behind={
                "tokens": " WITH SYSTEM VERSIONING PARTITION BY SYSTEM_TIME SUBPARTITION BY HASH (token)"
                " SUBPARTITIONS 3 (PARTITION past HISTORY, PARTITION present CURRENT)"
            },
        ),
        Layout(
            "beside invisible columns and ignored indexes",
            indexes=(
                "ALTER TABLE customers ADD COLUMN label VARCHAR(20) DEFAULT 'a' INVISIBLE",
                "CREATE INDEX by_city ON customers (city, phone, customer_id) IGNORED",
            ),
            further={"customers": ("label",)},
        ),
    ),
}  # fmt: skip

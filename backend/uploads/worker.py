"""The process that reads what somebody brought: `python -m backend.uploads.worker`, one task as JSON in, one out.

Files of strangers are parsed here and nowhere else: within a bound of memory, with no right to any file but the ones
named, and killed at its deadline by its owner. Its last line is `{"done": …}` or `{"fault": "a sentence"}`.
"""

from __future__ import annotations

import contextlib
import json
import re
import resource
import sys
import unicodedata
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from backend.databases.limits import MEGABYTE, address_space_bytes
from backend.uploads.column_kinds import Way, misfits, trimmed, way_as, way_of
from backend.uploads.file_tables import CannotRead, FileTable, read_tables
from backend.uploads.plan import ColumnPlan, Kind, TablePlan, UploadLimits, from_plain, to_plain

_PREVIEW_ROWS = 20
_PREVIEW_CHARS = 120
_LONGEST_NAME = 60
_GIVEN = "given"
_NATIVE: tuple[tuple[str, Kind], ...] = (
    ("BOOLEAN", "yes or no"), ("TIMESTAMP", "date and time"), ("DATE", "date"), ("DECIMAL", "number"),
    ("DOUBLE", "number"), ("FLOAT", "number"), ("VARCHAR", "text"),
)  # fmt: skip


def inspect(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Say which tables a file holds, what its columns are, and how its first rows would be stored."""
    limits = UploadLimits(**task["limits"])
    tables = read_tables(task["ending"], Path(task["file"]).read_bytes(), limits)
    plans: list[dict[str, Any]] = []
    for table in tables:
        taken = {plan["name"] for plan in plans}
        stem = table.sheet if len(tables) > 1 else task["name"]
        name = _free(named(stem, "table"), taken)
        with _memory(limits) as duck:
            duck.register(_GIVEN, table.cells)
            plans.append(to_plain(_planned(duck, table, name)))
    return plans


def build(task: dict[str, Any]) -> dict[str, Any]:
    """Write a new database with the tables of the old one and those that are planned.

    Args:
        task: `file`, `ending`, `plans`, `limits`, `old` (or empty), `keep` (names of the old one's, all where None),
            `new`, `said` (of the tables, as their comment).
    """
    limits = UploadLimits(**task["limits"])
    plans = [from_plain(plan) for plan in task["plans"]]
    by_sheet = {}
    if plans:
        by_sheet = {t.sheet: t for t in read_tables(task["ending"], Path(task["file"]).read_bytes(), limits)}
    with contextlib.closing(duckdb.connect(task["new"], config=_config(limits))) as duck:
        kept = _copy_old(duck, task["old"], task["keep"])
        if len(kept) + len(plans) > limits.max_tables:
            raise CannotRead(f"You have {len(kept)} tables; at most {limits.max_tables} can be kept. Remove one first.")
        for plan in plans:
            table = by_sheet.get(plan.sheet)
            if table is None or len(table.headings) != len(plan.columns):
                raise CannotRead("The file is not the one that was looked at. Drop it once more.")
            if plan.name in kept:
                raise CannotRead(f"There is a table {plan.name} already. Give this one another name, or remove that.")
            duck.register(_GIVEN, table.cells)
            _create(duck, plan, task["said"])
            duck.unregister(_GIVEN)
            kept.append(plan.name)
        duck.execute("CHECKPOINT")
    return {"tables": kept}


def _planned(duck: duckdb.DuckDBPyConnection, table: FileTable, name: str) -> TablePlan:
    columns: list[ColumnPlan] = []
    casts: list[str] = []
    for place, heading in enumerate(table.headings):
        source = _quoted(str(place))
        native = _native_kind(duck, source)
        taken = {one.name for one in columns}
        column = _free(named(heading, f"column_{place + 1}"), taken)
        way = way_of(duck, _GIVEN, source) if native == "text" else Way(native, "c")
        empty = _empty(duck, source, text=native == "text")
        columns.append(ColumnPlan(heading[:_PREVIEW_CHARS], column, way.kind, way.written, way.unit, empty))
        casts.append(_cell(source, way, text=native == "text"))
    listed = ", ".join(f"CAST({cast} AS VARCHAR)" for cast in casts)
    shown = duck.execute(f"SELECT {listed} FROM {_GIVEN} LIMIT {_PREVIEW_ROWS}").fetchall()
    preview = tuple(tuple("" if cell is None else cell[:_PREVIEW_CHARS] for cell in row) for row in shown)
    return TablePlan(table.sheet, name, table.cells.num_rows, tuple(columns), table.notes, preview)


def _create(duck: duckdb.DuckDBPyConnection, plan: TablePlan, said: str) -> None:
    casts = []
    for place, column in enumerate(plan.columns):
        source = _quoted(str(place))
        native = _native_kind(duck, source)
        if native not in ("text", column.kind):
            duck.execute(
                f"CREATE OR REPLACE TEMP VIEW as_text AS SELECT CAST({source} AS VARCHAR) AS {source} FROM {_GIVEN}"
            )
        looked = _GIVEN if native in ("text", column.kind) else "as_text"
        text = native == "text" or looked == "as_text"
        way = Way(column.kind, "c") if not text else way_as(duck, looked, source, column.kind)
        if text:
            _refuse_misfits(duck, looked, source, way, column)
        casts.append(
            f"{_cell(f'CAST({source} AS VARCHAR)' if text else source, way, text=text)} AS {_quoted(column.name)}"
        )
    table = _quoted(plan.name)
    duck.execute(f"CREATE TABLE {table} AS SELECT {', '.join(casts)} FROM {_GIVEN}")
    duck.execute(f"COMMENT ON TABLE {table} IS {_literal(said)}")
    for column in plan.columns:
        if column.heading.strip().lower() != column.name.replace("_", " "):
            duck.execute(f"COMMENT ON COLUMN {table}.{_quoted(column.name)} IS {_literal(column.heading.strip())}")


def _refuse_misfits(duck: duckdb.DuckDBPyConnection, table: str, source: str, way: Way, column: ColumnPlan) -> None:
    wrong, examples = misfits(duck, table, source, way)
    if way.kind != column.kind or wrong:
        told = "; ".join(f"row {row:,}: “{text}”" for row, text in examples)
        many = f"{wrong:,} cells" if wrong != 1 else "one cell"
        raise CannotRead(
            f"The column {column.name} is no {column.kind}: {many} cannot be read so ({told}). Choose text for it."
        )


def _cell(source: str, way: Way, *, text: bool) -> str:
    if not text:
        return source
    return f"(SELECT {way.cast} FROM (SELECT {trimmed(source)} AS c))"


def _native_kind(duck: duckdb.DuckDBPyConnection, source: str) -> Kind:
    row = duck.execute(f"SELECT typeof({source}) FROM {_GIVEN} LIMIT 1").fetchone()
    said = str(row[0]) if row else "VARCHAR"
    return next((kind for prefix, kind in _NATIVE if said.startswith(prefix)), "whole number")


def _empty(duck: duckdb.DuckDBPyConnection, source: str, *, text: bool) -> int:
    cell = trimmed(source) if text else source
    row = duck.execute(f"SELECT count(*) - count({cell}) FROM {_GIVEN}").fetchone()
    return int(row[0]) if row else 0


def _copy_old(duck: duckdb.DuckDBPyConnection, old: str, keep: list[str] | None) -> list[str]:
    """Take tables over; from here on no file but the new one can be reached."""
    if old:
        duck.execute(f"ATTACH {_literal(old)} AS old (READ_ONLY)")
    duck.execute("SET enable_external_access = false")
    duck.execute("SET lock_configuration = true")
    kept: list[str] = []
    if not old:
        return kept
    where = "database_name = 'old' AND NOT internal"
    found = duck.execute(
        f"SELECT table_name, comment FROM duckdb_tables() WHERE {where} ORDER BY table_name"
    ).fetchall()
    for name, said in found:
        if keep is not None and name not in keep:
            continue
        table = _quoted(name)
        duck.execute(f"CREATE TABLE {table} AS FROM old.main.{table}")
        duck.execute(f"COMMENT ON TABLE {table} IS {_literal(said or '')}")
        told = duck.execute(
            "SELECT column_name, comment FROM duckdb_columns() WHERE database_name = 'old' AND table_name = ? "
            "AND comment IS NOT NULL", [name],
        ).fetchall()  # fmt: skip
        for column, words in told:
            duck.execute(f"COMMENT ON COLUMN {table}.{_quoted(column)} IS {_literal(words)}")
        kept.append(name)
    duck.execute("DETACH old")
    return kept


def named(text: str, otherwise: str) -> str:
    """Return a name for a heading that needs no quoting: "Loan Amount (Rs.)" → loan_amount_rs."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:_LONGEST_NAME].strip("_")
    return words if words and words[0].isalpha() else f"{otherwise}_{words}".rstrip("_")[:_LONGEST_NAME]


def _free(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _config(limits: UploadLimits) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "memory_limit": f"{limits.memory_mb * 6 // 10}MB", "threads": "2", "temp_directory": "",
        "autoload_known_extensions": "false", "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false", "python_enable_replacements": "false",
    }  # fmt: skip


@contextlib.contextmanager
def _memory(limits: UploadLimits) -> Any:
    with contextlib.closing(duckdb.connect(":memory:", config=_config(limits))) as duck:
        duck.execute("SET enable_external_access = false")
        duck.execute("SET lock_configuration = true")
        yield duck


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''").replace("\0", "") + "'"


def _bound(limits: UploadLimits) -> None:
    held = address_space_bytes("self")
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (held + limits.memory_mb * MEGABYTE,) * 2)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.max_total_mb * MEGABYTE,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Do the one task."""
    task = json.load(sys.stdin)
    _bound(UploadLimits(**task["limits"]))
    tasks = {"inspect": inspect, "build": build}
    try:
        told: dict[str, Any] = {"done": tasks[task["task"]](task)}
    except CannotRead as fault:
        told = {"fault": str(fault)}
    except (MemoryError, duckdb.OutOfMemoryException, pa.ArrowMemoryError):
        told = {"fault": "Reading it needs more memory than it may use (BANK_UPLOAD_MEMORY_MB)."}
    except duckdb.IOException:
        told = {"fault": "It does not fit into the space that your data may take, or the disk is full."}
    except Exception as fault:  # noqa: BLE001 - what it says may quote cells, so no more than its name is told
        told = {"fault": f"It could not be read ({type(fault).__name__})."}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()

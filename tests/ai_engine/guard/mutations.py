"""How strong the generator is: `python -m tests.ai_engine.guard.mutations [--seconds S] [NAME …]`.

Takes one of the guard's cures out of a copy of the code at a time, and prints after how many accepted statements the
long run tells the banks apart on each engine. Not every cure matters on every engine; one that no engine misses is
either held up by another one, or the generator does not write what it is for.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.ai_engine.guard.bank import DIALECTS

ROOT = Path(__file__).parents[3]
_OURS = ("ai_engine", "backend", "tests/__init__.py", "tests/ai_engine/__init__.py", "tests/ai_engine/guard")
Change = tuple[str, str, str]
_RUNS_AS_SHOWN: Change = ("check.py", "return CheckedStatement(shown, text,", "return CheckedStatement(shown, shown,")
_LOOKS_IT_UP = "found = _in_sources(column, level, dialect)"
_BY_ALL_BYTES = """yield exp.Collate(this=column.copy(), expression=exp.Var(this="BINARY"))
        yield exp.Cast(this=column.copy(), to=exp.DataType.build("text"))"""
_POSTGRES = "backend/databases/postgres_indexes.py"
MUTATIONS: dict[str, tuple[Change, ...]] = {
    "what is shown runs": (_RUNS_AS_SHOWN,),
    "what is shown runs, aliases may be called like tables": (
        _RUNS_AS_SHOWN,
        ("columns.py", 'if dialect == "duckdb" and name in level.sources:', "if False:"),
    ),
    "what is shown runs, aliases stand before columns": (
        _RUNS_AS_SHOWN,
        ("columns.py", _LOOKS_IT_UP, f"found = None if alias else {_LOOKS_IT_UP[8:]}"),
    ),
    "what is shown runs, aliases reach into the queries inside": (
        _RUNS_AS_SHOWN,
        (
            "columns.py",
            _LOOKS_IT_UP,
            f"alias = alias or level.aliases.get(key)\n        found = None if alias else {_LOOKS_IT_UP[8:]}",
        ),
    ),
    "what is shown runs, aliases may be called like hidden columns": (
        _RUNS_AS_SHOWN,
        ("columns.py", "in _HIDDEN_COLUMNS.get(dialect, ()) and scope.sources", "in ()"),
    ),
    "restricted columns are columns": (
        ("sources.py", "hidden = restricted_columns(known, policy)", "hidden = frozenset()"),
    ),
    "a star shows all columns": (
        ("sources.py", "[column for column in known if column.name.lower() not in hidden]", "known"),
        (
            "columns.py",
            "        if name in source.restricted:\n            raise restricted(column.name, source)\n    if",
            "        continue\n    if",
        ),
    ),
    "a bare word is a clock": (("bare_words.py", "    if not words:", "    if True:"),),
    "rows come in the order of indexes": (("check.py", "if untold_order(again, nodes, statement)", "if False"),),
    "partitions and heirs are tables of their own": (
        ("ai_engine/table_kin.py", "if place in parts and", "if False and"),
        ("ai_engine/table_kin.py", "kin=tuple(sorted(names))", "kin=()"),
    ),
    "rows come partition by partition": (("row_order.py", "yield from table.parted_by", "yield from ()"),),
    "rows come in the order of a unique key": (
        ("row_order.py", 'if dialect == "mysql" and not table.primary_key:', "if False:"),
    ),
    "texts that are level come as they are stored": (
        ("row_order.py", "    elif kind not in _NEVER_LEVEL:", "    elif False:"),
        ("row_order.py", 'text = exp.Anonymous(this="CONCAT", expressions=[column.copy()])', "text = exp.Null()"),
        ("row_order.py", _BY_ALL_BYTES, "yield column.copy()"),
    ),
    "an index with a condition is followed": ((_POSTGRES, " OR i.indpred IS NOT NULL", ""),),
    "a view follows the indexes of a hidden table": ((_POSTGRES, "(table in ruled or (may_serve", "((may_serve"),),
    "what an index computes is passed over": (
        ("backend/catalogue/row_storage.py", 'append(column or "")', "extend([column] * bool(column))"),
    ),
    "ORDER BY ALL is a word everywhere": (
        ("places.py", "and (not isinstance(parent, exp.Ordered) or _orders_a_query(parent))", ""),
        ("settled.py", " and not isinstance(node.parent, exp.Ordered)", ""),
        (
            "qualify.py",
            "        if isinstance(word.parent, exp.Ordered):\n",
            "        if isinstance(word.parent, exp.Ordered) and isinstance(word.parent.parent.parent, exp.Query):\n",
        ),
        ("check.py", "    all_is_no_name(tokens, tree)\n", ""),
    ),
    "a series of MariaDB is a table": (("qualify.py", "    if sequence is not None:", "    if False:"),),
    "hidden tables are tables": (("check.py", "    catalogue = permitted_part(catalogue, policy)\n", ""),),
    "a NATURAL JOIN looks at permitted columns only": (
        (
            "merging.py",
            "        | dict.fromkeys(name for key in side.keys for name in scope.sources[key].restricted)\n",
            "",
        ),
        ("qualify.py", "    for join in reading.joins:\n        _write_condition(join)", ""),
        ("settled.py", 'node.args.get("method") != "NATURAL"', "True"),
    ),
}


def _mutated(folder: Path, changes: tuple[Change, ...]) -> None:
    for name in _OURS:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target)
        else:
            shutil.copy(ROOT / name, target)
    for file, old, new in changes:
        path = folder / ("" if "/" in file else "ai_engine/guard") / file
        text = path.read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{file} does not have once: {old}")
        path.write_text(text.replace(old, new))


def _told_apart(folder: Path, engine: str, seconds: float) -> str:
    command = [sys.executable, "-m", "tests.ai_engine.guard.long_run", engine, "--indexed", "--stop", "--seconds"]
    ended = subprocess.run([*command, str(seconds)], cwd=folder, capture_output=True, text=True, check=False)
    records = list((folder / ".cache/fuzz").glob(f"{engine}-*.json"))
    if not records:
        return f"failed: {ended.stderr.strip().splitlines()[-1]}"
    tally = json.loads(records[0].read_text())
    return f"{'after' if tally['differences'] else 'not in'} {tally['accepted']}"


def main() -> None:
    """Print a line per mutation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*MUTATIONS])
    parser.add_argument("--seconds", type=float, default=30)
    given = parser.parse_args()
    print(f"| mutation | {' | '.join(DIALECTS)} |\n|---|{'---|' * len(DIALECTS)}")
    for name in given.names:
        with tempfile.TemporaryDirectory() as folder:
            _mutated(Path(folder), MUTATIONS[name])
            told = [_told_apart(Path(folder), engine, given.seconds) for engine in DIALECTS]
        print(f"| {name} | {' | '.join(told)} |", flush=True)


if __name__ == "__main__":
    main()

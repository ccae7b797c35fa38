"""Many random statements against the twins: `python -m tests.ai_engine.guard.long_run ENGINE --seconds S`.

Goes on where the last run of the same guard and generator stopped, and writes what it has counted so far, so that it
may be ended at any time. What tells the banks apart is printed and kept, and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import re
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from tests.ai_engine.guard.bank import DIALECTS
from tests.ai_engine.guard.colliding_values import CALLED_LIKE_WORDS
from tests.ai_engine.guard.collisions import Collisions
from tests.ai_engine.guard.layouts import LAYOUTS
from tests.ai_engine.guard.twins import PLAIN, POLICY, Answer, Twins, tells_apart, twins

ROOT = Path(__file__).parents[3]
RECORDS = ROOT / ".cache" / "fuzz"
_JUDGED_BY = (
    "ai_engine/guard/*.py",
    "ai_engine/table_kin.py",
    "backend/catalogue/row_storage.py",
    "backend/databases/postgres_indexes.py",
    "backend/databases/postgres_session.py",
    *(f"tests/ai_engine/guard/{name}.py" for name in ("coll*", "layouts", "twins")),
)
_FEWEST = 100
_SHOWN_EACH = 4
_LEFT_TO_CHANCE = re.compile(
    r" LIMIT | OVER |DISTINCT ON|_AGG\(|_CONCAT\(|FIRST\(|LAST\(|MODE\(|ASOF |seq_|HAVING (?:MIN|MAX)\("
)
"""Statements whose rows may differ, as the least of level texts is any of them, and MariaDB's series, in whose place
the first bank has a table."""
_STAR = re.compile(r"(?<!COUNT\()\*")
_STATEMENTS_PER_RECORD = 2_000


@dataclass
class Tally:
    """What a run has seen: statements written, those that the guard accepted, those of them that gave rows."""

    next_seed: int
    written: int = 0
    accepted: int = 0
    valid: int = 0
    seconds: float = 0.0
    differences: list[str] = field(default_factory=list)


def compare(pair: Twins, tally: Tally, *, shown: bool = True) -> None:
    """Write the next statement, and ask both banks where it is accepted.

    Every so often, if `shown`, also whether what a page shows gives the rows of what runs; an engine that stands in for
    another reads names in its own way, so that only what runs can be asked there.
    """
    seed = tally.next_seed
    tally.next_seed += 1
    tally.written += 1
    sql = Collisions(seed, pair.catalogue.dialect, pair.further).statement()
    try:
        checked = check(sql, pair.catalogue, POLICY)
    except SqlRejected as refusal:
        if "cannot be judged" in str(refusal):
            tally.differences.append(f"seed {seed} cannot be judged: {sql}")
        return
    tally.accepted += 1
    first, second = (bank.answer(checked.run_sql) for bank in pair[:2])
    tally.valid += first[0] == "rows"
    if first != second and tells_apart(pair, checked.run_sql):
        tally.differences.append(f"seed {seed}: {sql}\n{checked.run_sql}")
    whole = len(first[2] or ()) <= checked.max_rows  # of more, one is fetched that the shown statement leaves out
    if shown and seed % _SHOWN_EACH == 0 and whole and not _LEFT_TO_CHANCE.search(sql):
        texts = [checked.sql, *([sql] if _is_read_alike(sql, pair.catalogue.dialect) else [])]
        for answer in map(pair.first.answer, texts):
            if answer[0] == first[0] == "rows" and _alike(answer) != _alike(first):
                tally.differences.append(f"seed {seed} shows other rows: {sql}\n{checked.run_sql}")


def _is_read_alike(sql: str, dialect: str) -> bool:
    """Whether what was written has to give the rows of what runs: no star, which leaves restricted columns out."""
    return dialect in CALLED_LIKE_WORDS and not _STAR.search(sql)


def _alike(answer: Answer) -> list[str]:
    """Rows in an order of their own; of texts that are level an engine may show either."""
    return sorted(repr(row).casefold() for row in answer[2])


def run(
    pair: Twins,
    tally: Tally,
    seconds: float,
    record: Path | None = None,
    *,
    stop: bool = False,
    shown: bool = True,
    fewest: int = _FEWEST,
) -> None:
    """Compare statement after statement, at least the fewest, until the time is over or, if to `stop`, one tells."""
    begun = time.monotonic() - tally.seconds
    until = time.monotonic() + seconds
    fewest += tally.written
    while tally.written < fewest or time.monotonic() < until:
        compare(pair, tally, shown=shown)
        if stop and tally.differences:
            break
        if record is not None and tally.written % _STATEMENTS_PER_RECORD == 0:
            tally.seconds = time.monotonic() - begun
            record.write_text(json.dumps(asdict(tally), indent=1))
            gc.collect()
    tally.seconds = time.monotonic() - begun


def main() -> None:
    """Run one engine, from the record of this guard and generator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=DIALECTS)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument(
        "--indexed", action="store_true", help="by ways to keep rows that tell: indexes, keys, partitions"
    )
    parser.add_argument("--stop", action="store_true", help="at the first difference")
    given = parser.parse_args()
    code = hashlib.sha256(b"".join(path.read_bytes() for glob in _JUDGED_BY for path in sorted(ROOT.glob(glob))))
    record = RECORDS / f"{given.engine}-{'indexed-' * given.indexed}{code.hexdigest()[:12]}.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    tally = Tally(**json.loads(record.read_text())) if record.exists() else Tally(next_seed=0)
    gc.disable()  # what a statement leaves is collected every so often: much cheaper
    layouts = LAYOUTS[given.engine] if given.indexed else (PLAIN,)
    for layout in layouts:
        with twins(given.engine, layout) as pair:
            run(pair, tally, given.seconds / len(layouts), record, stop=given.stop)
        if given.stop and tally.differences:
            break
    record.write_text(json.dumps(asdict(tally), indent=1))
    print(f"{given.engine}: {tally.accepted} accepted of {tally.written}, {len(tally.differences)} differences")
    print("\n".join(tally.differences))
    raise SystemExit(bool(tally.differences))


if __name__ == "__main__":
    main()

"""How time grows with rows, with tables and with analysts, on DuckDB.

    python -m benchmarks.scale --scales 1,20,80 --folder FOLDER --write

Prints each scale's figures as they come; `--write` puts them into benchmarks/scale.md. The banks are built in the
folder by the first run and used again: scale 20 takes 1.3 GB there, scale 80 5.2 GB.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

import duckdb

from ai_engine.types import Answer, ResultReady
from backend.databases.duckdb_engine import ENGINE_SHARE
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import PROJECT_ROOT, Settings, read_settings
from benchmarks.many_users import ask_on, memory_mb, serving
from benchmarks.rankings import time_ms
from benchmarks.sample_bank import AS_OF, measure
from benchmarks.scale_table import PARTS, Scale, Schema, report
from tests.large_schema import AREAS, RECORDS, write_large_schema

REPORT = Path(__file__).with_suffix(".md")
VOCABULARY = PROJECT_ROOT / "data" / "sample_bank.yaml"
MADE_BY = ("generate/*.py", "load/duckdb.py", "schema.py")
QUESTION = "Total transaction amount by branch and month"
MOST_ROUNDS, LEAST_ROUNDS, ROUNDS_S = 40, 9, 75
ANALYSTS, ANALYSTS_S = (1, 5, 20, 40), 15
AREA_COUNTS = (1, 5, len(AREAS))
SCHEMA_QUESTIONS = (
    "How many retail customers are there?",
    "List the 10 oldest retail loans",
    "Total retail fee amount by currency",
    "Closed retail orders by channel",
    "Average retail loan amount in Pune",
    "How many retail accounts per retail customer?",
)
SCHEMA_ROUNDS = 5
MILLISECONDS = 1_000


def main() -> None:
    """Measure scale after scale, then schemas."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument(
        "--scales", type=_scales, default=(1.0, 20.0, 80.0), help="sizes of the bank (default: 1,20,80)"
    )
    parser.add_argument("--folder", type=Path, default=PROJECT_ROOT / ".cache" / "scale", help="where banks are kept")
    parser.add_argument("--write", action="store_true", help=f"rewrite benchmarks/{REPORT.name}")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    scales: list[Scale] = []
    schemas: list[Schema] = []

    def told() -> None:
        text = report(QUESTION, scales, schemas)
        print(text, flush=True)
        if asked.write:
            REPORT.write_text(text, encoding="utf-8")

    for scale in asked.scales:
        scales.append(measured(scale, asked.folder))
        told()
    schemas += map(schema, AREA_COUNTS)
    told()


def _scales(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split(",")))


def bank(scale: float, folder: Path) -> tuple[Path, tuple[float, float] | None]:
    """Return the bank of a scale, and seconds and peak megabytes of building it; None where it was there already."""
    sources = sorted(path for pattern in MADE_BY for path in (PROJECT_ROOT / "data").glob(pattern))
    version = crc32(b"".join(path.read_bytes() for path in sources))
    file = folder / f"bank-{scale:g}-{version:08x}.duckdb"
    if file.exists():
        return file, None
    for outdated in folder.glob(f"bank-{scale:g}-*.duckdb"):
        outdated.unlink()
    elapsed_s, _, peak_mb = measure(["--scale", str(scale), "--out", str(file)])
    return file, (elapsed_s, peak_mb)


def measured(scale: float, folder: Path) -> Scale:
    """Build, start, ask alone, and let analysts ask."""
    file, built = bank(scale, folder)
    with tempfile.TemporaryDirectory() as own:
        known = _settings(file, Path(own), vocabulary_file=VOCABULARY)
        starts_s, assistant = started(known)
        try:
            counted = assistant.run_statement("SELECT COUNT(*) FROM transactions")[1].rows[0][0]
            found = Scale(scale, int(str(counted)), file.stat().st_size / 2**20, built, starts_s)
            ask_in_turns(assistant, file, found)
        finally:
            assistant.close()
        for people in ANALYSTS:
            found.analysts[people] = analysts(people, known)
    return found


def _settings(file: Path, own: Path, **others: object) -> Settings:
    return read_settings(
        database_url=str(file), cache_dir=own / "cache", store_url=f"sqlite:///{own}/store.sqlite",
        openai_api_key=None, openai_base_url=None, **others,
    )  # fmt: skip


def started(known: Settings) -> tuple[tuple[float, float], Assistant]:
    """Open twice, the second time with what the first left in the cache; return seconds of both, and the second."""
    opened: list[Assistant] = []
    cold_ms = time_ms(lambda: opened.append(open_assistant(known)))
    opened.pop().close()
    warm_ms = time_ms(lambda: opened.append(open_assistant(known)))
    return (cold_ms / MILLISECONDS, warm_ms / MILLISECONDS), opened[0]


def ask_in_turns(assistant: Assistant, file: Path, found: Scale) -> None:
    """Ask the raw client and the app for the same figures in turns, until there are enough rounds or time is up."""
    known = assistant.settings
    sql = assistant.check(assistant.ask(QUESTION).sql or "").run_sql
    same = {"threads": known.database_threads, "memory_limit": f"{int(known.database_memory_mb * ENGINE_SHARE)}MB"}
    with duckdb.connect(file, read_only=True, config=same) as client:
        client.execute(sql).fetchall()
        ends = time.monotonic() + ROUNDS_S
        while len(found.client) < LEAST_ROUNDS or (len(found.client) < MOST_ROUNDS and time.monotonic() < ends):
            found.client.append(time_ms(lambda: client.execute(sql).fetchall()))
            ask_once(assistant, found)


def ask_once(assistant: Assistant, found: Scale) -> None:
    """Ask as the page does, which shows the answer before its figures are held against their total."""
    began, there = time.perf_counter(), None
    for event in assistant.stream(QUESTION):
        if isinstance(event, ResultReady | Answer):
            answer = event if isinstance(event, Answer) else event.answer
            there = there or (time.perf_counter() - began) * MILLISECONDS
    assert there is not None and answer.result is not None, answer.error
    found.answer.append(there)
    found.checked.append((time.perf_counter() - began) * MILLISECONDS)
    spent, database = answer.timings_ms, answer.result.elapsed_ms
    steps = [spent[step] for step in ("intent", "sql", "validation", "execution", "insight")]
    own = [*steps[:3], steps[3] - database, steps[4], there - sum(steps)]
    for name, time_of in zip((*PARTS, "database"), (*own, database), strict=True):
        found.parts.setdefault(name, []).append(time_of)


def analysts(people: int, known: Settings) -> tuple[list[float], float, int, str]:
    """Let people ask over HTTP, each the next question once the last is answered; see `Scale`."""
    environment = {
        "BANK_DATABASE_URL": known.database_url, "BANK_VOCABULARY_FILE": str(VOCABULARY),
        "BANK_CACHE_DIR": str(known.cache_dir),
    }  # fmt: skip
    with serving("api", 1, **environment) as (url, pid), ThreadPoolExecutor(people) as threads:
        began = time.perf_counter()
        runs = list(threads.map(lambda place: ask_on(url, f"analyst-{place}", ANALYSTS_S), range(people)))
        times = [spent for own, _ in runs for spent in own]
        return times, len(times) / (time.perf_counter() - began), sum(lost for _, lost in runs), memory_mb(pid)


def schema(areas: int) -> Schema:
    """Open a bank of so many areas, 40 tables each, and ask the same of it, each question anew."""
    with tempfile.TemporaryDirectory() as own:
        file = write_large_schema(Path(own) / "bank.duckdb", "duckdb", AREAS[:areas])
        starts_s, assistant = started(_settings(file, Path(own), as_of=AS_OF, vocabulary_file=None))
        try:
            beyond = [_beyond(assistant, question) for _ in range(SCHEMA_ROUNDS) for question in SCHEMA_QUESTIONS]
        finally:
            assistant.close()
    return Schema(areas * len(RECORDS), starts_s, beyond)


def _beyond(assistant: Assistant, question: str) -> float:
    answers: list[Answer] = []
    spent = time_ms(lambda: answers.append(assistant.ask(question)))
    assert answers[0].result is not None, f"{question}: {answers[0].error}"
    return spent - answers[0].result.elapsed_ms


if __name__ == "__main__":
    main()

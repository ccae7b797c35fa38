"""What `benchmarks.scale` has measured, and its tables."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

import duckdb

from benchmarks.many_users import cuts, row

PARTS = ("reading", "compiler", "guard", "beyond the database", "telling", "between the steps")


@dataclass
class Scale:
    """What was measured at one scale; milliseconds unless a name says otherwise.

    Attributes:
        built: seconds and peak megabytes of building, as far as this run did it.
        starts_s: with an empty cache, and with what that left.
        client, answer, checked: each round's time of the raw client, of the app until the answer is there, and until
            its figures are held against their total too.
        parts: of the app's own time, each round.
        analysts: by how many ask: their times, answers per second, how many questions got none, and memory in MB.
    """

    scale: float
    transactions: int
    file_mb: float
    built: tuple[float, float] | None
    starts_s: tuple[float, float]
    client: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)
    checked: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=dict)
    analysts: dict[int, tuple[list[float], float, int, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Schema:
    """A start without and with a cache in seconds, and each question's milliseconds beyond the database's own time."""

    tables: int
    starts_s: tuple[float, float]
    beyond: list[float]


def report(question: str, scales: Sequence[Scale], schemas: Sequence[Schema]) -> str:
    """Write what is known so far as Markdown."""
    return "\n".join(
        [
            "# Scale",
            "",
            f"DuckDB {duckdb.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores,",
            f"load average {os.getloadavg()[1]:.1f} over the last 5 minutes, this work included.",
            "",
            *_section(
                "Rows",
                f"“{question}”, end to end: medians in milliseconds of the raw client, with the same settings, and of "
                "the app, in turns. The answer is there with table, sentence and chart; then its figures are held "
                "against their total in a second statement. Ratios are medians of each round's; wanted: at most 1.1. "
                "Seconds of a start are with an empty cache / with what that left.",
                "scale | transactions | MB | built s (peak MB) | start s | client | answer | ratio | checked | ratio",
                map(_scale_row, scales),
            ),
            *_section(
                "The app's own part",
                "Median milliseconds of the same answers; wanted: independent of rows. Between the steps: what starts "
                "and ends them, and the database's estimate of what was read.",
                f"scale | {' | '.join(PARTS)} | **all** | the database",
                map(_parts_row, scales),
            ),
            *_section(
                "Analysts",
                "`POST /ask` of one process, each analyst the next question as soon as the last is "
                "answered and checked; milliseconds. Clients, server and databases share the cores. Wanted at scale "
                "20 with 20 analysts: p95 under 3,000.",
                "scale | analysts | questions/s | p50 | p95 | not answered | MB",
                (_analysts_row(one, people) for one in scales for people in one.analysts),
            ),
            *_section(
                "Tables",
                "Of 15 columns and 24 rows each, with no vocabulary file: seconds of a start, as above, and "
                "milliseconds of a question beyond the database's own time.",
                "tables | start s | p50 | p95",
                map(_schema_row, schemas),
            ),
            "Written by `python -m benchmarks.scale --write`.",
            "",
        ]
    )


def _section(title: str, told: str, heads: str, rows: Iterator[str]) -> list[str]:
    lines = list(rows)
    if not lines:
        return []
    return [f"## {title}", "", told, "", f"| {heads} |", "|" + "---:|" * (heads.count("|") + 1), *lines, ""]


def _scale_row(one: Scale) -> str:
    built = f"{one.built[0]:,.0f} ({one.built[1]:,.0f})" if one.built else ""
    ratios = [
        median(ours / theirs for ours, theirs in zip(times, one.client, strict=True))
        for times in (one.answer, one.checked)
    ]
    times = [f"{median(times):,.0f}" for times in (one.client, one.answer, one.checked)]
    return row(
        f"{one.scale:g}", f"{one.transactions:,}", f"{one.file_mb:,.0f}", built, _starts(one.starts_s), *times[:2],
        f"{ratios[0]:.2f}", times[2], f"{ratios[1]:.2f}",
    )  # fmt: skip


def _parts_row(one: Scale) -> str:
    own = [sum(times) for times in zip(*(one.parts[name] for name in PARTS), strict=True)]
    medians = [median(one.parts[name]) for name in PARTS]
    told = [f"{time_of:.1f}" for time_of in (*medians, median(own), median(one.parts["database"]))]
    return row(f"{one.scale:g}", *told[:-2], f"**{told[-2]}**", told[-1])


def _analysts_row(one: Scale, people: int) -> str:
    times, per_s, lost, memory = one.analysts[people]
    return row(f"{one.scale:g}", people, f"{per_s:.1f}", *cuts(times), lost, memory)


def _schema_row(one: Schema) -> str:
    return row(f"{one.tables:,}", _starts(one.starts_s), *cuts(one.beyond))


def _starts(seconds: tuple[float, float]) -> str:
    return f"{seconds[0]:.1f} / {seconds[1]:.1f}"

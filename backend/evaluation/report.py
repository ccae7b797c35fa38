"""Figures of one evaluation, and what changed since another."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ai_engine.errors import BadConfiguration
from backend.evaluation.outcomes import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of verdicts; shares are of the questions judged, in percent."""

    verdicts: Mapping[Verdict, int]

    @property
    def asked(self) -> int:
        """Questions judged: all but those left out."""
        return sum(count for verdict, count in self.verdicts.items() if verdict != "left out")

    def share(self, *verdicts: Verdict) -> float:
        """Percent of the questions judged."""
        return 100.0 * sum(self.verdicts.get(verdict, 0) for verdict in verdicts) / self.asked if self.asked else 0.0

    @property
    def accuracy(self) -> float:
        """Right, with no column too many."""
        return self.share("right")

    @property
    def accuracy_extra_columns(self) -> float:
        """Right, columns that were not asked for allowed."""
        return self.share("right", "extra columns")

    @property
    def wrong_but_confident(self) -> float:
        """Figures given that are not the right ones, columns that were not asked for allowed."""
        return self.share("wrong")


@dataclass(frozen=True, slots=True)
class Readers:
    """Of the questions whose two readings were compared: how many agreed, and how many each reader had right."""

    compared: int
    agreed: int
    model_right: int
    built_in_right: int


@dataclass(frozen=True, slots=True)
class Report:
    """One evaluation. `thinking_ms` and `execution_ms` hold p50 and p95."""

    total: Score
    by_difficulty: Mapping[str, Score]
    by_shape: Mapping[str, Score]
    by_database: Mapping[str, Score]
    by_mark: Mapping[str, Score]
    readers: Readers
    reasons: Mapping[str, int]
    thinking_ms: tuple[float, float]
    execution_ms: tuple[float, float]
    outcomes: Sequence[Outcome]


@dataclass(frozen=True, slots=True)
class Change:
    """Against an earlier report, on the questions that both have judged.

    `is_regression`: fewer are right, or more are wrong with confidence.
    """

    newly_right: tuple[str, ...]
    newly_wrong: tuple[str, ...]
    compared: int
    is_regression: bool


def report_on(outcomes: Sequence[Outcome]) -> Report:
    """Count verdicts, in all and per group; a group without a name is not shown."""
    judged = [outcome for outcome in outcomes if outcome.verdict != "left out"]
    return Report(
        _score(outcomes),
        _by({outcome: outcome.question.difficulty for outcome in outcomes}),
        _by({outcome: outcome.question.shape for outcome in outcomes}),
        _by({outcome: outcome.question.db for outcome in outcomes}),
        _by({outcome: outcome.mark for outcome in outcomes}),
        _readers(judged),
        dict(Counter(str(outcome.reason) for outcome in outcomes if outcome.reason).most_common()),
        _percentiles(outcome.thinking_ms for outcome in judged),
        _percentiles(outcome.execution_ms for outcome in judged if outcome.sql is not None),
        outcomes,
    )


def report_to_json(report: Report) -> dict[str, Any]:
    """Write a report as one object, which a later evaluation reads as its baseline."""
    return {
        "questions": report.total.asked,
        "left_out": report.total.verdicts.get("left out", 0),
        "accuracy": report.total.accuracy,
        "accuracy_extra_columns": report.total.accuracy_extra_columns,
        "wrong_but_confident": report.total.wrong_but_confident,
        "wrong_but_confident_strict": report.total.share("wrong", "extra columns"),
        "verdicts": dict(report.total.verdicts),
        "reasons": dict(report.reasons),
        "by_difficulty": {name: dict(score.verdicts) for name, score in report.by_difficulty.items()},
        "by_shape": {name: dict(score.verdicts) for name, score in report.by_shape.items()},
        "by_database": {name: dict(score.verdicts) for name, score in report.by_database.items()},
        "by_mark": {name: dict(score.verdicts) for name, score in report.by_mark.items()},
        "readers": asdict(report.readers),
        "thinking_ms": {"p50": report.thinking_ms[0], "p95": report.thinking_ms[1]},
        "execution_ms": {"p50": report.execution_ms[0], "p95": report.execution_ms[1]},
        "outcomes": [_outcome_to_json(outcome) for outcome in report.outcomes],
    }


def read_verdicts(file: Path) -> dict[str, Verdict]:
    """Read the verdicts of an earlier report.

    Raises:
        BadConfiguration: the file is not a report.
    """
    try:
        outcomes = json.loads(file.read_text(encoding="utf-8"))["outcomes"]
        return {outcome["key"]: outcome["verdict"] for outcome in outcomes}
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise BadConfiguration(f"{file} is not the report of an evaluation: {fault}") from fault


def change_since(earlier: Mapping[str, Verdict], outcomes: Sequence[Outcome]) -> Change:
    """Compare verdicts question by question; "right" is without a column too many."""
    now = {outcome.question.key: outcome.verdict for outcome in outcomes}
    both = [key for key in now if key in earlier and "left out" not in (now[key], earlier[key])]
    was, is_ = Counter(earlier[key] for key in both), Counter(now[key] for key in both)
    return Change(
        tuple(key for key in both if now[key] == "right" != earlier[key]),
        tuple(key for key in both if earlier[key] == "right" != now[key]),
        len(both),
        is_["right"] < was["right"] or is_["wrong"] > was["wrong"],
    )


def _readers(judged: Sequence[Outcome]) -> Readers:
    compared = [outcome for outcome in judged if outcome.other_verdict is not None]
    return Readers(
        len(compared),
        sum(outcome.mark == "agreed" for outcome in compared),
        sum(outcome.verdict == "right" for outcome in compared),
        sum(outcome.other_verdict == "right" for outcome in compared),
    )


def _score(outcomes: Iterable[Outcome]) -> Score:
    return Score(dict(Counter(outcome.verdict for outcome in outcomes)))


def _by(groups: Mapping[Outcome, str]) -> dict[str, Score]:
    members: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome, group in groups.items():
        if group:
            members[group].append(outcome)
    return {group: _score(members[group]) for group in sorted(members)}


def _percentiles(times_ms: Iterable[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile by nearest rank, zeros where nothing was measured."""
    ranked = sorted(times_ms)
    if not ranked:
        return 0.0, 0.0
    return ranked[math.ceil(0.5 * len(ranked)) - 1], ranked[math.ceil(0.95 * len(ranked)) - 1]


def _outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    question = outcome.question
    return {
        "key": question.key,
        "db": question.db,
        "question": question.text,
        "expect": question.expect,
        "shape": question.shape,
        "difficulty": question.difficulty,
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "expected_status": outcome.expected_status,
        "restatement": outcome.restatement,
        "sql": outcome.sql,
        "mark": outcome.mark,
        "other_verdict": outcome.other_verdict,
        "said": outcome.said,
        "closed": outcome.closed,
        "gold_sql": question.golds[0] if question.golds else None,
        "thinking_ms": round(outcome.thinking_ms, 3),
        "execution_ms": round(outcome.execution_ms, 3),
    }

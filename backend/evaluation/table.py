"""A report as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from backend.evaluation.outcomes import Verdict
from backend.evaluation.report import Change, Report, Score

_COLUMNS: tuple[tuple[str, Verdict], ...] = (
    ("right", "right"),
    ("+columns", "extra columns"),
    ("wrong", "wrong"),
    ("refused", "refused"),
    ("asked back", "clarified"),
    ("failed", "failed"),
)
_MOST_NAMED = 20


def report_text(report: Report) -> str:
    """Write the figures: in all, per database, difficulty, shape and mark, with the reasons and the times."""
    total = report.total
    lines = [
        f"accuracy               {total.accuracy:6.2f} %   "
        f"(extra columns allowed {total.accuracy_extra_columns:.2f} %)",
        f"wrong but confident    {total.wrong_but_confident:6.2f} %   "
        f"(extra columns counted as wrong {total.share('wrong', 'extra columns'):.2f} %)",
        f"without the database   p50 {report.thinking_ms[0]:.1f} ms, p95 {report.thinking_ms[1]:.1f} ms",
        f"the database           p50 {report.execution_ms[0]:.1f} ms, p95 {report.execution_ms[1]:.1f} ms",
        "",
        _row("", "asked", *(title for title, _ in _COLUMNS), "accuracy"),
        _score_row("total", total),
    ]
    for groups in (report.by_database, report.by_difficulty, report.by_shape, report.by_mark):
        lines += _group_rows(groups)
    if report.readers.compared:
        both = report.readers
        lines += [
            "",
            f"two readers compared: {both.compared}, agreed {both.agreed}; right by the model {both.model_right}, "
            f"by the built-in reader {both.built_in_right}",
        ]
    if report.reasons:
        lines += ["", "not right because: " + ", ".join(f"{name} {count}" for name, count in report.reasons.items())]
    if left_out := total.verdicts.get("left out", 0):
        lines.append(f"left out, their own statement does not run: {left_out}")
    return "\n".join(lines)


def change_text(change: Change) -> str:
    """Write what became right and what no longer is."""
    lines = [f"against the baseline, {change.compared} questions in both:"]
    for title, keys in (("newly right", change.newly_right), ("newly wrong", change.newly_wrong)):
        lines.append(f"  {title}: {len(keys)}")
        lines += [f"    {key}" for key in keys[:_MOST_NAMED]]
        if len(keys) > _MOST_NAMED:
            lines.append(f"    and {len(keys) - _MOST_NAMED} more")
    if change.is_regression:
        lines.append("regression: fewer are right, or more are wrong with confidence")
    return "\n".join(lines)


def _group_rows(groups: Mapping[str, Score]) -> list[str]:
    return ["", *(_score_row(name, score) for name, score in groups.items())] if groups else []


def _score_row(name: str, score: Score) -> str:
    counts = [str(score.verdicts.get(verdict, 0)) for _, verdict in _COLUMNS]
    return _row(name, str(score.asked), *counts, f"{score.accuracy:.1f} %")


def _row(name: str, *cells: str) -> str:
    return f"{name:24.24s}" + "".join(f"{cell:>11s}" for cell in cells)

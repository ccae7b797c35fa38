"""What came of an evaluation: how much was right, by what the figures rest on, and each failure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from ai_engine.errors import AssistantError, SqlRejected
from backend.answers.withheld import question_without_values, why_outdated, why_withheld
from backend.store.evaluations import KeptRun
from pages.drawing.escaping import as_html

if TYPE_CHECKING:
    from backend.service import Assistant

_FAILED = ("wrong", "extra columns", "failed", "refused", "clarified")
_MOST_CHANGED = 20
_SHARES: tuple[tuple[str, str, Literal["normal", "inverse"]], ...] = (
    ("Right", "accuracy", "normal"),
    ("Wrong but confident", "wrong_but_confident", "inverse"),
)


def draw_report(run: KeptRun, before: KeptRun | None, assistant: Assistant) -> None:
    """Draw a run against the one before it of the same set."""
    if run.problem:
        st.html(f'<p class="ba-problem" role="alert">{as_html(run.problem)}</p>')
    report: dict[str, Any] = json.loads(run.report) if run.report else {}
    if not report.get("questions"):
        st.html('<p class="ba-muted">No question was judged.</p>')
        return
    earlier: dict[str, Any] = json.loads(before.report) if before is not None and before.report else {}
    with st.container(horizontal=True):
        for label, key, good in _SHARES:
            change = f"{report[key] - earlier[key]:+.1f}" if earlier else None
            st.metric(label, f"{report[key]:.1f} %", change, delta_color=good, border=True)
        st.metric("Questions judged", report["questions"], border=True)
    _draw_marks(report["by_mark"])
    now = {one["key"]: one for one in report["outcomes"]}
    if earlier:
        _draw_changes({one["key"]: one["verdict"] for one in earlier["outcomes"]}, now, assistant)
    _draw_failures(now, assistant)


def _draw_marks(by_mark: dict[str, dict[str, int]]) -> None:
    """Draw accuracy by what a figure rests on."""
    rows = []
    for mark, verdicts in by_mark.items():
        judged = sum(count for verdict, count in verdicts.items() if verdict != "left out")
        right = verdicts.get("right", 0)
        share = f"{100 * right / judged:.1f} %" if judged else "–"
        wrong = verdicts.get("wrong", 0)
        rows.append({"Mark": mark, "Asked": judged, "Right": right, "Wrong": wrong, "Accuracy": share})
    if rows:
        st.dataframe(rows, hide_index=True, key="evaluation_marks")


def _why_withheld(one: dict[str, Any], assistant: Assistant) -> str:
    """Say why what came of a question is not shown; one of an earlier version without a statement bears no mark."""
    closed = one.get("closed", "" if one["sql"] else "unknown")
    return why_withheld((one["sql"],), assistant.check) or why_outdated(closed, assistant.policy)


def _asked(one: dict[str, Any], assistant: Assistant) -> str:
    """Return a question, as that of any other answer: without values where it, or what was expected, may not run."""
    statements = one["sql"], one["gold_sql"]
    asked: str = one["question"]
    bare = question_without_values(asked, statements)
    return bare if bare != asked and why_withheld(statements, assistant.check) else asked


def _draw_changes(before: dict[str, str], now: dict[str, Any], assistant: Assistant) -> None:
    both = [key for key in now if key in before]
    better = [key for key in both if now[key]["verdict"] == "right" != before[key]]
    worse = [key for key in both if before[key] == "right" != now[key]["verdict"]]
    for title, keys in (("Newly right", better), ("No longer right", worse)):
        if keys:
            said = "; ".join(as_html(_asked(now[key], assistant)) for key in keys[:_MOST_CHANGED])
            st.html(f'<p class="ba-note"><b>{title}: {len(keys)}.</b> {said}</p>')
    if not better and not worse:
        st.html('<p class="ba-note">The same questions are right as in the run before.</p>')


def _draw_failures(now: dict[str, Any], assistant: Assistant) -> None:
    failed = [one for one in now.values() if one["verdict"] in _FAILED]
    if not failed:
        st.html('<p class="ba-note">Every question that was judged is right.</p>')
        return
    named = {one["key"]: f"{one['verdict']}: {_asked(one, assistant)}" for one in failed}
    key = st.selectbox(
        f"{len(failed)} not right", list(named), format_func=lambda one: named[one], key="evaluation_failure"
    )
    one = now[key]
    why = _why_withheld(one, assistant)
    facts = (
        ("Reading", "" if why else one["restatement"]), ("Said", why or one["said"]),
        ("Why", "" if why else one["reason"]), ("Mark", one["mark"]),
    )  # fmt: skip
    lines = "".join(f"<tr><th>{name}</th><td>{as_html(text or '–')}</td></tr>" for name, text in facts)
    st.html(f'<table class="ba-facts">{lines}</table>')
    got, expected = st.columns(2)
    for place, title, sql in ((got, "Got", one["sql"]), (expected, "Expected", one["gold_sql"])):
        with place:
            st.html(f'<p class="ba-note"><b>{title}</b></p>')
            _draw_rows(sql, assistant, f"{title}_{key}")


def _draw_rows(sql: str | None, assistant: Assistant, key: str) -> None:
    """Run a statement under today's guard, so that no rows of another day or another right are kept."""
    if not sql:
        st.html('<p class="ba-muted">No statement.</p>')
        return
    try:
        _, result = assistant.run_statement(sql)
        shown = [dict(zip(result.columns, map(_text, row), strict=True)) for row in result.rows[:100]]
        st.dataframe(shown, hide_index=True, key=f"rows_{key}")
    except AssistantError as fault:
        st.html(f'<p class="ba-problem ba-small">{as_html(fault.user_message)}</p>')
        if isinstance(fault, SqlRejected):
            return
    st.code(sql, language="sql", wrap_lines=True)


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)

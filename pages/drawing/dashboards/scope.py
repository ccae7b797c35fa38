"""The period and filters that go over all tiles of a dashboard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import streamlit as st

from ai_engine.semantics.intent import Condition, FieldRef, Intent, Period
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.period_words import said_days
from ai_engine.semantics.rolled_periods import period_from
from ai_engine.semantics.vocabulary import Vocabulary
from backend.dashboards.book import DashboardView, filter_words
from backend.dashboards.filter_choices import FilterChoice, filter_choices
from pages import dashboard_changes as changes
from pages.drawing.escaping import as_label

_OWN, _DAYS = "Each tile's own", "Days …"
_WORDS = (
    "this month", "last month", "this quarter", "last quarter", "this year", "last year", "this fiscal year",
    "last fiscal year", "last 12 months",
)  # fmt: skip
_BOTH_DAYS = 2


def draw_scope(view: DashboardView, vocabulary: Vocabulary, models: Sequence[SemanticModel]) -> None:
    """Draw the choice of period and filters, and each filter as a button that takes it away; see `filter_words`."""
    scope, board = changes.scope_of(view), view.dashboard.id
    with st.container(
        horizontal=True, gap="small", vertical_alignment="bottom", width="content", key="dashboard_scope"
    ):
        _draw_period(view, scope, vocabulary)
        choices = filter_choices(vocabulary)
        if choices:
            with st.popover("Filter", icon=":material/filter_alt:", key=f"filter_{board}"):
                _draw_choice(view, scope, choices)
        for place, condition in enumerate(scope.filters):
            if isinstance(condition, Condition):
                st.button(
                    as_label(filter_words(condition, models)), key=f"drop_{board}_{place}", icon=":material/close:",
                    help="Take this filter away", on_click=_drop, args=(view, scope, place),
                )  # fmt: skip


def _draw_period(view: DashboardView, scope: Intent, vocabulary: Vocabulary) -> None:
    now, board = scope.period, view.dashboard.id
    named = now.label if now is not None and now.label in _WORDS else _OWN if now is None else _DAYS
    key = f"period_{board}"
    offered = [_OWN, *_WORDS, _DAYS]
    chosen = st.selectbox(
        "Period", offered, offered.index(named), format_func=lambda words: words[:1].upper() + words[1:], key=key,
        width=190, on_change=_set_period, args=(view, scope, vocabulary),
    )  # fmt: skip
    if chosen == _DAYS:
        first, last = _days_of(now, vocabulary)
        st.date_input(
            "From, to", (first, last), key=f"days_{board}", width=240, format="YYYY-MM-DD",
            on_change=_set_days, args=(view, scope, vocabulary),
        )  # fmt: skip


def _days_of(period: Period | None, vocabulary: Vocabulary) -> tuple[date, date]:
    if period is not None and period.start is not None and period.end is not None:
        return period.start, period.end - timedelta(days=1)
    return vocabulary.as_of.replace(day=1), vocabulary.as_of


def _set_period(view: DashboardView, scope: Intent, vocabulary: Vocabulary) -> None:
    chosen = st.session_state[f"period_{view.dashboard.id}"]
    period = _between(*_days_of(scope.period, vocabulary), vocabulary) if chosen == _DAYS else None
    changes.set_scope(view, scope.model_copy(update={"period": period or period_from(chosen, vocabulary)}))


def _set_days(view: DashboardView, scope: Intent, vocabulary: Vocabulary) -> None:
    days = st.session_state[f"days_{view.dashboard.id}"]
    if len(days) == _BOTH_DAYS:
        changes.set_scope(view, scope.model_copy(update={"period": _between(days[0], days[1], vocabulary)}))


def _between(first: date, last: date, vocabulary: Vocabulary) -> Period:
    end = last + timedelta(days=1)
    return Period(start=first, end=end, label=said_days(first, end, vocabulary.model.fiscal_year_start_month))


def _draw_choice(view: DashboardView, scope: Intent, choices: tuple[FilterChoice, ...]) -> None:
    board = view.dashboard.id
    choice = st.selectbox("Field", choices, format_func=lambda one: one.label, key=f"field_{board}")
    picked = st.multiselect("Is one of", choice.values, key=f"values_{board}_{choice.dataset}_{choice.field}")
    st.button(
        "Apply", key=f"apply_{board}", type="primary", disabled=not picked, on_click=_add,
        args=(view, scope, choice, tuple(picked)),
    )  # fmt: skip


def _add(view: DashboardView, scope: Intent, choice: FilterChoice, values: tuple[str, ...]) -> None:
    place = FieldRef(dataset=choice.dataset, field=choice.field)
    kept = tuple(one for one in scope.filters if not (isinstance(one, Condition) and one.field == place))
    added = Condition(field=place, operator="in", values=values)
    changes.set_scope(view, scope.model_copy(update={"filters": (*kept, added)}))


def _drop(view: DashboardView, scope: Intent, place: int) -> None:
    kept = (*scope.filters[:place], *scope.filters[place + 1 :])
    changes.set_scope(view, scope.model_copy(update={"filters": kept}))

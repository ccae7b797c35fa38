from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import plotly.graph_objects as go
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ai_engine.formats import Formats
from ai_engine.insight.chart_choice import NARROW_AXIS_CHARS, possible_charts
from ai_engine.types import Answer, ChartKind, OutputColumn, QueryResult
from backend.charts import caption, draw, figure_json, figure_of, title_of
from backend.charts.scale import read_scale
from backend.charts.sketch import MUTED, PALETTE
from backend.charts.text import distinct, literal, part_label, tick_label
from tests.ai_engine.test_seen_text import UNSEEN, unseen_texts

INDIAN = Formats("INR")
BRANCH = OutputColumn("branch", "Branch")
SEGMENT = OutputColumn("segment", "Segment")
MONTH = OutputColumn("month", "Month", None, "time")
DEPOSITS = OutputColumn("deposits", "Deposits", "INR", "measure", adds_up=True)
COUNT = OutputColumn("customers", "Customers", "count", "measure", adds_up=True)
SCORE = OutputColumn("score", "Credit score", None, "measure")
ACCOUNT = OutputColumn("account", "Account", None, "identifier")
MONTHS = [date(2025, month, 1) for month in range(1, 7)]


def made(columns, rows):
    return QueryResult(tuple(c.name for c in columns), ("other",) * len(columns), tuple(rows)), tuple(columns)


BRANCHES = made((BRANCH, DEPOSITS), [("Fort", Decimal("91234567.80")), ("Pune", Decimal("45000000")), ("Goa", None)])
BY_MONTH = made((MONTH, DEPOSITS), [(month, Decimal(place * 10**6)) for place, month in enumerate(MONTHS, 1)])
WITHDRAWALS = OutputColumn("withdrawals", "Withdrawals", "INR", "measure")
TWO_FIGURES = made(
    (MONTH, DEPOSITS, WITHDRAWALS),
    [(month, Decimal(place * 10**6), Decimal(10**5)) for place, month in enumerate(MONTHS)],
)
BY_BOTH = made(
    (MONTH, SEGMENT, COUNT), [(m, s, i * k) for i, m in enumerate(MONTHS, 1) for k, s in enumerate(["Mass", "NRI"], 1)]
)
POINTS = made((ACCOUNT, SCORE, DEPOSITS), [(i, 600 + i, Decimal(i * 1000)) for i in range(40)])
SPREAD = made((ACCOUNT, DEPOSITS), [(i, Decimal(i * i)) for i in range(40)])
TOTAL = made((DEPOSITS,), [(Decimal("48231175206.00"),)])
NAMES = made((ACCOUNT, OutputColumn("name", "Name", None, "text")), [(1, "A"), (2, "B")])
PARTS = made((SEGMENT, COUNT), [("Mass", 7000), ("Affluent", 3000)])
EVERY_KIND: list[tuple[ChartKind, tuple[QueryResult, tuple[OutputColumn, ...]]]] = [
    ("metric", TOTAL),
    ("bar", BRANCHES),
    ("horizontal_bar", BRANCHES),
    ("line", BY_BOTH),
    ("area", BY_BOTH),
    ("pie", PARTS),
    ("scatter", POINTS),
    ("histogram", SPREAD),
    ("heatmap", BY_BOTH),
    ("table", NAMES),
]


def texts(figure):
    """Every string of a figure except those that Plotly defines."""
    return json.dumps(figure.to_plotly_json(), default=str)


@pytest.mark.parametrize(("kind", "case"), EVERY_KIND, ids=[kind for kind, _ in EVERY_KIND])
def test_every_kind_is_drawn_where_it_fits(kind, case):
    assert kind in possible_charts(*case)
    types = {"metric": None, "bar": "bar", "horizontal_bar": "bar", "line": "scatter", "area": "scatter", "pie": "pie"}
    types |= {"scatter": "scatter", "histogram": "bar", "heatmap": "heatmap", "table": "table"}
    figure = draw(*case, kind, INDIAN)
    assert {trace.type for trace in figure.data} == ({types[kind]} if types[kind] else set())


def test_a_kind_that_does_not_fit_is_drawn_as_a_table():
    assert draw(*NAMES, "pie", INDIAN).data[0].type == "table"


def test_rupees_are_counted_in_crore_and_say_so():
    figure = draw(*BRANCHES, "bar", INDIAN)
    axis = figure.layout.yaxis
    assert figure.layout.title.subtitle.text == "Deposits (Rs. crore)"
    assert axis.ticktext == ("0", "2", "4", "6", "8", "10")
    assert axis.tickvals[-1] == 100_000_000


def test_dollars_are_counted_in_millions():
    scale = read_scale([2_500_000.0], "USD", Formats("USD"))
    assert (scale.counted_in, scale.texts[-1]) == ("$ million", "2.5")


def test_counts_follow_the_bank_s_own_way_of_counting():
    assert read_scale([600_000.0], "count", INDIAN).counted_in == "lakh"
    assert read_scale([600_000.0], "count", Formats("EUR")).counted_in == "thousand"


def test_percentages_keep_their_sign_and_are_never_counted_in_thousands():
    scale = read_scale([120_000.0], "percent", INDIAN)
    assert scale.counted_in == ""
    assert scale.texts[1].endswith("%")


def test_a_heatmap_writes_whole_figures_as_they_are():
    result, columns = made((MONTH, SEGMENT, COUNT), [(m, s, 1_137) for m in MONTHS for s in ("Mass", "NRI")])
    assert draw(result, columns, "heatmap", INDIAN).data[0].text[0][0] == "1,137"


def test_bars_start_at_zero_and_a_flat_line_does_not():
    assert read_scale([100.0, 104.0], None, Formats()).positions[0] == 0
    assert read_scale([100.0, 104.0], None, Formats(), from_zero=False).positions[0] > 90


def test_the_exact_figure_is_in_the_hover():
    assert "Deposits: Rs.9,12,34,567.80" in draw(*BRANCHES, "bar", INDIAN).data[0].customdata[0]


def test_a_missing_figure_leaves_a_gap():
    assert draw(*BRANCHES, "bar", INDIAN).data[0].y[2] is None


def test_a_line_runs_forward_in_time_whatever_the_order_of_the_rows():
    result, columns = BY_MONTH
    backward = QueryResult(result.columns, result.types, result.rows[::-1])
    assert draw(backward, columns, "line", INDIAN).data[0].x == tuple(month.isoformat() for month in MONTHS)


def test_months_are_named_on_the_axis_with_their_year_below():
    assert draw(*BY_MONTH, "line", INDIAN).layout.xaxis.ticktext == tuple(
        f"{month}<br>2025" for month in ("Jan", "Feb", "Mar", "Apr", "May", "Jun")
    )


DAYS = [date(2025, 3, 1) + timedelta(days=day) for day in range(30)]
QUARTERS = [f"Q{quarter} FY{year}-{year - 1999}" for year in range(2015, 2023) for quarter in range(1, 5)]


@pytest.mark.parametrize("kind", ["line", "bar", "heatmap"])
@pytest.mark.parametrize("times", [DAYS[:6], DAYS, QUARTERS[:6], QUARTERS[:30]])
def test_of_a_run_of_time_no_more_is_named_than_a_phone_has_room_for(kind, times):
    rows = [(time, segment, place) for place, time in enumerate(times) for segment in ("Mass", "NRI")]
    axis = draw(*made((MONTH, SEGMENT, COUNT), rows), kind, INDIAN).layout.xaxis
    assert len(axis.tickvals) == len(axis.ticktext) >= 2
    assert sum(max(map(len, label.split("<br>"))) + 1 for label in axis.ticktext) <= NARROW_AXIS_CHARS


def test_weekdays_are_short_on_the_axis_and_stay_in_other_names():
    assert [tick_label(text) for text in ("Wednesday", "Sunday Market")] == ["Wed", "Sunday Market"]


def test_a_missing_month_keeps_the_rest_in_place():
    result, columns = made((MONTH, DEPOSITS), [*BY_MONTH[0].rows, (None, Decimal(5))])
    assert draw(result, columns, "bar", INDIAN).layout.xaxis.ticktext[-1] == "(no date)"


def test_groups_with_the_same_shortened_label_stay_apart():
    long = "The branch with a very long name in the city of "
    result, columns = made((BRANCH, DEPOSITS), [(f"{long}{city}", Decimal(1)) for city in ("Pune", "Goa", "Agra")])
    figure = draw(result, columns, "bar", INDIAN)
    assert figure.data[0].x == (0, 1, 2)
    assert {len(label) <= 24 and label.endswith("…") for label in figure.layout.xaxis.ticktext} == {True}
    assert len(set(draw(result, columns, "pie", INDIAN).data[0].labels)) == 3
    assert "city of Agra" in figure.data[0].customdata[2]


def test_repeated_labels_are_numbered():
    assert distinct(["a", "b", "a"]) == ["a", "b", "a (2)"]


def test_the_caption_names_figure_and_groups():
    assert caption(*BY_BOTH, "line") == "Customers by month and segment"
    assert caption(*POINTS, "scatter") == "Deposits against credit score"
    assert caption(*SPREAD, "histogram") == "Distribution of deposits"
    assert caption(*TOTAL, "metric") == "Deposits"
    assert caption(*TWO_FIGURES, "line") == "Deposits and withdrawals by month"


def answered(result, columns, **said):
    return Answer("list them", "answered", "built-in", result=result, columns=columns, **said)


def test_every_answer_has_a_title_and_it_says_what_narrows_it():
    assert title_of(answered(*BY_BOTH, chart="line", scope="2026")) == "Customers by month and segment, 2026"
    assert title_of(answered(*BY_BOTH, chart="table", scope="2026")) == "Customers by month and segment, 2026"
    listed = answered(*BRANCHES, chart="bar", things="branches", scope="where city is Pune")
    assert title_of(listed) == "Branches where city is Pune"
    nothing = answered(QueryResult(("n",), ("integer",), ()), (COUNT,), things="loans", scope="where city is Pune")
    assert title_of(nothing) == "Loans where city is Pune"
    assert title_of(answered(QueryResult((), (), ()), (), restatement="All of them")) == "All of them"


def test_a_title_says_what_narrows_the_figures():
    assert caption(*BY_BOTH, "line", "where channel is UPI") == "Customers by month and segment where channel is UPI"
    assert caption(*TOTAL, "metric", "August 2026") == "Deposits, August 2026"
    assert draw(*BRANCHES, "bar", INDIAN, "August 2026").layout.title.text.endswith(", August 2026")
    assert (
        "Deposits where city is Pune" in draw(*TOTAL, "metric", INDIAN, "where city is Pune").layout.annotations[0].text
    )


def test_ratios_kept_as_parts_of_one_are_drawn_in_percent():
    ratio = OutputColumn("ratio", "NPA ratio", "fraction", "measure")
    figure = draw(*made((BRANCH, ratio), [("Fort", Decimal("0.185")), ("Pune", Decimal("0.02"))]), "bar", INDIAN)
    assert figure.layout.yaxis.ticktext[:3] == ("0%", "2.5%", "5%")
    assert figure.data[0].text == ("18.50%", "2.00%")
    assert figure.data[0].y == (0.185, 0.02)
    before = replace(ratio, name="before", label="NPA ratio a year earlier", compared="earlier")
    result, columns = made((BRANCH, ratio, before), [("Fort", Decimal("0.185"), Decimal("0.17")), ("Goa", 0, 0)])
    assert "Change: +1.5 points" in draw(result, columns, "horizontal_bar", INDIAN).data[0].customdata[0]


def test_page_and_api_get_one_figure_which_any_plotly_reads():
    answer = answered(*BRANCHES, chart="bar", scope="2026", chart_size=1.5)
    figure = figure_of(answer, INDIAN)
    assert figure.layout.height == int(draw(*BRANCHES, "bar", INDIAN, "2026").layout.height * 1.5)
    assert figure_of(answer, INDIAN, "horizontal_bar").data[0].orientation == "h"
    assert figure_of(answer, INDIAN, "line").data[0].orientation == "v"
    read = json.loads(json.dumps(figure_json(figure), allow_nan=False))
    assert set(read) == {"data", "layout"}
    assert "template" not in read["layout"]
    assert read["layout"]["title"]["text"] == "Deposits by branch, 2026"
    assert go.Figure(read).data[0].x == figure.data[0].x


def counted_in(figure):
    return [note.text for note in figure.layout.annotations] or [figure.layout.title.subtitle.text]


def test_what_is_counted_is_said_once_and_per_picture_where_there_are_several():
    assert counted_in(draw(*BY_MONTH, "line", INDIAN)) == ["Deposits (Rs. lakh)"]
    assert counted_in(draw(*TWO_FIGURES, "line", INDIAN)) == ["Deposits (Rs. lakh)", "Withdrawals (Rs. lakh)"]
    near = [(month, Decimal(10**6), Decimal(2 * 10**6)) for month in MONTHS]
    assert counted_in(draw(*made((MONTH, DEPOSITS, WITHDRAWALS), near), "line", INDIAN)) == ["Rs. lakh"]


def test_figures_of_another_unit_stand_on_a_scale_of_their_own():
    result, columns = made((BRANCH, DEPOSITS, COUNT), [(name, Decimal(10**7), 3) for name in ("Fort", "Pune")])
    lying = draw(result, columns, "horizontal_bar", INDIAN)
    assert [bar.xaxis for bar in lying.data] == ["x", "x2"]
    assert lying.layout.xaxis.domain[1] < lying.layout.xaxis2.domain[0]
    upright = draw(result, columns, "bar", INDIAN)
    assert upright.layout.yaxis.domain[0] > upright.layout.yaxis2.domain[1]


NOW = OutputColumn("now", "Transactions", "count", "measure")
BEFORE = OutputColumn("before", "Transactions a year earlier", "count", "measure", compared="earlier")
CHANGED = OutputColumn("change", "Change in transactions", "count", "measure", compared="change")
COMPARED = made(
    (BRANCH, NOW, BEFORE, CHANGED), [("Fort", 30, 20, 10), ("Pune", 9, 12, -3), ("Goa", 4, 0, 4), ("Agra", 5, None, 5)]
)


def test_a_change_stands_as_text_at_the_bar_it_is_about():
    figure = draw(*COMPARED, "horizontal_bar", INDIAN)
    assert [bar.name for bar in figure.data] == ["Transactions", "Transactions a year earlier"]
    assert figure.data[0].text == ("30 (+50%)", "9 (-25%)", "4", "5")
    assert "Change: +50%" in figure.data[0].customdata[0]
    assert figure.data[1].marker.color == MUTED
    assert caption(*COMPARED, "horizontal_bar") == "Transactions by branch"


def test_the_card_of_a_comparison_says_what_narrows_it_and_the_growth_as_the_sentence_does():
    row = made((NOW, BEFORE), [(9183, 7518)])
    texts = [
        note.text
        for note in draw(*row, "metric", INDIAN, scope="where channel is UPI, 2026 against 2025").layout.annotations
    ]
    assert "Transactions where channel is UPI, 2026 against 2025" in texts[0]
    assert "+22.15%" in texts[0]
    assert "Transactions a year earlier" in texts[1]


def test_no_line_of_a_card_is_cut_off_or_lies_on_another():
    days = "1 January to 23 November 2026 against 1 January to 23 November 2025"
    scope = f"where channel is ATM and transaction type is Cash Withdrawal, {days}"
    layout = draw(*made((NOW, BEFORE), [(9183, 7518)]), "metric", INDIAN, scope=scope).layout
    inner = layout.height - layout.margin.t - layout.margin.b
    edges = [0.0]
    for note in layout.annotations:
        half = 1.3 * note.font.size * (note.text.count("<br>") + 1) / 2
        middle = (1 - note.y) * inner
        assert middle - half >= edges[-1]
        edges.append(middle + half)
    assert len(edges) == 3
    assert edges[-1] <= inner


def test_a_compared_percentage_changes_by_points():
    now, before = replace(NOW, unit="percent"), replace(BEFORE, unit="percent")
    figure = draw(
        *made((BRANCH, now, before), [(name, Decimal("12.5"), Decimal("10")) for name in ("Fort", "Goa")]),
        "horizontal_bar",
        INDIAN,
    )
    assert figure.data[0].text[0] == "12.50% (+2.5 points)"


def test_every_lying_bar_says_its_figure_as_its_scale_counts():
    figure = draw(*BRANCHES, "horizontal_bar", INDIAN)
    assert figure.data[0].text == ("9.12", "4.50", "")
    assert figure.layout.xaxis.showticklabels is False


def test_upright_bars_say_their_figures_where_there_is_room():
    few, many = ([(f"B{n}", Decimal(123_456 * n)) for n in range(1, count)] for count in (5, 30))
    assert draw(*made((BRANCH, DEPOSITS), few), "bar", INDIAN).data[0].text is not None
    assert draw(*made((BRANCH, DEPOSITS), many), "bar", INDIAN).data[0].text is None


def test_two_things_of_one_name_are_told_apart_by_their_key():
    result, columns = made((ACCOUNT, BRANCH, DEPOSITS), [(7, "Asha", Decimal(1)), (8, "Asha", Decimal(2))])
    figure = draw(result, columns, "bar", INDIAN)
    assert figure.layout.xaxis.ticktext == ("Asha (7)", "Asha (8)")
    assert figure.data[0].x == (0, 1)


def test_of_many_lines_the_highest_are_named_and_the_rest_stays_behind():
    rows = [(month, f"Segment {k}", k * 10 + i) for i, month in enumerate(MONTHS) for k in range(10)]
    figure = draw(*made((MONTH, SEGMENT, COUNT), rows), "line", INDIAN)
    named = [trace for trace in figure.data if trace.showlegend]
    assert {trace.name for trace in named} == {"Others", *(f"Segment {k}" for k in range(3, 10))}
    assert len({trace.line.color for trace in named}) == len(named) == 8
    assert {trace.line.color for trace in figure.data if not trace.showlegend} == {MUTED}


def test_the_points_furthest_out_are_named_and_no_legend_names_every_point():
    rows = [(f"Branch {n}", 10 + n % 7, Decimal(1000 + n)) for n in range(30)]
    rows += [("Highest", 12, Decimal(9000)), ("Widest", 90, Decimal(1500))]
    figure = draw(*made((BRANCH, COUNT, DEPOSITS), rows), "scatter", INDIAN)
    assert {"Highest", "Widest"} <= {note.text for note in figure.layout.annotations}
    assert figure.layout.showlegend is False


@pytest.mark.parametrize(("groups", "written"), [(6, True), (24, False)])
def test_a_heatmap_writes_its_figures_where_a_phone_has_room(groups, written):
    rows = [(hour, day, 1_137) for hour in range(groups) for day in range(1, 8)]
    hour, weekday = OutputColumn("hour_of_day", "Hour of day"), OutputColumn("weekday", "Weekday")
    tiles = draw(*made((hour, weekday, COUNT), rows), "heatmap", Formats("EUR")).data[0]
    assert (tiles.texttemplate is not None) == written
    assert tiles.showscale != written


def test_the_title_of_the_figure_says_what_narrows_it_too():
    assert "August 2026" in draw(*BRANCHES, "bar", INDIAN, "August 2026").layout.title.text


@pytest.mark.parametrize("kind", ["bar", "horizontal_bar", "line", "pie", "table"])
def test_a_page_that_writes_the_title_itself_gets_it_in_one_line_and_a_picture_without_its_room(kind):
    long = "August 2026, where city is Pune & Goa and segment is <Premium> or Salaried"
    result, columns = BY_MONTH if kind == "line" else BRANCHES
    answer = answered(result, columns, chart=kind, scope=long)
    whole, apart = figure_of(answer, INDIAN), figure_of(answer, INDIAN, heading_apart=True)
    assert whole.layout.title.text is None or apart.layout.meta["heading"] == caption(result, columns, kind, long)
    assert apart.layout.title.text is None
    room = whole.layout.height - apart.layout.height
    assert room == whole.layout.margin.t - apart.layout.margin.t
    assert room > 40 or whole.layout.title.text is None


PART = replace(MONTH, part_steps=((MONTHS[-1], "1 to 22 June 2025"),))
PARTLY = (BY_MONTH[0], (PART, DEPOSITS))


def test_a_step_covered_in_part_stands_apart_from_the_line_and_says_its_days():
    whole, part = draw(*PARTLY, "line", INDIAN).data
    assert whole.y[-1] is None
    assert (part.mode, part.x, part.y) == ("markers", (MONTHS[-1].isoformat(),), (6e6,))
    assert "June 2025 (only 1 to 22 June 2025)" in part.customdata[0]
    for formats in (INDIAN, Formats("INR", None, "iso")):
        assert draw(*PARTLY, "line", formats).layout.xaxis.ticktext[-1] == "1–22 Jun<br>2025"


def test_a_bar_of_a_step_covered_in_part_is_lighter():
    bars = draw(*PARTLY, "bar", INDIAN)
    assert bars.data[0].marker.opacity == (1, 1, 1, 1, 1, 0.45)
    assert bars.layout.xaxis.ticktext[-1] == "1–22 Jun<br>2025"


def test_layers_that_would_join_a_part_as_if_whole_are_not_offered():
    assert "area" in possible_charts(*BY_MONTH)
    assert "area" not in possible_charts(*PARTLY)


@pytest.mark.parametrize(
    ("days", "short"),
    [
        ("1 to 22 November 2026", "1–22 Nov"),
        ("15 October to 31 December 2026", "15 Oct–31 Dec"),
        ("20 December 2025 to 5 January 2026", "20 Dec 2025–5 Jan 2026"),
        ("1 November 2026", "1 Nov"),
    ],
)
def test_days_covered_are_short_on_the_axis(days, short):
    assert part_label(days) == short


def test_a_histogram_counts_every_row_once():
    assert sum(draw(*SPREAD, "histogram", INDIAN).data[0].y) == 40


def test_the_page_can_be_scrolled_over_every_chart():
    for kind, case in EVERY_KIND:
        layout = draw(*case, kind, INDIAN).layout
        assert layout.dragmode is False
        assert kind in {"metric", "pie", "table"} or (layout.xaxis.fixedrange and layout.yaxis.fixedrange)


def luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("ground", ["#FFFFFF", "#12171F"])
@pytest.mark.parametrize("colour", [*PALETTE, MUTED])
def test_every_colour_is_seen_on_light_and_dark_ground(colour, ground):
    low, high = sorted((luminance(colour), luminance(ground)))
    assert (high + 0.05) / (low + 0.05) >= 3


MARKUP = '<a href="https://evil.example">x</a><b>'


@pytest.mark.parametrize(("kind", "case"), EVERY_KIND, ids=[kind for kind, _ in EVERY_KIND])
def test_no_markup_from_labels_or_cells_reaches_plotly(kind, case):
    result, columns = case
    hostile = tuple(replace(c, label=f"{c.label} {MARKUP}") for c in columns)
    rows = [tuple(f"{cell}{MARKUP}" if isinstance(cell, str) else cell for cell in row) for row in result.rows]
    figure = draw(QueryResult(result.columns, result.types, tuple(rows)), hostile, kind, INDIAN)
    tags = set(re.findall(r"<[^>]*>?", texts(figure)))
    assert tags <= {"<br>", "<b>", "</b>", "<extra>", "</extra>", "<span style='font-size:13px'>", "</span>"}
    assert "&lt;a" in texts(figure)


@given(st.text(max_size=60))
def test_literal_text_holds_no_tag_and_no_entity_of_its_own(text):
    shown = literal(text)
    assert "<" not in shown
    assert ">" not in shown
    assert re.sub(r"&(amp|lt|gt);", "", shown).count("&") == 0
    assert "<" not in tick_label(text)


@given(
    st.lists(st.floats(-1e12, 1e12, allow_nan=False), min_size=1, max_size=20),
    st.sampled_from([None, "INR", "USD", "percent", "days", "count"]),
    st.booleans(),
)
@settings(max_examples=200)
@example([5e-324], None, False)
def test_an_axis_holds_all_its_figures_on_few_rising_steps(figures, unit, from_zero):
    scale = read_scale(figures, unit, INDIAN, from_zero=from_zero)
    slack = 1e-9 * max(1.0, *map(abs, figures))
    assert scale.positions[0] <= min(figures) + slack
    assert scale.positions[-1] >= max(figures) - slack
    assert list(scale.positions) == sorted(set(scale.positions))
    assert len(scale.positions) == len(scale.texts) <= 12


CELLS = {
    "measure": st.none() | st.integers(-(10**14), 10**14) | st.decimals(-(10**9), 10**9, places=2),
    "time": st.none() | st.dates() | st.text(max_size=8) | st.integers(0, 3000),
    "category": st.none() | st.text(max_size=12) | st.integers(0, 5) | st.booleans(),
    "identifier": st.integers(0, 10**6) | st.binary(max_size=3),
}


@st.composite
def results(draw_from):
    roles = draw_from(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    unit = st.sampled_from([None, "INR", "percent", "days", "count"])
    columns = [
        OutputColumn(f"c{n}", draw_from(st.text(max_size=12)), draw_from(unit), role, draw_from(st.booleans()))
        for n, role in enumerate(roles)
    ]
    rows = draw_from(st.lists(st.tuples(*(CELLS[role] for role in roles)), max_size=12))
    return made(columns, rows)


@given(results())
@settings(max_examples=150, deadline=None)
def test_whatever_may_be_drawn_can_be_drawn(case):
    for kind in possible_charts(*case):
        figure = draw(*case, kind, INDIAN)
        assert figure.layout.height > 0
        assert "<" not in re.sub(r"</?(br|b|extra|span)[^<>]*>", "", texts(figure))


@given(st.lists(unseen_texts("x"), min_size=2, max_size=4), st.sampled_from([kind for kind, _ in EVERY_KIND]))
@settings(max_examples=60, deadline=None)
def test_nothing_unseen_stands_in_a_picture(names, kind):
    branch, figure = OutputColumn("b", f"Bra{names[0]}nch"), OutputColumn("n", f"Fig{names[1]}ure", None, "measure")
    result, columns = made((branch, figure), [(name, place + 1) for place, name in enumerate(names)])
    if kind not in possible_charts(result, columns):
        kind = "table"
    drawn = figure_json(draw(result, columns, kind, INDIAN, scope=names[-1]))
    assert not UNSEEN.intersection(json.dumps(drawn, ensure_ascii=False))

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.insight.chart_choice import chart_axes, fitting_chart, possible_charts, suggest_chart
from ai_engine.types import ChartKind, OutputColumn
from tests.ai_engine.insight.results import (
    ACCOUNT_ID,
    AVERAGE,
    BALANCE,
    BRANCH,
    CITY,
    CUSTOMERS,
    MONTH,
    SHARE,
    THREE_BRANCHES,
    result_of,
)

PART = replace(BALANCE, adds_up=True)
KINDS = get_args(ChartKind)
MONTHS = [(date(2025, month, 1), Decimal(month)) for month in range(1, 7)]


def suggested(columns, rows, **options):
    return suggest_chart(result_of(columns, rows, **options), columns)


def possible(columns, rows, **options):
    return possible_charts(result_of(columns, rows, **options), columns)


def test_a_ranking_of_named_rows_is_drawn_although_their_key_stands_beside():
    name = OutputColumn("branch_name", "Branch name", None, "text")
    rows = [(number, f"Branch {number} of the city", Decimal(90 - number)) for number in range(1, 6)]
    assert suggested([ACCOUNT_ID, name, BALANCE], rows) == "horizontal_bar"
    assert suggested([ACCOUNT_ID, BRANCH, BALANCE], rows) == "horizontal_bar"
    other = OutputColumn("remark", "Remark", None, "text")
    listed = [(*row[:2], f"Remark {row[0]}", row[2]) for row in rows]
    assert suggested([ACCOUNT_ID, name, other, BALANCE], listed) == "table"


def test_one_number_is_a_metric():
    assert suggested([BALANCE], [(Decimal(5),)]) == "metric"
    assert suggested([BRANCH, BALANCE], [("Pune", Decimal(5))]) == "metric"


def test_figures_over_time_are_a_line():
    assert suggested([MONTH, BALANCE], MONTHS) == "line"
    rows = [(city, *row) for city in ("Pune", "Delhi") for row in MONTHS]
    assert suggested([CITY, MONTH, BALANCE], rows) == "line"


def test_too_many_series_are_no_line():
    rows = [(f"City {number}", *row) for number in range(11) for row in MONTHS]
    assert "line" not in possible([CITY, MONTH, BALANCE], rows)
    assert suggested([CITY, MONTH, BALANCE], rows) == "heatmap"


def test_few_short_groups_are_upright_bars_and_others_lie():
    assert suggested([BRANCH, BALANCE], THREE_BRANCHES) == "bar"
    assert suggested([BRANCH, BALANCE], [(f"Branch {n}", Decimal(n)) for n in range(12)]) == "horizontal_bar"
    assert suggested([BRANCH, BALANCE], [(f"A rather long name {n}", Decimal(n)) for n in range(3)]) == "horizontal_bar"


def test_labels_that_would_be_turned_on_a_phone_lie_beside_their_bars():
    for names, kind in ((("ATM", "UPI", "NEFT", "Branch", "Web"), "bar"), (("Vehicle loan",) * 3, "bar"),
                        (("Vehicle loan",) * 4, "horizontal_bar")):  # fmt: skip
        rows = [(f"{name}{place}", Decimal(place)) for place, name in enumerate(names)]
        assert suggested([BRANCH, BALANCE], rows) == kind


def test_a_ranking_of_up_to_fifty_things_is_drawn_and_a_longer_one_is_read():
    assert suggested([BRANCH, BALANCE], [(f"Branch {n}", Decimal(n)) for n in range(50)]) == "horizontal_bar"
    assert suggested([BRANCH, BALANCE], [(f"Branch {n}", Decimal(n)) for n in range(51)]) == "table"


def test_two_things_of_one_name_are_two_bars():
    rows = [(1, "Asha Rao", Decimal(9)), (2, "Asha Rao", Decimal(7)), (3, "Vivek Dubey", Decimal(5))]
    assert suggested([ACCOUNT_ID, BRANCH, BALANCE], rows) == "bar"


def test_one_row_is_one_figure_although_its_key_stands_beside():
    assert suggested([ACCOUNT_ID, BRANCH, BALANCE], [(8, "Pune", Decimal(5))]) == "metric"


def test_two_points_in_time_are_compared_as_bars():
    assert suggested([MONTH, BALANCE], MONTHS[:2]) == "bar"
    assert suggested([MONTH, BALANCE], MONTHS[:3]) == "line"


EARLIER = replace(BALANCE, name="earlier", label="Total balance a year earlier", compared="earlier")
CHANGE = replace(BALANCE, name="change", label="Change in total balance", compared="change")


def test_before_and_after_are_two_series_and_the_change_is_no_third():
    rows = [(name, Decimal(now), Decimal(9), Decimal(now - 9)) for now, (name, _) in enumerate(THREE_BRANCHES, 10)]
    columns = [BRANCH, BALANCE, EARLIER, CHANGE]
    assert suggested(columns, rows) == "horizontal_bar"
    assert chart_axes("bar", result_of(columns, rows), columns).panels == ((1, 2),)
    assert "scatter" not in possible(columns, rows)
    assert chart_axes("metric", result_of(columns, rows[:1]), columns).values == (1, 2)


def test_a_change_that_was_asked_for_by_itself_is_drawn():
    columns = [MONTH, CHANGE]
    assert chart_axes("line", result_of(columns, MONTHS), columns).values == (1,)


def test_two_figures_of_many_things_are_points_and_of_few_bars():
    columns = [BRANCH, CUSTOMERS, BALANCE]
    rows = [(f"Branch {n}", n, Decimal(n * n)) for n in range(1, 30)]
    assert suggested(columns, rows) == "scatter"
    assert suggested(columns, rows[:8]) == "horizontal_bar"


def test_points_are_coloured_by_groups_that_have_several_and_never_by_their_own_names():
    columns = [BRANCH, CUSTOMERS, BALANCE]
    named = result_of(columns, [(f"Branch {n}", n, Decimal(n)) for n in range(40)])
    assert chart_axes("scatter", named, columns).series is None
    grouped = result_of(columns, [("NRI" if n % 2 else "Retail", n, Decimal(n)) for n in range(40)])
    assert chart_axes("scatter", grouped, columns).series == 0


def test_figures_that_one_scale_would_flatten_get_a_picture_each():
    columns = [MONTH, BALANCE, replace(AVERAGE, unit="INR")]
    rows = [(month, Decimal(10_000) * place, Decimal(place)) for place, (month, _) in enumerate(MONTHS, 1)]
    assert chart_axes("line", result_of(columns, rows), columns).panels == ((1,), (2,))
    near = [(month, Decimal(10) * place, Decimal(place)) for place, (month, _) in enumerate(MONTHS, 1)]
    assert chart_axes("line", result_of(columns, near), columns).panels == ((1, 2),)


def test_parts_of_a_whole_may_be_a_pie_and_asked_shares_are_one():
    assert "pie" in possible([BRANCH, PART], THREE_BRANCHES)
    assert suggested([BRANCH, SHARE], [("Pune", Decimal("66.67")), ("Delhi", Decimal("33.33"))]) == "pie"
    assert suggested([BRANCH, SHARE], [("Pune", Decimal(40)), ("Delhi", Decimal(35))]) == "bar"


def test_figures_that_do_not_add_up_are_no_parts_of_a_whole():
    assert "pie" not in possible([BRANCH, AVERAGE], THREE_BRANCHES)
    assert fitting_chart("pie", result_of([BRANCH, AVERAGE], THREE_BRANCHES), [BRANCH, AVERAGE]) == "bar"


def test_a_negative_a_missing_or_a_cut_part_is_never_a_pie():
    assert "pie" not in possible([BRANCH, PART], [("Pune", Decimal(5)), ("Delhi", Decimal(-1))])
    assert "pie" not in possible([BRANCH, PART], [("Pune", Decimal(5)), ("Delhi", None)])
    assert "pie" not in possible([BRANCH, PART], THREE_BRANCHES, truncated=True)
    assert "pie" not in possible([BRANCH, PART], [(f"B{n}", Decimal(n)) for n in range(7)])


def test_two_figures_per_record_are_a_scatter():
    age = OutputColumn("age", "Age", "years", "measure")
    rows = [(number, Decimal(number), Decimal(number * 2)) for number in range(40)]
    assert suggested([ACCOUNT_ID, age, BALANCE], rows) == "scatter"
    assert suggested([age, BALANCE], [row[1:] for row in rows]) == "scatter"


def test_many_values_of_one_figure_are_a_histogram():
    assert suggested([BALANCE], [(Decimal(number),) for number in range(40)]) == "histogram"


def test_two_groupings_are_a_heatmap_and_few_pairs_bars_beside_each_other():
    few = [(city, kind, Decimal(1)) for city in ("Pune", "Goa") for kind in ("savings", "loan")]
    assert suggested([CITY, BRANCH, BALANCE], few) == "bar"
    many = [(f"City {city}", f"Kind {kind}", Decimal(1)) for city in range(12) for kind in range(5)]
    assert suggested([CITY, BRANCH, BALANCE], many) == "heatmap"


def test_a_few_records_with_two_names_each_are_no_heatmap_of_empty_tiles():
    rows = [(f"City {n}", f"Branch {n}", Decimal(n)) for n in range(6)]
    assert suggested([CITY, BRANCH, BALANCE], rows) == "table"


def test_a_heatmap_lets_the_shorter_names_stand_side_by_side():
    rows = [(f"A long name of a city, {city}", f"K{kind}", Decimal(1)) for city in range(12) for kind in range(5)]
    axes = chart_axes("heatmap", result_of([CITY, BRANCH, BALANCE], rows), [CITY, BRANCH, BALANCE])
    assert (axes.x, axes.series) == (1, 0)


def test_weekdays_are_bars_and_not_a_line():
    weekday = OutputColumn("weekday", "Weekday", None, "time")
    assert suggested([weekday, CUSTOMERS], [(number, number) for number in range(1, 8)]) == "bar"


def test_a_list_of_records_is_a_table():
    name = OutputColumn("note", "Note", None, "text")
    assert suggested([ACCOUNT_ID, name, CITY], [(n, "x", "Pune") for n in range(5)]) == "table"
    assert suggested([ACCOUNT_ID], [(n,) for n in range(50)]) == "table"


def test_an_unfitting_suggestion_falls_back_by_rule():
    result = result_of([BRANCH, BALANCE], THREE_BRANCHES)
    assert fitting_chart("line", result, [BRANCH, BALANCE]) == "bar"
    assert fitting_chart("pie", result, [BRANCH, PART]) == "pie"


def test_figures_of_different_units_never_share_an_axis():
    rows = [("Pune", Decimal(9), 1), ("Delhi", Decimal(1), 70)]
    columns = [BRANCH, BALANCE, CUSTOMERS]
    assert chart_axes("bar", result_of(columns, rows), columns).panels == ((1,), (2,))


def test_no_rows_and_no_numbers_are_a_table():
    assert possible([BRANCH, BALANCE], []) == ("table",)
    assert possible([BRANCH, BALANCE], [("Pune", None), ("Goa", None)]) == ("table",)


ROLES = st.sampled_from([BALANCE, PART, CUSTOMERS, SHARE, BRANCH, CITY, MONTH, ACCOUNT_ID])
CELLS = {
    "measure": st.one_of(st.none(), st.integers(-5, 50).map(Decimal)),
    "time": st.one_of(st.none(), st.dates(date(2025, 1, 1), date(2025, 1, 9))),
    "category": st.one_of(st.none(), st.sampled_from(["Pune", "Goa", "Delhi"])),
    "identifier": st.integers(0, 40),
}


@st.composite
def results(draw):
    columns = draw(st.lists(ROLES, min_size=1, max_size=4, unique_by=lambda column: column.name))
    row = st.tuples(*(CELLS[column.role] for column in columns))
    return columns, result_of(columns, draw(st.lists(row, max_size=10)), truncated=draw(st.booleans()))


@settings(max_examples=150, deadline=None)
@given(results(), st.sampled_from(KINDS))
def test_what_is_drawn_always_fits(case, kind):
    columns, result = case
    charts = possible_charts(result, columns)
    assert charts[0] == suggest_chart(result, columns)
    assert "table" in charts
    assert len(set(charts)) == len(charts)
    chosen = fitting_chart(kind, result, columns)
    assert chosen == (kind if kind in charts else charts[0])
    axes = chart_axes(chosen, result, columns)
    assert chosen == "metric" or all(len({columns[i].unit for i in panel}) == 1 for panel in axes.panels)
    assert all(columns[position].role == "measure" for position in axes.values)
    assert bool(axes.values) == (chosen != "table")
    if chosen == "pie":
        assert all(row[axes.values[0]] >= 0 for row in result.rows)

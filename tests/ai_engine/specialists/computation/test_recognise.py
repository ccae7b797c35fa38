"""What a question calculates: the program that becomes of it, or what it lacks."""

from datetime import date
from decimal import Decimal

import pytest

from ai_engine.agent import TabularResult
from ai_engine.specialists.computation.calculation import InputMissing, NotRecognised
from ai_engine.specialists.computation.quantities import quantities
from ai_engine.specialists.computation.recognise import EarlierFigure, recognise, unused_words
from ai_engine.specialists.computation.table_operations import EarlierTable, recognise_operation


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("25 lakh", "2500000", "money"),
        ("4.5 crore", "45000000", "money"),
        ("25L", "2500000", "money"),
        ("3cr", "30000000", "money"),
        ("Rs. 1,75,206.50", "175206.50", "money"),
        ("₹4.5cr", "45000000", "money"),
        ("$1.2m", "1200000", "money"),
        ("8.75 %", "8.75", "percent"),
        ("5 per cent", "5", "percent"),
        ("20 years", "20", "years"),
        ("240 mths", "240", "months"),
        ("five years", "5", "years"),
        ("-10000", "-10000", "number"),
    ],
)
def test_a_quantity_is_read_with_its_unit(text, value, kind):
    (found,) = quantities(f"about {text} of it")
    assert (found.value, found.kind) == (Decimal(value), kind)


def test_digits_within_words_are_no_quantities():
    assert quantities("Q1 and H2 of B12") == ()


@pytest.mark.parametrize(
    ("question", "last_line"),
    [
        ("EMI on 25 lakh at 8.75 % for 20 years", "result = emi(principal, annual_rate_percent, months)"),
        ("what is the monthly instalment for 25,00,000 @ 9% over 180 months?", "months = 180"),
        ("total interest on a loan of 10 lakh at 9 % for 5 years", "* months - principal"),
        ("CAGR from 120 to 185 in 4 years", 'first = Decimal("120")'),
        ("cagr to 185 from 120 in 4 years", 'last = Decimal("185")'),
        ("12 % of 4.5 crore", "result = value * percent / 100"),
        ("what is 45 as a percentage of 60", 'b = Decimal("60")'),
        ("what percentage of 60 is 45", 'b = Decimal("60")'),
        ("percentage change from 80 to 100", 'first = Decimal("80")'),
        ("(3 + 4) * 5", 'result = ( Decimal("3") + Decimal("4") ) * Decimal("5")'),
        ("what is 15 lakh minus 3 lakh?", 'Decimal("1500000") - Decimal("300000")'),
        ("12 divided by 5", 'Decimal("12") / Decimal("5")'),
        ("reduce 400 by 10 %", "1 - percent / 100"),
    ],
)
def test_a_formula_becomes_a_program(question, last_line):
    assert last_line in recognise(question).code


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("EMI on 25 lakh for 20 years", "the rate"),
        ("EMI at 9 % for 20 years", "the amount of the loan"),
        ("CAGR from 120 to 185", "the time"),
        ("EMI on 25 lakh at 9 % for 20 years with 2 lakh down", "no place for 2 lakh"),
        ("EMI on 25 lakh at 8 % or 9 % for 20 years", "no place for 9 %"),
    ],
)
def test_what_is_missing_or_has_no_place_is_named(question, lacks):
    with pytest.raises(InputMissing, match=lacks):
        recognise(question)


@pytest.mark.parametrize(
    "question",
    ["how many customers are there", "2025", "what is the capital of France", "top 5 branches", "summit of 3 - peaks"],
)
def test_what_is_no_calculation_is_not_made_one(question):
    with pytest.raises(NotRecognised):
        recognise(question)


def test_a_figure_found_before_stands_in_for_the_amount_that_was_not_said():
    figure = EarlierFigure(Decimal("2745000.5"), "average amount", "sql", "money")
    read = recognise("what EMI does that mean at 8.75 % over 20 years", [figure])
    assert 'principal = Decimal("2745000.5")' in read.code
    assert read.assumptions == ("the amount of the loan is average amount, as sql found it",)


def test_a_rate_found_before_stands_in_for_the_rate_alone():
    rate = EarlierFigure(Decimal("8.75"), "rate_percent", "api_docs", "percent")
    read = recognise("and the EMI on 30 lakh over 20 years", [rate])
    assert 'annual_rate_percent = Decimal("8.75")' in read.code
    with pytest.raises(InputMissing):
        recognise("what EMI does that mean at 9 % over 20 years", [rate])


def test_a_figure_found_before_is_not_taken_for_another_thing_that_the_question_names():
    count = EarlierFigure(Decimal(154), "loans", "sql")
    with pytest.raises(InputMissing, match="asked of “outstanding”, and what was found before is loans"):
        recognise("what is 15 % of their outstanding?", [count])


def test_two_figures_found_before_are_not_put_where_their_order_matters():
    figures = [EarlierFigure(Decimal(number), name, "sql") for number, name in ((120, "october"), (90, "september"))]
    with pytest.raises(InputMissing):
        recognise("what is the percent change?", figures)
    assert "abs(a - b)" in recognise("what is the difference?", figures).code


def test_a_word_that_points_is_no_number():
    assert [quantity.value for quantity in quantities("the two, which one, these three, two years")] == [2]


def test_words_that_change_nothing_are_said():
    read = recognise("EMI on 25 lakh at 9 % for 20 years for senior citizens")
    assert read.assumptions == ("nothing in the calculation depends on 'senior citizens'",)
    assert unused_words("EMI on 25 lakh at 9 % for 20 years") == ()


MONTHS = EarlierTable(
    "sql",
    TabularResult.of_rows(["month", "deposits"], [(f"2026-{m:02d}", Decimal(100 + 10 * m)) for m in range(1, 10)]),
    {"deposits": "INR"},
)
BRANCHES = EarlierTable(
    "sql", TabularResult.of_rows(["branch", "code", "loans"], [("Pune", 7, 40), ("Goa", 9, 60)]), {}
)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("forecast the next 3 months", 'names = ["2026-10", "2026-11", "2026-12"]'),
        ("project next quarter", "linear_forecast(values, 3)"),
        ("forecast the next two", "linear_forecast(values, 2)"),
        ("forecast the following 4 of them", "linear_forecast(values, 4)"),
        ("project the next two quarters", "linear_forecast(values, 6)"),
        ("seasonal forecast for next month", "seasonal_forecast(values, 1, 12)"),
        ("what if deposits fall by 10 %", 'what_if(table, "deposits", Decimal("-10"))'),
        ("4-month moving average", "moving_average(column_of(table, "),
        ("growth per month", "growth_percent"),
    ],
)
def test_an_operation_works_on_the_table_before(question, line):
    read = recognise_operation(question, [MONTHS])
    assert read is not None
    assert line in read.code.replace("'", '"')


def test_a_column_of_codes_is_no_figure():
    read = recognise_operation("share of each branch", [BRANCHES])
    assert read is not None
    assert "'loans'" in read.code


def test_an_operation_without_a_table_is_none():
    assert recognise_operation("forecast the next 3 months", []) is None


def test_a_table_without_figures_is_named():
    names = EarlierTable("sql", TabularResult.of_rows(["branch"], [("Pune",)]), {})
    with pytest.raises(InputMissing, match="none"):
        recognise_operation("forecast the next 3 months", [names])


@pytest.mark.parametrize(
    ("question", "rate", "told"),
    [
        ("EMI on 5 lakh at 1.5% per month for 24 months", "18", "1.5 % a month is taken as 18 % a year"),
        ("simple interest on 5 lakh at 1 % p.m. for 2 years", "12", "1 % a month is taken as 12 % a year"),
        ("compound interest on 50000 at 2 % a quarter for 3 years", "8", "2 % a quarter is taken as 8 % a year"),
        ("EMI on 5 lakh at 18 % p.a. for 24 months", "18", None),
        ("maturity value of 2 lakh at 7 % compounded monthly for 5 years", "7", None),
    ],
)
def test_a_rate_is_taken_for_the_time_that_it_is_said_for(question, rate, told):
    calculation = recognise(question)
    assert f'annual_rate_percent = Decimal("{rate}")' in calculation.code
    assert (told in calculation.assumptions) == (told is not None)


def test_interest_is_added_as_often_as_the_rate_is_for_where_nothing_else_is_said():
    assert "periods_per_year = 12" in recognise("compound interest on 50000 at 1 % per month for 2 years").code
    assert (
        "periods_per_year = 4" in recognise("5 lakh grows to what at 2 % a month compounded quarterly in 1 year").code
    )


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("how much interest on 5 lakh at 7% for 3 years", "interest, not compounded"),
        ("If somebody leaves 54,000 unpaid for one month, how much is the interest at 3.25% per month?",
         "interest, not compounded"),
        ("If Rs 100 crore grow at 8% a year where will they be after 3 years?", "maturity value"),
        ("what will 5 lakh become after 3 years at 8% a year", "maturity value"),
        ("I put 2 lakh in a deposit, 7 percent, compounded quarterly, 3 years. What do I get", "maturity value"),
        ("Deposits stood at 142 crore in March and are at 168 crore today. How much growth is that in percent",
         "change in percent"),
        ("They had 80 branches and now have 92 branches, a rise of how many percent?", "change in percent"),
        ("Assume we must keep 15% of Rs 13.5 crore aside, how much would that be?", "part"),
    ],
)  # fmt: skip
def test_a_supposition_is_calculated(question, name):
    assert recognise(question).name == name


@pytest.mark.parametrize("question", ["loans with interest rate above 9%", "average interest of 8% loans"])
def test_conditions_on_interest_are_no_calculation(question):
    with pytest.raises(NotRecognised):
        recognise(question)


LOANS_BY_MONTH = TabularResult(
    columns=["month", "loans"],
    rows=[{"month": date(2026, month, 1), "loans": number} for month, number in ((8, 10), (9, 20), (10, 30), (11, 4))],
)


@pytest.mark.parametrize("question", ["forecast the next 2 months", "month on month growth", "2 month moving average"])
def test_what_goes_along_time_leaves_out_a_step_that_is_covered_only_in_part(question):
    source = EarlierTable("sql", LOANS_BY_MONTH, {}, {"2026-11-01": "1 to 21 November 2026"})
    calculation = recognise_operation(question, [source])
    assert calculation is not None
    assert [row["loans"] for row in calculation.tables["table"].rows] == [10, 20, 30]
    assert "1 to 21 November 2026 is only a part of a step and is left out" in calculation.assumptions


def test_the_first_step_of_a_forecast_follows_the_last_whole_one():
    source = EarlierTable("sql", LOANS_BY_MONTH, {}, {"2026-11-01": "1 to 21 November 2026"})
    calculation = recognise_operation("forecast the next 2 months", [source])
    assert calculation is not None
    assert "['2026-11-01', '2026-12-01']" in calculation.code


def test_a_sum_takes_every_step():
    source = EarlierTable("sql", LOANS_BY_MONTH, {}, {"2026-11-01": "1 to 21 November 2026"})
    calculation = recognise_operation("the total of these", [source])
    assert calculation is not None
    assert len(calculation.tables["table"].rows) == 4


@pytest.mark.parametrize(
    ("question", "name"), [("double 338", "double"), ("twice Rs 5 lakh", "double"), ("half of 12,000", "half")]
)
def test_doubles_and_halves_are_known(question, name):
    assert recognise(question).name == name

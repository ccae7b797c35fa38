"""Figures and days as one reader wants them: in cells, in sentences, and never two ways on one card."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.formats import DateFormat, Formats, Grouping
from ai_engine.insight.amounts import format_amount, format_cell, format_value, spoken_figure
from ai_engine.insight.retold import figures_of_text
from ai_engine.insight.rewritten import in_formats
from ai_engine.insight.summary import explain
from ai_engine.insight.told_anew import words_for
from ai_engine.ports import InsightTask
from ai_engine.types import Answer, OutputColumn
from tests.ai_engine.insight.results import BALANCE, BRANCH, MONTH, RANKED, result_of, task_of, unfounded, vocabulary

BANK = Formats("INR")
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
DATES: tuple[DateFormat, ...] = get_args(DateFormat)
OWN = [Formats("INR", grouping, dates) for grouping in (None, *GROUPINGS) for dates in (None, *DATES)][1:]
DAY = OutputColumn("opened", "Opened on", None, "time")
BIG = [("Fort", Decimal("17520600.10")), ("Pune", Decimal("2345678.9")), ("Delhi", Decimal("152345.67"))]
DAYS = [(date(2025, 3, day), Decimal("1234567.5") * day) for day in (3, 4, 5, 6)]
BY_DAY = "SELECT opened_on AS opened, SUM(balance) AS balance FROM accounts GROUP BY opened_on ORDER BY opened_on"
WORDS_OF = {"lakh": ("million", "billion"), "million": ("lakh", "crore"), "thousands": ("lakh", "crore", "million")}


def answered(task: InsightTask, summary: str = "", headline: str = "") -> Answer:
    told = explain(task, vocabulary(), "bar")
    return Answer(
        "q", "answered", "rules", sql=task.sql, result=task.result, columns=task.columns, chart="bar",
        summary=summary or told.summary, headline=headline or told.headline,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("grouping", "written", "spoken"),
    [
        (None, "Rs.1,23,45,678.00", "Rs.1.23 crore"),
        ("lakh", "Rs.1,23,45,678.00", "Rs.1.23 crore"),
        ("million", "Rs.12,345,678.00", "Rs.12.35 million"),
        ("thousands", "Rs.12,345,678.00", "Rs.12,345,678.00"),
    ],
)
def test_an_amount_is_written_and_said_in_one_grouping(grouping, written, spoken):
    formats = Formats("INR", grouping)
    assert format_value(12345678, "INR", formats) == written
    assert spoken_figure(Decimal(12345678), "INR", formats) == spoken


def test_a_choice_counts_for_every_currency_and_for_counts():
    assert format_value(12345678, "USD", Formats("INR", "lakh")) == "$1,23,45,678.00"
    assert format_value(12345678, "USD", Formats("INR")) == "$12,345,678.00"
    assert format_value(12345678, "count", Formats("INR", "thousands")) == "12,345,678"
    assert format_value(12345678, "count", Formats("EUR", "lakh")) == "1,23,45,678"


@pytest.mark.parametrize(
    ("dates", "written"),
    [(None, "23 November 2026"), ("iso", "2026-11-23"), ("short", "23 Nov 2026"), ("slashes", "23/11/2026")],
)
def test_a_day_is_written_in_one_way(dates, written):
    assert format_cell(date(2026, 11, 23), DAY, Formats(dates=dates)) == written


@pytest.mark.parametrize(
    ("text", "formats", "written"),
    [
        ("whose balance is above 5 lakh", Formats("INR", "million"), "whose balance is above 500,000"),
        ("over 12 crore", Formats("INR", "million"), "over 120 million"),
        ("over 12 crore", Formats("INR", "thousands"), "over 120,000,000"),
        ("under 2.5 million", Formats("USD", "lakh"), "under 25 lakh"),
        ("Total deposits Rs.1,23,45,678.90.", Formats("INR", "million"), "Total deposits Rs.12,345,678.90."),
        ("Deposits $1,234,567.80, not -$1,000.00", Formats("USD", "lakh"), "Deposits $12,34,567.80, not -$1,000.00"),
        ("from 1 to 22 November 2026", Formats(dates="iso"), "from 2026-11-01 to 2026-11-22"),
        ("1 January to 30 September 2026", Formats(dates="slashes"), "01/01/2026 to 30/09/2026"),
        ("1 Dec 2025 to 3 Jan 2026", Formats(dates="iso"), "2025-12-01 to 2026-01-03"),
        ("for 1 April to 2 May 2026 (1 Apr to 2 May 2026)", Formats(dates="iso"), "for 2026-04-01 to 2026-05-02"),
        ("since 1 April 2026", Formats(dates="short"), "since 1 Apr 2026"),
        ("after 2026-11-23", Formats(dates="slashes"), "after 23/11/2026"),
        ("March 2026 and FY 2025-26", Formats(dates="iso"), "March 2026 and FY 2025-26"),
        ("on 31 February 2026", Formats(dates="iso"), "on 31 February 2026"),
        ('where plan is "Save 5 lakh by 1 May 2026"', Formats("INR", "million", "iso"),
         'where plan is "Save 5 lakh by 1 May 2026"'),
        ("account 100234 in 2025, 12 rows", Formats("INR", "lakh", "iso"), "account 100234 in 2025, 12 rows"),
    ],
)  # fmt: skip
def test_an_exact_sentence_is_written_in_a_readers_formats(text, formats, written):
    assert in_formats(text, formats) == written
    assert in_formats(written, formats) == written
    assert in_formats(text, Formats("INR")) == text


@settings(max_examples=60, deadline=None)
@given(st.decimals(-(10**12), 10**12, places=2), st.sampled_from(GROUPINGS), st.sampled_from(GROUPINGS))
def test_an_amount_written_anew_is_the_same_amount(number, first, then):
    before, after = (format_amount(number, "INR", Formats("INR", grouping)) for grouping in (first, then))
    said = f"Total deposits {before}."
    assert in_formats(said, Formats("INR", then)) == f"Total deposits {after}."
    assert figures_of_text(said) == figures_of_text(f"Total deposits {after}.")


@pytest.mark.parametrize("formats", OWN, ids=str)
@pytest.mark.parametrize(
    "task",
    [
        task_of([BRANCH, BALANCE], BIG, RANKED),
        task_of([DAY, BALANCE], DAYS, BY_DAY),
        task_of([BALANCE], [(Decimal("1520345.67"),)], "SELECT SUM(balance) AS balance FROM accounts"),
        task_of([MONTH, BALANCE], [(date(2025, 1, 1), Decimal("9e7")), (date(2025, 2, 1), Decimal("8e7"))],
                BY_DAY.replace("opened_on AS opened", "month").replace("opened_on", "month")),
    ],
    ids=["groups", "days", "one figure", "months"],
)  # fmt: skip
def test_what_rules_told_is_told_again_in_one_grouping_and_every_figure_is_founded(task, formats):
    headline, summary = words_for(answered(task), vocabulary(), formats)
    assert summary.startswith(headline)
    assert unfounded(summary, replace(task, formats=formats)) == ()
    assert not any(word in summary for word in WORDS_OF.get(formats.grouping, ()))
    if formats.grouping in ("million", "thousands"):
        assert not re.search(r"\d,\d\d,\d", summary)
    if formats.dates is not None:
        assert not re.search(r"\d [A-Z][a-z]{3,} \d{4}", summary)


def test_the_words_of_a_reader_are_whole_sentences():
    task = task_of([DAY, BALANCE], DAYS, BY_DAY)
    assert words_for(answered(task), vocabulary(), Formats("INR", "million", "iso"))[0] == (
        "Total balance rose from Rs.3.70 million on 2025-03-03 to Rs.7.41 million on 2025-03-06, up 100%."
    )


def test_a_models_words_stay_where_nothing_in_them_is_written_otherwise():
    task = task_of([BRANCH, BALANCE], BIG, RANKED)
    formats = Formats("INR", "million")
    plain = answered(task, "Fort leads Pune by far.", "Fort leads Pune by far.")
    assert words_for(plain, vocabulary(), formats) == ("Fort leads Pune by far.", "Fort leads Pune by far.")
    other = answered(task, "Fort holds Rs.1.75 crore, most of all.", "Fort holds Rs.1.75 crore, most of all.")
    assert words_for(other, vocabulary(), BANK) == (other.headline, other.summary)
    headline, summary = words_for(other, vocabulary(), formats)
    assert "Rs.17.52 million" in headline
    assert "crore" not in summary


def test_words_without_rows_are_as_they_were():
    answer = Answer("q", "answered", "rules", summary="There are 5 tables.", headline="There are 5 tables.")
    assert words_for(answer, vocabulary(), OWN[-1]) == (answer.headline, answer.summary)
    empty = replace(answered(task_of([BRANCH, BALANCE], BIG, RANKED)), result=result_of([BRANCH, BALANCE], []))
    assert words_for(replace(empty, summary="No rows."), vocabulary(), OWN[-1])[1] == "No rows."

"""A template is asked for in words, given values that exist, and refused where it cannot run."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.errors import WorkflowInvalid
from ai_engine.operators.registry import all_operators
from ai_engine.workflows.definition import WorkflowLimits
from ai_engine.workflows.filling import AskBack, Filled, can_be_filled, fill
from ai_engine.workflows.months import find_month
from ai_engine.workflows.recognition import Recognised, read_answer, recognise
from ai_engine.workflows.template import WorkflowTemplate, read_kept_template, read_template
from backend.workflows import read_templates
from tests.patience import allowed_s

OPERATORS = {kind.name: kind.parameters for kind in all_operators()}
LIMITS = WorkflowLimits()
TEMPLATES = {one.name: one for one in read_templates(LIMITS, OPERATORS)}


@dataclass(frozen=True)
class Bank:
    as_of: date = date(2026, 11, 21)

    def values(self, field_name: str) -> tuple[str, ...]:
        return {
            "branches.branch_name": ("Chennai T Nagar", "Pune Kothrud", "Pune Hinjawadi"),
            "branches.city": ("Chennai", "Pune"),
            "customers.segment": ("Corporate", "NRI", "Premium", "Retail", "SME"),
        }.get(field_name, ())

    def fields_of(self, text: str) -> tuple[str, ...]:
        names = ("branches.branch_name", "branches.city", "customers.segment")
        return tuple(name for name in names if text in self.values(name))


@dataclass(frozen=True)
class OtherBank(Bank):
    def values(self, field_name: str) -> tuple[str, ...]:
        return ()


def heard(message: str) -> Recognised | None:
    return recognise(message, tuple(TEMPLATES.values()), Bank())


def filled(name: str, **given_: str) -> Filled:
    made = fill(TEMPLATES[name], given_, Bank())
    assert isinstance(made, Filled), made
    return made


def asked(name: str, **given_: str) -> AskBack:
    made = fill(TEMPLATES[name], given_, Bank())
    assert isinstance(made, AskBack), made
    return made


def test_the_four_templates_of_the_product_can_run():
    assert set(TEMPLATES) == {"branch_review", "compare_two_segments", "month_end_summary", "portfolio_at_risk"}
    assert all(can_be_filled(one, Bank()) for one in TEMPLATES.values())


@pytest.mark.parametrize(
    ("message", "name", "said"),
    [
        ("prepare the branch review for Pune", "branch_review", {"branch": "Pune"}),
        ("Please review the Pune Kothrud branch", "branch_review", {"branch": "Pune Kothrud"}),
        ("Can you make me a branch review of chennai t nagar?", "branch_review", {"branch": "Chennai T Nagar"}),
        ("Pune branch review", "branch_review", {"branch": "Pune"}),
        ("branch review", "branch_review", {}),
        ("prepare the branch review for Punnee", "branch_review", {"branch": "Punnee"}),
        ("portfolio at risk", "portfolio_at_risk", {}),
        ("Portfolio at risk for SME customers in Pune", "portfolio_at_risk", {"segment": "SME", "branch": "Pune"}),
        ("portfolio at risk as of 21 November 2026", "portfolio_at_risk", {"as_of": "21 November 2026"}),
        ("month-end summary", "month_end_summary", {}),
        ("Prepare the month end summary for September 2026", "month_end_summary", {"month": "September 2026"}),
        ("month-end report of Sept 2026", "month_end_summary", {"month": "Sept 2026"}),
        ("summarise October 2026", "month_end_summary", {"month": "October 2026"}),
        ("compare Retail and SME", "compare_two_segments", {"first": "Retail", "second": "SME"}),
        ("put Retail next to SME for me", "compare_two_segments", {"first": "Retail", "second": "SME"}),
        ("Compare the premium and nri customers", "compare_two_segments", {"first": "Premium", "second": "NRI"}),
        ("compare two segments", "compare_two_segments", {}),
    ],
)  # fmt: skip
def test_a_template_is_heard_with_its_values(message: str, name: str, said: dict[str, str]):
    found = heard(message)
    assert found is not None
    assert (found.template.name, dict(found.given), found.unused) == (name, said, ())


def test_what_is_asked_besides_a_template_is_kept_to_be_told():
    found = heard("put Retail next to SME for me, who are they?")
    assert found is not None
    assert (found.template.name, found.unused) == ("compare_two_segments", ("who are they",))


@pytest.mark.parametrize(
    "message",
    [
        "Compare total deposits of Retail and SME customers", "NPA ratio in Pune", "What is a branch review?",
        "Which branches had a review last month?", "hello", "", "Total deposits in Pune", "Compare Retail",
        "What is the portfolio at risk policy?", "compare Retail and SME deposits by month", "review the fee schedule",
        "summarise October",
    ],
)  # fmt: skip
def test_what_asks_for_something_else_is_no_template(message: str):
    assert heard(message) is None


def test_words_that_a_template_does_nothing_with_are_told():
    found = heard("Prepare the branch review for Pune with staff costs")
    assert found is not None
    assert found.unused == ("staff costs",)


def test_a_database_without_what_a_template_is_about_is_not_offered_it():
    assert recognise("branch review", tuple(TEMPLATES.values()), OtherBank()) is None
    assert recognise("month-end summary", tuple(TEMPLATES.values()), OtherBank()) is not None


def test_what_is_missing_is_asked_for_with_what_there_is():
    ask = asked("branch_review")
    assert (ask.parameter, ask.question) == ("branch", "Which branch, or the branches of which city?")
    assert ask.choices == ("Chennai T Nagar", "Pune Kothrud", "Pune Hinjawadi", "Chennai", "Pune")
    ask = asked("compare_two_segments", first="retail")
    assert (ask.parameter, dict(ask.given)) == ("second", {"first": "retail"})
    assert ask.choices == Bank().values("customers.segment")


def test_a_branch_that_does_not_exist_is_asked_back_with_the_nearest():
    ask = asked("branch_review", branch="Pune Kotrud")
    assert ask.question.startswith("There is no “Pune Kotrud” in the data. The nearest: Pune Kothrud")
    assert ask.choices[0] == "Pune Kothrud"


def test_a_segment_is_not_compared_with_itself():
    assert "“SME” is named already." in asked("compare_two_segments", first="SME", second="sme").question


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("November 2026", "The data end on 21 November 2026, before November 2026 does."),
        ("2027-01", "The data end on 21 November 2026, before January 2027 does."),
        ("yesterday", "“yesterday” is no month."),
    ],
)
def test_a_month_that_is_not_over_is_asked_back(said: str, question: str):
    ask = asked("month_end_summary", month=said)
    assert ask.question.startswith(question)
    assert ask.choices == ("October 2026",)


def test_loans_of_another_day_are_asked_back_since_only_todays_are_known():
    ask = asked("portfolio_at_risk", as_of="30 September 2026")
    assert ask.question.startswith("This is known as of 21 November 2026 only, and not for “30 September 2026”.")
    assert filled("portfolio_at_risk", as_of="2026-11-21").inputs["param"]["as_of"] == "21 November 2026"


def test_values_come_into_questions_as_the_data_spell_them():
    made = filled("branch_review", branch="pune KOTHRUD")
    assert made.definition.goal == "Branch review: Pune Kothrud"
    assert made.inputs["phrase"] == {"branch": "at the Pune Kothrud branch"}
    assert filled("branch_review", branch="pune").inputs["phrase"] == {"branch": "in Pune"}


def test_a_month_brings_the_month_before_and_the_last_one_is_taken_when_none_is_said():
    made = filled("month_end_summary")
    assert made.inputs["param"] == {"month": "October 2026", "month_before": "September 2026"}
    assert filled("month_end_summary", month="jan 2026").inputs["param"]["month_before"] == "December 2025"


def test_what_is_optional_and_not_said_leaves_no_gap():
    made = filled("portfolio_at_risk", segment="retail")
    assert made.definition.goal == "Portfolio at risk: for Retail customers"
    assert made.inputs["phrase"]["branch"] == ""


def test_a_value_that_looks_like_a_template_stays_a_text():
    template = parsed(parameters=[{"name": "t", "description": "d", "type": "text", "question": "q?"}])
    made = fill(template, {"t": "{{a.output}} {{__class__}}"}, Bank(), "{{param.t}}")
    assert isinstance(made, Filled)
    assert made.inputs["param"]["t"] == "{{a.output}} {{__class__}}"
    assert made.inputs["user_query"] == "{{param.t}}"


def test_an_answer_is_read_in_a_sentence():
    (branch,) = TEMPLATES["branch_review"].parameters
    (month,) = TEMPLATES["month_end_summary"].parameters
    assert read_answer(branch, "for Pune Kothrud, please", Bank()) == "Pune Kothrud"
    assert read_answer(branch, "the Punnee one", Bank()) == "Punnee one"
    assert read_answer(month, "for October 2026", Bank()) == "October 2026"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("in October 2026", date(2026, 10, 1)), ("sept 2025", date(2025, 9, 1)), ("2026-03", date(2026, 3, 1)),
        ("last month", date(2026, 10, 1)), ("this month", date(2026, 11, 1)), ("for March", date(2026, 3, 1)),
        ("in December", date(2025, 12, 1)), ("you may go", None), ("2026-03-05", None), ("march on", None),
    ],
)  # fmt: skip
def test_months_are_read_as_people_write_them(text: str, first: date | None):
    found = find_month(text, date(2026, 11, 21))
    assert (found.first if found else None) == first


BASE: dict[str, Any] = {
    "name": "mine", "title": "Mine", "description": "d", "goal": "g",
    "steps": [{"id": "a", "name": "A", "operator": "sql", "input_mapping": {"query": "Total deposits"}}],
}  # fmt: skip


def parsed(**changes: Any) -> WorkflowTemplate:
    return read_kept_template(json.dumps({**BASE, **changes}), 64).checked(OPERATORS, LIMITS)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"goal": "of {{a.output}}"}, "The goal may not name 'a': no step has run yet."),
        ({"goal": "{{__class__}}"}, "The goal may not name '__class__'"),
        ({"goal": "{{"}, "do not close"),
        ({"report": [{"heading": "h", "step": "b"}]}, "shows 'b', which is no step"),
        ({"report": [{"heading": "h"}]}, "either a `step` or several"),
        ({"name": "../etc"}, "name:"),
        ({"steps": []}, "steps:"),
        ({"extra": 1}, "extra:"),
        ({"parameters": [{"name": "p", "description": "d", "type": "value", "question": "q"}]}, "`of` says of which"),
        (
            {"parameters": [{"name": "p", "description": "d", "type": "text", "question": "q", "phrase": "x"}]},
            "a phrase has one {}",
        ),
        ({"parameters": [{"name": "p", "description": "d", "type": "text", "question": "q"}] * 2}, "named 'p'"),
    ],
)
def test_a_template_that_cannot_run_is_refused(changes: dict[str, Any], said: str):
    with pytest.raises(WorkflowInvalid, match=said.replace("{", r"\{").replace("(", r"\(").replace("[", r"\[")):
        parsed(**changes)


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\n"


@pytest.mark.parametrize(
    "text",
    [
        BOMB, "x: !!python/object/apply:os.system ['touch pickle-ran']", "[" * 20_000, "{a: " * 5_000, "x: [", "\x00",
        "- 1", "", "null", "x" * 70_000, "? [a]\n: b", "2026-99-99: x", "name: 0o9_", "x: 2026-99-99",
    ],
)  # fmt: skip
def test_hostile_yaml_is_refused_at_once(text: str):
    began = time.monotonic()
    with pytest.raises(WorkflowInvalid):
        read_template(text, 64)
    assert time.monotonic() - began < allowed_s(3)


@given(st.text(max_size=200))
def test_any_message_is_heard_without_a_fault(message: str):
    found = heard(message)
    if found is not None:
        fill(found.template, found.given, Bank(), message)

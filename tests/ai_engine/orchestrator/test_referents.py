"""What parts lean on: figures and things that were found before them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ai_engine.agent import AgentExecutionStatus, AgentResult, TabularResult, TraceEvent, TraceEventType
from ai_engine.orchestrator.referents import leans, rate_to_look_up, standing_alone, with_stand_ins


def found(agent: str, row: dict[str, object], **units: str) -> AgentResult:
    told = TraceEvent(event_type=TraceEventType.RESULT, agent=agent, data={"units": units})
    table = TabularResult(columns=list(row), rows=[row])
    return AgentResult(agent=agent, status=AgentExecutionStatus.succeeded, tabular=table, trace=[told])


DEPOSITS = found("sql", {"total_deposits": Decimal("7130159357.89")}, total_deposits="INR")
CUSTOMERS = found("sql", {"customers": 12000})
RATE = found(
    "api_docs", {"product": "home_loan", "rate_percent": Decimal("8.75"), "months": 360}, rate_percent="percent"
)
BRANCH = found("sql", {"branch_name": "Pune Shivajinagar", "loans": 10})


@pytest.mark.parametrize(
    ("part", "earlier", "alone"),
    [
        ("what is 4 % of that?", [DEPOSITS], "what is 4 % of INR 7130159357.89?"),
        ("Multiply it by 12", [CUSTOMERS], "Multiply 12000 by 12"),
        ("what EMI is that on 30 lakh over 20 years", [RATE], "what EMI is 8.75 % on 30 lakh over 20 years"),
        ("the EMI on 3 lakh at that rate", [RATE, CUSTOMERS], "the EMI on 3 lakh at 8.75 %"),
        ("what is the ratio of the two?", [DEPOSITS, CUSTOMERS], "what is the ratio of INR 7130159357.89 and 12000?"),
        ("divide the second by the first", [CUSTOMERS, DEPOSITS], "divide INR 7130159357.89 by 12000"),
        ("Divide one by the other.", [DEPOSITS, CUSTOMERS], "Divide INR 7130159357.89 by 12000."),
        ("the latter as a share of the former", [DEPOSITS, CUSTOMERS], "12000 as a share of INR 7130159357.89"),
        (
            "If they grow at 8 % a year, where will that be?",
            [CUSTOMERS],
            "If 12000 grow at 8 % a year, where will that be?",
        ),
        ("leaves that unpaid for a month", [DEPOSITS], "leaves INR 7130159357.89 unpaid for a month"),
        ("keep 15 % of it, how much would that be?", [CUSTOMERS], "keep 15 % of 12000, how much would that be?"),
    ],
)
def test_the_words_that_point_become_the_figures_that_they_mean(part, earlier, alone):
    assert leans(part)
    assert standing_alone(part, earlier, calculates=True).question == alone


@pytest.mark.parametrize(
    ("part", "earlier"),
    [
        ("what is 4 % of that?", []),
        ("what is the ratio of the two?", [CUSTOMERS]),
        ("what is the ratio of the two?", [CUSTOMERS, DEPOSITS, RATE]),
        ("double that", [found("sql", {"customers": 5, "accounts": 7})]),
        ("customers that have a loan", [CUSTOMERS]),
        ("the two years before", [CUSTOMERS, DEPOSITS]),
    ],
)
def test_what_could_mean_several_things_or_nothing_stays(part, earlier):
    assert standing_alone(part, earlier, calculates=True).taken == ()


def test_for_an_agent_that_does_not_calculate_it_is_the_thing_that_was_found():
    assert standing_alone("when is it open?", [BRANCH], calculates=False).question == "when is Pune Shivajinagar open?"
    hours = standing_alone("what are its opening hours?", [BRANCH], calculates=False)
    assert hours.question == "what are Pune Shivajinagar's opening hours?"
    assert hours.told == ("“its” is branch name (sql)",)
    assert standing_alone("how old is that customer?", [BRANCH], calculates=False).taken == ()
    assert "INR 7130159357.89" in standing_alone("convert that to USD", [DEPOSITS], calculates=False).question


def test_a_part_is_judged_with_figures_of_each_kind_in_its_place():
    assert list(with_stand_ins("what is 4 % of that")) == [
        f"what is 4 % of {it}" for it in ("INR 100000", "8 %", "100")
    ]
    assert list(with_stand_ins("how many branches are there")) == []


@pytest.mark.parametrize(
    ("part", "phrase"),
    [
        ("EMI on 30 lakh over 20 years at today's home loan rate", "today's home loan rate"),
        (
            "the EMI at the rate the service quotes for home loans over 15 years",
            "the rate the service quotes for home loans",
        ),
        ("interest on 5 lakh at 8 % for 3 years", None),
        ("how many customers are at the branch", None),
    ],
)
def test_a_rate_that_is_described_can_be_looked_up(part, phrase):
    assert rate_to_look_up(part) == phrase

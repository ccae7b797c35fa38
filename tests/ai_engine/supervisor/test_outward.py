"""A model that obeys an attacker: what it found in the bank's data does not get to tools of other programs."""

from __future__ import annotations

from typing import Any

import pytest

from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorResult, OperatorType
from ai_engine.operators.outgoing import Outgoing
from ai_engine.ports import Services
from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.supervisor.outward import check_outward
from ai_engine.tools import Tools
from tests.ai_engine.supervisor.chats import REGISTRY


class Ledger(BaseOperator):
    """Reads the bank's data."""

    name = "ledger"
    description = "Reads balances."
    operator_type = OperatorType.PURE_LLM
    needs_services = (Services,)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        return OperatorResult(output=4200)


class Search(BaseOperator):
    """Calls a tool of another program."""

    name = "search"
    description = "Searches elsewhere."
    operator_type = OperatorType.MCP_BACKED
    mcp_tools = ("web_search",)

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        return OperatorResult(output=None)


KNOWN = REGISTRY.with_others(Ledger, Search)


def check(written: str = "What do others charge?", **decision: Any) -> None:
    check_outward(SupervisorDecision(reasoning="why", **decision), KNOWN, Outgoing([written]))


def steps(query: str, through: str | None = None) -> list[dict[str, Any]]:
    made = [
        {"id": "one", "name": "Ledger", "operator": "ledger"},
        {"id": "last", "name": "Search", "operator": "search", "input_mapping": {"query": query}},
    ]
    if through is not None:
        given = {"query": through}
        made.insert(1, {"id": "between", "name": "Notes", "operator": "notes", "input_mapping": given})
    return made


def test_a_figure_that_was_found_is_not_sent_on():
    with pytest.raises(ValueError, match="4,200"):
        check(action="CALL_TOOL", operator="search", params={"query": "who has 4,200"})


def test_a_figure_that_the_person_wrote_may_be_looked_up():
    check("Who charges 450?", action="CALL_TOOL", operator="search", params={"query": "who charges 450"})


def test_operators_that_stay_inside_are_given_what_was_found():
    check(action="CALL_TOOL", operator="ledger", params={"query": "branches above 4,200"})


def test_a_plan_does_not_hand_rows_to_a_search():
    with pytest.raises(ValueError, match="last: search"):
        check(action="CREATE_WORKFLOW", goal="g", steps=steps("{{one.output}}"))


def test_nor_by_way_of_another_step():
    with pytest.raises(ValueError, match="between"):
        check(action="CREATE_WORKFLOW", goal="g", steps=steps("{{between.text}}", through="{{one.output}}"))


def test_a_plan_that_searches_for_the_persons_own_words_is_good():
    check(action="CREATE_WORKFLOW", goal="g", steps=steps("{{user_query}}"))

"""What is known in a turn: memory with a running summary, results, actions, and what of them fits a budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.chat_history import ChatMessage, MemoryChatHistory
from ai_engine.context.actions import Action, ActionHistory
from ai_engine.context.assembler import ContextAssembler
from ai_engine.context.memory import ConversationMemory, load_memory, summary_by_rule
from ai_engine.context.requirements import UnknownRequirement
from ai_engine.context.results import ResultStore, StepResult
from ai_engine.context.tokens import cut_to_tokens, estimated_tokens
from ai_engine.operators.base import OperatorResult


def said(text: str, role: str = "user") -> ChatMessage:
    return ChatMessage(role=role, content=text)  # type: ignore[arg-type]


class Noting:
    """Summarises by numbering, and notes what it was given."""

    def __init__(self) -> None:
        self.given: list[list[str]] = []

    async def __call__(self, before: str, left: Sequence[ChatMessage]) -> str:
        self.given.append([one.content for one in left])
        return f"{before}+{len(left)}"


def loaded(history: MemoryChatHistory, summarise: Noting, window: int = 5) -> ConversationMemory:
    return asyncio.run(load_memory(history, "c", window, summarise))


def add(history: MemoryChatHistory, *texts: str) -> None:
    asyncio.run(history.add("c", [said(text) for text in texts]))


def test_a_summary_is_made_only_of_messages_that_leave_the_window():
    history, summarise = MemoryChatHistory(), Noting()
    add(history, *"abcde")
    assert loaded(history, summarise).summary == ""
    assert summarise.given == []

    add(history, "f", "g")
    memory = loaded(history, summarise)
    assert [one["text"] for one in memory.recent()] == list("cdefg")
    assert summarise.given == [["a", "b"]]

    assert loaded(history, summarise).summary == "+2"
    assert summarise.given == [["a", "b"]]

    add(history, "h")
    loaded(history, summarise)
    assert summarise.given == [["a", "b"], ["c"]]


def test_the_rules_summary_keeps_the_newest_and_says_that_older_is_left_out():
    text = ""
    for number in range(200):
        text = summary_by_rule(text, [said(f"Question number {number} about the deposits of a branch")])
    assert estimated_tokens(text) <= 700
    assert text.startswith("(What was said before is left out.)")
    assert text.endswith("Question number 199 about the deposits of a branch")
    assert text.count("left out") == 1


def assembled(requirements: Sequence[str], **known: Any) -> Any:
    given = {"memory": ConversationMemory((said("hello"), said("hi", "assistant")), "Earlier."), **known}
    return asyncio.run(ContextAssembler(**given).assemble(requirements, "the question"))


def test_each_requirement_is_given_what_it_names():
    result = OperatorResult(output=1)
    results = ResultStore().adding(StepResult("one", "sql", "q", result))
    actions = ActionHistory().adding(Action("call_tool", "why", 1, "sql", "q"))
    wanted = [
        "query", "conversation.recent(1)", "conversation.summary", "conversation.all", "tools.summaries",
        "tools.schema(rag_search)", "results.step(one)", "results.step(1)", "results.step(2)", "results.all",
        "actions.this_turn",
    ]  # fmt: skip
    values = assembled(wanted, results=results, actions=actions).values

    assert values["query"] == "the question"
    assert values["conversation.recent(1)"] == [{"role": "assistant", "text": "hi"}]
    assert values["conversation.summary"] == "Earlier."
    assert values["conversation.all"]["recent"][0] == {"role": "user", "text": "hello"}
    assert values["tools.summaries"] == ()
    assert values["tools.schema(rag_search)"] is None
    assert values["results.step(one)"] is values["results.step(1)"] is result
    assert values["results.step(2)"] is None
    assert values["results.all"] == {"one": result}
    assert values["actions.this_turn"][0]["operator"] == "sql"


def test_an_unknown_requirement_is_refused_with_the_nearest():
    with pytest.raises(UnknownRequirement, match=r"conversation\.summary"):
        assembled(["conversation.sumary"])


def test_what_the_budget_cuts_is_said():
    long = ConversationMemory(tuple(said("word " * 500) for _ in range(5)), "old " * 500)
    found = assembled(["conversation.recent(5)", "conversation.summary"], memory=long, max_tokens=300)

    assert found.cut == (
        "Long messages of the conversation were cut.",
        "The oldest of the last messages was left out.",
        "The summary of the conversation was cut.",
    )
    size = sum(estimated_tokens(str(value)) for value in found.values.values())
    assert size <= 330


@given(st.text(max_size=400), st.integers(0, 120))
def test_a_cut_text_never_takes_more_than_it_may(text: str, tokens: int):
    assert estimated_tokens(cut_to_tokens(text, tokens)) <= tokens


@given(st.text(max_size=200))
def test_a_text_that_fits_is_left_alone(text: str):
    assert cut_to_tokens(text, estimated_tokens(text)) == text


def test_a_call_is_the_same_when_operator_query_and_parameters_are():
    first = Action("call_tool", "why", 1, "sql", "q", {"a": 1, "b": 2}, step="call_1")
    again = Action("call_tool", "other words", 2, "sql", "q", {"b": 2, "a": 1})
    other = Action("call_tool", "why", 2, "sql", "q", {"a": 2})

    assert ActionHistory((first, again)).same_call_before() is first
    assert ActionHistory((first, other)).same_call_before() is None


def test_a_step_done_again_takes_the_place_of_the_older():
    older, newer = OperatorResult(output=1), OperatorResult(output=2)
    store = ResultStore().adding(StepResult("one", "sql", "q", older)).adding(StepResult("one", "sql", "q", newer))

    assert store.step("one") is newer
    assert len(store) == 1

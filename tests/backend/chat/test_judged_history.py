"""A table in a kept conversation is shown, and told to a model, only as long as its statement may run."""

from __future__ import annotations

import asyncio
import time
from dataclasses import fields, replace
from typing import ClassVar

import pytest

from ai_engine.chat_history import ChatMessage, MemoryChatHistory
from ai_engine.errors import ModelFailed
from ai_engine.semantics.vocabulary_edits import Edit
from ai_engine.types import CheckedStatement
from backend.answers.withheld import CLOSED_SINCE, ITS_QUESTION
from backend.chat.judged_history import JudgedHistory
from backend.chat.opening import Chat, open_chat
from backend.orchestration import Orchestrator
from backend.renewal import trying
from backend.service import Assistant
from tests.ai_engine.supervisor.chats import SATISFIED, ScriptedModel, answer, call
from tests.backend.chat.talking import send
from tests.backend.chat.test_withheld import say
from tests.patience import allowed_s
from tests.waiting_loop import with_longest_wait_s


def messages_of(chat) -> list[ChatMessage]:
    return asyncio.run(chat.history("c"))


def test_what_has_become_restricted_is_in_no_message_that_is_read_again(chat, found: Orchestrator):
    send(chat, "Show the account with the highest balance")
    send(chat, "How many branches are there?")
    asked, highest, _, branches = before = messages_of(chat)
    hides = Edit("column", "accounts.balance", "sensitive", False, True)
    now = open_chat(replace(found, assistant=trying(found.assistant, [hides])), chat.history_of)
    then, withheld, _, still = messages_of(now)
    assert withheld.content == (
        "This answer is not shown any more, as its query may not run today: column balance of accounts is restricted."
    )
    assert (withheld.contents, withheld.status) == ((), highest.status)
    assert (then, still) == (asked, branches)
    assert messages_of(chat) == before, "what is kept stays as it is"


def test_nor_is_the_question_before_it_where_its_statement_has_a_value(chat: Chat):
    send(chat, "Which accounts have a balance of more than 50,000 rupees?")
    send(chat, "How many branches are there?")
    hides = Edit("column", "accounts.balance", "sensitive", False, True)
    now = open_chat(replace(chat.found, assistant=trying(chat.found.assistant, [hides])), chat.history_of)
    asked, gone, other, _ = messages_of(now)
    assert (asked.content, gone.content) == (ITS_QUESTION, GONE)
    assert other.content == "How many branches are there?"


GONE = "This answer is not shown any more, as its query may not run today: column balance of accounts is restricted."


def answers_without_balances(chat: Chat) -> list[ChatMessage]:
    """Read the answers again once balances have become restricted."""
    hides = Edit("column", "accounts.balance", "sensitive", False, True)
    found = replace(chat.found, assistant=trying(chat.found.assistant, [hides]))
    return [one for one in messages_of(open_chat(found, chat.history_of)) if one.role == "assistant"]


@pytest.mark.parametrize(
    "message",
    [
        "What is our total deposit balance, and what is 12 % of it?",
        "How many customers do we have? What is our total deposit balance?",
        "Show the account with the highest balance",
        "Prepare the branch review for Pune",
    ],
)
@pytest.mark.parametrize("kept_kb", [256, 0])
def test_nor_is_what_several_agents_or_steps_found_or_a_table_that_is_too_large_to_keep(
    found: Orchestrator, chat: Chat, message: str, kept_kb: int
):
    settings = found.assistant.settings.model_copy(update={"chat_history_kb": kept_kb})
    asked = replace(chat, found=replace(found, assistant=replace(found.assistant, settings=settings)))
    send(asked, message)
    assert "Rs." in messages_of(asked)[-1].content
    [gone] = answers_without_balances(asked)
    assert gone.content == GONE


def test_nor_is_what_a_calculation_made_of_it(chat: Chat):
    send(chat, "Show the account with the highest balance")
    send(chat, "what is 15 % of that?")
    assert "Part: Rs." in messages_of(chat)[-1].content
    assert [one.content for one in answers_without_balances(chat)] == [GONE, GONE]


def test_nor_is_what_the_data_analyst_found_in_the_banks_own_database(chat: Chat):
    decided = call("data_analyst", query="What is our total deposit balance?")
    say(chat, "Analyse our deposits", ScriptedModel(decided, SATISFIED, answer(None), SATISFIED))
    assert "Rs." in messages_of(chat)[-1].content
    assert [one.content for one in answers_without_balances(chat)] == [GONE]


def test_what_stands_alone_behind_an_answer_that_is_not_shown_stays(chat: Chat):
    send(chat, "Show the account with the highest balance")
    send(chat, "EMI for 30 lakh at 9 % over 20 years")
    send(chat, "What is our policy on dormant accounts?")
    gone, loan, policy = answers_without_balances(chat)
    assert gone.content == GONE
    assert "26,991.78" in loan.content
    assert "dormant" in policy.content


def test_of_an_answer_kept_by_an_earlier_version_nobody_can_tell_whether_it_leans_on_the_one_before(chat: Chat):
    send(chat, "Show the account with the highest balance")
    send(chat, "what is 15 % of that?")
    as_then = [
        one.model_copy(update={"decisions": tuple({"action": two["action"]} for two in one.decisions)})
        for one in messages_of(chat)
    ]
    asyncio.run(chat.history_of.add("then", as_then))
    hides = Edit("column", "accounts.balance", "sensitive", False, True)
    now = open_chat(replace(chat.found, assistant=trying(chat.found.assistant, [hides])), chat.history_of)
    assert [one.content for one in asyncio.run(now.history("then"))][1::2] == [GONE, GONE]


@pytest.mark.parametrize("status", ["clarify", "partial", "failed"])
def test_choices_that_were_offered_before_a_column_was_closed_are_shown_no_more(chat: Chat, status: str):
    offered = ChatMessage(
        role="assistant", content="Which one: Asha Rao or Asha Iyer?", status=status, missing=("Asha Rao",),
        decisions=({"action": "call_tool", "leans": False},),
    )  # fmt: skip
    asyncio.run(chat.history_of.add("c", [ChatMessage(role="user", content="Asha?"), offered]))
    assert messages_of(chat)[-1].content == offered.content
    [gone] = answers_without_balances(chat)
    assert "closed since" in gone.content
    assert "Asha" not in gone.model_dump_json()


@pytest.mark.parametrize("by_model", [True, False])
def test_nor_does_the_running_summary_tell_them_on(chat: Chat, by_model: bool):
    offered = ChatMessage(
        role="assistant", content="Which one: Asha Rao or Asha Iyer?", status="clarify",
        decisions=({"action": "clarify", "leans": False},),
    )  # fmt: skip
    asked = [ChatMessage(role="user", content=f"Question {number} about Asha") for number in range(6)]
    kept = MemoryChatHistory()
    before = open_chat(chat.found, kept)
    asyncio.run(before.history_of.add("c", [offered, *asked]))
    said = {"summary": "Asha Rao or Asha Iyer was meant."} if by_model else ModelFailed("no")
    say(before, "thanks", ScriptedModel(said, answer("Good bye.")))
    assert "Asha Rao" in asyncio.run(before.history_of.summary("c")).text

    hides = Edit("column", "accounts.balance", "sensitive", False, True)
    now = open_chat(replace(chat.found, assistant=trying(chat.found.assistant, [hides])), kept)
    model = ScriptedModel({"summary": "They spoke of Asha."}, answer("Good bye."))
    say(now, "thanks", model)
    assert not any("Asha Rao" in messages.user for messages in model.asked)
    assert "They spoke of Asha." in model.asked[-1].user
    assert asyncio.run(now.history_of.summary("c")).text == "They spoke of Asha."


@pytest.mark.parametrize("message", ["What does region mean?", "How many customers do we have? What does region mean?"])
def test_what_was_said_of_a_column_and_its_values_without_a_statement_is_told_no_more(chat: Chat, message: str):
    send(chat, message)
    assert "West" in messages_of(chat)[-1].content
    hides = Edit("column", "branches.region", "sensitive", False, True)
    now = open_chat(replace(chat.found, assistant=trying(chat.found.assistant, [hides])), chat.history_of)
    assert "West" not in repr(messages_of(now))
    assert messages_of(now)[-1].content == CLOSED_SINCE


@pytest.mark.parametrize(
    ("tool", "is_shown"),
    [("documents", True), ("rag_retriever", True), ("computation", True), ("sql", False), ("of another day", False)],
)
@pytest.mark.parametrize("kind", ["text/markdown", "application/json", "widget"])
def test_of_tools_that_no_statement_stands_for_only_those_that_read_no_column_are_still_told(
    chat: Chat, tool: str, kind: str, is_shown: bool
):
    told = ({"content_type": kind, "tool": tool, "data": "West"},)
    said = ChatMessage(
        role="assistant", content="West", contents=told, status="answered", decisions=({"action": "x", "leans": False},)
    )  # fmt: skip
    asyncio.run(chat.history_of.add("c", [said]))
    [shown] = answers_without_balances(chat)
    assert ("West" in repr(shown)) is is_shown


def test_what_reads_no_data_is_shown_whatever_was_closed_since(chat: Chat):
    send(chat, "thanks")
    said = messages_of(chat)[-1].content
    assert [one.content for one in answers_without_balances(chat)] == [said]


def test_a_long_conversation_is_judged_while_others_go_on_and_each_statement_once(chat: Chat):
    judged: list[str] = []

    def check(sql: str) -> None:
        judged.append(sql)
        time.sleep(0.1)

    told = {"content_type": "text/markdown", "data": "Rs. 5"}
    answers = [
        ChatMessage(role="assistant", content="Rs. 5", contents=({**told, "metadata": {"sql": f"SELECT {one % 5}"}},))
        for one in range(50)
    ]
    asyncio.run(chat.history_of.add("c", answers))
    slow = JudgedHistory(chat.history_of, check, chat.found.assistant.policy)
    found, waited_s = asyncio.run(with_longest_wait_s(slow.messages("c")))
    assert len(found) == 50
    assert sorted(judged) == [f"SELECT {one}" for one in range(5)]
    assert waited_s < allowed_s(0.09)


class CountingAssistant(Assistant):
    """Notes what it judges."""

    judged: ClassVar[list[str]] = []

    def check(self, sql: str) -> CheckedStatement:
        self.judged.append(sql)
        return super().check(sql)


def test_a_page_of_answers_that_lean_on_those_before_reads_the_conversation_and_judges_each_statement_once(chat: Chat):
    of_all = [f"SELECT {one} AS n FROM branches" for one in range(20)]
    told = {"content_type": "text/markdown", "data": "Rs. 5"}
    kept = [
        ChatMessage(role="assistant", content="5", status="answered", contents=({**told, "metadata": {"sql": sql}},))
        for sql in of_all
    ]
    asyncio.run(chat.history_of.add("c", kept))
    views = [
        [
            {"type": "tool.content", **told, "metadata": {"sql": sql}},
            {"type": "supervisor.decided", "leans": True},
            {"type": "response.done", "status": "answered"},
        ]
        for sql in of_all
    ]
    assistant = CountingAssistant(**{one.name: getattr(chat.found.assistant, one.name) for one in fields(Assistant)})
    counting = open_chat(replace(chat.found, assistant=assistant), chat.history_of)
    CountingAssistant.judged.clear()
    assert asyncio.run(counting.whys_withheld("c", views)) == [""] * 20
    assert len(assistant.judged) <= 2 * len(of_all), "once of the page, once of the conversation"

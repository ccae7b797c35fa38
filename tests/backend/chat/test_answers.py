"""The chat on the small sample bank, without a language model."""

from __future__ import annotations

import asyncio

import pytest

from ai_engine.errors import BadQuestion
from ai_engine.events import EventType
from backend.chat.opening import Chat
from tests.backend.chat.talking import send, text_of


def test_a_question_about_data_reaches_the_data_operator_and_ends_with_how_it_was_done(chat: Chat):
    events = send(chat, "How many customers do we have?")

    assert [event.type.value for event in events][:3] == ["supervisor.thinking", "supervisor.decided", "tool.start"]
    assert text_of(events) == "There are 600 customers."
    done = events[-1]
    assert done.type is EventType.RESPONSE_DONE
    assert done.data["status"] == "answered"
    assert done.data["tools"] == ["sql"]


def test_a_follow_up_is_read_in_the_light_of_the_question_before(chat: Chat):
    send(chat, "How many customers do we have?")

    assert "Maharashtra" in text_of(send(chat, "and by state?"))


@pytest.mark.parametrize(
    ("before", "message", "operator", "told"),
    [
        ((), "What percentage of our Premium customers are women?", "sql", "customer segment is Premium"),
        ((), "hw many customers have there kyc pending", "sql", "KYC status is Pending"),
        ((), "Whats our CASA ratio?", "sql", "CASA ratio is"),
        (("EMI for 12 lakh at 10.5 % over 5 years",), "hmm and if I stretch it to 7 years", "computation", "20,232.81"),
        (("which loan type has the most NPA accounts?",), "how much is outstanding on those", "sql", "Loan"),
    ],
)  # fmt: skip
def test_a_hurried_message_is_understood_as_its_careful_twin(chat: Chat, before, message, operator, told):
    for one in before:
        send(chat, one)
    events = send(chat, message)

    assert events[-1].data["tools"] == [operator]
    assert told in text_of(events)


def test_our_figure_in_one_message_with_a_rule_is_looked_up_and_not_defined(chat: Chat):
    events = send(chat, "What is our CASA ratio and what does our policy say about dormant accounts?")

    assert events[-1].data["tools"] == ["sql", "rag_retriever"] or events[-1].data["tools"] == ["sql", "documents"]
    assert "CASA ratio is" in text_of(events)


def test_an_answer_from_documents_cites_its_paragraph(chat: Chat):
    done = send(chat, "When does a loan become an NPA?")[-1]

    assert done.data["citations"] == [
        {"document": "npa_policy.md", "paragraph": 2, "title": "NPA and provisioning policy"}
    ]


def test_question_and_answer_are_in_the_history_before_the_end_is_told(chat: Chat):
    send(chat, "EMI for 30 lakh at 9 % over 20 years")

    asked, answered = asyncio.run(chat.history("c"))
    assert asked.content == "EMI for 30 lakh at 9 % over 20 years"
    assert "26,991.78" in answered.content
    assert answered.tools == ("computation",)


def test_an_empty_message_is_refused_before_anything_happens(chat: Chat):
    with pytest.raises(BadQuestion):
        send(chat, "  ")


def test_a_template_runs_its_steps_and_gives_their_report(chat: Chat):
    events = send(chat, "Portfolio at risk")

    steps = [event.data["status"] for event in events if event.type is EventType.WORKFLOW_STEP_COMPLETE]
    assert steps == ["succeeded"] * 5
    assert text_of(events).startswith("# Portfolio at risk")
    assert events[-1].data["tools"] == ["sql", "rag_retriever"]


def test_what_a_template_needs_is_asked_and_the_answer_lets_it_run(chat: Chat):
    asked = send(chat, "Prepare a branch review")
    ran = send(chat, "for Pune, please")

    assert asked[-1].data["status"] == "clarify"
    assert text_of(ran).startswith("# Branch review: Pune")


def test_a_question_of_its_own_is_not_taken_for_the_answer_to_what_a_template_needs(chat: Chat):
    send(chat, "Compare two segments")
    other = send(chat, "How many loans do we have that are NPA in all?")

    assert other[-1].data["tools"] == ["sql"]
    assert send(chat, "Retail")[-1].data["action"] != "workflow"


def test_a_report_that_there_is_not_is_answered_with_those_that_there_are(chat: Chat):
    request = [e for e in send(chat, "Prepare a report for management") if e.type is EventType.CLARIFY_REQUEST]

    assert "Portfolio at risk" in request[0].data["choices"]


def test_operators_are_listed_where_they_can_work(chat: Chat):
    names = {one.name for one in asyncio.run(chat.tools())}

    assert {"sql", "computation", "api_docs", "rag_retriever", "orchestrator"} <= names
    assert "web_searcher" not in names


@pytest.mark.parametrize("message", ["delete all customers", "drop the table", "transfer 5 lakh to Asha Rao"])
def test_a_wish_to_have_something_done_is_declined_and_nobody_is_asked(chat: Chat, message: str):
    events = send(chat, message)

    assert text_of(events) == "I only read data and change nothing; ask to see or count it instead."
    assert [events[-1].data[name] for name in ("status", "action", "tools")] == ["blocked", "answer", []]


def test_a_question_how_something_is_done_is_answered_from_the_documents(chat: Chat):
    assert "A card is blocked at any hour" in text_of(send(chat, "How do I block a lost card?"))


def test_numbers_of_the_last_answer_may_be_changed(chat: Chat):
    send(chat, "EMI for 30 lakh at 9 % over 20 years")

    assert send(chat, "change the rate to 10 %")[-1].data["status"] != "blocked"


def test_a_template_takes_what_the_person_looks_at_for_a_value_that_nobody_said(chat: Chat):
    seen = {"branch": "Pune", "role": "manager"}
    assert text_of(send(chat, "Prepare the branch review", context=seen)).startswith("# Branch review: Pune")
    assert text_of(send(chat, "Branch review of Mumbai", context=seen)).startswith("# Branch review: Mumbai")
    asked = send(chat, "Prepare the branch review", context={"branch": "Nowhere"})
    assert text_of(asked).startswith("Which branch")

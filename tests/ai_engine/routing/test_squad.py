"""The documented phases, streaming and state evolution of the front desk."""

from __future__ import annotations

import asyncio
import logging

import pytest

from ai_engine.errors import ModelUnavailable
from ai_engine.routing import (
    AgentSquad,
    AgentSquadConfig,
    AgentStreamResponse,
    ConversationMessage,
    FilterAgent,
    InMemoryChatStorage,
    ModelAgent,
    ModelClassifier,
    WordClassifier,
)
from ai_engine.routing.messages import INTERRUPTED
from tests.ai_engine.routing.scripted import Chooser, ScriptedConversation, Told, assistant
from tests.ai_engine.scripted_agents import ScriptedChat

pytestmark = pytest.mark.anyio
WHO = ("user_123", "session_456")
SECRET = "password=hunter2 at 10.0.0.7"


def squad(*agents: Told | ModelAgent | FilterAgent, classifier: object = None, **options: object) -> AgentSquad:
    made = AgentSquad(options or None, classifier=classifier)  # type: ignore[arg-type]
    for agent in agents:
        made.add_agent(agent)
    return made


async def kept(made: AgentSquad, agent_id: str) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in await made.storage.fetch_chat(*WHO, agent_id)]


async def test_phases_one_to_five_leave_the_documented_state_after_every_step():
    travel = Told("Travel Agent", "I can help you book a flight...", description="Books flights and hotels")
    model = ScriptedConversation("I'd be happy to help with billing...", "I apologize for the duplicate charge...")
    billing = ModelAgent("Billing Agent", "Handles billing and payments", model)
    chat = ScriptedChat(
        *(
            {"userinput": text, "selected_agent": agent, "confidence": 0.95}
            for text, agent in [("1", "travel-agent"), ("2", "billing-agent"), ("3", "billing-agent")]
        )
    )
    made = squad(travel, billing, classifier=ModelClassifier(chat))

    await made.route_request("Book a flight to NYC", *WHO)
    first = [("user", "Book a flight to NYC"), ("assistant", "I can help you book a flight...")]
    assert await kept(made, "travel-agent") == first
    assert await kept(made, "billing-agent") == []

    given = {"channel": "web"}
    response = await made.route_request("I need help with my billing", *WHO, given)
    assert "user: Book a flight to NYC\nassistant: [travel-agent] I can help you book" in chat.asked[1].user
    assert "billing-agent: Handles billing and payments" in chat.asked[1].user
    assert model.systems[0].startswith("You are Billing Agent. Handles billing and payments")
    assert [(turn.role, turn.text) for turn in model.asked[0]] == [("user", "I need help with my billing")]
    assert await kept(made, "travel-agent") == first
    second = [("user", "I need help with my billing"), ("assistant", "I'd be happy to help with billing...")]
    assert await kept(made, "billing-agent") == second
    assert response.metadata.model_dump() == {
        "user_input": "I need help with my billing",
        "agent_id": "billing-agent",
        "agent_name": "Billing Agent",
        "user_id": "user_123",
        "session_id": "session_456",
        "additional_params": {"channel": "web"},
    }
    assert isinstance(response.output, ConversationMessage)
    assert response.output.content == [{"text": "I'd be happy to help with billing..."}]
    assert (response.streaming, response.confidence) == (False, 0.95)
    assert set(made.execution_times) == {
        "Classifying user intent", "Agent Billing Agent | Processing request", "Total",
    }  # fmt: skip

    await made.route_request("Yes, I was charged twice", *WHO)
    assert [turn.text for turn in model.asked[1]] == [
        "I need help with my billing", "I'd be happy to help with billing...", "Yes, I was charged twice",
    ]  # fmt: skip
    third = [("user", "Yes, I was charged twice"), ("assistant", "I apologize for the duplicate charge...")]
    assert await kept(made, "billing-agent") == [*second, *third]
    assert await kept(made, "travel-agent") == first
    merged = [turn.text for turn in await made.storage.fetch_all_chats(*WHO)]
    assert merged[1].startswith("[travel-agent] ")
    assert merged[5].startswith("[billing-agent] ")
    assert given == {"channel": "web"}


async def test_a_stream_passes_pieces_at_once_and_is_kept_once_it_is_drained():
    model = ScriptedConversation("I'd be happy")
    made = squad(ModelAgent("Billing", "Bills", model, streaming=True), classifier=Chooser("billing"))
    response = await made.route_request("Help", *WHO, stream_response=True)
    assert response.streaming
    arrived: list[AgentStreamResponse] = []
    async for piece in response.output:  # type: ignore[union-attr]
        arrived.append(piece)
        if piece.final_message is None:
            assert await kept(made, "billing") == []
    assert [piece.text for piece in arrived[:-1]] == ["I'd", " be", " happy"]
    assert [piece.final_message for piece in arrived if piece.final_message] == [assistant("I'd be happy")]
    assert await kept(made, "billing") == [("user", "Help"), ("assistant", "I'd be happy")]


@pytest.mark.parametrize("ends", [(), (AgentStreamResponse(final_message=assistant("a b")),) * 2])
async def test_a_stream_has_one_end_whatever_the_agent_gives(ends: tuple[AgentStreamResponse, ...]):
    made = squad(Told("A", ("a ", "b", *ends), streaming=True), classifier=Chooser("a"))
    response = await made.route_request("x", *WHO, stream_response=True)
    arrived = [piece async for piece in response.output]  # type: ignore[union-attr]
    assert [piece.final_message.text for piece in arrived if piece.final_message] == ["a b"]
    assert arrived[-1].final_message is not None


async def test_an_abandoned_stream_is_kept_as_interrupted_and_its_model_is_stopped():
    model = ScriptedConversation(None, "Again")
    made = squad(ModelAgent("A", "x", model, streaming=True), classifier=Chooser("a", "a"))
    response = await made.route_request("first", *WHO, stream_response=True)
    async for piece in response.output:  # type: ignore[union-attr]
        assert piece.text == "I began"
        break
    await response.output.aclose()  # type: ignore[union-attr]
    assert await kept(made, "a") == [("user", "first"), ("assistant", f"I began\n{INTERRUPTED}")]
    assert await asyncio.to_thread(model.stopped.wait, 5)
    await made.route_request("second", *WHO)
    assert (await kept(made, "a"))[2:] == [("user", "second"), ("assistant", "Again")]


async def test_a_cancelled_listener_leaves_an_interrupted_answer():
    made = squad(ModelAgent("A", "x", ScriptedConversation(None), streaming=True), classifier=Chooser("a"))
    began = asyncio.Event()

    async def listen() -> None:
        response = await made.route_request("q", *WHO, stream_response=True)
        async for _ in response.output:  # type: ignore[union-attr]
            began.set()

    task = asyncio.ensure_future(listen())
    await began.wait()
    task.cancel()
    await asyncio.wait({task})
    for _ in range(100):
        if await kept(made, "a"):
            break
        await asyncio.sleep(0.01)
    assert await kept(made, "a") == [("user", "q"), ("assistant", f"I began\n{INTERRUPTED}")]


async def test_a_stream_that_breaks_off_ends_with_a_plain_sentence_and_its_part_is_kept():
    made = squad(Told("A", ("half", RuntimeError(SECRET)), streaming=True), classifier=Chooser("a"))
    response = await made.route_request("q", *WHO, stream_response=True)
    arrived = [piece async for piece in response.output]  # type: ignore[union-attr]
    assert arrived[-1].final_message == assistant("Something went wrong while answering. Please try again.")
    assert await kept(made, "a") == [("user", "q"), ("assistant", f"half\n{INTERRUPTED}")]


async def test_an_agent_that_fails_is_told_plainly_logged_in_detail_and_not_remembered(caplog):
    given = {"x": 1}
    made = squad(Told("A", RuntimeError(SECRET)), classifier=Chooser("a"))
    with caplog.at_level(logging.ERROR):
        response = await made.route_request("q", *WHO, given)
    assert response.output == assistant("Something went wrong while answering. Please try again.")
    assert response.metadata.additional_params == {"x": 1, "error_type": "agent_failed"}
    assert response.metadata.agent_id == "a"
    assert SECRET in caplog.text
    assert given == {"x": 1}
    assert await kept(made, "a") == []


async def test_a_classifier_that_fails_is_asked_again_and_then_told_plainly():
    fault = ModelUnavailable(SECRET)
    chooser = Chooser(fault, fault, "a")
    made = squad(Told("A"), classifier=chooser)
    assert (await made.route_request("q", *WHO)).output == assistant("A answers")
    made = squad(Told("A"), classifier=Chooser(fault, fault, fault), CLASSIFICATION_ERROR_MESSAGE="No luck.")
    response = await made.route_request("q", *WHO)
    assert response.output == assistant("No luck.")
    assert (response.metadata.agent_id, response.metadata.agent_name) == ("no_agent_selected", "No Agent")
    assert response.metadata.additional_params == {"error_type": "classification_failed"}
    made = squad(Told("A"), classifier=Chooser(KeyError(SECRET)))
    assert SECRET not in str((await made.route_request("q", *WHO)).output)


async def test_nobody_selected_is_said_or_goes_to_the_default_agent_with_confidence_zero():
    given: dict[str, object] = {}
    made = squad(Told("A"), classifier=Chooser(None, None))
    response = await made.route_request("q", *WHO, given)
    assert response.output == assistant(AgentSquadConfig.NO_SELECTED_AGENT_MESSAGE)
    assert response.metadata.agent_id == "no_agent_selected"
    assert response.metadata.additional_params == {"error_type": "classification_failed"}
    assert given == {}
    made.set_default_agent(Told("Greeter"))
    response = await made.route_request("q", *WHO)
    assert (response.metadata.agent_id, response.confidence) == ("greeter", 0.0)
    off = squad(Told("A"), classifier=Chooser(None), USE_DEFAULT_AGENT_IF_NONE_IDENTIFIED=False)
    off.set_default_agent(Told("Greeter"))
    assert (await off.route_request("q", *WHO)).metadata.agent_id == "no_agent_selected"


async def test_a_stopped_message_is_answered_and_neither_it_nor_its_answer_is_kept():
    made = squad(FilterAgent("Filter"), classifier=Chooser("filter"))
    response = await made.route_request("my card is 4111 1111 1111 1111", *WHO)
    assert "a card number" in response.output.text  # type: ignore[union-attr]
    assert await kept(made, "filter") == []


async def test_as_many_pairs_are_kept_as_the_option_says():
    made = squad(Told("A"), classifier=Chooser(*["a"] * 4), MAX_MESSAGE_PAIRS_PER_AGENT=2)
    for number in range(4):
        await made.route_request(f"q{number}", *WHO)
    assert [text for role, text in await kept(made, "a") if role == "user"] == ["q2", "q3"]


async def test_two_hundred_sessions_at_once_mix_nothing():
    agent = Told("Echo", waits_s=0.001)
    agent._answers = []
    made = squad(agent, classifier=Chooser(*["echo"] * 1_000))

    async def talk(number: int) -> None:
        for turn in range(5):
            response = await made.route_request(f"s{number} t{turn}", f"u{number}", "s")
            assert response.metadata.user_input == f"s{number} t{turn}"

    await asyncio.gather(*(talk(number) for number in range(200)))
    for number in range(200):
        turns = await made.storage.fetch_chat(f"u{number}", "s", "echo")
        assert [turn.text for turn in turns[::2]] == [f"s{number} t{turn}" for turn in range(5)]


def test_ids_are_made_of_names_and_are_unique():
    made = squad(Told("Billing  Agent (EU)"))
    assert list(made.get_all_agents()) == ["billing-agent-eu"]
    assert made.get_all_agents()["billing-agent-eu"]["description"] == "Does Billing  Agent (EU)."
    with pytest.raises(ValueError, match=r"^An agent with ID 'billing-agent-eu' already exists.$"):
        made.add_agent(Told("billing agent eu"))
    with pytest.raises(ValueError, match="no letter"):
        Told("…")


def test_an_unknown_option_names_the_nearest():
    with pytest.raises(ValueError, match=r"'MAX_RETRYS'. The nearest is 'MAX_RETRIES'"):
        AgentSquad({"MAX_RETRYS": 2})
    assert AgentSquad({"MAX_RETRIES": 2}).config.MAX_RETRIES == 2
    assert AgentSquad(AgentSquadConfig(LOG_AGENT_CHAT=True)).config.LOG_AGENT_CHAT
    made = AgentSquad()
    assert isinstance(made.storage, InMemoryChatStorage)
    assert isinstance(made.classifier, WordClassifier)
    assert made.config == AgentSquadConfig()


async def test_times_are_measured_of_functions_and_of_what_is_awaited():
    made = AgentSquad()

    async def later() -> int:
        return 2

    assert await made.measure_execution_time("now", lambda: 1) == 1
    assert await made.measure_execution_time("later", later) == 2
    assert set(made.execution_times) == {"now", "later"}


async def test_texts_are_logged_only_where_that_is_switched_on(caplog):
    with caplog.at_level(logging.DEBUG):
        await squad(Told("A"), classifier=Chooser("a")).route_request("quiet words", *WHO)
        assert "quiet words" not in caplog.text
        loud = squad(
            Told("A"),
            classifier=Chooser("a"),
            LOG_AGENT_CHAT=True,
            LOG_CLASSIFIER_OUTPUT=True,
            LOG_EXECUTION_TIMES=True,
        )
        await loud.route_request("loud words", *WHO)
    assert caplog.text.count("loud words") == 2
    assert "Classifying user intent" in caplog.text

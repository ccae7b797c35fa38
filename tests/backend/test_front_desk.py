"""The desks that ship, on the small sample bank and without a language model."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from ai_engine.errors import BadConfiguration, BadQuestion, ModelUnavailable
from ai_engine.routing import (
    AgentResponse,
    AgentSquad,
    AgentStreamResponse,
    ConversationMessage,
    InMemoryChatStorage,
    ModelAgent,
)
from ai_engine.routing.messages import INTERRUPTED, as_markdown
from ai_engine.specialists.documents.index import DocumentIndex
from ai_engine.specialists.documents.passages import Document
from backend import cli
from backend.documents import open_document_services
from backend.front_desk import FrontDesk, RouteRequest, open_front_desk
from backend.main import create_app
from backend.opening import open_assistant
from backend.orchestration import Orchestrator, SharedOutside
from backend.settings import PROJECT_ROOT, SAMPLE_DOCUMENTS, read_settings
from tests.ai_engine.llm.server import says, serving
from tests.ai_engine.routing.scripted import ScriptedConversation
from tests.ai_engine.scripted_agents import ScriptedChat
from tests.backend.store.test_desk_messages import texts
from tests.patience import allowed_s

CASES = PROJECT_ROOT / "tests" / "questions" / "routing.jsonl"


@pytest.fixture(scope="module")
def orchestrator(small_bank: Path) -> Iterator[Orchestrator]:
    settings = read_settings(
        database_url=f"duckdb:///{small_bank}",
        documents_dir=SAMPLE_DOCUMENTS,
        services_file=PROJECT_ROOT / "data" / "api_docs.yaml",
    )
    outside = SharedOutside(lambda: settings)
    assistant = open_assistant(settings)
    yield Orchestrator(assistant, outside.get())
    outside.close()
    assistant.close()


@pytest.fixture
def desk(orchestrator: Orchestrator) -> FrontDesk:
    return open_front_desk(orchestrator, InMemoryChatStorage())


def ask(desk: FrontDesk, text: str, **given: object) -> AgentResponse:
    fields = {"user_input": text, "user_id": "u", "session_id": "s", **given}
    return asyncio.run(desk.route(RouteRequest.model_validate(fields)))


def said(response: AgentResponse) -> str:
    assert isinstance(response.output, ConversationMessage)
    return as_markdown(response.output)


@pytest.mark.parametrize("message", ["delete all customers", "close account 1001", "approve the loan of customer 12"])
def test_a_wish_to_have_something_done_is_declined_and_not_looked_up(desk: FrontDesk, message: str):
    response = ask(desk, message)
    assert said(response) == "I only read data and change nothing; ask to see or count it instead."
    assert response.reason == "It wishes something done; everybody here only reads."


def test_at_least_92_percent_of_the_messages_reach_their_desk(desk: FrontDesk):
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 120
    assert len({case["session"] for case in cases}) == 30
    wrong: Counter[str] = Counter()
    missed: list[str] = []

    async def run() -> None:
        for case in cases:
            request = RouteRequest(user_input=case["user_input"], user_id="u", session_id=case["session"])
            chosen = await desk.classify(request)
            assert chosen.selected_agent is not None
            got = chosen.selected_agent.id if chosen.confidence else "clarify"
            if got != case["desk"]:
                missed.append(f"{case['user_input']}: {got}, not {case['desk']}")
                wrong[case["kind"]] += got != "clarify"

    asyncio.run(run())
    assert len(missed) <= 0.08 * len(cases), missed
    assert wrong["ambiguous"] <= 2


def test_each_desk_answers_from_its_own_source_and_remembers_alone(desk: FrontDesk):
    assert "Figures" in said(ask(desk, "Good morning"))
    figures = ask(desk, "How many customers do we have?")
    assert figures.metadata.agent_id == "figures"
    by_state = ask(desk, "and by state?")
    assert by_state.metadata.agent_id == "figures"
    assert "| Maharashtra |" in said(by_state)
    policy = ask(desk, "When does a loan become an NPA?")
    assert "(NPA and provisioning policy, When a loan becomes non-performing)" in said(policy)
    assert "Rs.22,092.77" in said(ask(desk, "EMI for 25 lakh at 8.75 % over 20 years"))
    again = said(ask(desk, "and for 15 years?"))
    assert "Rs.24,986.22" in again
    assert "“EMI for 25 lakh at 8.75 % over 15 years” is meant" in again
    kept = asyncio.run(desk.squad.storage.fetch_chat("u", "s", "figures"))
    assert texts(kept)[::2] == ["How many customers do we have?", "and by state?"]


def test_what_no_document_says_is_said(desk: FrontDesk):
    response = ask(desk, "What is our policy on submarines?", additional_params={"assistant": "policy"})
    assert said(response).startswith("None of the bank's documents")
    assert response.metadata.additional_params["error_type"] == "NothingFound"


def test_the_report_team_asks_its_members_at_once_and_names_them(desk: FrontDesk):
    order = (
        "Prepare a report on total deposits by state, what the policy says about dormant accounts, "
        "EMI for 10 lakh at 9 % over 5 years"
    )
    text = said(ask(desk, order))
    assert "Figures: " in text
    assert "Policy: “" in text
    assert "Calculations: EMI: Rs.20,758.36" in text
    everything = texts(asyncio.run(desk.squad.storage.fetch_all_chats("u", "s")))
    assert len(everything) == 2


def test_a_desk_can_be_chosen_directly_and_an_unknown_one_is_refused(desk: FrontDesk):
    given = {"assistant": "policy"}
    response = ask(desk, "minimum balance of a savings account", additional_params=given)
    assert (response.metadata.agent_id, response.reason) == ("policy", "You chose Policy.")
    assert given == {"assistant": "policy"}
    with pytest.raises(BadQuestion, match="There is no agent named treasury"):
        ask(desk, "x", additional_params={"assistant": "treasury"})
    with pytest.raises(BadQuestion, match="at most 2,000"):
        ask(desk, "x" * 2_001)
    with pytest.raises(BadQuestion, match="empty"):
        ask(desk, "  ")


def test_a_question_back_offers_desks_and_naming_one_answers_the_open_question(desk: FrontDesk):
    response = ask(desk, "rates")
    assert (response.metadata.agent_id, response.confidence) == ("greeter", 0.0)
    assert len(response.candidates) > 1
    named = ask(desk, "policy")
    assert named.metadata.agent_id == "policy"
    assert texts(asyncio.run(desk.squad.storage.fetch_chat("u", "s", "policy")))[0] == "rates"


@pytest.fixture
def client(orchestrator: Orchestrator, desk: FrontDesk) -> Iterator[TestClient]:
    app = create_app(lambda: orchestrator.assistant, lambda: orchestrator, lambda: desk, settings=read_settings())
    with TestClient(app, base_url="http://localhost") as opened:
        yield opened


def body(text: str, **given: object) -> dict[str, object]:
    return {"user_input": text, "user_id": "u", "session_id": "s", **given}


def test_the_api_answers_lists_desks_and_refuses_in_one_shape(client: TestClient):
    answer = client.post("/route", json=body("EMI for 25 lakh at 8.75 % over 20 years", additional_params={"k": 1}))
    fields = answer.json()
    assert answer.status_code == 200
    assert set(fields) == {"metadata", "output", "streaming", "confidence", "reason", "candidates"}
    assert fields["metadata"] == {
        "user_input": "EMI for 25 lakh at 8.75 % over 20 years", "agent_id": "calculations", "user_id": "u",
        "agent_name": "Calculations", "session_id": "s", "additional_params": {"k": 1},
    }  # fmt: skip
    assert fields["output"]["role"] == "assistant"
    assert "Rs.22,092.77" in fields["output"]["content"][0]["text"]
    desks = client.get("/route/agents").json()
    assert [desk["id"] for desk in desks] == [
        "figures", "policy", "services", "calculations", "report-team", "greeter",
    ]  # fmt: skip
    assert [desk["default"] for desk in desks] == [False] * 5 + [True]
    for wrong in (body(""), body("x", user_id="a\nb"), body("x" * 3_000), body("x", more=1), {"user_input": "x"}):
        refused = client.post("/route", json=wrong)
        assert refused.status_code == 422
        assert set(refused.json()) == set(fields)
        assert refused.json()["metadata"]["additional_params"]["error_type"] == "BadQuestion"
    unknown = client.post("/route", json=body("x", additional_params={"assistant": "nobody"}))
    assert (unknown.status_code, unknown.json()["metadata"]["additional_params"]["error_type"]) == (422, "UnknownAgent")


def test_nobody_goes_on_with_the_conversation_of_another_by_naming_its_user(
    orchestrator: Orchestrator, desk: FrontDesk
):
    settings = read_settings(user_header="X-Person")
    app = create_app(lambda: orchestrator.assistant, lambda: orchestrator, lambda: desk, settings=settings)
    with TestClient(app, base_url="http://localhost") as opened:

        def said_to(who: str, text: str, user: str = "asha") -> str:
            reply = opened.post("/route", json=body(text, user_id=user), headers={"X-Person": who}).json()
            assert reply["metadata"]["user_id"] == user
            return str(reply["output"]["content"])

        said_to("asha", "How many customers do we have?")
        for who, user in (("ravi", "asha"), ("local", "asha"), ("local", "asha/asha"), ("sha", "asha/a"), ("", "asha")):
            assert "Odisha" not in said_to(who, "and by state?", user)
        assert "Odisha" in said_to("asha", "and by state?")


@pytest.mark.parametrize("order", ["Good morning", "Prepare a report on dormant accounts"])
def test_the_api_streams_pieces_and_the_whole_at_the_end(client: TestClient, order: str):
    with client.stream("POST", "/route", json=body(order, stream_response=True)) as stream:
        lines = [line for line in stream.iter_lines() if line]
    names = [line.removeprefix("event: ") for line in lines[::2]]
    data = [json.loads(line.removeprefix("data: ")) for line in lines[1::2]]
    assert names == ["chunk"] * (len(names) - 1) + ["response"]
    assert "".join(piece["text"] for piece in data[:-1]) == data[-1]["output"]["content"][0]["text"]


def test_documents_are_bounded_and_faults_name_the_folder(tmp_path: Path):
    (tmp_path / "a.md").write_text("# A\n\n## Lockers\n\nA locker costs Rs. 900.\n")
    (tmp_path / "b.txt").write_bytes(b"\xff")
    (tmp_path / "c.pdf").write_bytes(b"no text")
    with pytest.raises(BadConfiguration, match=r"b\.txt is not UTF-8"):
        open_document_services(read_settings(documents_dir=tmp_path))
    with pytest.raises(BadConfiguration, match="permits 1"):
        open_document_services(read_settings(documents_dir=tmp_path, max_documents=1))
    (tmp_path / "b.txt").write_text("x" * 2_000)
    with pytest.raises(BadConfiguration, match="BANK_MAX_DOCUMENT_KB"):
        open_document_services(read_settings(documents_dir=tmp_path, max_document_kb=1))
    with pytest.raises(BadConfiguration, match="cannot be read"):
        open_document_services(read_settings(documents_dir=tmp_path / "gone"))
    assert open_document_services(read_settings(database_url="sqlite:////tmp/x.sqlite")) is None


def test_passages_are_cut_at_headings_and_found_by_their_words():
    index = DocumentIndex(
        [Document("a.md", "# Fees\n\nInvented.\n\n## Lockers\n\nA locker costs Rs. 900.\n\n## Cards\n\nFree.")]
    )
    assert [passage.cited for passage in index.passages] == ["Fees, Lockers", "Fees, Cards"]
    assert [passage.text for passage in index.find("What does a locker cost?")] == ["A locker costs Rs. 900."]
    assert index.find("submarines") == []
    assert index.find("the") == []
    assert [one.text for one in DocumentIndex([Document("b.txt", "plain words")]).passages] == ["plain words"]
    assert DocumentIndex([]).find("x") == []


def run_cli(small_bank: Path, *arguments: str) -> int:
    return cli.main(["route", *arguments, "--database", f"duckdb:///{small_bank}"])


def test_the_command_line_remembers_a_session_between_calls(
    small_bank: Path, tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("BANK_STORE_URL", f"sqlite:///{tmp_path / 'store.sqlite'}")
    who = ("--user", "asha", "--session", "monday")
    assert run_cli(small_bank, "How many customers do we have?", *who) == 0
    assert "Figures (" in capsys.readouterr().out
    assert run_cli(small_bank, "and by state?", *who, "--json") == 0
    fields = json.loads(capsys.readouterr().out)
    assert (fields["agent_id"], fields["error_type"]) == ("figures", None)
    assert "| Maharashtra |" in fields["text"]
    assert run_cli(small_bank, "x", "--assistant", "treasury") == 2
    assert "There is no agent named treasury" in capsys.readouterr().err


def test_the_command_line_keeps_what_a_model_chose_and_chooses_so_again(
    small_bank: Path, tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
):
    kept = tmp_path / "replies.jsonl"
    asked = ("Something with numbers", "--classify-only", "--json")
    with serving(says({"userinput": "x", "selected_agent": "calculations", "confidence": 0.8})) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert run_cli(small_bank, *asked, "--record", str(kept)) == 0
    monkeypatch.delenv("OPENAI_BASE_URL")
    first = json.loads(capsys.readouterr().out)
    assert run_cli(small_bank, *asked, "--replay", str(kept)) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert (first["agent_id"], first["confidence"]) == ("calculations", 0.8)


def test_a_batch_is_written_in_order_and_a_bad_line_fails_alone(small_bank: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("BANK_STORE_URL", f"sqlite:///{tmp_path / 'store.sqlite'}")
    given, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    lines = [
        {"id": 1, "user_id": "u", "session_id": "a", "user_input": "How many customers do we have?"},
        {"id": 2, "user_id": "u", "session_id": "b", "user_input": "EMI for 25 lakh at 8.75 % over 20 years"},
        {"id": 3, "user_id": "u", "session_id": "a", "user_input": "and by state?"},
        {"id": 4, "user_id": "u", "session_id": "b", "user_input": ""},
        {"id": 5, "user_id": "u", "session_id": "b", "user_input": "rates"},
    ]
    given.write_text("\n".join([*map(json.dumps, lines), "{"]))
    assert run_cli(small_bank, "--batch", str(given), "--out", str(out), "--jobs", "4") == 0
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in written] == [1, 2, 3, 4, 5, None]
    assert list(written[0]) == ["id", "agent_id", "agent_name", "confidence", "reason", "text", "error_type"]
    assert [line["agent_id"] for line in written] == [
        "figures", "calculations", "figures", "no_agent_selected", "greeter", "no_agent_selected",
    ]  # fmt: skip
    assert [line["error_type"] for line in written] == [None, None, None, "BadQuestion", None, "BadQuestion"]
    assert written[4]["confidence"] == 0
    assert run_cli(small_bank, "--batch", str(given), "--out", str(out), "--classify-only") == 0
    chosen = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["agent_id"] for line in chosen] == [line["agent_id"] for line in written]
    assert {line["text"] for line in chosen[:3]} == {""}


def test_a_language_model_chooses_and_words_decide_where_it_fails(orchestrator: Orchestrator):
    chat = ScriptedChat(
        {"userinput": "x", "selected_agent": "calculations", "confidence": 0.8}, ModelUnavailable("down")
    )
    with_model = replace(orchestrator, assistant=replace(orchestrator.assistant, chat=chat))
    found = open_front_desk(with_model, InMemoryChatStorage())

    async def choose(text: str) -> tuple[str, float]:
        chosen = await found.classify(RouteRequest(user_input=text, user_id="u", session_id="s"))
        assert chosen.selected_agent is not None
        return chosen.selected_agent.id, chosen.confidence

    assert asyncio.run(choose("Something with numbers")) == ("calculations", 0.8)
    assert asyncio.run(choose("Good morning"))[0] == "greeter"
    assert "figures: Figures, lists, rankings" in chat.asked[0].user


def test_a_stream_ends_with_the_time_of_its_request_and_is_kept_as_interrupted():
    squad = AgentSquad()
    squad.add_agent(ModelAgent("Slow", "Thinks", ScriptedConversation(None), streaming=True))
    found = FrontDesk(squad, max_question_chars=100, timeout_s=0.3)
    given = {"user_input": "q", "user_id": "u", "session_id": "s", "additional_params": {"assistant": "slow"}}
    happened = [one for one in found.stream(RouteRequest(**given, stream_response=True)) if one is not None]
    assert isinstance(happened[-1], AgentStreamResponse)
    assert happened[-1].final_message.text == "It took longer than 0.3 s and was stopped."
    kept = asyncio.run(squad.storage.fetch_chat("u", "s", "slow"))
    assert texts(kept) == ["q", f"I began\n{INTERRUPTED}"]


def test_leaving_a_stream_stops_the_work_and_keeps_what_was_said():
    model = ScriptedConversation(None)
    squad = AgentSquad()
    squad.add_agent(ModelAgent("Slow", "Thinks", model, streaming=True))
    found = FrontDesk(squad, max_question_chars=100, timeout_s=30)
    given = {"user_input": "q", "user_id": "u", "session_id": "s", "additional_params": {"assistant": "slow"}}
    happenings = found.stream(RouteRequest(**given, stream_response=True))
    assert any(isinstance(one, AgentStreamResponse) for one in happenings)
    happenings.close()
    assert model.stopped.wait(allowed_s(5))
    assert texts(asyncio.run(squad.storage.fetch_chat("u", "s", "slow"))) == ["q", f"I began\n{INTERRUPTED}"]

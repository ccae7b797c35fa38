"""A workflow that the supervisor made is kept as a template, asked for again, and offered to rules and model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from ai_engine.chat_history import MemoryChatHistory
from ai_engine.errors import BadQuestion, NotPermitted
from ai_engine.events import Event, EventType
from ai_engine.supervisor.service import astream
from backend import cli
from backend.chat.door import TemplateInput, TemplateWish
from backend.chat.opening import Chat, open_chat
from backend.orchestration import Orchestrator
from backend.settings import SAMPLE_DOCUMENTS, read_settings
from backend.store import Store, open_store
from tests.ai_engine.supervisor.chats import SATISFIED, ScriptedModel
from tests.backend.chat.talking import send, text_of, told
from tests.waiting_loop import with_longest_wait_s

MESSAGE = "Total deposits in Pune by branch, and what is our policy on dormant accounts?"
PUNE = TemplateInput(name="city", text="Pune")


@pytest.fixture
def store(store_file: str) -> Iterator[Store]:
    with closing(open_store(read_settings(store_url=store_file))) as opened:
        yield opened


@pytest.fixture
def chat(found: Orchestrator, store: Store) -> Chat:
    return open_chat(found, MemoryChatHistory(), store=lambda: store)


def made(chat: Chat) -> str:
    """Have a workflow made and run; returns its id."""
    return str(told(send(chat, MESSAGE, person="asha"), EventType.WORKFLOW_CREATED)[0]["id"])


def keep(chat: Chat, title: str = "City look", *inputs: TemplateInput, person: str = "asha") -> None:
    wish = TemplateWish(title=title, inputs=inputs)
    asyncio.run(chat.templates.keep(person, "c", made(chat), wish))


def own(chat: Chat, person: str) -> list[str]:
    return [one.name for one in asyncio.run(chat.templates.listed(person)) if one.is_own]


def test_a_kept_workflow_runs_again_by_its_title_with_another_value(chat: Chat):
    keep(chat, "City look", PUNE)
    again = send(chat, "Run my city look for Chennai", "d", person="asha")

    assert told(again, EventType.WORKFLOW_CREATED)[0]["template"] == "city_look"
    assert "## Total deposits in Chennai by branch" in text_of(again)
    assert "dormant" in text_of(again)


def test_what_its_parameter_needs_is_asked(chat: Chat):
    keep(chat, "City look", PUNE)
    asked = send(chat, "City look", "d", person="asha")
    ran = send(chat, "Chennai", "d", person="asha")

    assert text_of(asked).startswith("What should stand for “Pune”?")
    assert "## Total deposits in Chennai by branch" in text_of(ran)


def test_nobody_else_can_ask_for_it_see_it_or_drop_it(chat: Chat):
    keep(chat, "City look", PUNE)
    others = send(chat, "Run my city look for Chennai", "d", person="ravi")

    assert not told(others, EventType.WORKFLOW_CREATED)
    assert (own(chat, "asha"), own(chat, "ravi")) == (["city_look"], [])
    assert asyncio.run(chat.templates.drop("ravi", "city_look")) is False
    assert asyncio.run(chat.templates.drop("asha", "city_look")) is True
    assert own(chat, "asha") == []


def test_what_cannot_be_kept_is_said(chat: Chat):
    with pytest.raises(BadQuestion, match="no such workflow"):
        asyncio.run(chat.templates.draft("c", "other"))
    with pytest.raises(BadQuestion, match="Everybody has a template of this name"):
        keep(chat, "Branch review")
    with pytest.raises(BadQuestion, match="No step asks about “Delhi”"):
        keep(chat, "Mine", TemplateInput(name="city", text="Delhi"))
    with pytest.raises(NotPermitted):
        keep(chat, "Mine", person="")
    review = told(send(chat, "Prepare the branch review for Pune"), EventType.WORKFLOW_CREATED)[0]
    with pytest.raises(BadQuestion, match="a template already"):
        asyncio.run(chat.templates.draft("c", review["id"]))


def by_model(
    chat: Chat, person: str, *replies: Any, message: str = "How is Chennai doing?"
) -> tuple[list[Event], ScriptedModel]:
    model = ScriptedModel(*replies)
    setting = replace(chat.setting(), templates=asyncio.run(chat.templates.of(person)), model=model)

    async def happened() -> list[Event]:
        return [event async for event in astream(message, "m", setting)]

    return asyncio.run(happened()), model


def test_the_model_is_offered_the_persons_templates_and_may_run_one(chat: Chat):
    keep(chat, "City look", PUNE)
    wish = {"action": "CREATE_WORKFLOW", "reasoning": "It is the look at a city.", "template": "city_look"}
    wrong = {**wish, "params": {"town": "Chennai"}}
    events, model = by_model(chat, "asha", wrong, {**wish, "params": {"city": "Chennai"}}, SATISFIED)

    assert '"name": "city"' in model.asked[0].user.split("city_look: City look.")[1].splitlines()[0]
    assert told(events, EventType.WORKFLOW_CREATED)[0]["template"] == "city_look"
    assert "## Total deposits in Chennai by branch" in text_of(events)


def test_a_template_that_the_model_did_not_fill_is_asked_back(chat: Chat):
    keep(chat, "City look", PUNE)
    wish = {"action": "CREATE_WORKFLOW", "reasoning": "It is the look at a city.", "template": "city_look"}
    events, _ = by_model(chat, "asha", wish)

    assert events[-1].data["status"] == "clarify"
    assert text_of(events).startswith("What should stand for “Pune”?")


def test_the_api_keeps_lists_and_forgets_templates(served_chat):
    plan = [{"id": "a", "name": "Look", "operator": "sql", "input_mapping": {"query": "Deposits in Pune"}}]
    created = {"id": "w1", "goal": "Deposits", "template": "", "steps": 1, "plan": plan, "batches": [["a"]]}
    done = {"status": "answered", "action": "workflow", "tools": ["sql"], "citations": [], "missing": []}
    url, _ = served_chat({"Look": [(EventType.WORKFLOW_CREATED, created), (EventType.RESPONSE_DONE, done)]})
    httpx.post(f"{url}/chat", json={"conversation_id": "monday", "message": "Look"})
    template = f"{url}/chat/monday/workflows/w1/template"

    found = httpx.get(template).json()
    assert found["inputs"][0] == {"name": "city", "text": "Pune"}
    kept = httpx.post(template, json={"title": "City look", "inputs": found["inputs"][:1]})
    assert (kept.status_code, kept.json()["name"], kept.json()["parameters"]) == (201, "city_look", ["city"])
    assert [one["title"] for one in httpx.get(f"{url}/templates").json()["templates"]] == ["City look"]
    assert httpx.get(f"{url}/chat/tuesday/workflows/w1/template").status_code == 422
    assert httpx.post(template, json={"title": "", "more": 1}).json()["error_kind"] == "BadQuestion"
    assert httpx.delete(f"{url}/templates/city_look").status_code == 204
    assert httpx.delete(f"{url}/templates/city_look").status_code == 422


def test_the_command_keeps_the_newest_workflow_of_a_conversation(
    small_bank: Path, store_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("BANK_STORE_URL", store_file)
    monkeypatch.setenv("BANK_DOCUMENTS_DIR", str(SAMPLE_DOCUMENTS))
    bank = ["--database", str(small_bank)]
    cli.main(["chat", MESSAGE, "--conversation", "c", *bank])
    assert cli.main(["templates", "keep", "City look", "--conversation", "c", "--parameter", "city=Pune", *bank]) == 0
    assert cli.main(["chat", "city look for Chennai", *bank]) == 0
    assert cli.main(["templates", "list", *bank]) == 0
    assert cli.main(["templates", "drop", "city_look", *bank]) == 0
    told_ = capsys.readouterr().out
    assert "kept as city_look" in told_
    assert "Total deposits in Chennai by branch" in told_
    assert "city_look (city)  yours  City look" in told_
    cli.main(["templates", "list", *bank])
    assert "city_look" not in capsys.readouterr().out


def test_a_wish_to_have_something_done_is_declined_before_the_model_is_asked(chat: Chat):
    events, model = by_model(chat, "asha", message="Delete all customers")

    assert (events[-1].data["status"], model.asked) == ("blocked", [])


def test_what_could_be_another_text_is_looked_for_while_others_go_on(chat: Chat):
    workflow, known = made(chat), chat.templates.known

    def slowly() -> Any:
        time.sleep(1)
        return known()

    slow = replace(chat.templates, known=slowly)
    draft, waited_s = asyncio.run(with_longest_wait_s(slow.draft("c", workflow)))
    assert PUNE in draft.inputs
    assert waited_s < 0.9
    _, waited_s = asyncio.run(with_longest_wait_s(slow.keep("asha", "c", workflow, TemplateWish(title="City look"))))
    assert waited_s < 0.9

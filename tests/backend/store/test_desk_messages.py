"""One contract for every storage of conversations: in memory, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import groupby

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_engine.errors import BadQuestion
from ai_engine.routing import ChatStorage, ConversationMessage, InMemoryChatStorage, ParticipantRole, TimestampedMessage
from backend.settings import PROJECT_ROOT, read_settings
from backend.store import SqlChatStorage, open_store

USER, ASSISTANT = ParticipantRole.USER, ParticipantRole.ASSISTANT
Opened = Callable[..., ChatStorage]
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_707_936_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    """Opens a storage; the SQL ones of a test share one database."""
    if request.param == "memory":
        yield InMemoryChatStorage
        return
    url = request.getfixturevalue(f"{request.param}_store_url")
    store = open_store(read_settings(store_url=url))
    made: list[SqlChatStorage] = []

    def one(**options: object) -> ChatStorage:
        made.append(SqlChatStorage(store, **options))  # type: ignore[arg-type]
        return made[-1]

    yield one
    for storage in made:
        storage.close()
    store.close()


def said(role: ParticipantRole, text: str, at_ms: int | None = None) -> ConversationMessage:
    if at_ms is None:
        return ConversationMessage.of(role, text)
    return TimestampedMessage(role=role, content=[{"text": text}], timestamp=at_ms)


def texts(messages: list[ConversationMessage]) -> list[str]:
    return [message.text for message in messages]


async def test_a_conversation_grows_by_what_is_said_and_is_returned(opened: Opened):
    storage = opened()
    assert await storage.fetch_chat("u", "s", "travel-agent") == []
    first = await storage.save_chat_message("u", "s", "travel-agent", said(USER, "Book a flight"))
    both = await storage.save_chat_message("u", "s", "travel-agent", said(ASSISTANT, "Where to?"))
    assert (texts(first), texts(both)) == (["Book a flight"], ["Book a flight", "Where to?"])
    assert await storage.fetch_chat("u", "s", "travel-agent") == both
    assert all(type(message) is ConversationMessage for message in both)


async def test_a_turn_with_the_role_of_the_last_one_is_not_kept(opened: Opened):
    storage = opened()
    await storage.save_chat_message("u", "s", "a", said(USER, "one"))
    assert texts(await storage.save_chat_message("u", "s", "a", said(USER, "two"))) == ["one"]
    whole = await storage.save_chat_messages("u", "s", "a", [said(USER, "x"), said(ASSISTANT, "1"), said(USER, "2")])
    assert texts(whole) == ["one", "1", "2"]
    assert await storage.fetch_chat("u", "s", "a") == whole


async def test_pairs_are_pairs_and_stay_whole_when_trimmed(opened: Opened):
    storage = opened()
    for number in range(5):
        pair = [said(USER, f"q{number}"), said(ASSISTANT, f"a{number}")]
        kept = await storage.save_chat_messages("u", "s", "a", pair, 2)
    assert texts(kept) == ["q3", "a3", "q4", "a4"]
    open_question = await storage.save_chat_message("u", "s", "a", said(USER, "q5"), 2)
    assert texts(open_question) == ["q4", "a4", "q5"]
    assert await storage.fetch_chat("u", "s", "a") == open_question
    assert texts(await storage.fetch_chat("u", "s", "a", 1)) == ["q5"]


async def test_all_chats_of_a_session_come_by_time_with_each_answer_marked(opened: Opened):
    storage = opened()
    travel = [said(USER, "Book a flight", 1_000), said(ASSISTANT, "I can help", 3_000)]
    billing = [said(USER, "Charged twice", 2_000), said(ASSISTANT, "Sorry", 3_000)]
    await storage.save_chat_messages("u", "s", "travel-agent", travel)
    await storage.save_chat_messages("u", "s", "billing-agent", billing)
    await storage.save_chat_messages("u", "other", "travel-agent", [said(USER, "elsewhere")])
    await storage.save_chat_messages("other", "s", "travel-agent", [said(USER, "else who")])
    expected = ["Book a flight", "Charged twice", "[travel-agent] I can help", "[billing-agent] Sorry"]
    assert texts(await storage.fetch_all_chats("u", "s")) == expected


async def test_a_conversation_expires_after_its_last_turn_and_begins_anew(opened: Opened):
    clock = Clock()
    storage = opened(ttl_s=60, clock_ms=clock)
    await storage.save_chat_messages("u", "s", "a", [said(USER, "old"), said(ASSISTANT, "older")])
    clock.now += 59_999
    assert len(await storage.fetch_chat("u", "s", "a")) == 2
    clock.now += 1
    assert await storage.fetch_chat("u", "s", "a") == []
    assert await storage.fetch_all_chats("u", "s") == []
    assert texts(await storage.save_chat_message("u", "s", "a", said(USER, "new"))) == ["new"]


async def test_blocks_besides_text_are_kept_as_they_are(opened: Opened):
    storage = opened()
    table = {"table": {"columns": ["größe"], "rows": [["1"], ["\x00"]]}}
    message = ConversationMessage(role=ASSISTANT, content=[{"text": "€\x00\ud800"}, table])
    await storage.save_chat_messages("u", "s", "a", [said(USER, "q"), message])
    assert (await storage.fetch_chat("u", "s", "a"))[1] == message


ANY_ID = st.text(st.characters(), min_size=0, max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keys=st.lists(st.tuples(ANY_ID, ANY_ID, ANY_ID), unique=True, min_size=2, max_size=5))
def test_no_character_of_an_id_lets_two_conversations_meet(opened: Opened, keys: list[tuple[str, str, str]]):
    storage = opened()
    keys += [("a#b", "c", "d"), ("a", "b#c", "d"), ("a", "b", "c#d"), ("a\\", "\0", '"'), ("%", "_", "*")]

    async def go() -> None:
        for place, key in enumerate(dict.fromkeys(keys)):
            known = texts(await storage.fetch_chat(*key))
            role = ASSISTANT if len(known) % 2 else USER
            assert texts(await storage.save_chat_message(*key, said(role, str(key)))) == [*known, str(key)]
            assert place >= 0
        for user, session, agent in keys:
            kept = texts(await storage.fetch_chat(user, session, agent))
            assert set(kept) == {str((user, session, agent))}
            assert set(kept) <= {text.removeprefix(f"[{agent}] ") for text in texts(
                await storage.fetch_all_chats(user, session)
            )}  # fmt: skip

    asyncio.run(go())


async def test_many_at_once_lose_mix_and_repeat_nothing(opened: Opened):
    storage = opened()

    async def talk(session: str) -> None:
        for turn in range(5):
            pair = [said(USER, f"{session} q{turn}"), said(ASSISTANT, f"{session} a{turn}")]
            await storage.save_chat_messages("u", session, "a", pair, 100)

    await asyncio.gather(*(talk(f"s{number}") for number in range(40)))
    for number in range(40):
        expected = [f"s{number} {kind}{turn}" for turn in range(5) for kind in "qa"]
        assert texts(await storage.fetch_chat("u", f"s{number}", "a")) == expected


WRITER = """
import asyncio, sys
from ai_engine.routing import ConversationMessage, ParticipantRole
from backend.settings import read_settings
from backend.store import SqlChatStorage, open_store
async def write():
    storage = SqlChatStorage(open_store(read_settings(store_url=sys.argv[1], store_timeout_s=60)))
    of = ConversationMessage.of
    for turn in range(40):
        text = f"{sys.argv[2]}{turn}"
        pair = [of(ParticipantRole.USER, text), of(ParticipantRole.ASSISTANT, text)]
        await storage.save_chat_messages("u", "s", "a", pair, 1_000)
asyncio.run(write())
"""


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
async def test_two_processes_write_one_conversation_pair_by_pair(kind: str, request: pytest.FixtureRequest):
    url = request.getfixturevalue(f"{kind}_store_url")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, url, name], cwd=PROJECT_ROOT, stderr=subprocess.PIPE)
        for name in "xy"
    ]
    told = [writer.communicate(timeout=120)[1].decode() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], told
    store = open_store(read_settings(store_url=url))
    storage = SqlChatStorage(store)
    kept = texts(await storage.fetch_chat("u", "s", "a"))
    storage.close()
    store.close()
    pairs = [(text, len(list(same))) for text, same in groupby(kept)]
    assert all(times == 2 for _, times in pairs)
    assert [text for text, _ in pairs if text.startswith("x")] == [f"x{turn}" for turn in range(40)]
    assert [text for text, _ in pairs if text.startswith("y")] == [f"y{turn}" for turn in range(40)]


async def test_the_memory_of_a_process_is_bounded_and_the_least_used_goes_first():
    storage = InMemoryChatStorage(max_conversations=2)
    for agent in "abc":
        await storage.save_chat_message("u", "s", agent, said(USER, agent))
        await storage.fetch_chat("u", "s", "a")
    assert sorted(texts(await storage.fetch_all_chats("u", "s"))) == ["a", "c"]


async def test_an_id_too_long_for_an_index_is_refused_in_words(sqlite_store_url: str):
    store = open_store(read_settings(store_url=sqlite_store_url))
    storage = SqlChatStorage(store)
    with pytest.raises(BadQuestion, match="201 characters"):
        await storage.fetch_chat("u" * 201, "s", "a")
    storage.close()
    store.close()

"""Buses and logs of events: one contract for one process and for several that share a Redis."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import httpx
import pytest
from pydantic import SecretStr

from ai_engine.errors import BadConfiguration, EventsGone, ReaderTooSlow
from ai_engine.events import Event, EventBus, EventType, MemoryEventBus
from backend.chat.readers import ChatBounds, follow
from backend.chat.request_context import RequestContext
from backend.events.bus import RedisEventBus
from backend.events.log import EventLog, LogBounds, MemoryEventLog
from backend.events.redis_log import RedisEventLog
from backend.events.sharing import shared_events
from backend.settings import read_settings
from tests.backend.chat.scripted_chat import DONE, LONG, chunk
from tests.backend.chat.test_api import Heard, asked, wait_until
from tests.backend.conftest import Served
from tests.patience import allowed_s

KINDS = ["memory", pytest.param("redis", marks=pytest.mark.server)]
BOUNDS = LogBounds(events=4, size_kb=1, requests=2, keep_s=60)
READING = ChatBounds(wait_s=1, lease_s=5, grace_s=0.1, question_grace_s=0.1, heartbeat_s=1, reader_events=3)


def event(text: str, request_id: str = "r1", kind: EventType = EventType.RESPONSE_CHUNK) -> Event:
    return Event(type=kind, request_id=request_id, data={"content": text})


@pytest.fixture(params=KINDS)
def buses(request: pytest.FixtureRequest) -> Iterator[tuple[EventBus, EventBus]]:
    """Where one instance publishes and another subscribes; the same where there is one only."""
    if request.param == "memory":
        bus = MemoryEventBus()
        yield bus, bus
        return
    url = SecretStr(request.getfixturevalue("redis_url"))
    first, second = RedisEventBus(url), RedisEventBus(url)
    assert first.wait_until_connected(10)
    assert second.wait_until_connected(10)
    yield first, second
    first.close()
    second.close()


def test_subscribers_are_told_what_they_asked_for_once_and_in_order(buses):
    publishing, subscribing = buses
    chunks: list[str] = []
    others: list[Event] = []
    of_one = subscribing.subscribe("response.*", lambda one: chunks.append(one.data["content"]), request_id="r1")
    subscribing.subscribe("tool.*", others.append)
    subscribing.subscribe("response.*", lambda one: 1 / 0)
    for number in range(50):
        publishing.publish(event(f"{number}"))
        publishing.publish(event("other", "r2"))
    wait_until(lambda: len(chunks) == 50)
    assert chunks == [f"{number}" for number in range(50)]
    assert not others
    assert subscribing.unsubscribe(of_one)
    assert not subscribing.unsubscribe(of_one)
    publishing.publish(event("late"))
    time.sleep(0.1)
    assert len(chunks) == 50


@pytest.mark.server
def test_who_publishes_hears_its_own_events_at_once_and_once_only(redis_url):
    bus = RedisEventBus(SecretStr(redis_url))
    assert bus.wait_until_connected(10)
    heard: list[Event] = []
    bus.subscribe("*", heard.append)
    bus.publish(event("a"))
    assert len(heard) == 1
    time.sleep(0.3)
    bus.close()
    assert len(heard) == 1


def test_a_redis_that_is_away_keeps_nobody_from_working():
    bus = RedisEventBus(SecretStr("redis://127.0.0.1:1/0"))
    heard: list[Event] = []
    bus.subscribe("*", heard.append)
    bus.publish(event("a"))
    assert len(heard) == 1
    bus.close()

    async def work() -> list[int]:
        log = RedisEventLog(SecretStr("redis://127.0.0.1:1/0"), BOUNDS)
        await log.begin("r1", "c")
        await log.append(event("a"))
        found = [one.place for one in await log.after("r1", 0)]
        await log.close()
        return found

    assert asyncio.run(work()) == [1]


def test_an_address_that_is_none_is_refused_without_repeating_it():
    async def opening() -> None:
        async with shared_events(read_settings(redis_url="http://user:secret@host")):
            pass

    with pytest.raises(BadConfiguration, match=r"^BANK_REDIS_URL") as refusal:
        asyncio.run(opening())
    assert "secret" not in str(refusal.value)


async def logs(kind: str, url: str | None) -> tuple[EventLog, EventLog]:
    """Where one instance writes and another reads."""
    if kind == "memory":
        log = MemoryEventLog(BOUNDS)
        return log, log
    import redis

    redis.Redis.from_url(url).flushdb()
    return RedisEventLog(SecretStr(url), BOUNDS), RedisEventLog(SecretStr(url), BOUNDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_keeps_the_newest_events_of_each_request(kind, request):
    url = request.getfixturevalue("redis_url") if kind == "redis" else None

    async def work() -> None:
        writing, reading = await logs(kind, url)
        await writing.begin("r1", "c/asha")
        assert await reading.newest("c/asha") == "r1"
        assert await reading.conversation_of("r1") == "c/asha"
        assert await reading.after("r1", 0) == []
        for number in range(6):
            await writing.append(event(f"{number}"))
        assert [one.place for one in await reading.after("r1", 0)] == [3, 4, 5, 6]
        assert [one.place for one in await reading.after("r1", 5)] == [6]
        await writing.append(event("x" * 2_000))
        [large] = await reading.after("r1", 0)
        assert (large.place, large.is_last) == (7, False)
        await writing.append(event("", kind=EventType.RESPONSE_DONE))
        assert [one.is_last for one in await reading.after("r1", 7)] == [True]
        with pytest.raises(EventsGone):
            await reading.after("r9", 0)
        with pytest.raises(EventsGone):
            await reading.conversation_of("r9")
        assert await reading.newest("nobody") is None
        for log in {writing, reading}:
            if isinstance(log, RedisEventLog):
                await log.close()

    asyncio.run(work())


def test_the_log_of_a_process_forgets_what_has_ended():
    now = [0.0]

    async def work() -> None:
        log = MemoryEventLog(BOUNDS, clock=lambda: now[0])
        for name in ("r1", "r2", "r3", "r4"):
            await log.begin(name, f"c-{name}")
            if name != "r4":
                await log.append(event("", name, EventType.RESPONSE_DONE))
        with pytest.raises(EventsGone):
            await log.after("r1", 0)
        assert await log.newest("c-r1") is None
        assert await log.newest("c-r2") == "r2"
        now[0] = 61.0
        assert await log.newest("c-r2") is None
        assert await log.newest("c-r4") == "r4"

    asyncio.run(work())


def test_a_reader_too_far_behind_is_cut_off():
    async def work() -> list[int]:
        log, bus = MemoryEventLog(LogBounds(100, 100, 1, 1)), MemoryEventBus()
        await log.begin("r1", "c")
        await log.append(event("first"))
        reading = follow(log, bus, "r1", 0, READING, is_here=True)
        places = [(await anext(reading)).place]  # type: ignore[union-attr]
        for number in range(4):
            await log.append(event(f"{number}"))
        with pytest.raises(ReaderTooSlow):
            await anext(reading)
        again = follow(log, bus, "r1", 1, READING, is_here=True)
        return places + [(await anext(again)).place for _ in range(4)]  # type: ignore[union-attr]

    assert asyncio.run(work()) == [1, 2, 3, 4, 5]


def test_clean_up_runs_backwards_once_and_whatever_fails():
    done: list[str] = []

    async def work() -> None:
        async def note(name: str) -> None:
            done.append(name)

        async def fail() -> None:
            done.append("fail")
            raise RuntimeError

        async def cancelled() -> None:
            done.append("cancelled")
            raise asyncio.CancelledError

        context = RequestContext("c", "r1")
        with pytest.raises(asyncio.CancelledError):
            async with context:
                for cleanup in (lambda: note("first"), fail, cancelled, lambda: note("last")):
                    context.register_cleanup(cleanup)
        await context.cleanup()
        assert context.stop.is_set()
        with pytest.raises(RuntimeError):
            context.register_cleanup(fail)
        with pytest.raises(AttributeError):
            context.more = 1  # type: ignore[attr-defined]

    asyncio.run(work())
    assert done == ["last", "cancelled", "fail", "first"]


@pytest.fixture
def instances(served_chat: Served, redis_url: str):
    """Two servers that share a store and a Redis; the second one's chat is never asked."""
    scripts = {
        "Count": [*(chunk(f"{number} ") for number in range(3)), 1.0, chunk("end"), DONE],
        "Review": [(EventType.CLARIFY_REQUEST, {"question": "Which branch?", "id": "q1"}), "q1", DONE],
        "Work": LONG,
    }
    first_url, chat = served_chat(scripts, redis_url=redis_url)
    second_url, other = served_chat(redis_url=redis_url)
    time.sleep(0.5)
    yield first_url, second_url, chat
    assert not other.asked


@pytest.mark.server
def test_who_was_cut_off_reads_on_at_another_instance_and_the_work_goes_on(instances):
    first_url, second_url, chat = instances
    with httpx.stream("POST", f"{first_url}/chat", json=asked("Count")) as response:
        heard = Heard(response).read(most=2)
        with httpx.stream(
            "POST", f"{second_url}/chat", json=asked("Count"), headers={"Last-Event-ID": heard.last_id}
        ) as again:
            rest = Heard(again).read(most=1)
            response.close()
            rest.read()
    assert heard.text + rest.text == "0 1 2 end"
    assert rest.events[-1][1]["status"] == "answered"
    assert not chat.stopped.is_set()


@pytest.mark.server
def test_work_that_is_read_at_no_instance_any_more_ends(instances):
    first_url, second_url, chat = instances
    with httpx.stream("POST", f"{first_url}/chat", json=asked("Work")) as response:
        heard = Heard(response).read(most=1)
        with httpx.stream("GET", f"{second_url}/chat/monday/events") as again:
            also = Heard(again).read(most=1)
            response.close()
            time.sleep(1.5)
            assert "Work" not in chat.closed
    assert also.text == heard.text
    assert wait_until(lambda: "Work" in chat.closed) < allowed_s(4)


@pytest.mark.server
def test_a_question_is_answered_at_another_instance(instances):
    first_url, second_url, _ = instances
    with httpx.stream("POST", f"{first_url}/chat", json=asked("Review")) as response:
        heard = Heard(response).read(most=1)
        body = {"id": "q1", "content": {"branch": "Pune"}}
        assert httpx.post(f"{second_url}/chat/tuesday/respond", json=body).status_code == 410
        assert httpx.post(f"{second_url}/chat/monday/respond", json=body).status_code == 204
        assert heard.read().text == "{'branch': 'Pune'}"

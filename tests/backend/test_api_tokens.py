from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from ai_engine.errors import ApiCallFailed, ApiCallRefused, QueryStopped
from backend.outgoing.api_tokens import ApiTokenStore
from backend.outgoing.http_calls import HttpxCalls, origins_of
from data.example_services import EMAIL, PASSWORD, build_app
from tests.loopback_server import serving

SIGN_IN = "/identity/v1/accounts:signInWithPassword"
NOW = 1_800_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(clock: Clock, tmp_path: Path) -> FastAPI:
    return build_app(lifetime_s=600, bank=tmp_path / "none.duckdb", now=clock)


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    with serving(app) as found:
        yield found


def store(address: str, clock: Clock, **parts: Any) -> ApiTokenStore:
    known = {"identity_url": f"{address}{SIGN_IN}", "email": EMAIL, "password": PASSWORD, **parts}
    calls = HttpxCalls(origins_of([address]), timeout_s=5, max_response_kb=16)
    return ApiTokenStore(calls, origins_of([address]), now=clock, **known)


def bearer(tokens: ApiTokenStore, url: str, context: dict[str, Any] | None = None, **parts: Any) -> str | None:
    given = {"rejected": None, "stop": threading.Event(), **parts}
    return asyncio.run(tokens.bearer(url, context or {}, **given))


def sign_ins(app: FastAPI) -> int:
    return app.state.services.sign_ins


# --- where it comes from -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["api_bearer_token", "firebase_id_token"])
def test_a_token_of_the_request_comes_first(address, app, clock, key):
    assert bearer(store(address, clock), f"{address}/x", {key: "given-token"}) == "given-token"
    assert sign_ins(app) == 0


def test_e_mail_and_password_become_a_token_that_is_remembered(address, app, clock):
    tokens = store(address, clock)
    first = bearer(tokens, f"{address}/x")
    assert first
    assert bearer(tokens, f"{address}/y") == first
    assert sign_ins(app) == 1


@pytest.mark.parametrize(("later_s", "asked"), [(479.9, 1), (480.0, 2), (600.0, 2)])
def test_a_token_is_used_until_two_minutes_before_it_expires(address, app, clock, later_s, asked):
    tokens = store(address, clock)
    bearer(tokens, f"{address}/x")
    clock.now += later_s
    bearer(tokens, f"{address}/x")
    assert sign_ins(app) == asked


def test_a_refused_token_is_replaced_though_it_has_not_expired(address, app, clock):
    tokens = store(address, clock)
    first = bearer(tokens, f"{address}/x")
    second = bearer(tokens, f"{address}/x", rejected=first)
    assert second not in {None, first}
    assert bearer(tokens, f"{address}/x") == second


def test_a_refused_token_of_the_request_is_replaced_by_one_of_the_settings(address, clock):
    found = bearer(store(address, clock), f"{address}/x", {"api_bearer_token": "old"}, rejected="old")
    assert found not in {None, "old"}


def test_credentials_of_the_request_are_used_before_those_of_the_settings(address, app, clock):
    tokens = store(address, clock, email=None, password=None)
    assert bearer(tokens, f"{address}/x") is None
    assert bearer(tokens, f"{address}/x", {"firebase_email": EMAIL, "firebase_password": PASSWORD})
    with pytest.raises(ApiCallFailed):
        bearer(tokens, f"{address}/x", {"firebase_email": EMAIL, "firebase_password": "wrong"})
    assert sign_ins(app) == 1


def a_web_token(expires_at: float) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": expires_at}).encode()).decode().rstrip("=")
    return f"e30.{claims}.c2ln"


@pytest.mark.parametrize(("content", "token"), [
    ("file-token\n", "file-token"),
    ('{"token": "in-json", "expires_at": "2027-01-16T00:00:00+00:00"}', "in-json"),
    ('{"idToken": "in-json", "expires_at": 1800000500}', "in-json"),
    (a_web_token(NOW + 121), a_web_token(NOW + 121)),
    (a_web_token(NOW + 119), None),
    ('{"token": "in-json", "expires_at": 1800000119}', None),
    ("two words", None), ("a\nb", None), ("", None), ("{}", None), ('{"token": "a\\r\\nX: b"}', None), ("{", None),
])  # fmt: skip
def test_a_token_file_is_read_for_the_services_of_the_settings(address, clock, tmp_path, content, token):
    file = tmp_path / "token"
    file.write_text(content)
    tokens = store(address, clock, email=None, token_file=file)
    assert bearer(tokens, f"{address}/x") == token


def test_a_request_may_name_a_file_beside_that_of_the_settings_and_none_elsewhere(address, clock, tmp_path):
    folder = tmp_path / "tokens"
    folder.mkdir()
    (folder / "usual").write_text("usual")
    (folder / "other").write_text("other")
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    tokens = store(address, clock, email=None, token_file=folder / "usual")
    assert bearer(tokens, f"{address}/x", {"api_token_file": str(folder / "other")}) == "other"
    for path in (tmp_path / "secret", folder / ".." / "secret", folder / "link"):
        with pytest.raises(ApiCallRefused):
            bearer(tokens, f"{address}/x", {"api_token_file": str(path)})
    with pytest.raises(ApiCallRefused):
        bearer(store(address, clock, email=None), f"{address}/x", {"api_token_file": str(folder / "other")})


def test_what_the_settings_know_is_for_their_own_services_alone(address, app, clock, tmp_path):
    file = tmp_path / "token"
    file.write_text("file-token")
    tokens = store(address, clock, token_file=file)
    assert bearer(tokens, "https://other.example/x") is None
    assert sign_ins(app) == 0


@pytest.mark.parametrize("token", ["a b", "a\r\nX-Other: b", "ä", "a\x00"])
def test_a_token_that_no_header_can_carry_is_refused(address, clock, token):
    with pytest.raises(ApiCallRefused):
        bearer(store(address, clock), f"{address}/x", {"api_bearer_token": token})


def test_no_secret_stands_in_the_text_of_an_object(address, clock):
    tokens = store(address, clock, web_key="web-key")
    token = bearer(tokens, f"{address}/x")
    assert token is not None
    remembered = str([*tokens._remembered.values()])
    assert token not in remembered


# --- many at once ------------------------------------------------------------------------------------------------


def test_of_many_who_need_a_token_in_many_threads_one_asks_for_it(address, app, clock):
    tokens = store(address, clock)
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: bearer(tokens, f"{address}/x"), range(32)))
    assert len(found) == 1
    assert sign_ins(app) == 1


def test_of_many_whose_token_was_refused_one_asks_for_the_next(address, app, clock):
    tokens = store(address, clock)
    old = bearer(tokens, f"{address}/x")

    async def all_at_once() -> set[str | None]:
        stop = threading.Event()
        return set(await asyncio.gather(
            *(tokens.bearer(f"{address}/x", {}, rejected=old, stop=stop) for _ in range(20))
        ))  # fmt: skip

    assert len(asyncio.run(all_at_once())) == 1
    assert sign_ins(app) == 2


def slow_identity(app: FastAPI, wait_s: float) -> FastAPI:
    @app.post("/slow-identity")
    async def sign_in() -> dict[str, str]:
        app.state.slow = getattr(app.state, "slow", 0) + 1
        await asyncio.sleep(wait_s if app.state.slow == 1 else 0)
        return {"idToken": f"slow-{app.state.slow}", "expiresIn": "600"}

    return app


def test_whoever_is_stopped_while_asking_leaves_it_to_the_next_one(app, clock):
    with serving(slow_identity(app, 20)) as address:
        tokens = store(address, clock, identity_url=f"{address}/slow-identity")

        async def both() -> tuple[object, object]:
            stop = threading.Event()
            first = asyncio.ensure_future(tokens.bearer(f"{address}/x", {}, rejected=None, stop=stop))
            await asyncio.sleep(0.3)
            second = asyncio.ensure_future(tokens.bearer(f"{address}/x", {}, rejected=None, stop=threading.Event()))
            await asyncio.sleep(0.3)
            stop.set()
            return (await asyncio.gather(first, second, return_exceptions=True))[:2]

        stopped, found = asyncio.run(both())
    assert isinstance(stopped, QueryStopped)
    assert found == "slow-2"


def test_whoever_waits_may_go_without_ending_it_for_the_others(app, clock):
    with serving(slow_identity(app, 1.0)) as address:
        tokens = store(address, clock, identity_url=f"{address}/slow-identity")

        async def three() -> list[object]:
            stop = threading.Event()
            asked = [
                asyncio.ensure_future(tokens.bearer(f"{address}/x", {}, rejected=None, stop=event))
                for event in (threading.Event(), stop, threading.Event())
            ]
            await asyncio.sleep(0.3)
            stop.set()
            with pytest.raises(QueryStopped):
                await asked[1]
            assert not asked[0].done() and not asked[2].done()
            return await asyncio.gather(asked[0], asked[2])

        assert asyncio.run(three()) == ["slow-1", "slow-1"]

from __future__ import annotations

import gzip
import logging
import socket
import threading
import time
import traceback
import tracemalloc
from contextlib import suppress
from dataclasses import replace

import pytest
from pydantic import BaseModel

from ai_engine.errors import ModelFailed, ModelNotConfigured, ModelUnavailable, QueryStopped
from ai_engine.llm import client as client_module
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.prompts.loader import Messages
from tests.ai_engine.llm.server import KEY, Answer, cut, declines, fails, knows_no_schema, says, serving
from tests.patience import allowed_s


class Colour(BaseModel):
    name: str
    shade: int | None = None


MESSAGES = Messages("Name a colour.", "~~~\nwarm\n~~~")
NEVER = threading.Event()
RED = {"name": "red", "shade": 3}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(client_module, "_FIRST_WAIT_S", 0.01)


def client(server, **options):
    return ChatClient(LlmConfig(api_key=KEY, base_url=server.base_url, model="m", **{"timeout_s": 5.0, **options}))


def ask(server, make=lambda reply: reply, stop=NEVER, **options):
    return client(server, **options).ask(MESSAGES, Colour, make, stop=stop)


def test_a_reply_comes_back_in_its_shape():
    with serving(says(RED)) as server:
        assert ask(server) == Colour(name="red", shade=3)
    request = server.requests[0]
    told = request["response_format"]["json_schema"]
    assert (told["strict"], told["schema"]["required"]) == (False, ["name"])
    assert (request["model"], request["temperature"], request["seed"]) == ("m", 0.0, 7)
    assert server.keys == [f"Bearer {KEY}"]


def test_a_service_is_asked_to_enforce_the_schema_where_that_is_wanted():
    with serving(says(RED)) as server:
        assert ask(server, strict_schema=True) == Colour(name="red", shade=3)
    told = server.requests[0]["response_format"]["json_schema"]
    assert (told["strict"], told["schema"]["required"]) == (True, ["name", "shade"])


def test_json_inside_prose_and_fences_is_found():
    with serving(says('Sure!\n```json\n{"name": "red"}\n```')) as server:
        assert ask(server).name == "red"


@pytest.mark.parametrize(
    "said",
    [
        '<think>{"name": "blue"} is cold</think>{"name": "red"}',
        '<thinking>\nwarm, so {red}\n</thinking>\n```\n{"name": "red"}\n```',
        "{'name': 'red', 'shade': None}",
        "Here: {'name': 'red', 'shade': null}",
    ],
)
def test_thoughts_and_single_quotes_are_read_through(said):
    with serving(says(said)) as server:
        assert ask(server).name == "red"


@pytest.mark.timeout(30)
def test_thoughts_that_never_end_take_no_time():
    began = time.monotonic()
    with serving(says("<think>" * 100_000), says("<think>" * 50_000 + "</think>" * 2 + '{"name": "red"}')) as server:
        assert ask(server, timeout_s=30.0).name == "red"
    assert time.monotonic() - began < allowed_s(3)


def test_a_reply_that_breaks_off_is_asked_for_again():
    with serving(says('{"name": "red", "shade": {"of": 1}, "why'), says(RED)) as server:
        assert ask(server).shade == 3
    assert "cannot be used" in server.requests[1]["messages"][3]["content"]


@pytest.mark.parametrize(
    "answers",
    [
        [fails(400, "no")] * 2, [fails(401)], [fails(404, "no such model")], [fails(429)] * 3, [fails(500)] * 3,
        [Answer("garbage")] * 2, [says("<think>and on and on")] * 2, [says('{"name": "r')] * 2, [says("{'name': ")] * 2,
        [cut(RED)] * 3, [says(RED, blanks_for_s=5)],
    ],
)  # fmt: skip
def test_every_failure_ends_in_a_clear_sentence(answers):
    with serving(*answers) as server, pytest.raises(ModelFailed) as failure:
        ask(server, timeout_s=1.0)
    told = failure.value.user_message
    assert told.startswith("The language model ")
    assert told.endswith(".")


@pytest.mark.parametrize(
    "first", ["no JSON at all", '{"name": ', '{"shade": 3}', "", '{"name": "red"} {"name": "blue"}']
)
def test_a_malformed_reply_is_repaired_once_with_the_reason(first):
    with serving(says(first), says(RED)) as server:
        assert ask(server).name == "red"
    repair = server.requests[1]["messages"]
    assert [turn["role"] for turn in repair] == ["system", "user", "assistant", "user"]
    assert "cannot be used" in repair[3]["content"]


def test_a_reply_found_wrong_is_repaired_too():
    def only_blue(reply):
        if reply.name != "blue":
            raise ValueError("it must be blue")
        return reply.name

    with serving(says(RED), says({"name": "blue"})) as server:
        assert ask(server, only_blue) == "blue"
    assert "it must be blue" in server.requests[1]["messages"][3]["content"]


@pytest.mark.parametrize("bad", [says("nothing"), says(""), declines(), Answer("{}"), Answer("not json")])
def test_a_reply_that_stays_unusable_fails_after_one_repair(bad):
    with serving(bad, bad) as server, pytest.raises(ModelFailed, match="after one repair") as failure:
        ask(server)
    assert type(failure.value) is ModelFailed


@pytest.mark.parametrize("bad", [{"name": "Rs.987654321"}, {"name": 7, "987654321": 1}, "987654321"])
def test_why_it_is_unusable_repeats_nothing_of_it(bad):
    def only_blue(reply):
        raise ValueError(f"it must be blue, not {reply.name}")

    with serving(says(bad), says(bad)) as server, pytest.raises(ModelFailed) as failure:
        ask(server, only_blue)
    assert "987" not in str(failure.value)


def test_a_stop_while_a_reply_is_judged_asks_for_no_repair():
    stop = threading.Event()

    def slowly(reply):
        stop.set()
        raise ValueError("not good enough")

    with serving(says(RED)) as server, pytest.raises(QueryStopped):
        ask(server, slowly, stop=stop)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_address_or_name_is_a_matter_of_setup(status):
    with serving(fails(status, f"Incorrect API key: {KEY}")) as server, pytest.raises(ModelNotConfigured):
        ask(server)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_passing_faults_are_waited_out(status):
    with serving(fails(status), fails(status), says(RED)) as server:
        assert ask(server).name == "red"


@pytest.mark.parametrize("status", [429, 500])
def test_lasting_faults_end_after_two_retries(status):
    with serving(*[fails(status)] * 3) as server, pytest.raises(ModelUnavailable):
        ask(server)


def test_a_short_retry_after_is_honoured():
    with serving(fails(429, headers={"retry-after": "0.3"}), says(RED)) as server:
        started = time.monotonic()
        ask(server)
    assert time.monotonic() - started >= 0.3


def test_a_long_retry_after_is_not_waited_for():
    with serving(fails(429, headers={"retry-after": "60"})) as server, pytest.raises(ModelUnavailable):
        started = time.monotonic()
        ask(server)
    assert time.monotonic() - started < allowed_s(3)


def test_a_used_up_quota_is_not_asked_again():
    with serving(fails(429, code="insufficient_quota")) as server, pytest.raises(ModelUnavailable):
        ask(server)


def test_a_slow_service_is_left_at_the_deadline():
    with serving(says(RED, after_s=5)) as server:
        started = time.monotonic()
        with pytest.raises(ModelUnavailable):
            ask(server, timeout_s=0.3)
        assert time.monotonic() - started < allowed_s(4)


def test_blanks_that_keep_the_connection_alive_do_not_move_the_deadline():
    with serving(says(RED, blanks_for_s=5)) as server:
        started = time.monotonic()
        with pytest.raises(ModelUnavailable):
            ask(server, timeout_s=1.0)  # long enough to be asked at all on a busy machine
        assert time.monotonic() - started < allowed_s(4)


def test_blanks_before_the_body_do_no_harm():
    with serving(says(RED, blanks_for_s=0.1)) as server:
        assert ask(server).name == "red"


def test_nobody_listening_is_unavailable():
    with serving() as server:
        pass
    with pytest.raises(ModelUnavailable):
        ask(server, timeout_s=1.0)


def test_a_service_without_schemas_is_asked_in_words_and_remembered():
    with serving(knows_no_schema(), says(RED), says(RED)) as server:
        shared = client(server)
        assert shared.ask(MESSAGES, Colour, lambda reply: reply.name, stop=NEVER) == "red"
        assert shared.ask(MESSAGES, Colour, lambda reply: reply.name, stop=NEVER) == "red"
    assert ["response_format" in request for request in server.requests] == [True, False, False]
    assert "JSON schema" in server.requests[1]["messages"][0]["content"]


@pytest.mark.parametrize("name", ["temperature", "seed", "max_tokens"])
def test_an_option_that_the_service_does_not_know_is_left_out(name):
    with serving(fails(400, f"Unsupported parameter: {name}", param=name), says(RED)) as server:
        assert ask(server).name == "red"
    assert name in server.requests[0]
    assert name not in server.requests[1]
    assert "response_format" in server.requests[1]


def test_a_request_rejected_for_another_reason_is_not_taken_for_a_missing_feature():
    too_long = fails(400, "too long", code="context_length_exceeded")
    with serving(too_long, too_long, says(RED)) as server:
        shared = client(server)
        with pytest.raises(ModelFailed, match=r"\(HTTP 400\): context_length_exceeded$"):
            shared.ask(MESSAGES, Colour, lambda reply: reply, stop=NEVER)
        shared.ask(MESSAGES, Colour, lambda reply: reply, stop=NEVER)
    assert "response_format" in server.requests[2]


@pytest.mark.parametrize("charset", ["idna", "rot13", "zlib_codec", "undefined", "no-such"])
def test_a_reply_is_utf8_whatever_charset_the_service_names(charset):
    with serving(replace(says(RED), headers={"content-type": f"application/json; charset={charset}"})) as server:
        assert ask(server).name == "red"


@pytest.mark.parametrize("charset", ["punycode", "idna", "rot13", "zlib_codec", "undefined", "no-such"])
def test_an_error_is_utf8_too_whatever_charset_the_service_names(charset):
    kind = {"content-type": f"application/json; charset={charset}"}
    with serving(fails(400, param="seed", headers=kind), says(RED)) as server:
        assert ask(server).name == "red"
    assert "seed" in server.requests[0]
    assert "seed" not in server.requests[1]


@pytest.mark.parametrize("param", [["temperature"], {"name": "seed"}, 5])
def test_an_error_whose_option_is_no_word_is_read_as_one_without(param):
    with serving(fails(400, param=param), says(RED)) as server:
        assert ask(server).name == "red"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_service_that_sends_elsewhere_is_not_followed(status):
    with serving() as elsewhere:
        there = {"location": f"{elsewhere.base_url}/chat/completions"}
        with serving(fails(status, headers=there)) as server, pytest.raises(ModelFailed, match=str(status)):
            ask(server)
    assert (elsewhere.requests, elsewhere.gets) == ([], 0)


@pytest.mark.parametrize("status", [400, 402, 413, 418, 422, 429, 500])
@pytest.mark.parametrize("code", ["deposits are 99 crore", ["context_length_exceeded"], 99])
def test_the_words_of_a_service_stand_in_no_error_and_no_log(status, code, caplog):
    caplog.set_level(logging.INFO)
    answers = [fails(status, "deposits are 99 crore", code=code)] * {400: 2, 422: 2, 429: 3, 500: 3}.get(status, 1)
    with serving(*answers) as server, pytest.raises(ModelFailed) as failure:
        ask(server)
    shown = "".join(traceback.format_exception(failure.value)) + failure.value.user_message
    own = [record.getMessage() for record in caplog.records if record.name.startswith("ai_engine")]
    assert "crore" not in shown + "".join(own)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_the_key_stands_in_no_error_and_no_log(status, caplog):
    caplog.set_level(logging.INFO)
    answers = [fails(status, f"bad key {KEY}")] * {400: 2, 429: 3, 500: 3}.get(status, 1)
    with serving(*answers) as server, pytest.raises(ModelFailed) as failure:
        ask(server)
    shown = "".join(traceback.format_exception(failure.value)) + failure.value.user_message + caplog.text
    assert KEY not in shown
    assert KEY not in repr(LlmConfig(api_key=KEY))


class Flood:
    """A service whose reply never ends; tells how much of it was taken before the client hung up."""

    def __init__(self, head: bytes, chunk: bytes) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self.sent = 0
        self.times = 0
        self._head, self._chunk = head, chunk
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.times += 1
                with connection, suppress(OSError):
                    connection.recv(1 << 16)
                    connection.sendall(self._head)
                    while self.sent < 300_000_000:
                        self.sent += connection.send(self._chunk)

    def close(self) -> None:
        self._listener.close()


@pytest.mark.parametrize("status", [200, 400, 503])
@pytest.mark.parametrize("packed", [False, True])
def test_a_reply_without_end_is_left_after_a_megabyte_and_not_asked_for_again(status, packed):
    packing = b"content-encoding: gzip\r\n" if packed else b""
    chunk = gzip.compress(b"0" * 10_000_000) if packed else b"0" * 65_536
    head = b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\n%s\r\n" % (status, packing)
    flood = Flood(head, chunk)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFailed, match=r"KB|compressed"):
            ask(flood, timeout_s=20.0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        flood.close()
    assert peak < 20_000_000
    assert flood.sent < 30_000_000  # what the sockets' buffers hold is sent, though nobody reads it
    assert flood.times == 1

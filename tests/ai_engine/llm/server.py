"""A small service that speaks the chat completions protocol over loopback, answering as scripted."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ai_engine.conversation import ToolCall

KEY = "sk-secret-of-the-bank"
_LAST = "data: [DONE]"


@dataclass(frozen=True)
class Answer:
    """One HTTP response.

    Attributes:
        blanks_for_s: a space is sent every 20 ms before the body, as keep-alive proxies do.
        lost_bytes: the connection is cut so many bytes before the end of the body.
        pause_s: between one event of a stream and the next; without it they come at once.
        last: the last third of a stream waits for it.
    """

    body: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    blanks_for_s: float = 0.0
    lost_bytes: int = 0
    pause_s: float = 0.0
    last: threading.Event | None = None


def says(content: object, **options: Any) -> Answer:
    """A completion; an object is sent as JSON text, a string as it is."""
    text = content if isinstance(content, str) else json.dumps(content)
    return Answer(_completion({"role": "assistant", "content": text}), **options)


def calls_tools(*calls: ToolCall) -> Answer:
    """A completion that wants tools called."""
    called = [
        {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}} for one in calls
    ]
    return Answer(_completion({"role": "assistant", "content": None, "tool_calls": called}))


def chunks(*deltas: dict[str, object], usage: bool = True, **options: Any) -> Answer:
    """A completion in pieces."""
    lines = [
        {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]  # fmt: skip
    if usage:
        last = {**lines[0], "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}}
        lines.append(last)
    body = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
    return Answer(body=body, headers={"content-type": "text/event-stream"}, **options)


def events(*lines: object) -> Answer:
    """A stream of events; a string is sent as it is, anything else as JSON."""
    data = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    body = "".join(f"data: {line}\n\n" for line in data) + "data: [DONE]\n\n"
    return Answer(body=body, headers={"content-type": "text/event-stream"})


def streams(content: object, **options: Any) -> Answer:
    """A completion that comes a few letters at a time; an object is sent as JSON text."""
    text = content if isinstance(content, str) else json.dumps(content)
    return chunks(*({"content": text[at : at + 8]} for at in range(0, len(text), 8)), **options)


def cut(content: object) -> Answer:
    """A completion whose connection breaks in the middle."""
    whole = says(content)
    return replace(whole, lost_bytes=len(whole.body) // 2)


def declines() -> Answer:
    return Answer(_completion({"role": "assistant", "content": None, "refusal": "I cannot help with that."}))


def fails(status: int, message: str = "no", **options: Any) -> Answer:
    error = {
        "message": message,
        "type": "error",
        "param": options.pop("param", None),
        "code": options.pop("code", None),
    }
    return Answer(json.dumps({"error": error}), status=status, **options)


def knows_no_schema() -> Answer:
    return fails(400, "response_format json_schema is not supported", param="response_format")


def _completion(message: Mapping[str, object]) -> str:
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return json.dumps(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    )


class ChatServer(ThreadingHTTPServer):
    """Gives the scripted answers in order; a request beyond them gets a 418, which no test expects.

    `hung_up` is set when a client leaves a stream before its end, `streamed` when it has taken all of one.
    """

    daemon_threads = True

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._answers = list(answers)
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.gets = 0
        self.hung_up = threading.Event()
        self.streamed = threading.Event()
        self.keys: list[str | None] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
            return self._answers.pop(0) if self._answers else fails(418, "unscripted request")

    def left(self) -> int:
        return len(self._answers)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up at its deadline is no fault of the server."""


class Scripted(ChatServer):
    """Says the same thing of every question, and counts customers where SQL is wanted."""

    def __init__(self) -> None:
        super().__init__(())
        self.reply: dict[str, Any] = {"outcome": "query", "restatement": "as asked", "assumptions": []}

    def next_answer(self, request: dict[str, Any], key: str | None) -> Answer:
        self.requests.append(request)
        if request["response_format"]["json_schema"]["name"] == "SqlReply":
            return says({"sql": "SELECT COUNT(*) AS n FROM customers", "assumptions": [], "reason": None})
        return says(self.reply)


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/chat/completions":
            answer = fails(404, "no such address")
        else:
            answer = self.server.next_answer(request, self.headers.get("authorization"))
        time.sleep(answer.after_s)
        if answer.pause_s:
            self._stream(answer)
            return
        body = answer.body.encode()
        blanks = int(answer.blanks_for_s / 0.02)
        self.send_response(answer.status)
        self.send_header("content-length", str(len(body) + blanks))
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for _ in range(blanks):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.02)
        self.wfile.write(body[: len(body) - answer.lost_bytes])
        self.close_connection = answer.lost_bytes > 0

    def do_GET(self) -> None:
        self.server.gets += 1
        self.send_error(404)

    def _stream(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            events = answer.body.split("\n\n")
            for at, event in enumerate(events):
                while answer.last is not None and at == len(events) * 2 // 3 and not answer.last.wait(0.2):
                    self.wfile.write(b": still there\n\n")
                    self.wfile.flush()
                self.wfile.write(f"{event}\n\n".encode())
                self.wfile.flush()
                if event == _LAST:
                    self.server.streamed.set()
                time.sleep(answer.pause_s)
        except OSError:
            self.server.hung_up.set()

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output quiet."""


class Silence:
    """A port that takes requests and answers none; tells when one has come, and when one was hung up."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.asked = threading.Event()
        self.hung_up = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._listen_to, args=(connection,), daemon=True).start()

    def _listen_to(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while connection.recv(1 << 16):
                self.asked.set()
        self.hung_up.set()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@contextmanager
def silent() -> Iterator[Silence]:
    """Listen, and say nothing, for the length of a test."""
    server = Silence()
    try:
        yield server
    finally:
        server.close()


@contextmanager
def serving(*answers: Answer) -> Iterator[ChatServer]:
    """Run a server for the length of a test; every scripted answer must have been asked for."""
    server = ChatServer(answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
        assert server.left() == 0, f"{server.left()} scripted answers were not asked for"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

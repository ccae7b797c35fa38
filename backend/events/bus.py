"""The bus of several instances: what one publishes, subscribers of all are told, through Redis."""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import threading
import uuid

import redis
from pydantic import SecretStr

from ai_engine.errors import BadConfiguration
from ai_engine.events import Event, EventHandler, MemoryEventBus

_log = logging.getLogger(__name__)
CHANNEL = "banking-assistant:chat:events"
_POLL_S = 0.25
_AGAIN_S = 1.0
_MOST_WAITING = 10_000
_END = ""


class RedisEventBus:
    """Tells its own subscribers at once, and those of other instances as soon as Redis passes it on.

    While Redis cannot be reached, events reach the own subscribers only: what others miss stands in the log.
    """

    def __init__(self, url: SecretStr) -> None:
        self._url = url
        self._name = uuid.uuid4().hex
        self._here = MemoryEventBus()
        self._leaving: queue.Queue[str] = queue.Queue(_MOST_WAITING)
        self._closed = threading.Event()
        self._subscribed = threading.Event()
        self._threads = [
            threading.Thread(target=work, name=f"event-bus-{name}", daemon=True)
            for name, work in (("send", self._send), ("receive", self._receive))
        ]
        for thread in self._threads:
            thread.start()

    def publish(self, event: Event) -> None:
        """See EventBus; never waits for Redis."""
        self._here.publish(event)
        told = {"from": self._name, "event": event.model_dump(mode="json")}
        with contextlib.suppress(queue.Full):  # Redis is away, and the log has it
            self._leaving.put_nowait(json.dumps(told, default=str))

    def subscribe(self, pattern: str, handler: EventHandler, *, request_id: str | None = None) -> str:
        """See EventBus."""
        return self._here.subscribe(pattern, handler, request_id=request_id)

    def unsubscribe(self, subscription: str) -> bool:
        """See EventBus."""
        return self._here.unsubscribe(subscription)

    def wait_until_connected(self, timeout_s: float) -> bool:
        """Say whether events of others arrive, once they do or the time is over."""
        return self._subscribed.wait(timeout_s)

    def close(self) -> None:
        """Send what waits, and let go of Redis."""
        self._closed.set()
        with contextlib.suppress(queue.Full):
            self._leaving.put_nowait(_END)
        for thread in self._threads:
            thread.join(_AGAIN_S * 2)

    def _send(self) -> None:
        with contextlib.closing(connect(self._url)) as client:
            while (message := self._leaving.get()) != _END:
                try:
                    client.publish(CHANNEL, message)
                except redis.RedisError as fault:
                    _log.warning("an event could not be shared: %s", type(fault).__name__)
                    self._closed.wait(_AGAIN_S)

    def _receive(self) -> None:
        with contextlib.closing(connect(self._url)) as client:
            while not self._closed.is_set():
                try:
                    self._receive_until_closed(client)
                except redis.RedisError as fault:
                    self._subscribed.clear()
                    _log.warning("events of other instances cannot be received: %s", type(fault).__name__)
                    self._closed.wait(_AGAIN_S)

    def _receive_until_closed(self, client: redis.Redis) -> None:
        with client.pubsub() as messages:  # type: ignore[no-untyped-call]
            messages.subscribe(CHANNEL)
            while not self._closed.is_set():
                message = messages.get_message(timeout=_POLL_S)
                if message is not None and message["type"] == "subscribe":
                    self._subscribed.set()
                elif message is not None:
                    self._pass_on(message["data"])

    def _pass_on(self, data: bytes) -> None:
        try:
            told = json.loads(data)
            event = None if told["from"] == self._name else Event.model_validate(told["event"])
        except (ValueError, KeyError, TypeError):
            _log.warning("something on the channel of events is none")
            return
        if event is not None:
            self._here.publish(event)


def connect(url: SecretStr) -> redis.Redis:
    """Return a client, which connects when it is first used.

    Raises:
        BadConfiguration: the address is none; it may hold a password and is not repeated.
    """
    try:
        return redis.Redis.from_url(url.get_secret_value(), socket_timeout=5, socket_connect_timeout=2)
    except ValueError:
        raise BadConfiguration("BANK_REDIS_URL cannot be read; use redis://HOST:PORT/NUMBER") from None

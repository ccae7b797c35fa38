"""Sends messages to a chat, and reads what came back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from ai_engine.events import Event, EventType
from backend.chat.door import Chat, ChatRequest


def send(chat: Chat, message: str, conversation_id: str = "c", **more: Any) -> list[Event]:
    async def all_events() -> list[Event]:
        request = ChatRequest(conversation_id=conversation_id, message=message, **more)
        return [event async for event in chat.events(request)]

    return asyncio.run(all_events())


def text_of(events: Sequence[Event]) -> str:
    return "".join(event.data["content"] for event in events if event.type is EventType.RESPONSE_CHUNK)


def told(events: Sequence[Event], kind: EventType) -> list[dict[str, Any]]:
    return [event.data for event in events if event.type is kind]

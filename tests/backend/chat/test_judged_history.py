"""A table in a kept conversation is shown, and told to a model, only as long as its statement may run."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ai_engine.chat_history import ChatMessage
from ai_engine.semantics.vocabulary_edits import Edit
from backend.chat.opening import open_chat
from backend.orchestration import Orchestrator
from backend.renewal import trying
from tests.backend.chat.talking import send


def messages_of(chat) -> list[ChatMessage]:
    return asyncio.run(chat.history("c"))


def test_what_has_become_restricted_is_in_no_message_that_is_read_again(chat, found: Orchestrator):
    send(chat, "Show the account with the highest balance")
    send(chat, "How many branches are there?")
    asked, highest, _, branches = before = messages_of(chat)
    hides = Edit("column", "accounts.balance", "sensitive", False, True)
    now = open_chat(replace(found, assistant=trying(found.assistant, [hides])), chat.history_of)
    then, withheld, _, still = messages_of(now)
    assert withheld.content == (
        "This answer is not shown any more, as its query may not run today: column balance of accounts is restricted."
    )
    assert (withheld.contents, withheld.status) == ((), highest.status)
    assert (then, still) == (asked, branches)
    assert messages_of(chat) == before, "what is kept stays as it is"

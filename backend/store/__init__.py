"""The app's own store: what people keep in it, for all processes of one installation."""

from backend.store import (
    agreement,
    chat_leases,
    chat_messages,
    desk_messages,
    model_spending,
    verified_answers,
    workflow_templates,
)
from backend.store.chat_leases import ConversationLeases
from backend.store.chat_messages import SqlChatHistory
from backend.store.desk_messages import SqlChatStorage
from backend.store.opening import SharedStore, Store, open_store, shared_store
from backend.store.schema import CHANGES, METADATA, Change, UtcTime
from backend.store.workflow_templates import SqlKeptTemplates

PARTS = (
    agreement,
    chat_leases,
    chat_messages,
    desk_messages,
    model_spending,
    verified_answers,
    workflow_templates,
)
"""Modules whose tables the store has; a new part is named here."""

__all__ = [
    "CHANGES",
    "METADATA",
    "PARTS",
    "Change",
    "ConversationLeases",
    "SharedStore",
    "SqlChatHistory",
    "SqlChatStorage",
    "SqlKeptTemplates",
    "Store",
    "UtcTime",
    "open_store",
    "shared_store",
]

"""The app's own store: what people keep in it, for all processes of one installation."""

from backend.store import (
    agreement,
    audit_runs,
    audit_trail,
    chat_leases,
    chat_messages,
    column_answers,
    conversations,
    dashboards,
    desk_messages,
    evaluations,
    feedback,
    model_spending,
    person_formats,
    schedules,
    setting_changes,
    unknown_words,
    verified_answers,
    vocabulary_changes,
    workflow_templates,
)
from backend.store.chat_leases import ConversationLeases
from backend.store.chat_messages import SqlChatHistory
from backend.store.conversations import KeptConversations
from backend.store.desk_messages import SqlChatStorage
from backend.store.opening import SharedStore, Store, open_store, shared_store
from backend.store.schema import METADATA, UtcTime
from backend.store.workflow_templates import SqlKeptTemplates

PARTS = (
    agreement,
    audit_runs,
    audit_trail,
    chat_leases,
    chat_messages,
    column_answers,
    conversations,
    dashboards,
    desk_messages,
    evaluations,
    feedback,
    model_spending,
    person_formats,
    setting_changes,
    schedules,
    unknown_words,
    verified_answers,
    vocabulary_changes,
    workflow_templates,
)
"""Modules whose tables the store has; a new part is named here."""

__all__ = [
    "METADATA",
    "PARTS",
    "ConversationLeases",
    "KeptConversations",
    "SharedStore",
    "SqlChatHistory",
    "SqlChatStorage",
    "SqlKeptTemplates",
    "Store",
    "UtcTime",
    "open_store",
    "shared_store",
]

"""The app's own store: what people keep in it, for all processes of one installation."""

from backend.store import agreement, desk_messages, verified_answers
from backend.store.desk_messages import SqlChatStorage
from backend.store.opening import SharedStore, Store, open_store, shared_store
from backend.store.schema import CHANGES, METADATA, Change, UtcTime

PARTS = (agreement, desk_messages, verified_answers)
"""Modules whose tables the store has; a new part is named here."""

__all__ = [
    "CHANGES",
    "METADATA",
    "PARTS",
    "Change",
    "SharedStore",
    "SqlChatStorage",
    "Store",
    "UtcTime",
    "open_store",
    "shared_store",
]

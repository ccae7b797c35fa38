"""The app's own store: what people keep in it, for all processes of one installation."""

from backend.store.desk_messages import SqlChatStorage
from backend.store.opening import SharedStore, Store, open_store, shared_store
from backend.store.schema import CHANGES, METADATA, Change, UtcTime

__all__ = [
    "CHANGES",
    "METADATA",
    "Change",
    "SharedStore",
    "SqlChatStorage",
    "Store",
    "UtcTime",
    "open_store",
    "shared_store",
]

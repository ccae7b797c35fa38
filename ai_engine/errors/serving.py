"""What a server may fail a request for: others come first, it ends, its store or its settings are wrong."""

from __future__ import annotations

from ai_engine.errors.root import AssistantError


class ConversationBusy(AssistantError):
    """Two messages in one conversation: the first is still being answered."""

    user_message = "The message before in this conversation is still being answered. Please send this one again then."


class EventsGone(AssistantError):
    """A reader wants events of a request that ended too long ago, or never was."""

    user_message = "What happened in this request is no longer kept. The history of the conversation has its answer."


class ReaderTooSlow(AssistantError):
    """A reader of events is so far behind that it is cut off; it may come back."""

    user_message = "This reader is too far behind and was cut off. Read on from the last event that arrived."


class ServerStopping(AssistantError):
    """A request came while the server was ending."""

    user_message = "This server is being restarted. Please try again in a moment."


class ProcessLost(AssistantError):
    """One process of several ended while it worked on a request."""

    user_message = "The process that worked on this has ended before its answer. Nothing was changed; please ask again."


class StoreUnavailable(AssistantError):
    """The app's own store cannot be reached, is locked for too long, or is damaged."""

    user_message = "What the assistant keeps cannot be read or written right now. Please try again in a moment."


class AnswerUnreadable(StoreUnavailable):
    """An answer that was kept cannot be read again."""

    user_message = "The answer that was kept here cannot be read any more. Ask the question again."


class BadConfiguration(AssistantError):
    """A setting, a database URL or a file is wrong; the message says which and what to do."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class BadVocabulary(BadConfiguration):
    """A vocabulary file does not follow the format.

    Attributes:
        line: 1-based line in the file, None when the fault has no single place.
        field: dotted path of the field at fault.
    """

    def __init__(self, problem: str, *, line: int | None = None, field: str = "") -> None:
        place = f"line {line}: " if line is not None else ""
        super().__init__(f"{place}{field}: {problem}" if field else f"{place}{problem}")
        self.line = line
        self.field = field

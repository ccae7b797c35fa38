"""What a question, or the statement made of it, may be refused for."""

from __future__ import annotations

from ai_engine.errors.root import AssistantError

_MOST_NAME_CHARS = 64


class BadQuestion(AssistantError, ValueError):
    """The question cannot be read at all: it is empty or longer than the limit."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class UnknownAgent(BadQuestion):
    """A request prefers or disables agents that there are not."""

    def __init__(self, names: tuple[str, ...], known: tuple[str, ...]) -> None:
        kind = "agents" if len(names) > 1 else "agent"
        super().__init__(f"There is no {kind} named {', '.join(names)}. There are: {', '.join(known)}.")
        self.names = names


class UnknownSource(BadQuestion):
    """A request names a data source that there is not; one that others may ask is none for this person."""

    def __init__(self, name: str) -> None:
        told = name if len(name) <= _MOST_NAME_CHARS else f"{name[:_MOST_NAME_CHARS]}…"
        super().__init__(
            f"There is no data source named {told!r} for you." if name else "There is no data source for you."
        )
        self.name = name


class DeadlineExceeded(AssistantError):
    """An agent was ended at its deadline."""

    def __init__(self, who: str, limit_s: float) -> None:
        super().__init__(f"{who} was ended after {limit_s:g} s", f"It took longer than {limit_s:g} s and was stopped.")


class IntentNotCovered(AssistantError):
    """A structured question asks for something the vocabulary or the compiler cannot express."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, f"This question cannot be answered from the data as described: {detail}.")


class AmbiguousPath(IntentNotCovered):
    """Two tables are linked in several equally short ways.

    Attributes:
        alternatives: the names of the relationships walked, one tuple per way.
        descriptions: the same ways in words, in the same order.
    """

    def __init__(self, detail: str, alternatives: tuple[tuple[str, ...], ...], descriptions: tuple[str, ...]) -> None:
        super().__init__(detail)
        self.alternatives = alternatives
        self.descriptions = descriptions


class SqlRejected(AssistantError):
    """A statement may not run.

    Attributes:
        part: the offending piece of SQL.
        nearest: known names closest to an unknown one, best first.
        place: line and column where a syntax error begins, counted from 1.
    """

    def __init__(
        self, reason: str, *, part: str = "", nearest: tuple[str, ...] = (), place: tuple[int, int] | None = None
    ) -> None:
        super().__init__(reason, f"The query was not run: {reason}.")
        self.part = part
        self.nearest = nearest
        self.place = place

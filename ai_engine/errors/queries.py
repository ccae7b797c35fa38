"""What a database may say no for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai_engine.errors.root import AssistantError
from ai_engine.said_scan import said_scan, said_size

if TYPE_CHECKING:
    from ai_engine.types import ScanEstimate


class QueryFailed(AssistantError):
    """The database refused or could not finish a statement; says so in our words, as the database's may quote data.

    Attributes:
        names: what of the statement it is about; part of the text.
    """

    user_message = "The database could not run this query. Try asking it another way."

    def __init__(self, reason: str, user_message: str | None = None, *, names: tuple[str, ...] = ()) -> None:
        super().__init__(reason, user_message)
        self.names = names

    def __str__(self) -> str:
        reason = super().__str__()
        return f"{reason}: {', '.join(self.names)}" if self.names else reason


class QueryTimedOut(QueryFailed):
    """A statement was stopped at its deadline."""

    user_message = "The query took too long and was stopped. Try a shorter period or fewer details."

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"stopped after {limit_s:g} s: aggregate more or narrow the filter")
        self.limit_s = limit_s


class QueryStopped(QueryFailed):
    """A statement was stopped because the person who asked said so."""

    user_message = "Stopped. Nothing is running any more."

    def __init__(self) -> None:
        super().__init__("stopped on request")


class ResultTooLarge(QueryFailed):
    """A result, or one cell of it, holds more bytes than allowed."""

    user_message = "The result is too large to show. Ask for fewer columns, fewer rows or a total."


class ScanTooLarge(QueryFailed):
    """A statement was not run, because of what the database expects it to read.

    Attributes:
        expected: of the statement.
        max_gb: that one may read.
        suggestions: narrower questions that may be asked.
    """

    def __init__(
        self, expected: ScanEstimate, max_gb: float, advice: str = "", suggestions: tuple[str, ...] = ()
    ) -> None:
        told = f"by the database's own estimate it would read {said_scan(expected)}"
        super().__init__(
            f"not run: {told}, more than {max_gb:g} GB",
            f"The query was not run: {told}, and one question may read {said_size(max_gb * 10**9)}. "
            f"{advice or 'Ask for a shorter period, or for fewer details.'}",
        )
        self.expected = expected
        self.max_gb = max_gb
        self.suggestions = suggestions


class DatabaseUnavailable(QueryFailed):
    """No connection could be made, or it was lost while a statement ran."""

    user_message = "The database cannot be reached right now. Check that it is running, then ask again."


class DatabaseBusy(QueryFailed):
    """Too many statements are waiting already."""

    user_message = "Many questions are being answered right now. Please ask again in a moment."

"""The whole error tree.

AssistantError
├── BadQuestion            empty or too long (also a ValueError)
│   ├── UnknownAgent       a request names an agent that there is not
│   └── UnknownSource      a request names a data source that there is not, or not for this person
├── DeadlineExceeded       an agent, or all of them together, took too long
├── IntentNotCovered       the compiler cannot say this question in SQL
│   └── AmbiguousPath      several relationships lead there, and nothing says which
├── SqlRejected            the guard said no
├── QueryFailed            the database said no
│   ├── QueryTimedOut      stopped at the deadline
│   ├── QueryStopped       stopped by the person who asked
│   ├── ResultTooLarge     more bytes than a result may hold
│   ├── ScanTooLarge       more would be read than one statement may; it was not run
│   ├── DatabaseUnavailable  no connection, or it was lost
│   └── DatabaseBusy       the queue is full
├── ModelFailed            the language model gave nothing usable
│   ├── ModelNotConfigured no key, or the service refused it
│   ├── ModelUnavailable   unreachable, overloaded, too slow
│   └── NoFurtherDraft     a failed statement cannot be written another way
├── ApiCallFailed          an HTTP service gave no answer: unreachable, too slow, too large
│   └── ApiCallRefused     the address is not one that may be called
├── WorkflowInvalid        a workflow cannot run as it is written
├── UploadRefused          a file that somebody brought cannot be read or kept
├── NotPermitted           this person may not do that
│   └── NotKept            a link leads to nothing, or to what is another person's
├── CannotVerify           there is nothing to verify, confirm or retract
├── CannotKeep             what a person wants kept is more than fits, or cannot be read
├── DeliveryFailed         scheduled files reached neither folder nor mail server
├── CannotChangeVocabulary a proposed change of the vocabulary cannot be kept, published or undone
├── ConversationBusy       the message before in this conversation is still being answered
├── EventsGone             what a reader missed is no longer kept
├── ReaderTooSlow          a reader of events is so far behind that it is cut off
├── ServerStopping         nothing new is begun, as the server is about to end
├── ProcessLost            the process that worked on a request ended before its reply
├── StoreUnavailable       the app's own store cannot be read or written
│   └── AnswerUnreadable   an answer was kept in a form that this version does not know, or is damaged
└── BadConfiguration       settings, database URL, files
    └── BadVocabulary      a vocabulary file, with the line and field

Every error has two texts: `str(error)` for the log and the model, `user_message` for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai_engine.said_scan import said_scan, said_size

if TYPE_CHECKING:
    from ai_engine.types import ScanEstimate


class AssistantError(Exception):
    """Root of everything the assistant raises on purpose."""

    user_message = "Something went wrong while answering. Please try again."

    def __init__(self, detail: str, user_message: str | None = None) -> None:
        super().__init__(detail)
        if user_message is not None:
            self.user_message = user_message


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
        super().__init__(
            f"There is no data source named {name!r} for you." if name else "There is no data source for you."
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


class ModelFailed(AssistantError):
    """The language model gave no usable reply."""

    user_message = "The language model gave no usable reply. Please ask again, or rephrase the question."


class ModelNotConfigured(ModelFailed):
    """The language model's key, address or name is missing or was refused."""

    user_message = "The language model is not set up correctly. Check OPENAI_API_KEY, OPENAI_BASE_URL and BANK_MODEL."


class ModelUnavailable(ModelFailed):
    """The language model cannot be reached, is overloaded or did not answer in time."""

    user_message = "The language model cannot be reached right now. Please try again in a moment."


class ModelBudgetSpent(ModelUnavailable):
    """A person has used what the language model may be used for on one day."""

    user_message = "Your budget for the language model is used up for today."

    def __init__(self, max_tokens: int) -> None:
        super().__init__(f"the day's budget of {max_tokens:,} tokens is used up")
        self.max_tokens = max_tokens


class NoFurtherDraft(ModelFailed):
    """A statement failed, and the model knows no other way of writing it; carries the failure's own message."""


class ApiCallFailed(AssistantError):
    """An HTTP service gave no usable answer."""

    user_message = "The service could not be reached, or took too long. Please try again."


class ApiCallRefused(ApiCallFailed):
    """A call was not made, because its address is not permitted."""

    user_message = (
        "This address may not be called from here. Whoever runs the assistant can list it in BANK_SERVICES_HOSTS."
    )


class WorkflowInvalid(AssistantError):
    """A workflow, or a template of one, cannot run as it is written.

    Attributes:
        faults: all that is wrong, a sentence each; for people, and for a model that is to write it better.
    """

    def __init__(self, faults: tuple[str, ...]) -> None:
        text = " ".join(faults)
        super().__init__(text, f"This workflow cannot run. {text}")
        self.faults = faults


class UploadRefused(AssistantError):
    """A file that somebody brought cannot become a table; the text says why, and quotes at most a few cells of it."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class NotPermitted(AssistantError):
    """Somebody asks for what only others may do."""

    user_message = "You may not do this here. Whoever runs the assistant can permit it."


class NotKept(NotPermitted):
    """What a link names was deleted, never was, or belongs to somebody else: the same words for all."""

    user_message = "This was deleted, or it is not yours to open. Whoever asked it can share it."

    def __init__(self) -> None:
        super().__init__("nothing is kept under this name for this person")


class CannotVerify(AssistantError):
    """What is to be verified, confirmed or retracted is no answer from the data, or not in that state."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class CannotKeep(AssistantError):
    """What a person wants kept (a dashboard, a schedule, a set of questions) is more than fits, or cannot be read."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class DeliveryFailed(AssistantError):
    """Scheduled files reached neither folder nor mail server."""

    user_message = "What was scheduled could not be delivered."


class CannotChangeVocabulary(AssistantError):
    """A change of the vocabulary that cannot be kept, published or undone as things stand."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


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

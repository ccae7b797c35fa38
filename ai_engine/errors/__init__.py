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
│   │   └── ModelBudgetSpent  a person has used what one day allows
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

from ai_engine.errors.keeping import (
    CannotChangeVocabulary,
    CannotKeep,
    CannotVerify,
    DeliveryFailed,
    NotKept,
    NotPermitted,
    UploadRefused,
    WorkflowInvalid,
)
from ai_engine.errors.queries import (
    DatabaseBusy,
    DatabaseUnavailable,
    QueryFailed,
    QueryStopped,
    QueryTimedOut,
    ResultTooLarge,
    ScanTooLarge,
)
from ai_engine.errors.questions import (
    AmbiguousPath,
    BadQuestion,
    DeadlineExceeded,
    IntentNotCovered,
    SqlRejected,
    UnknownAgent,
    UnknownSource,
)
from ai_engine.errors.root import AssistantError
from ai_engine.errors.services import (
    ApiCallFailed,
    ApiCallRefused,
    ModelBudgetSpent,
    ModelFailed,
    ModelNotConfigured,
    ModelUnavailable,
    NoFurtherDraft,
)
from ai_engine.errors.serving import (
    AnswerUnreadable,
    BadConfiguration,
    BadVocabulary,
    ConversationBusy,
    EventsGone,
    ProcessLost,
    ReaderTooSlow,
    ServerStopping,
    StoreUnavailable,
)

__all__ = [
    "AmbiguousPath",
    "AnswerUnreadable",
    "ApiCallFailed",
    "ApiCallRefused",
    "AssistantError",
    "BadConfiguration",
    "BadQuestion",
    "BadVocabulary",
    "CannotChangeVocabulary",
    "CannotKeep",
    "CannotVerify",
    "ConversationBusy",
    "DatabaseBusy",
    "DatabaseUnavailable",
    "DeadlineExceeded",
    "DeliveryFailed",
    "EventsGone",
    "IntentNotCovered",
    "ModelBudgetSpent",
    "ModelFailed",
    "ModelNotConfigured",
    "ModelUnavailable",
    "NoFurtherDraft",
    "NotKept",
    "NotPermitted",
    "ProcessLost",
    "QueryFailed",
    "QueryStopped",
    "QueryTimedOut",
    "ReaderTooSlow",
    "ResultTooLarge",
    "ScanTooLarge",
    "ServerStopping",
    "SqlRejected",
    "StoreUnavailable",
    "UnknownAgent",
    "UnknownSource",
    "UploadRefused",
    "WorkflowInvalid",
]

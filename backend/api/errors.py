"""Which HTTP status each error of the assistant has, and what it means to a caller."""

from __future__ import annotations

from http import HTTPStatus

from ai_engine import errors

CLIENT_CLOSED_REQUEST = 499
"""nginx's number for "nobody is listening any more"; HTTP itself has none."""

HTTP_STATUS: dict[type[errors.AssistantError], int] = {
    errors.AssistantError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.BadQuestion: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UnknownAgent: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UnknownSource: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.DeadlineExceeded: HTTPStatus.GATEWAY_TIMEOUT,
    errors.IntentNotCovered: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.AmbiguousPath: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.SqlRejected: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.QueryFailed: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.QueryTimedOut: HTTPStatus.GATEWAY_TIMEOUT,
    errors.QueryStopped: CLIENT_CLOSED_REQUEST,
    errors.ResultTooLarge: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.ScanTooLarge: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.DatabaseUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.DatabaseBusy: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ModelFailed: HTTPStatus.BAD_GATEWAY,
    errors.ModelNotConfigured: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.ModelUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ModelBudgetSpent: HTTPStatus.TOO_MANY_REQUESTS,
    errors.NoFurtherDraft: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.ApiCallFailed: HTTPStatus.BAD_GATEWAY,
    errors.ApiCallRefused: HTTPStatus.FORBIDDEN,
    errors.WorkflowInvalid: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UploadRefused: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.NotPermitted: HTTPStatus.FORBIDDEN,
    errors.NotKept: HTTPStatus.FORBIDDEN,
    errors.CannotVerify: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.CannotKeep: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.DeliveryFailed: HTTPStatus.BAD_GATEWAY,
    errors.CannotChangeVocabulary: HTTPStatus.CONFLICT,
    errors.ConversationBusy: HTTPStatus.CONFLICT,
    errors.EventsGone: HTTPStatus.GONE,
    errors.ReaderTooSlow: HTTPStatus.REQUEST_TIMEOUT,
    errors.ServerStopping: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ProcessLost: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.AnswerUnreadable: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.BadConfiguration: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.BadVocabulary: HTTPStatus.INTERNAL_SERVER_ERROR,
}

FAILURES = {
    HTTPStatus.UNPROCESSABLE_ENTITY.value: "The question cannot be read, or no permitted statement answers it",
    HTTPStatus.INTERNAL_SERVER_ERROR.value: "The assistant is not set up correctly, or met a fault of its own",
    HTTPStatus.FORBIDDEN.value: "You may not do this, or an HTTP service that the question needs may not be called",
    HTTPStatus.BAD_GATEWAY.value: "The language model, or an HTTP service, gave nothing usable",
    HTTPStatus.TOO_MANY_REQUESTS.value: "Your budget for the language model is used up for today",
    HTTPStatus.SERVICE_UNAVAILABLE.value: "Database, store or model cannot be reached, or are busy",
    HTTPStatus.GATEWAY_TIMEOUT.value: "The query was stopped at its deadline",
}
"""What each status means to a caller."""

_STATUS_BY_NAME = {kind.__name__: status for kind, status in HTTP_STATUS.items()}


def http_status_of(error_kind: str | None) -> int:
    """Return the status of `Answer.error_kind`: 200 without an error, 500 for a name that is not in the table."""
    if error_kind is None:
        return HTTPStatus.OK
    return _STATUS_BY_NAME.get(error_kind, HTTPStatus.INTERNAL_SERVER_ERROR)

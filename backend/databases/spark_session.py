"""Opens sessions of a Spark Thrift server, and says what its replies mean; all that is known of its client."""

from __future__ import annotations

import contextlib
import logging
import ssl
from collections.abc import Iterator
from typing import Any

import thrift_sasl
from pyhive import exc, hive
from TCLIService import TCLIService, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TSSLSocket import TSSLSocket
from thrift.transport.TTransport import TBufferedTransport

from backend.databases.engine import EngineFault
from backend.databases.spark_faults import Refused

LOST = (TException, OSError, EOFError)
"""What the client raises when the server does not answer, or answers with something else."""
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # an overflow or a wrong cast is an error, and never NULL in silence
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",  # a statement means here what the guard read
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.variable.substitute": "false",  # ${env:…} in a text would tell what the server keeps to itself
    "spark.sql.runSQLOnFiles": "false",  # a table is one of the catalogue, and no path of a file
    "spark.sql.thriftServer.interruptOnCancel": "true",  # else a task that was cancelled computes on
    "spark.sql.thriftServer.incrementalCollect": "false",
    "hive.server2.long.polling.timeout": "500ms",  # so long the server does not see that who waits has died
}
_BY_PREFIX = "set:hiveconf:"  # without it the server passes over a setting in silence

logging.getLogger("thrift").addHandler(logging.NullHandler())  # it prints each server that does not answer
logging.getLogger("thrift").propagate = False


def open_session(
    location: dict[str, str], timeout_s: float, statement_timeout_s: float | None = None
) -> hive.Connection:
    """Open a session in the database of the address; without a limit for its replies, their owner keeps one.

    Raises:
        EngineFault: unavailable; the server does not answer in time, or does not let us in.
    """
    socket = _socket(location, timeout_s)
    zone = location.get("timezone", "UTC")
    settings = {**_SETTINGS, "spark.sql.session.timeZone": zone}
    try:
        session = hive.Connection(
            username=location["user"] or "anonymous",
            database=location["database"].replace("`", "``"),
            configuration={_BY_PREFIX + name: value for name, value in settings.items()},
            thrift_transport=_transport(location, socket),
        )
    except exc.Error as error:
        raise EngineFault("unavailable", f"cannot connect: {_first_sentence(error)}") from error
    except LOST as error:
        raise EngineFault("unavailable", f"cannot connect: {_first_line(error)}") from error
    socket.setTimeout(None if statement_timeout_s is None else statement_timeout_s * 1_000)
    return session


def leave(session: hive.Connection) -> None:
    """Cut a session's connection, upon which the server ends it and whatever it runs."""
    with contextlib.suppress(*LOST):
        session._transport.close()


def cancel_operation(location: dict[str, str], handle: Any, timeout_s: float) -> None:
    """Have a statement's jobs cancelled. As soon as rows may be fetched that is without effect: then it is closed.

    Raises:
        one of `LOST`: the server could not be told.
    """
    with _without_session(location, timeout_s) as client:
        client.CancelOperation(ttypes.TCancelOperationReq(handle))
        told = client.GetOperationStatus(ttypes.TGetOperationStatusReq(handle))
        if told.operationState != ttypes.TOperationState.CANCELED_STATE:
            client.CloseOperation(ttypes.TCloseOperationReq(handle))


def close_operation(location: dict[str, str], handle: Any, timeout_s: float) -> None:
    """End a statement, upon which the server cancels those of its jobs that run now; harmless when repeated.

    Raises:
        one of `LOST`: the server could not be told.
    """
    with _without_session(location, timeout_s) as client:
        client.CloseOperation(ttypes.TCloseOperationReq(handle))


@contextlib.contextmanager
def _without_session(location: dict[str, str], timeout_s: float) -> Iterator[Any]:
    transport = _transport(location, _socket(location, timeout_s))
    try:
        transport.open()
        yield TCLIService.Client(TBinaryProtocol(transport))
    finally:
        transport.close()


def checked(response: Any) -> Any:
    """Return a response that is none of refusal.

    Raises:
        Refused: the server refused.
    """
    status = response.status
    if status.statusCode not in (ttypes.TStatusCode.SUCCESS_STATUS, ttypes.TStatusCode.SUCCESS_WITH_INFO_STATUS):
        raise Refused(status.errorMessage or "", status.sqlState or "")
    return response


def fetched(client: Any, handle: Any, max_rows: int) -> list[list[Any]]:
    """Return the next rows of an operation as columns of equal length, as the server spells their cells."""
    request = ttypes.TFetchResultsReq(handle, ttypes.TFetchOrientation.FETCH_NEXT, max_rows)
    results = checked(client.FetchResults(request)).results
    return [_cells(column) for column in results.columns or ()]


def _cells(column: Any) -> list[Any]:
    held = next(part for part in vars(column).values() if part is not None)
    values: list[Any] = held.values
    if any(held.nulls):
        for place in range(min(len(values), 8 * len(held.nulls))):
            if held.nulls[place >> 3] >> (place & 7) & 1:
                values[place] = None
    return values


def _socket(location: dict[str, str], timeout_s: float) -> TSocket:
    host, port = location["host"], int(location["port"])
    if location.get("tls") == "true" or location.get("tls_ca"):
        trusted = ssl.create_default_context(cafile=location.get("tls_ca"))
        socket = TSSLSocket(host, port, ssl_context=trusted, server_hostname=host, socket_keepalive=True)
    else:
        socket = TSocket(host, port, socket_keepalive=True)
    socket.setTimeout(timeout_s * 1_000)
    return socket


def _transport(location: dict[str, str], socket: TSocket) -> Any:
    if location.get("auth", "").upper() == "NOSASL":
        return TBufferedTransport(socket)
    user, password = location["user"] or "anonymous", location["password"] or "none"  # an empty one is no SASL

    def plain() -> Any:
        return hive.get_installed_sasl(host=location["host"], sasl_auth="PLAIN", username=user, password=password)

    return thrift_sasl.TSaslClientTransport(plain, "PLAIN", socket)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _first_sentence(error: exc.Error) -> str:
    """What the server said, which its client wraps into the whole of its response."""
    response = error.args[0] if error.args else None
    status = getattr(response, "status", None)
    return _first_line(Exception(getattr(status, "errorMessage", None) or type(error).__name__))

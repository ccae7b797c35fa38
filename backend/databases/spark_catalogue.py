"""Reads the tables of one Spark database in three questions, however many there are.

The protocol's own calls tell columns, comments and views of all tables at once, where SQL would have to ask table by
table; what tables are partitioned by stands in `SHOW TABLE EXTENDED` alone. Spark holds
no rows to keys, and tells none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from TCLIService import ttypes

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.column_types import column_type
from ai_engine.errors import DatabaseUnavailable
from backend.databases.engine import EngineFault
from backend.databases.limits import DatabaseLimits
from backend.databases.spark_faults import Refused
from backend.databases.spark_session import LOST, checked, fetched, leave, open_session

_PAGE_ROWS = 10_000
_MAX_ROWS = 500_000
_VIEWS = frozenset({"VIEW", "GLOBAL_TEMPORARY", "LOCAL_TEMPORARY"})
_PARTITIONS = re.compile(r"^Partition Columns: \[(.*)\]$", re.MULTILINE)
_QUOTED = re.compile(r"`((?:[^`]|``)*)`")
_NULLABLE = "YES"


def read_spark_catalogue(location: dict[str, str], limits: DatabaseLimits) -> Catalogue:
    """Read every table and view of the database that the address names; they have no schema name.

    Raises:
        DatabaseUnavailable: the server does not answer in time, or does not let us in.
    """
    try:
        session = open_session(location, limits.connect_timeout_s, limits.catalogue_timeout_s)
        try:
            return Catalogue("spark", tuple(_tables(session, location["database"])), location["database"])
        finally:
            leave(session)
    except EngineFault as fault:
        detail = fault.detail.removeprefix("cannot connect: ")
    except Refused:
        detail = "it does not tell which tables it has"
    except LOST:
        detail = "the connection was lost while its tables were read"
    # Out here, where the client's error is not in its context: that one knows the password.
    raise DatabaseUnavailable(detail, f"The database cannot be reached: {detail}.")


def _tables(session: Any, database: str) -> Iterator[Table]:
    client, place = session.client, (session.sessionHandle, None, _as_pattern(database))
    columns: defaultdict[str, list[Column]] = defaultdict(list)
    found = checked(client.GetColumns(ttypes.TGetColumnsReq(*place, "%", "%")))
    for row in _rows(client, found):
        native = str(row[5]).upper()
        column = Column(str(row[3]), column_type(native), native, row[17] == _NULLABLE, str(row[11] or ""))
        columns[str(row[2])].append(column)
    found = checked(client.GetTables(ttypes.TGetTablesReq(*place, "%", None)))
    described = {str(row[2]): (str(row[3]), str(row[4] or "")) for row in _rows(client, found)}
    partitions = _partitions(session, database)
    for name, parts in columns.items():
        kind, comment = described.get(name, ("", ""))
        by = tuple(column.name for column in parts if column.name in partitions.get(name, ()))
        yield Table(name, tuple(parts), comment=comment, is_view=kind in _VIEWS, partition_columns=by)


def _partitions(session: Any, database: str) -> dict[str, tuple[str, ...]]:
    """Read which columns rows are kept apart by, a line behind the comment, which may say the same of others."""
    quoted = database.replace("`", "``")
    request = ttypes.TExecuteStatementReq(session.sessionHandle, f"SHOW TABLE EXTENDED IN `{quoted}` LIKE '*'")
    told: dict[str, tuple[str, ...]] = {}
    for _, name, _, information in _rows(session.client, checked(session.client.ExecuteStatement(request))):
        lines = _PARTITIONS.findall(str(information))
        if lines:
            told[str(name)] = tuple(one.replace("``", "`") for one in _QUOTED.findall(lines[-1]))
    return told


def _rows(client: Any, asked: Any) -> Iterator[tuple[Any, ...]]:
    """Fetch all rows of an operation and close it."""
    handle, count = asked.operationHandle, 0
    while count < _MAX_ROWS:
        page = list(zip(*fetched(client, handle, _PAGE_ROWS), strict=True))
        if not page:
            break
        count += len(page)
        yield from page
    client.CloseOperation(ttypes.TCloseOperationReq(handle))


def _as_pattern(name: str) -> str:
    """Write a name as a pattern of the protocol, in which _ and % stand for others."""
    return re.sub(r"([_%\\])", r"\\\1", name)

"""Clients of warehouses that run at a provider: TLS always, statements cancelled by their number there."""

from __future__ import annotations

import contextlib
import re
import time
from importlib import import_module
from typing import Any
from uuid import uuid4

from ai_engine.types import ColumnType, ScanEstimate
from backend.databases.dbapi_clients import AFTER_DEADLINE_S, APP, Client
from backend.databases.dbapi_faults import BIGQUERY, SNOWFLAKE, Faults
from backend.databases.engine import EngineFault
from backend.databases.spark_faults import Refused
from backend.databases.spark_faults import fault_of as spark_fault_of

_PAUSES_S = (0.02, 0.5)
_FIRST_ROWS = 64
_PAGE_ROWS = 4_096


class SnowflakeClient(Client):
    """`snowflake.connector`; a statement is handed in, asked after and cancelled by its query id."""

    codes = SNOWFLAKE
    _KINDS: tuple[ColumnType, ...] = (
        *("decimal", "float", "text", "date", "timestamp", "other", "timestamp", "timestamp", "timestamp"),
        *("other", "other", "other", "time", "boolean"),
    )  # by the numbers of its documentation: FIXED, REAL, TEXT, DATE, TIMESTAMP, VARIANT, LTZ, TZ, NTZ, OBJECT …

    def connect(self) -> None:
        """Log in, in a session that spells and reads moments in one way."""
        connector = import_module("snowflake.connector")
        self.errors = (connector.Error, OSError)
        self._limit_s = 0
        self._query = ""
        self.connection = connector.connect(
            account=self.location["host"],
            user=self.location["user"],
            password=self.location["password"],
            database=self.location["database"],
            schema=self.location["schema"],
            **{name: self.location[name] for name in ("warehouse", "role") if name in self.location},
            login_timeout=max(1, int(self.start.connect_timeout_s)),
            application=APP,
            autocommit=False,
            session_parameters={
                "TIMEZONE": self.timezone,
                "TIMESTAMP_TYPE_MAPPING": "TIMESTAMP_NTZ",
                "DATE_INPUT_FORMAT": "AUTO",
                "DATE_OUTPUT_FORMAT": "YYYY-MM-DD",
                "TIMESTAMP_INPUT_FORMAT": "AUTO",
                "TIMESTAMP_NTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF",
                "QUOTED_IDENTIFIERS_IGNORE_CASE": False,
                "MULTI_STATEMENT_COUNT": 1,
                "ABORT_DETACHED_QUERY": True,
                "CLIENT_TELEMETRY_ENABLED": False,
            },
        )

    def begin(self, timeout_s: float) -> None:
        """Set the server's own deadline, where it is another one than before."""
        limit_s = round(timeout_s + AFTER_DEADLINE_S + 1)
        if limit_s != self._limit_s:
            self.run(f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {limit_s}")
            self._limit_s = limit_s

    def ask(self, sql: str) -> Any:
        """Hand a statement in, and wait for its rows."""
        self.cursor = self.connection.cursor()
        self.cursor.execute_async(sql)
        self._query = str(self.cursor.sfqid)
        pause_s, longest_s = _PAUSES_S
        while self.connection.is_still_running(self.connection.get_query_status_throw_if_error(self._query)):
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, longest_s)
        self.cursor.get_results_from_sfqid(self._query)
        return _FirstFetched(self.cursor)

    def cancel(self) -> None:
        """Abort the query by its id."""
        if self._query:
            with contextlib.closing(self.connection.cursor()) as cursor:
                cursor.abort_query(self._query)

    def end(self) -> None:
        """Roll back what was begun."""
        self._query = ""
        super().end()

    def kind(self, column: Any) -> ColumnType | None:
        """Read the number of a type."""
        number, scale = column[1], column[5]
        if number == 0 and scale == 0:
            return "integer"
        return self._KINDS[number] if number < len(self._KINDS) else "other"

    def told(self, error: Exception) -> tuple[str, str]:
        """Return the number of the error, and what is said."""
        return str(getattr(error, "errno", "")), str(getattr(error, "raw_msg", None) or getattr(error, "msg", ""))


class _FirstFetched:
    """A cursor that knows its columns only once rows were fetched."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        self._first = cursor.fetchmany(_FIRST_ROWS)
        self.description = cursor.description

    def fetchmany(self, max_rows: int) -> list[Any]:
        """Return the next rows, those first that are here already."""
        taken, self._first = self._first[:max_rows], self._first[max_rows:]
        return taken or list(self._cursor.fetchmany(max_rows))

    def close(self) -> None:
        """Leave what was not fetched."""
        self._cursor.close()


class BigQueryClient(Client):
    """`google.cloud.bigquery`; what a statement is and reads is told by a dry run, which costs nothing."""

    codes = BIGQUERY
    _SAID: tuple[tuple[re.Pattern[str], str], ...] = tuple(
        (re.compile(pattern, re.IGNORECASE), code)
        for pattern, code in {
            "unrecognized name": "unrecognized_name",
            "not found inside": "unrecognized_name",
            "function not found": "function_not_found",
            "is ambiguous": "ambiguous",
            "neither grouped nor aggregated|(?:aggregate|analytic) function .* not allowed": "grouped",
            "no matching signature": "no_matching_signature",
            "division by zero": "division_by_zero",
            "overflow|out of range": "overflow",
            "more than one element": "several_rows",
            "bad (?:int|double|bool|numeric)|invalid (?:date|timestamp|datetime)|could not cast": "bad_value",
            "syntax error": "syntax_error",
        }.items()
    )

    def connect(self) -> None:
        """Open a client as the service account of the address, or as the machine is known to Google."""
        self._bigquery = import_module("google.cloud.bigquery")
        dbapi = import_module("google.cloud.bigquery.dbapi")
        self._google = (
            import_module("google.api_core.exceptions").GoogleAPIError,
            import_module("google.auth.exceptions").GoogleAuthError,
        )
        self.errors = (dbapi.Error, *self._google, OSError)
        self._job = ""
        self._limit_ms = 0
        key, credentials = self.location.get("credentials"), None
        if key:
            try:
                accounts = import_module("google.oauth2.service_account")
                credentials = accounts.Credentials.from_service_account_file(key)
            except (OSError, ValueError):
                raise EngineFault("unavailable", "the file of credentials is not of a service account") from None
        self._service = self._bigquery.Client(
            project=self.location["host"], credentials=credentials, location=self.location.get("location")
        )
        self.connection = dbapi.connect(client=self._service, prefer_bqstorage_client=False)

    def begin(self, timeout_s: float) -> None:
        """Note how long the job may take."""
        self._limit_ms = round((timeout_s + AFTER_DEADLINE_S) * 1_000)

    def _config(self, **more: Any) -> Any:
        return self._bigquery.QueryJobConfig(
            default_dataset=f"{self.location['host']}.{self.location['database']}",
            use_legacy_sql=False,
            labels={"app": APP},
            **more,
        )

    def _planned(self, sql: str) -> Any:
        planned = self._service.query(sql, job_config=self._config(dry_run=True, use_query_cache=False))
        if planned.statement_type != "SELECT":
            raise EngineFault("failed", "the database takes this for something else than a query")
        return planned

    def ask(self, sql: str) -> Any:
        """Run a query as a job of a name that is known before it starts."""
        self._planned(sql)
        self._job = f"{APP}-{uuid4()}"
        self.cursor = self.connection.cursor()
        self.cursor.arraysize = _PAGE_ROWS
        config = self._config(job_timeout_ms=self._limit_ms)
        self.cursor.execute(sql.replace("%", "%%"), job_id=self._job, job_config=config)  # it halves each %%
        return self.cursor

    def cost(self, sql: str) -> ScanEstimate:
        """Return the bytes that would be billed."""
        return ScanEstimate(bytes=self._planned(sql).total_bytes_processed)

    def cancel(self) -> None:
        """Cancel the job."""
        if self._job:
            self._service.cancel_job(self._job, location=self._service.location, retry=None)

    def end(self) -> None:
        """Forget the job; there is no transaction."""
        self._job = ""

    def close(self) -> None:
        """Close the connections below, which the DB-API leaves open."""
        super().close()
        self._service.close()

    def told(self, error: Exception) -> tuple[str, str]:
        """Return the reason, or what the words say where the reason says nothing."""
        inner = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
        listed = getattr(inner, "errors", None) or [{}]
        reason, said = str(listed[0].get("reason", "")), str(getattr(inner, "message", inner))
        if reason not in ("invalidQuery", "invalid", ""):
            return reason, said
        by_words = next((code for pattern, code in self._SAID if pattern.search(said)), None)
        return by_words or reason or "lost", said


class DatabricksClient(Client):
    """`databricks.sql`; what a statement is, is asked of its parser, as of that of Spark."""

    codes = Faults({})

    def connect(self) -> None:
        """Connect with an access token, in a session of ANSI SQL."""
        sql = import_module("databricks.sql")
        self._exceptions = import_module("databricks.sql.exc")
        self.errors = (self._exceptions.Error, OSError)
        self._limit_s = 0
        if not self.location.get("http_path"):
            raise EngineFault("unavailable", "the address names no ?http_path=, which the warehouse's page tells")
        self.connection = sql.connect(
            server_hostname=self.location["host"],
            http_path=self.location["http_path"],
            access_token=self.location["password"],
            catalog=self.location["database"],
            schema=self.location["schema"],
            session_configuration={"ansi_mode": "true", "timezone": self.timezone},
            user_agent_entry=APP,
            use_cloud_fetch=False,  # pages come by the same way as everything else, and one at a time
            enable_telemetry=False,
            _port=int(self.location["port"]),
            _tls_trusted_ca_file=self.location.get("tls_ca"),
            _retry_stop_after_attempts_count=3,
            _retry_stop_after_attempts_duration=self.start.connect_timeout_s,
            _use_arrow_native_complex_types=False,
        )

    def begin(self, timeout_s: float) -> None:
        """Set the server's own deadline, where it is another one than before."""
        limit_s = round(timeout_s + AFTER_DEADLINE_S + 1)
        if limit_s != self._limit_s:
            self.run(f"SET STATEMENT_TIMEOUT = {limit_s}")
            self._limit_s = limit_s

    def ask(self, sql: str) -> Any:
        """Let the parser say that it is a query, and run it."""
        self.cursor = self.connection.cursor()
        self.cursor.execute(f"DESCRIBE QUERY {sql}")  # takes queries alone
        self.cursor.execute(sql)
        return self.cursor

    def cancel(self) -> None:
        """Cancel the operation, which the client allows from any thread."""
        if self.cursor is not None:
            self.cursor.cancel()

    def end(self) -> None:
        """Forget the statement; there is no transaction."""
        self.cursor = None

    def told(self, error: Exception) -> tuple[str, str]:
        """Return what is said; the class of the error stands in it."""
        return "", str(getattr(error, "message", None) or error)

    def fault(self, error: Exception) -> EngineFault:
        """Say an error as one of Spark, which it is."""
        lost = (OSError, self._exceptions.RequestError, self._exceptions.InterfaceError)
        if isinstance(error, lost):
            return EngineFault("unavailable", "the connection was lost")
        return spark_fault_of(Refused(self.told(error)[1]))

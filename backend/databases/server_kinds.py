"""What there is to know of each kind of server before it is reached: how its address is written, what speaks to it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, TypeAlias

from ai_engine.errors import BadConfiguration

ServerDialect: TypeAlias = Literal[
    "postgres", "mysql", "trino", "spark", "tsql", "oracle", "snowflake", "bigquery", "databricks", "clickhouse"
]
ServerEngine: TypeAlias = Literal["postgres", "mysql", "trino", "spark", "dbapi"]


@dataclass(frozen=True, slots=True)
class ServerKind:
    """One kind of server.

    Attributes:
        scheme: with which its address is shown.
        form: how its address is written.
        port: where it listens; 0 where the client finds its place by other means than host and port.
        engine: which module of a worker asks it.
        module: the client that has to be there.
        package: what that client is called where packages are installed from.
        names: how many names stand behind the host, a catalogue above a schema or one database.
        options: what may stand behind the `?`; None where the client itself judges them.
    """

    scheme: str
    form: str
    port: int
    engine: ServerEngine
    module: str
    package: str
    names: int = 1
    options: frozenset[str] | None = frozenset()

    @property
    def is_installed(self) -> bool:
        """Whether its client can be imported."""
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:  # a package above it is missing
            return False

    def require_client(self) -> None:
        """Raise where the client is not installed.

        Raises:
            BadConfiguration: says which package is missing.
        """
        if not self.is_installed:
            raise BadConfiguration(
                f"the package {self.package} is not installed, which speaks to {self.scheme}:// databases: install it "
                "beside the app, as docs/warehouses.md says"
            )


_MYSQL_OPTIONS = frozenset(
    {"ssl_ca", "ssl_cert", "ssl_key", "ssl_verify_cert", "ssl_verify_identity", "unix_socket", "bind_address"}
)
SERVER_KINDS: dict[ServerDialect, ServerKind] = {
    "postgres": ServerKind(
        "postgresql", "postgresql://USER@HOST/DATABASE", 5432, "postgres", "psycopg", "psycopg", options=None
    ),
    "mysql": ServerKind("mysql", "mysql://USER@HOST/DATABASE", 3306, "mysql", "pymysql", "pymysql", 1, _MYSQL_OPTIONS),
    "trino": ServerKind(
        "trino", "trino://USER@HOST:PORT/CATALOG/SCHEMA", 8080, "trino", "trino", "trino", 2,
        frozenset({"auth", "tls", "tls_ca", "role", "client_tags", "timezone"}),
    ),
    "spark": ServerKind(
        "spark", "spark://USER@HOST:PORT/DATABASE", 10_000, "spark", "pyhive.hive", "pyhive[hive_pure_sasl]", 1,
        frozenset({"auth", "tls", "tls_ca", "timezone"}),
    ),
    "tsql": ServerKind(
        "mssql", "mssql://USER@HOST:PORT/DATABASE", 1433, "dbapi", "pytds", "python-tds", 1,
        frozenset({"tls_ca", "schema"}),
    ),
    "oracle": ServerKind(
        "oracle", "oracle://USER@HOST:PORT/SERVICE", 1521, "dbapi", "oracledb", "oracledb", 1,
        frozenset({"schema", "tls", "tls_ca", "timezone"}),
    ),
    "snowflake": ServerKind(
        "snowflake", "snowflake://USER@ACCOUNT/DATABASE/SCHEMA", 0, "dbapi", "snowflake.connector",
        "snowflake-connector-python", 2, frozenset({"warehouse", "role", "timezone"}),
    ),
    "bigquery": ServerKind(
        "bigquery", "bigquery://PROJECT/DATASET", 0, "dbapi", "google.cloud.bigquery", "google-cloud-bigquery", 1,
        frozenset({"location", "credentials"}),
    ),
    "databricks": ServerKind(
        "databricks", "databricks://token:TOKEN@HOST/CATALOG/SCHEMA?http_path=PATH", 443, "dbapi", "databricks.sql",
        "databricks-sql-connector", 2, frozenset({"http_path", "tls_ca", "timezone"}),
    ),
    "clickhouse": ServerKind(
        "clickhouse", "clickhouse://USER@HOST:PORT/DATABASE", 8443, "dbapi", "clickhouse_connect.dbapi",
        "clickhouse-connect", 1, frozenset({"tls", "tls_ca", "timezone"}),
    ),
}  # fmt: skip
SERVER_SCHEMES: dict[str, ServerDialect] = {
    **{kind.scheme: dialect for dialect, kind in SERVER_KINDS.items()},
    "postgres": "postgres",
    "mariadb": "mysql",
}
SERVER_FORMS = ", ".join(kind.form for kind in SERVER_KINDS.values())

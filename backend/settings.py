"""Settings from BANK_* variables (and the three OPENAI ones that other programs use too), read once at the start."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ai_engine.errors import BadConfiguration
from ai_engine.types import Readers, SendRows

PROJECT_ROOT = Path(__file__).resolve().parent.parent
SAMPLE_BANK_FILE = PROJECT_ROOT / "data" / "sample_bank.duckdb"
EXAMPLE_SERVICES_FILE = PROJECT_ROOT / "data" / "api_docs.yaml"
SAMPLE_DOCUMENTS = PROJECT_ROOT / "data" / "documents"


class Settings(BaseSettings):
    """One field per variable; the description is the README's."""

    model_config = SettingsConfigDict(
        env_prefix="BANK_", frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True,
        populate_by_name=True,
    )  # fmt: skip

    database_url: str = Field(
        f"duckdb:///{SAMPLE_BANK_FILE}",
        repr=False,  # may hold a password
        description="SQLAlchemy URL, or a path to a DuckDB or SQLite file",
    )
    mcp_database_url: str | None = Field(
        None,
        repr=False,  # may hold a token
        description="Address of an MCP server that offers `mcp_db_schema` and `mcp_db_query`, instead of the one above",
    )
    vocabulary_file: Path | None = Field(
        None,
        description="Vocabulary file (Open Semantic Interchange); "
        "when unset the `.yaml` beside the database file, else inferred",
    )
    as_of: date | None = Field(
        None, description='Day from which "last month" counts; else what the data says, else today'
    )
    model: str = Field("gpt-4o-mini", description="Name of the language model, where one is configured")
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="Key of the language model; the built-in model when unset"
    )
    openai_base_url: str | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="Address of an OpenAI-compatible service"
    )
    model_timeout_s: float = Field(60, gt=0, description="Longest wait for one reply of the language model")
    strong_model: str | None = Field(
        None, description="A stronger model of the same service for SQL and repairs; unset: `BANK_MODEL`"
    )
    replay_file: Path | None = Field(
        None, description="Replies recorded earlier, which stand in for the language model; no key is needed"
    )
    record_file: Path | None = Field(None, description="Add each reply of the language model to this file")
    model_strict_schema: bool = Field(
        False, description="Let the service enforce the shape of replies, each key written out: safer, and longer"
    )
    model_max_rows: int = Field(20, ge=0, description="Rows of a result that the language model is shown")
    send_rows: SendRows = Field(
        "aggregates",
        description="Cells of results that the language model is sent: `none`; `aggregates`, which show no single row; "
        "`sample`, the first rows. Never sensitive ones",
    )
    model_max_reply_kb: int = Field(1_024, ge=16, description="Longest reply of the language model that is read")
    readers: Readers = Field(
        "model",
        description="Whose reading is answered where a language model is configured: `model`, compared with the "
        "built-in one; `built-in`; `built-in-first`, where the two agreed often enough on this database",
    )
    readers_min_percent: float = Field(
        98, ge=0, le=100, description="Comparisons that must have agreed for `built-in-first`"
    )
    readers_min_compared: int = Field(50, ge=1, description="Fewer comparisons are not enough for `built-in-first`")
    query_timeout_s: float = Field(30, gt=0, description="A query is stopped in the database after this time")
    max_rows: int = Field(1_000, ge=1, description="Most rows of a list fetched for one answer")
    max_groups: int = Field(2_000, ge=1, description="Most groups fetched for one answer")
    default_limit_rows: int = Field(100, ge=1, description="LIMIT given to SQL of your own that has none")
    max_retries: int = Field(2, ge=0, le=10, description="Further attempts after a statement was refused or failed")
    max_question_chars: int = Field(2_000, ge=1, description="Longer questions are refused")
    allow_union: bool = Field(False, description="Permit UNION, INTERSECT and EXCEPT")
    database_workers: int = Field(2, ge=1, description="Worker processes per embedded database")
    database_connections: int = Field(8, ge=1, description="Connections to a database server")
    database_threads: int = Field(2, ge=1, description="Threads of one DuckDB worker")
    database_memory_mb: int = Field(1_024, ge=128, description="Memory of one worker process")
    database_temp_mb: int = Field(2_048, ge=16, description="Disk space that one worker process may use meanwhile")
    database_queue_size: int = Field(64, ge=1, description="Queries that may wait for a worker before 'busy'")
    database_connect_timeout_s: float = Field(10, gt=0, description="Longest wait for a connection to a server")
    database_lock_wait_s: float = Field(5, gt=0, description="Longest wait for a lock that another program holds")
    database_idle_close_s: float = Field(300, gt=0, description="A connection unused for so long is closed")
    max_result_mb: int = Field(64, ge=1, description="Largest result fetched")
    max_cell_kb: int = Field(1_024, ge=1, description="Largest text in one cell")
    max_indexed_values: int = Field(50_000, ge=0, description="Distinct values of a column that are learnt by heart")
    catalogue_timeout_s: float = Field(
        60, gt=0, description="Longest statement that reads which tables a PostgreSQL server has"
    )
    role_check_timeout_s: float = Field(
        10, gt=0, description="Longest statement that looks what a server's role may do"
    )
    sampling_timeout_s: float = Field(
        5, gt=0, description="Longest look into one table, where no file says what it means"
    )
    value_collection_timeout_s: float = Field(20, gt=0, description="Longest reading of one column's values to learn")
    value_search_timeout_s: float = Field(
        3, gt=0, description="Longest search of the data for a name or code that was not learnt"
    )
    max_searched_columns: int = Field(24, ge=0, description="Columns that such a search looks into")
    cache_dir: Path = Field(PROJECT_ROOT / ".cache", description="Where learnt values are kept between starts")
    max_hashed_mb: int = Field(
        1_024, ge=0, description="Learnt values of a larger file are kept by its size and times, not by its content"
    )
    cache_max_age_h: float = Field(24, ge=0, description="Learnt values are read anew after so many hours")
    orchestration_timeout_s: float = Field(120, gt=0, description="Longest work of all agents on one request")
    agent_timeout_s: float = Field(60, gt=0, description="Longest work of one agent on its part")
    planner_timeout_s: float = Field(20, gt=0, description="Longest wait for the language model's plan")
    max_passed_rows: int = Field(1_000, ge=1, description="Rows of a table that one agent hands to the next")
    sandbox_timeout_s: float = Field(2, gt=0, description="A calculation is stopped after this time")
    sandbox_memory_mb: int = Field(64, ge=8, description="Values of one calculation")
    sandbox_max_output_kb: int = Field(256, ge=1, description="What one calculation may print or return")
    sandbox_workers: int = Field(2, ge=1, description="Calculations at the same time")
    sandbox_max_rows: int = Field(5_000, ge=1, description="Rows of a table that a calculation is given")
    api_threads: int = Field(32, ge=1, description="Questions that the API works on at the same time")
    api_queue_size: int = Field(64, ge=0, description="Questions that may wait for the API before 'busy'")
    api_timeout_s: float = Field(300, gt=0, description="Longest time that the API works on one question")
    http_connections: int = Field(512, ge=8, description="Connections to the page or the API at the same time")
    http_receive_timeout_s: float = Field(10, gt=0, description="Longest time until a request has arrived whole")
    http_max_body_kb: int = Field(256, ge=1, description="Longest body of a request")
    allowed_hosts: str | None = Field(
        None, description="Names under which page and API answer besides localhost and their address, by comma"
    )
    store_url: str | None = Field(
        None,
        repr=False,  # may hold a password
        description="URL of the app's own store, SQLite or PostgreSQL; unset: the file `.store/store.sqlite`",
    )
    store_timeout_s: float = Field(5, gt=0, description="Longest wait for the store: connection, lock or statement")
    store_connections: int = Field(5, ge=1, description="Connections of one process to the store")
    verifiers: str | None = Field(
        None, description="Who may mark answers as verified, names by comma; `*`: everybody; unset: nobody"
    )
    verified_by_two: bool = Field(False, description="A verified answer is used once a second person has confirmed it")
    verified_max_tokens: int = Field(
        600, ge=0, description="Verified answers to similar questions that the language model is shown"
    )
    user_header: str | None = Field(
        None, description="Header in which a proxy in front says who asks; unset: everybody is `local`"
    )
    log_format: Literal["text", "json"] = Field("text", description="Lines of the servers' log: `text` or `json`")
    log_questions: bool = Field(False, description="Permit the log to have questions, and what failures quote")
    desk_threshold: float = Field(
        0.3, ge=0, le=1, description="Confidence below which the front desk asks back; without a language model"
    )
    desk_message_pairs: int = Field(
        100, ge=1, description="Questions with their answers that are kept per user, session and desk"
    )
    desk_memory_h: float | None = Field(
        None, gt=0, description="A desk's conversation is forgotten so many hours after its last turn"
    )
    desk_tool_rounds: int = Field(20, ge=1, description="Rounds of tool calls within one answer of a desk")
    documents_dir: Path | None = Field(
        None,
        description="Folder of Markdown and text that the policy desk quotes; unset: those of the sample bank",
    )
    max_documents: int = Field(1_000, ge=1, description="Most files in that folder")
    max_document_kb: int = Field(256, ge=1, description="Longest of them")
    services_file: Path | None = Field(
        None, description="What the API agent may call: our YAML format or OpenAPI 3; unset: the example services"
    )
    services_max_file_kb: int = Field(4_096, ge=1, description="Largest such file")
    services_base_url: str | None = Field(None, description="Where these services live; else what the file says")
    services_hosts: str | None = Field(
        None, description="Further services that may be called, as `https://host:port`, commas between"
    )
    services_timeout_s: float = Field(30, gt=0, description="Longest call of a service")
    services_max_response_kb: int = Field(1_024, ge=1, description="Largest reply of a service")
    services_identity_url: str | None = Field(
        None, description="Where e-mail and password become a token, as Firebase has it"
    )
    services_email: str | None = Field(None, description="Who asks for a token there")
    services_password: SecretStr | None = Field(None, description="And the password")
    services_web_key: SecretStr | None = Field(None, description="Key of the identity service's own, if it has one")
    services_token_file: Path | None = Field(
        None, description="A bearer token, or JSON with `token` and `expires_at`; read at each call"
    )

    @model_validator(mode="before")
    @classmethod
    def _one_database(cls, given: Any) -> Any:
        """The MCP server's address becomes that of the database, so that there is one place to look."""
        address = given.get("mcp_database_url") if isinstance(given, dict) else None
        if not address:
            return given
        if given.get("database_url"):
            raise ValueError("BANK_DATABASE_URL and BANK_MCP_DATABASE_URL both name the database: unset one of them")
        if not str(address).startswith(("http://", "https://")):
            raise ValueError("BANK_MCP_DATABASE_URL: must begin with http:// or https://")
        return {**given, "database_url": f"mcp+{address}"}

    @field_validator("services_base_url", "services_identity_url")
    @classmethod
    def _plain_address(cls, address: str | None) -> str | None:
        if address is not None and (
            urlsplit(address).scheme not in {"http", "https"} or "@" in urlsplit(address).netloc
        ):
            raise ValueError("must begin with http:// or https:// and hold no user and no password")
        return address

    @field_validator("openai_base_url")
    @classmethod
    def _without_password(cls, address: str | None) -> str | None:
        if address is not None and "@" in urlsplit(address).netloc:
            raise ValueError("must hold no user and no password, as clients log the address; a key is a setting")
        return address


def read_settings(**overrides: object) -> Settings:
    """Read the environment; `overrides` win, and a database among them over the one behind an MCP server.

    Raises:
        BadConfiguration: names every variable at fault and what is wrong with it.
    """
    if "database_url" in overrides:
        overrides = {"mcp_database_url": None, **overrides}
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as faults:
        lines = [
            ": ".join([*(_variable(str(place)) for place in fault["loc"][:1]), fault["msg"]])
            for fault in faults.errors()
        ]
        raise BadConfiguration("Settings are wrong. " + "; ".join(lines)) from faults


def _variable(place: str) -> str:
    """The environment variable behind a field, which a fault names by either of its names."""
    field = Settings.model_fields.get(place)
    return f"BANK_{place.upper()}" if field is not None and field.validation_alias is None else place.upper()

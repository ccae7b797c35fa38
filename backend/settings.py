"""Settings from BANK_* variables (and the three OPENAI ones that other programs use too), read once at the start."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from ai_engine.errors import BadConfiguration
from ai_engine.types import Readers, SendRows
from backend.configuration.model_prices import read_prices

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
    sources_file: Path | None = Field(
        None, description="Further data sources, in YAML: name, URL, vocabulary file and who may ask each; unset: none"
    )
    max_open_sources: int = Field(4, ge=1, description="Data sources that are open at the same time")
    source_idle_close_s: float = Field(900, gt=0, description="One that nobody asked for so long makes room for others")
    uploaders: str | None = Field(
        "*", description="Who may bring data of their own, names by comma; `*`: everybody with a name; unset: nobody"
    )
    uploads_dir: Path = Field(
        PROJECT_ROOT / ".uploads", description="Folder of the private databases of those who bring data"
    )
    upload_max_file_mb: int = Field(50, ge=1, description="Largest file that may be brought")
    upload_max_tables: int = Field(20, ge=1, description="Most tables that one person may keep")
    upload_max_rows: int = Field(1_000_000, ge=1, description="Most rows of such a table")
    upload_max_columns: int = Field(200, ge=1, description="Most columns of such a table")
    upload_max_total_mb: int = Field(500, ge=1, description="Most that the data of one person takes on disk")
    upload_memory_mb: int = Field(1_024, ge=128, description="Memory of the process that reads such a file")
    upload_timeout_s: float = Field(60, gt=0, description="Longest reading of such a file")
    vocabulary_file: Path | None = Field(
        None,
        description="Vocabulary file (Open Semantic Interchange); "
        "when unset the `.yaml` beside the database file, else inferred",
    )
    dictionary_file: Path | None = Field(
        None,
        description="Data dictionary (CSV, Excel or YAML) by which a vocabulary is inferred where there is none",
    )
    currency: str | None = Field(
        None, pattern="^[A-Z]{3}$", description="Currency of the data, as INR; unset: what the vocabulary says"
    )
    fiscal_year_start_month: int | None = Field(
        None, ge=1, le=12, description="Month in which the fiscal year begins; unset: what the vocabulary says"
    )
    plain_year: Literal["calendar", "fiscal"] | None = Field(
        None, description='What "this year" means, `calendar` or `fiscal`; unset: what the vocabulary says'
    )
    administrators: str | None = Field(
        None, description="Who may change settings on the page, names by comma; `*`: everybody; unset: nobody"
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
    model_total_timeout_s: float = Field(
        120, gt=0, description="Longest wait for the language model within one question, all its calls together"
    )
    model_max_tokens_per_day: int | None = Field(
        None,
        ge=1,
        description="Tokens of the language model that one person may use on a day (UTC), for questions, specialists, "
        "desks and chat together; then rules go on and say so. Over MCP and on the command line all are one person; "
        "unset: no bound",
    )
    model_prices_usd: str | None = Field(
        None,
        description="What a million tokens cost, requests/replies, models by comma: `gpt-4o-mini=0.15/0.60`; "
        "unset: no cost is told",
    )
    prompt_readers: str | None = Field(
        None,
        description="Who may see what the language model was asked and replied, names by comma; `*`: everybody; "
        "unset: nobody",
    )
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
    rules_max_words: int = Field(100, ge=1, description="Words and signs of a question that the built-in rules read")
    allow_union: bool = Field(False, description="Permit UNION, INTERSECT and EXCEPT")
    database_workers: int = Field(2, ge=1, description="Worker processes per embedded database")
    database_connections: int = Field(8, ge=1, description="Connections to a database server")
    database_threads: int = Field(
        2,
        ge=1,
        description="Threads of one DuckDB worker, where the order of the rows it reads cannot matter; else one",
    )
    database_memory_mb: int = Field(
        1_024, ge=128, description="Memory of one worker process, and of one session of MariaDB"
    )
    database_temp_mb: int = Field(2_048, ge=16, description="Disk space that one worker process may use meanwhile")
    database_queue_size: int = Field(64, ge=1, description="Queries that may wait for a worker before 'busy'")
    database_queue_per_person: int = Field(
        16, ge=1, description="Of these, queries of one person (`BANK_USER_HEADER`); people take turns at the workers"
    )
    database_queries_per_person: int | None = Field(
        None, ge=1, description="Queries of one person that run at the same time; unset: as many as there are workers"
    )
    database_connect_timeout_s: float = Field(
        10,
        gt=0,
        description="Longest wait for a connection to a server, and for a copy of a SQLite file whose writer crashed",
    )
    database_lock_wait_s: float = Field(5, gt=0, description="Longest wait for a lock that another program holds")
    database_idle_close_s: float = Field(300, gt=0, description="A connection unused for so long is closed")
    max_scan_gb: float | None = Field(
        None,
        gt=0,
        description="A statement that would read more of the data, by the database's own estimate, is not run; "
        "unset: no bound",
    )
    result_cache_mb: int = Field(
        0,
        ge=0,
        description="Disk space for results of statements in `results` of `BANK_CACHE_DIR`, given to the next who asks "
        "the same of the same data; 0: none are kept",
    )
    result_cache_ttl_s: float | None = Field(
        None,
        gt=0,
        description="They are given for so long; unset: while the data are the same, and none are kept of a server, "
        "which does not tell that",
    )
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
    profile_max_rows: int = Field(
        1_000_000, ge=1, description="Rows of a table that the catalogue looks at for its figures"
    )
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
    mcp_servers: Path | None = Field(
        None, description="File with the MCP servers whose tools may be called, in YAML or JSON; unset: none"
    )
    mcp_discovery_url: str | None = Field(
        None, description="Where a list of further MCP servers is asked for, as JSON: `[{id, url}]`"
    )
    mcp_discovery_hosts: str | None = Field(
        None,
        description="Hosts besides its own whose servers may be called, as `https://host:port`, commas between",
    )
    mcp_discovery_token: SecretStr | None = Field(None, description="Bearer token for that list, sent nowhere else")
    mcp_cache_s: float = Field(300, gt=0, description="The list of an MCP server's tools is asked anew after so long")
    mcp_server_calls: int = Field(10, ge=1, description="Calls of one MCP server at the same time")
    mcp_processes: int = Field(2, ge=1, description="Processes of one MCP server that runs on this machine")
    mcp_attempts: int = Field(
        3, ge=1, le=10, description="Attempts of an MCP call whose faults pass, where a second cannot do harm"
    )
    mcp_retry_delay_s: float = Field(
        0.5, gt=0, description="Wait before the second attempt, then twice as long, up to 10 s"
    )
    mcp_connect_timeout_s: float = Field(
        10, gt=0, description="Longest opening of an MCP session, and listing of its tools"
    )
    mcp_call_timeout_s: float = Field(
        120, gt=0, description="Longest call of an MCP tool, without the time that a person takes to answer it"
    )
    mcp_elicitation_timeout_s: float = Field(
        300, gt=0, description="A person who answers a tool's question later declines"
    )
    mcp_max_elicitations: int = Field(3, ge=0, description="Questions that one call of a tool may ask")
    mcp_idle_close_s: float = Field(
        300, gt=0, description="A process of an MCP server that is unused for so long is ended"
    )
    mcp_recovery_s: float = Field(
        5, gt=0, description="An MCP server that failed is looked after so much later, then more rarely"
    )
    mcp_max_tools: int = Field(200, ge=1, description="Tools of one MCP server that are looked at")
    mcp_max_description_chars: int = Field(
        1_000, ge=1, description="Longest description of an MCP tool or argument that is kept"
    )
    mcp_max_schema_kb: int = Field(64, ge=1, description="A tool that says more of itself than this is left out")
    mcp_max_reply_kb: int = Field(16_384, ge=1, description="Largest reply of an MCP server that is read")
    mcp_max_item_kb: int = Field(4_096, ge=1, description="Largest text, picture or file in the result of a tool")
    mcp_max_result_kb: int = Field(8_192, ge=1, description="Largest result of a tool, all items together")
    mcp_max_items: int = Field(50, ge=1, description="Items of one result that are kept")
    api_threads: int = Field(32, ge=1, description="Questions that the API works on at the same time")
    api_queue_size: int = Field(64, ge=0, description="Questions that may wait for the API before 'busy'")
    api_questions_per_person: int = Field(
        24, ge=1, description="Of both, questions of one person (`BANK_USER_HEADER`); fewer than threads, some are left"
    )
    api_timeout_s: float = Field(300, gt=0, description="Longest time that the API works on one question")
    http_connections: int = Field(512, ge=8, description="Connections to the page or the API at the same time")
    process_silent_s: float = Field(
        60,
        gt=0,
        description="Of several processes (`WORKERS`), one that answers nothing for so long is ended and started anew",
    )
    http_receive_timeout_s: float = Field(10, gt=0, description="Longest time until a request has arrived whole")
    http_max_body_kb: int = Field(256, ge=1, description="Longest body of a request")
    mcp_sessions: int = Field(256, ge=1, description="Sessions of MCP clients at `/mcp` at the same time")
    mcp_session_idle_s: float = Field(600, gt=0, description="Such a session is closed when nothing came for so long")
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
    kept_answer_kb: int = Field(
        1_024, ge=16, description="Largest answer kept with a conversation; of a larger result the first rows"
    )
    workflows_dir: Path | None = Field(None, description="Folder of workflow templates (`.yaml`) besides the product's")
    workflow_max_steps: int = Field(20, ge=1, description="Most steps of one workflow")
    workflow_parallel_steps: int = Field(4, ge=1, description="Steps of a workflow that run beside each other")
    workflow_step_timeout_s: float = Field(60, gt=0, description="Longest work of one step")
    workflow_max_definition_kb: int = Field(64, ge=1, description="Largest workflow, or template of one, as text")
    workflow_max_input_kb: int = Field(
        256, ge=1, description="Most that the results of earlier steps put into the inputs of a later one"
    )
    workflow_max_result_kb: int = Field(4_096, ge=1, description="Largest result of a step that is kept")
    workflow_max_templates: int = Field(50, ge=1, description="Workflow templates that one person may keep")
    checkpoint_days: float = Field(
        7, gt=0, description="What an interrupted workflow has done is kept so many days, that it can go on"
    )
    verifiers: str | None = Field(
        None, description="Who may mark answers as verified, names by comma; `*`: everybody; unset: nobody"
    )
    verified_by_two: bool = Field(False, description="A verified answer is used once a second person has confirmed it")
    verified_days: int | None = Field(
        None,
        ge=1,
        description="A verified answer is used so many days, if no last day is named; unset: for ever",
    )
    verified_max_tokens: int = Field(
        600, ge=0, description="Verified answers to similar questions that the language model is shown"
    )
    audit: bool = Field(
        True, description="Keep who asked what, with the statement and its outcome, in the store's audit trail"
    )
    audit_days: float = Field(365, ge=0, description="Older entries of the audit trail are removed; 0: none ever is")
    audit_max_waiting: int = Field(
        1_000, ge=1, description="Entries that wait while the store is away; further ones are counted as missing"
    )
    audit_export_rows: int = Field(50_000, ge=1, description="Most entries of the audit trail in one file")
    auditors: str | None = Field(
        None, description="Who may see everybody's entries there, names by comma; `*`: everybody; unset: only one's own"
    )
    max_dashboards: int = Field(50, ge=1, description="Dashboards that one person may keep")
    dashboard_max_tiles: int = Field(40, ge=1, description="Tiles of one dashboard")
    dashboard_parallel_tiles: int = Field(4, ge=1, description="Tiles of all dashboards that run beside each other")
    dashboard_shared_s: float = Field(60, ge=0, description="Viewers of a tile share its result for so long")
    dashboard_result_kb: int = Field(
        512, ge=1, description="Largest result of a tile that is kept, to be shown when the database fails"
    )
    evaluators: str | None = Field(
        None, description="Who may run evaluations on the page, names by comma; `*`: everybody; unset: nobody"
    )
    question_sets_dir: Path | None = Field(None, description="Folder of question sets (`.jsonl`) for evaluations")
    question_set_kb: int = Field(512, ge=1, description="Largest set of questions that is uploaded")
    question_set_max_questions: int = Field(1_000, ge=1, description="Questions of one set")
    max_question_sets: int = Field(50, ge=1, description="Uploaded sets that are kept")
    evaluation_max_runs: int = Field(50, ge=1, description="Newest evaluations of one database that are kept")
    schedulers: str | None = Field(
        None, description="Who may have dashboards sent by the clock, names by comma; `*`: everybody; unset: nobody"
    )
    schedules_dir: Path | None = Field(
        None, description="Folder into which scheduled files are written; unset: mail alone"
    )
    schedule_keep_files: int = Field(60, ge=1, description="Newest files of one schedule that are kept there")
    schedule_min_minutes: int = Field(15, ge=1, description="Least minutes between two runs of one schedule")
    schedule_poll_s: float = Field(20, gt=0, description="What is due is looked for so often")
    schedule_timeout_s: float = Field(300, gt=0, description="Longest run of one schedule")
    time_zone: str = Field("UTC", description="The bank's time zone, in which schedules are meant: `Asia/Kolkata`")
    smtp_host: str | None = Field(None, description="Server by which scheduled files are mailed; unset: none are")
    smtp_port: int = Field(587, ge=1, le=65_535, description="Its port")
    smtp_tls: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="How it is spoken to: `starttls`, `tls` from the start, or `none`"
    )
    smtp_user: str | None = Field(None, description="Who logs in there, if anybody")
    smtp_password: SecretStr | None = Field(None, description="And the password")
    smtp_sender: str | None = Field(None, description="Address from which mail comes; unset: `BANK_SMTP_USER`")
    smtp_domains: str | None = Field(None, description="Domains that mail may be sent to, by comma; unset: none")
    smtp_timeout_s: float = Field(30, gt=0, description="Longest wait for the mail server")
    editors: str | None = Field(
        None, description="Who may publish changes of the vocabulary, names by comma; `*`: everybody; unset: nobody"
    )
    max_drafts: int = Field(200, ge=1, description="Proposed changes of the vocabulary that wait at a time")
    max_unknown_words: int = Field(1_000, ge=0, description="Words counted that were asked for and not understood")
    vocabulary_check_s: float = Field(
        2, ge=0, description="A vocabulary published on one server is in force on the others after so long"
    )
    user_header: str | None = Field(
        None, description="Header in which a proxy in front says who asks; unset: everybody is `local`"
    )
    log_format: Literal["text", "json"] = Field("text", description="Lines of the servers' log: `text` or `json`")
    tie_out: bool = Field(True, description="Hold figures by group against the same figure without groups")
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
    chat_max_iterations: int = Field(5, ge=1, le=20, description="Decisions of the chat's supervisor on one message")
    chat_timeout_s: float = Field(120, gt=0, description="Longest work of the chat on one message")
    chat_max_tokens: int = Field(
        60_000,
        ge=1,
        description="Tokens, by estimate, that all questions to the language model on one message may take",
    )
    chat_context_tokens: int = Field(
        4_000,
        ge=100,
        description="Tokens, by estimate, of the conversation that a prompt is told; as many of what was found",
    )
    chat_request_context_kb: int = Field(8, ge=1, description="Largest `context` of a message of the chat, as JSON")
    chat_window_messages: int = Field(
        5, ge=1, description="Last messages of a conversation that are told word for word; those before as a summary"
    )
    chat_streams: int = Field(
        250, ge=1, description="Streams of the chat that may be open at the same time; further ones are told 'busy'"
    )
    chat_streams_per_person: int = Field(50, ge=1, description="Of these, streams of one person (`BANK_USER_HEADER`)")
    chat_wait_s: float = Field(
        10, ge=0, description="Longest wait of a message for the one before it in its conversation; then it is refused"
    )
    chat_lease_s: float = Field(
        8, ge=2, description="A conversation is free again so long after the process that answered in it has died"
    )
    chat_grace_s: float = Field(
        0.3, ge=0, description="Work on a message goes on so long after its reader has hung up, who may come back"
    )
    chat_question_grace_s: float = Field(
        5, ge=0, description="The same while it waits for a person's answer to a question of its own"
    )
    chat_heartbeat_s: float = Field(15, gt=0, description="A stream without events is sent a comment so often")
    chat_send_timeout_s: float = Field(
        10, gt=0, description="A client who takes nothing of a reply for so long is cut off"
    )
    chat_reader_events: int = Field(
        500, ge=1, description="Events that a slow reader may be behind; it is cut off then"
    )
    chat_log_events: int = Field(2_000, ge=1, description="Events of one message kept for readers who come back")
    chat_log_kb: int = Field(1_024, ge=1, description="The same by size")
    chat_log_messages: int = Field(100, ge=1, description="Ended messages whose events are kept")
    chat_log_keep_s: float = Field(120, ge=1, description="Time for which they are kept")
    chat_history_kb: int = Field(
        256, ge=0, description="Images, tables and files of one answer that the history keeps; larger ones are named"
    )
    redis_url: SecretStr | None = Field(
        None, description="Redis through which several instances share the events of chats; unset: each has its own"
    )
    shutdown_timeout_s: float = Field(
        30,
        ge=0,
        description="On SIGTERM a server ends within this time: four fifths for what is under way, then it is stopped",
    )
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

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ValueError, OSError, KeyError):
            raise ValueError("is no time zone of the tz database, such as Asia/Kolkata") from None
        return name

    @field_validator("model_prices_usd")
    @classmethod
    def _readable_prices(cls, prices: str | None) -> str | None:
        read_prices(prices)
        return prices

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
            ": ".join([*(_named(str(place)) for place in fault["loc"][:1]), fault["msg"]]) for fault in faults.errors()
        ]
        raise BadConfiguration("Settings are wrong. " + "; ".join(lines)) from faults


def variable_of(name: str) -> str:
    """Return the environment variable of a field."""
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"BANK_{name.upper()}"


def _named(place: str) -> str:
    """The environment variable behind a field, which a fault names by either of its names."""
    return variable_of(place) if place in Settings.model_fields else place.upper()

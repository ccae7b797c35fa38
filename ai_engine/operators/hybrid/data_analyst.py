"""Finds figures and says what stands out in them: in the bank's own database, or in one that a server offers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from ai_engine.agent import in_thread
from ai_engine.catalogue import Catalogue
from ai_engine.dialect_names import told_dialect
from ai_engine.errors import ModelFailed, QueryStopped, SqlRejected
from ai_engine.events import EventType
from ai_engine.guard import Policy, check
from ai_engine.operators.agents.sql import SqlOperator
from ai_engine.operators.base import (
    NOT_SET_UP,
    BaseOperator,
    OperatorContext,
    OperatorFailed,
    OperatorResult,
    OperatorType,
)
from ai_engine.operators.founded_text import currency_of
from ai_engine.operators.of_agent import RECENT, withheld
from ai_engine.operators.parameters import object_schema
from ai_engine.operators.registry import operators
from ai_engine.operators.served_database import (
    QUERY_TOOL,
    SCHEMA_TOOL,
    ServedDatabase,
    StatementFailed,
    catalogue_of,
    rows_of,
    served_databases,
    shown,
)
from ai_engine.operators.table_findings import findings
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.ports import Services
from ai_engine.prompts.loader import load_prompt
from ai_engine.tools import Tools

_STATEMENTS = 3
_UNANSWERED = frozenset({"NotUnderstood", "ClarificationNeeded", NOT_SET_UP})
_SHORTEST_CALL_S = 0.1


class StatementReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    sql: str = ""
    reason: str = ""


@operators.register("data_analyst")
class DataAnalystOperator(BaseOperator):
    """Asks the SQL agent first, whose statements are compiled; a model writes them only for a server's database."""

    description = (
        "Answers a question from the bank's own database, or from a database that a connected server offers, and says "
        "what stands out in the rows: highest and lowest, shares, how a run of time went."
    )
    operator_type = OperatorType.HYBRID
    mcp_tools = (SCHEMA_TOOL, QUERY_TOOL)
    parameters = object_schema(
        query={"type": "string", "description": "One question in words, not SQL"},
        server={
            "type": "string",
            "default": "",
            "description": "The server whose database is asked; empty: the bank's own",
        },
    )
    context_requirements = ("query", "server", RECENT)
    needs_services = (Services,)
    max_retries = 0

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        """Find and analyse.

        Raises:
            OperatorFailed: no database answers the question.
        """
        found = await self._found(context, tools)
        if found.table is None:
            return found
        told = await in_thread(findings, found.table, found.metadata, currency_of(context))
        text = "\n\n".join(part for part in (found.text, "\n".join(f"- {line}" for line in told)) if part)
        return replace(found, text=text, output={**found.output, "answer": text, "findings": told})

    async def _found(self, context: OperatorContext, tools: Tools | None) -> OperatorResult:
        server = context.params["server"]
        if Services in context.services and not server:
            try:
                return await SqlOperator().execute(context, tools)
            except OperatorFailed as fault:
                if fault.kind not in _UNANSWERED or context.model is None:
                    raise
                reason = fault
        else:
            reason = OperatorFailed("No database is set up here, and no server was asked.", NOT_SET_UP)
        databases = served_databases(await tools.summaries()) if tools is not None else ()
        if not databases and not server:
            raise reason
        assert tools is not None or not databases, "databases are those of tools"  # noqa: S101
        return await _from_server(context, tools, _chosen(databases, server))


def _chosen(databases: Sequence[ServedDatabase], server: str) -> ServedDatabase:
    """Return the server that is meant.

    Raises:
        OperatorFailed: there is none of this name, or several and none is named.
    """
    names = [one.server for one in databases]
    if server and server not in names:
        raise OperatorFailed(
            f"No server {server!r} offers a database. There are: {', '.join(names) or 'none'}.", NOT_SET_UP
        )
    if not server and len(databases) > 1:
        message = f"Several servers offer a database: {', '.join(names)}. Which one is meant?"
        raise OperatorFailed(message, "ClarificationNeeded", {"choices": names})
    return databases[names.index(server) if server else 0]


async def _from_server(context: OperatorContext, tools: Tools | None, database: ServedDatabase) -> OperatorResult:
    """Have the model write a statement, judge it as every statement, and let the server run it; up to three times."""
    assert tools is not None, "the database is a tool"  # noqa: S101
    catalogue = await catalogue_of(tools, database)
    services = context.services.get(Services)
    policy = services.policy if services is not None else Policy()
    failures: list[str] = []
    for _ in range(_STATEMENTS):
        written = await _written(context, catalogue, failures)
        try:
            sql = (await in_thread(check, written, catalogue, policy)).sql
            context.emit(EventType.TOOL_PROGRESS, {"progress": None, "message": f"Asks {database.server}: {sql}"})
            made = await rows_of(tools, database, sql, catalogue)
        except (SqlRejected, StatementFailed) as fault:
            failures.append(f"{written}\n{fault}")
            continue
        table = made.table
        output: dict[str, Any] = {
            "columns": table.columns, "rows": table.rows, "row_count": table.row_count, "sql": sql,
        }  # fmt: skip
        text = f"{database.server} found {table.row_count:,} {'row' if table.row_count == 1 else 'rows'}."
        described = {"sql": sql, "server": database.server, "truncated": made.truncated}
        return withheld(OperatorResult(output=output, text=text, table=table, metadata=described))
    raise OperatorFailed(f"No statement for {database.server} could be run.", "QueryError", {"attempts": failures})


async def _written(context: OperatorContext, catalogue: Catalogue, failures: Sequence[str]) -> str:
    """Ask the model for a statement.

    Raises:
        OperatorFailed: there is no model, it says that the tables do not have it, or the person wants no more.
    """
    if context.model is None:
        raise OperatorFailed("Without a language model only the bank's own database can be asked.", NOT_SET_UP)
    messages = load_prompt("served_sql").fill(
        dialect=told_dialect(catalogue.dialect), tables=shown(catalogue), failures="\n\n".join(failures) or "(none)",
        question=context.query,
    )  # fmt: skip
    left_s = max(context.deadline - time.monotonic(), _SHORTEST_CALL_S)
    try:
        reply = await ask_model(context.model, messages, StatementReply, _either, stop=context.stop, timeout_s=left_s)
    except (QueryStopped, ModelFailed) as fault:
        raise OperatorFailed(fault.user_message, type(fault).__name__) from None
    if not reply.sql.strip():
        raise OperatorFailed("The tables that the server offers do not answer this.", "NotUnderstood")
    return reply.sql


def _either(reply: StatementReply) -> StatementReply:
    if not reply.sql.strip() and not reply.reason.strip():
        raise ValueError("sql is empty, and reason does not say what is missing")
    return reply

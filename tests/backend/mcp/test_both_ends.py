"""This app's client on this app's server, as a program and over HTTP."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from ai_engine.tools import ToolResultStatus
from tests.backend.mcp.tool_servers import opened
from tests.conftest import PROJECT_ROOT


def test_the_app_asks_itself_a_question_as_a_program(small_bank: Path, tmp_path: Path, monkeypatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("BANK_DATABASE_URL", f"duckdb:///{small_bank}")
    monkeypatch.setenv("BANK_CACHE_DIR", str(tmp_path))
    entry = {
        "id": "assistant", "transport": "stdio", "command": sys.executable, "args": ["-m", "backend.mcp"],
        "env": ["BANK_DATABASE_URL", "BANK_CACHE_DIR"], "cwd": str(PROJECT_ROOT),
    }  # fmt: skip
    with opened(tmp_path, [entry], mcp_connect_timeout_s=60) as tools:
        view = tools.view()
        summaries = {summary.name: summary for summary in asyncio.run(view.summaries())}
        assert {"ask", "run_sql", "mcp_db_schema", "mcp_db_query"} <= set(summaries)
        assert summaries["mcp_db_query"].read_only
        schema = asyncio.run(view.schema("mcp_db_query"))
        (argument,) = schema.input_schema["required"]
        result = asyncio.run(view.call("mcp_db_query", {argument: "SELECT count(*) AS n FROM customers"}))
        assert result.status is ToolResultStatus.SUCCESS, result
        assert result.structured is not None and result.structured["success"], result.structured
        refused = asyncio.run(view.call("mcp_db_query", {argument: "DROP TABLE customers"}))
        assert refused.structured is None or not refused.structured["success"]

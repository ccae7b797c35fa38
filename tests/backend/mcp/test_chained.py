"""Two instances of this app, one asking the other's database through its MCP server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from mcp_types import TextResourceContents

from ai_engine.errors import QueryFailed, SqlRejected
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings
from tests.backend.mcp.connected import over_http, served_bank


@pytest.fixture(scope="module")
def far(small_bank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """The app that asks; it knows the other by what that one offers alone."""
    with served_bank(small_bank) as address:
        with over_http("auto", address) as other:
            [told] = other.do(lambda client: client.read_resource("bank://vocabulary")).contents
        assert isinstance(told, TextResourceContents)
        vocabulary = tmp_path_factory.mktemp("far") / "bank.yaml"
        vocabulary.write_text(told.text, encoding="utf-8")
        with closing(open_assistant(read_settings(mcp_database_url=address, vocabulary_file=vocabulary))) as assistant:
            yield assistant


@pytest.fixture(scope="module")
def near(small_bank: Path) -> Iterator[Assistant]:
    with closing(open_assistant(read_settings(database_url=str(small_bank)))) as assistant:
        yield assistant


@pytest.mark.parametrize(
    "question",
    [
        "How many customers are there?",
        "What are the total deposits per state?",
        "Top 5 branches by number of loans",
        "Gross NPA ratio by loan type",
        "Number of UPI transactions per month this year",
        "Customers in Pune",
    ],
)
def test_an_app_behind_an_app_gives_the_same_answer(far: Assistant, near: Assistant, question: str):
    there, here = far.ask(question), near.ask(question)
    assert here.status == "answered"
    assert (there.status, there.summary) == (here.status, here.summary)
    assert there.result is not None
    assert here.result is not None
    assert there.result.rows == here.result.rows


def test_what_the_other_withholds_does_not_exist_here(far: Assistant):
    with pytest.raises(SqlRejected, match="email"):
        far.run_statement("SELECT email FROM customers")


def test_a_statement_that_fails_there_is_told_by_its_kind(far: Assistant):
    _, result = far.run_statement("SELECT COUNT(*) AS n FROM branches")
    assert result.rows == ((40,),)
    with pytest.raises(QueryFailed, match="converted"):
        far.run_statement("SELECT CAST(branch_name AS INTEGER) AS n FROM branches")

"""A kept answer is shown only as long as its statement could run again; the judge is the database without a column."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime

import duckdb
import pytest

from ai_engine.model_use import ModelCall
from ai_engine.semantics.vocabulary_edits import Edit, value_at
from ai_engine.tie_out import TieOut
from ai_engine.types import Answer, FailedDraft, OtherReading, WordMeaning
from ai_engine.verified import VerifiedAnswer
from backend.answers.answer_json import answer_from_json, answer_to_json
from backend.answers.withheld import (
    CLOSED_SINCE,
    ITS_QUESTION,
    Shown,
    as_may_be_shown,
    mark_of,
    mark_without_figures,
    question_without_values,
    with_mark,
)
from backend.opening import open_assistant
from backend.renewal import in_force
from backend.service import Assistant
from backend.settings import Settings

TABLES = {
    "customers": ("customer_id", "full_name", "segment", "city", "pan"),
    "accounts": ("account_id", "customer_id", "kind", "balance"),
}
MADE = (
    "CREATE TABLE customers AS SELECT i AS customer_id, 'P' || i AS full_name, 'Retail' AS segment, "
    "'Pune' AS city, 'PAN' || i AS pan FROM range(5) AS t(i)",
    "CREATE TABLE accounts AS SELECT i AS account_id, i % 5 AS customer_id, 'savings' AS kind, "
    "i * 10.5 AS balance FROM range(9) AS t(i)",
)
STATEMENTS = (
    "SELECT COUNT(*) AS n FROM customers",
    "SELECT customer_id, segment FROM customers",
    "SELECT segment, COUNT(*) AS n FROM customers GROUP BY segment",
    "SELECT COUNT(*) AS n FROM customers WHERE city = 'Pune'",
    "SELECT c.full_name AS who FROM customers AS c ORDER BY c.city LIMIT 3",
    "SELECT c.segment, SUM(a.balance) AS held FROM accounts AS a JOIN customers AS c "
    "ON a.customer_id = c.customer_id GROUP BY c.segment HAVING MAX(a.account_id) > 1",
    "WITH rich AS (SELECT customer_id, balance FROM accounts WHERE balance > 20) SELECT COUNT(balance) AS n FROM rich",
    "SELECT kind, balance FROM accounts WHERE EXISTS (SELECT 1 FROM customers AS c WHERE c.pan = 'PAN1')",
)
_WITHOUT_VALUES = (*STATEMENTS[:3], STATEMENTS[4])


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("withheld")
    with duckdb.connect(folder / "bank.duckdb") as bank:
        for statement in MADE:
            bank.execute(statement)
    settings = Settings(
        database_url=str(folder / "bank.duckdb"), cache_dir=folder / "cache", database_workers=1, editors="edith",
        store_url=f"sqlite:///{folder}/store.sqlite", vocabulary_check_s=0,
    )  # fmt: skip
    with closing(open_assistant(settings)) as opened:
        opens = [
            Edit("column", f"{table}.{column}", "sensitive", True, False)
            for table, columns in TABLES.items() for column in columns
            if value_at(opened.vocabulary.model, "column", f"{table}.{column}", "sensitive")
        ]  # fmt: skip
        publish(opened, opens)
        yield in_force(opened)


def publish(assistant: Assistant, edits: list[Edit]) -> None:
    assistant.changes.publish(assistant.changes.propose(edits, "", "edith").id, "edith")


def runs_without(table: str, column: str, sql: str) -> bool:
    with duckdb.connect() as bank:
        for statement in (*MADE, f"ALTER TABLE {table} RENAME COLUMN {column} TO gone"):
            bank.execute(statement)
        try:
            bank.execute(sql)
        except duckdb.BinderException:
            return False
        return True


@pytest.mark.parametrize(("table", "column"), [(table, column) for table in TABLES for column in TABLES[table]])
def test_a_kept_answer_is_shown_exactly_as_long_as_it_reads_nothing_restricted(assistant: Assistant, table, column):
    answers = [assistant.run_again(sql, question=sql) for sql in STATEMENTS]
    assert [answer.error for answer in answers] == [None] * len(answers)
    kept = [answer_to_json(answer) for answer in answers]
    version = assistant.changes.in_force()[0]
    publish(assistant, [Edit("column", f"{table}.{column}", "sensitive", False, True)])
    try:
        now = in_force(assistant)
        for sql, text in zip(STATEMENTS, kept, strict=True):
            was = answer_from_json(text)
            shown = as_may_be_shown(was, now.check, now.policy).answer
            if runs_without(table, column, sql):
                assert shown is was
            else:
                said = f"not shown any more, as its query may not run today: column {column} of {table} is restricted"
                assert said in (shown.error or "")
                asked = sql if sql in _WITHOUT_VALUES else ITS_QUESTION
                assert shown == Answer(asked, "failed", was.model, error=shown.error, error_kind="SqlRejected")
    finally:
        assistant.changes.roll_back(version, "edith")
    now = in_force(assistant)
    assert all(as_may_be_shown(answer_from_json(text), now.check, now.policy).answer.result for text in kept)


def test_a_reading_that_was_not_taken_is_no_way_round(assistant: Assistant):
    answer = assistant.run_again(STATEMENTS[0], question="How many?")
    assert answer.result is not None
    beside = replace(answer, other_reading=OtherReading("Names", "SELECT secret FROM customers", answer.result))
    assert as_may_be_shown(beside, assistant.check, assistant.policy).answer.result is None


def test_what_no_statement_can_be_judged_for_is_shown_until_a_column_is_closed(assistant: Assistant):
    for status in ("clarify", "failed", "refused", "answered"):
        said = Answer("Pune?", status, "rules", error="Which one?", choices=("Of branches: Pune",), summary="Pune")
        kept = answer_from_json(answer_to_json(with_mark(said, assistant.policy)))
        assert as_may_be_shown(kept, assistant.check, assistant.policy).answer is kept
        closed = replace(assistant.policy, restricted_columns={"customers": frozenset({"city", "pan"})})
        gone = as_may_be_shown(kept, assistant.check, closed)
        assert gone == Shown(Answer("Pune?", "failed", "rules", error=CLOSED_SINCE), CLOSED_SINCE)


def test_every_answer_bears_the_mark_of_what_was_closed_which_judges_alone_where_there_are_no_figures(
    assistant: Assistant,
):
    assert assistant.ask("What is the colour of money?").closed == mark_of(assistant.policy)
    figures = assistant.run_again(STATEMENTS[0], question="How many?")
    assert (figures.closed, mark_without_figures(figures)) == (mark_of(assistant.policy), "")


def drafted(assistant: Assistant) -> Answer:
    """Return figures that read nothing of a city, with a city in every text and statement beside them."""
    draft = FailedDraft("SELECT 1 FROM customers WHERE city = 'Pune'", "Pune", "Not Pune")
    call = ModelCall("m", "SqlReply", 3, 4, prompt="Pune", reply="Pune")
    tied = TieOut("ties", "Pune", sql=("SELECT COUNT(*) AS n FROM customers WHERE city = 'Pune'",))
    answer = assistant.run_again(STATEMENTS[0], question="How many?")
    return replace(
        answer, failures=(draft,), model_calls=(call,), tie_out=tied, meanings=(WordMeaning("there", "city Pune"),),
        choices=("Pune",), suggestions=("Only Pune",), unplaced=("Pune",),
    )  # fmt: skip


def test_drafts_prompts_and_offers_beside_figures_are_shown_until_a_column_is_closed_and_the_figures_after_that(
    assistant: Assistant,
):
    answer = drafted(assistant)
    assert as_may_be_shown(answer, assistant.check, assistant.policy) == Shown(answer, is_whole=True)
    closed = replace(assistant.policy, restricted_columns={"customers": frozenset({"city", "pan"})})
    for kept in (answer, replace(answer, closed="")):
        shown = as_may_be_shown(kept, replace(assistant, policy=closed).check, closed)
        assert "Pune" not in answer_to_json(shown.answer)
        assert (shown.why, shown.is_whole, shown.answer.result) == ("", False, answer.result)
        assert shown.answer.model_calls == (ModelCall("m", "SqlReply", 3, 4),)


def test_a_verified_statement_beside_figures_is_judged_with_theirs(assistant: Assistant):
    answer = assistant.run_again(STATEMENTS[0], question="How many?")
    verified = VerifiedAnswer("1", "How many?", "", STATEMENTS[3], None, date(2026, 1, 1), "una", datetime.now(UTC))
    closed = replace(assistant.policy, restricted_columns={"customers": frozenset({"city", "pan"})})
    shown = as_may_be_shown(replace(answer, verified=verified), replace(assistant, policy=closed).check, closed)
    assert (shown.answer.verified, shown.answer.result) == (None, None)


@pytest.mark.parametrize(
    ("asked", "derived_from", "is_told"),
    [
        ("Customers where city is Pune", "", False),
        ("Who lives in pune?", "", False),
        ("Customers of that town", "", False),
        ("Punekars", "", False),
        ("Customers of that town", "0" * 32, False),
    ],
)
def test_a_question_is_told_no_more_where_its_statement_has_a_value_or_a_click_made_it(
    assistant, asked, derived_from, is_told
):
    answer = replace(assistant.run_again(STATEMENTS[3], question=asked), derived_from=derived_from)
    closed = replace(assistant.policy, restricted_columns={"customers": frozenset({"city", "pan"})})
    shown = as_may_be_shown(answer, replace(assistant, policy=closed).check, closed).answer
    assert shown.question == (asked if is_told else ITS_QUESTION)
    assert as_may_be_shown(answer, assistant.check, assistant.policy).answer is answer


@pytest.mark.parametrize(
    ("condition", "is_told"),
    [
        ("", True),
        (" ORDER BY city LIMIT 3", True),
        (" WHERE joined = CAST('2020-01-01' AS DATE)", False),
        (" WHERE owed > 1234567.5", False),
        (" WHERE owed > 1e6", False),
        (" WHERE is_frozen = TRUE", False),
        (" WHERE city IS NULL", False),
        (' WHERE city = "Pune"', False),
        (" WHERE city = $$Pune$$", False),
        (" WHERE code = x'41'", False),
    ],
)
def test_no_spelling_of_a_value_is_looked_for_in_a_question_its_statement_says_whether_it_is_told(condition, is_told):
    asked = "Customers of 1 Jan 2020 above 1,234,567.50"
    told = question_without_values(asked, ("SELECT COUNT(*) FROM customers", f"SELECT city FROM customers{condition}"))
    assert told == (asked if is_told else ITS_QUESTION)


def test_the_question_of_a_click_that_came_to_no_figures_is_told_no_more_either(assistant: Assistant):
    closed = replace(assistant.policy, restricted_columns={"customers": frozenset({"city", "pan"})})
    said = Answer("Customers where city is Pune", "failed", "rules", sql=STATEMENTS[3], error="Too slow")
    for failed in (said, replace(said, sql=None, derived_from="0" * 12)):
        kept = with_mark(failed, assistant.policy)
        assert as_may_be_shown(kept, assistant.check, closed).answer.question == ITS_QUESTION

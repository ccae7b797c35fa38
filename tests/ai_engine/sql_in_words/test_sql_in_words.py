from __future__ import annotations

import re
import threading
from datetime import date
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import plural
from ai_engine.sql_in_words import sql_in_words
from backend.evaluation.questions import read_questions
from backend.opening import open_assistant
from backend.settings import PROJECT_ROOT, read_settings
from tests.ai_engine.tie_out.test_planted_faults import VOCABULARY
from tests.conftest import AS_OF

SETS = PROJECT_ROOT / "tests" / "questions"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELECT branches.region, SUM(bookings.amount) AS total FROM bookings "
            "JOIN accounts ON accounts.account_id = bookings.account_id "
            "LEFT JOIN branches ON branches.branch_id = accounts.branch_id "
            "WHERE bookings.booked_on >= DATE '2026-04-01' AND accounts.kind <> 'savings' "
            "GROUP BY branches.region HAVING COUNT(*) > 5 ORDER BY total DESC, branches.region LIMIT 10 OFFSET 1",
            (
                "Reads bookings.",
                "Adds accounts, and drops rows that have none, matched where account id equals account id of the "
                "booking.",
                "Adds branches where there are any, matched where branch id equals branch id of the account.",
                "Keeps the rows where booked on of the booking is on or after 1 April 2026 and kind of the account is "
                "known and not “savings”.",
                "Groups them by region of the branch.",
                "Keeps the groups where number of rows is above 5.",
                "Shows region of the branch, total of amount of the booking as `total`.",
                "Sorts by `total` (descending), region of the branch (ascending).",
                "Returns at most 10 rows, after the first 1.",
            ),
        ),
        (
            "SELECT DISTINCT kind FROM accounts WHERE NOT EXISTS(SELECT 1 FROM bookings WHERE bookings.account_id = "
            "accounts.account_id AND amount > 10)",
            (
                "Reads accounts.",
                "Keeps the rows where there are no bookings where account id of the booking equals account id and "
                "amount of the booking is above 10.",
                "Shows kind. Each row once.",
            ),
        ),
        (
            "SELECT COUNT(*) FROM accounts WHERE kind NOT IN ('a', 'b') AND NOT kind LIKE 'x%' AND secret = 1",
            (
                "Reads accounts.",
                "Keeps the rows where kind is known, and neither “a” nor “b” and `NOT kind LIKE 'x%'` and `secret` is "
                "1.",
                "Shows number of rows.",
            ),
        ),
        (
            "SELECT kind, ROW_NUMBER() OVER (ORDER BY kind) AS place FROM (SELECT kind FROM accounts) AS listed",
            (
                "First, as `listed`:", "Reads accounts.", "Shows kind.", "Then, from these:", "Reads `listed`.",
                "Shows `kind`, `ROW_NUMBER() OVER (ORDER BY kind)` as `place`.",
            ),
        ),
        ("SELECT (", ()),
    ],
)  # fmt: skip
def test_each_clause_is_a_sentence_and_what_is_not_known_is_quoted(sql: str, said: tuple[str, ...]):
    assert sql_in_words(sql, VOCABULARY) == said


def compiled_statements(bank: Path) -> list[tuple[str, Vocabulary]]:
    found: list[tuple[str, Vocabulary]] = []
    settings = read_settings(database_url=f"duckdb:///{bank}", as_of=date.fromisoformat(AS_OF), database_workers=1)
    assistant = open_assistant(settings)
    try:
        vocabulary = assistant.vocabulary
        for question in read_questions(SETS / "sample_bank.jsonl"):
            reading = assistant.built_in.interpret(question.text, (), vocabulary, stop=threading.Event())
            if reading.intent is None:
                continue
            try:
                draft = compile_intent(reading.intent, vocabulary.model, "duckdb", vocabulary.as_of)
            except IntentNotCovered:
                continue
            found.append((assistant.check(draft.sql).sql, vocabulary))
    finally:
        assistant.close()
    return found


def test_every_statement_of_the_own_questions_is_told_with_its_tables_its_filters_and_its_figures(small_bank: Path):
    statements = compiled_statements(small_bank)
    assert len(statements) > 250
    for sql, vocabulary in statements:
        text = " ".join(sql_in_words(sql, vocabulary)).lower()
        tree = sqlglot.parse_one(sql, dialect="duckdb")
        assert unsaid(tree, vocabulary, text) == [], f"{sql}\n{text}"


def unsaid(tree: exp.Expr, vocabulary: Vocabulary, text: str) -> list[str]:
    """Name the tables, the columns of conditions and the aggregates that a telling passes over."""
    labels = {one.source.lower(): plural(one.label).lower() for one in vocabulary.model.datasets}
    fields: dict[str, set[str]] = {}
    for dataset in vocabulary.model.datasets:
        for item in dataset.fields:
            fields.setdefault(item.expression.lower(), set()).add(item.label.lower())
    missing = [
        table.name
        for table in tree.find_all(exp.Table)
        if table.name.lower() not in text and labels.get(table.name.lower(), "?") not in text
    ]
    for where in tree.find_all(exp.Where, exp.Having):
        for column in where.find_all(exp.Column):
            words = {column.name.lower(), *fields.get(column.name.lower(), ())}
            missing += [] if any(word in text for word in words) else [column.name]
    words_of = {
        exp.Sum: "total of|sum\\(|number of rows where", exp.Avg: "average of|avg\\(",
        exp.Count: "number of|count\\(", exp.Min: "lowest|earliest|min\\(", exp.Max: "highest|latest|max\\(",
    }  # fmt: skip
    for kind, words in words_of.items():
        if tree.find(kind) is not None and not re.search(words, text):
            missing.append(kind.__name__)
    return missing


def test_an_empty_vocabulary_quotes_every_name():
    bare = Vocabulary(VOCABULARY.catalogue, type(VOCABULARY.model)("none", ()), ValueIndex(()), VOCABULARY.as_of)
    assert sql_in_words("SELECT kind FROM accounts WHERE branch_id = 1", bare) == (
        "Reads `accounts`.",
        "Keeps the rows where `branch_id` is 1.",
        "Shows `kind`.",
    )

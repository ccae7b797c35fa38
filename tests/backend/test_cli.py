from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ai_engine import errors
from ai_engine.types import Answer
from backend import cli
from backend.command_line import opening
from tests.backend.canned_assistant import CUSTOMERS, CannedAssistant, Reply

PROJECT_ROOT = Path(__file__).resolve().parent.parent.parent
ASK_KEYS = {
    "question", "restatement", "status", "sql", "columns", "units", "rows", "row_count", "truncated", "total_rows",
    "expected_scan", "rows_as_of", "summary", "headline", "period", "scope", "part_steps",
    "chart", "assumptions", "choices", "suggestions", "error", "trust", "verified_by", "other_reading",
    "tie_out", "model", "model_use", "timings_ms",
}  # fmt: skip
SQL_KEYS = ["id", "status", "columns", "rows", "row_count", "truncated", "reason", "elapsed_ms"]


@pytest.fixture
def canned(monkeypatch):
    """Put an assistant with given replies behind the command line."""

    def install(**replies: Reply) -> CannedAssistant:
        assistant = CannedAssistant({question.replace("_", " "): reply for question, reply in replies.items()})
        monkeypatch.setattr(opening, "open_assistant", lambda settings, source="": assistant)
        return assistant

    return install


@pytest.fixture(scope="module")
def bank(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("bank") / "bank.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(
        "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, city TEXT, balance DECIMAL(12, 2));"
        "INSERT INTO customers VALUES (1, 'Asha', 'Pune', 175206.5), (2, 'Ravi', 'Pune', NULL), (3, 'Mira', 'Goa', 3);"
        "CREATE TABLE entries (entry_id INTEGER PRIMARY KEY, kind TEXT);"
        "WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 3000)"
        "INSERT INTO entries SELECT id, 'UPI' FROM ids;"
    )
    connection.close()
    return file


def run(*arguments: str | Path) -> int:
    return cli.main([str(argument) for argument in arguments])


def batch(tmp_path: Path, command: str, lines: list[Any], *flags: str | Path) -> list[dict[str, Any]]:
    """Run a batch over lines (text as it is, other values as JSON) and return what was written."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    assert run(command, "--batch", source, "--out", target, *flags) == 0
    return [json.loads(line) for line in target.read_text().splitlines()]


# ask


def test_an_answer_is_printed_for_a_person(canned, capsys):
    assistant = canned(q=CUSTOMERS)
    assert run("ask", "q") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("There are 12,000 customers.\n\nCustomers\n---------\n   12,000\n\nSELECT COUNT(*)")
    assert assistant.closed


def test_an_answer_whose_statement_a_model_wrote_says_so(canned, capsys):
    canned(q=replace(CUSTOMERS, trust="free SQL"))
    assert run("ask", "q") == 0
    assert "Free SQL: a language model wrote the statement, and said itself" in capsys.readouterr().out


def test_an_answer_is_printed_as_one_object(canned, capsys):
    canned(q=CUSTOMERS)
    assert run("ask", "q", "--json") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert set(json.loads(line)) == ASK_KEYS
    assert json.loads(line)["rows"] == [[12_000]]


@pytest.mark.parametrize("status", ["refused", "clarify", "failed"])
def test_what_is_not_answered_ends_with_status_1_and_says_why(canned, capsys, status):
    canned(q=Answer("q", status, "canned", error="Which one?", choices=("this", "that"), suggestions=("other",)))
    assert run("ask", "q") == 1
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("Which one?", "  - this", "  - that", "  - other"))
    assert run("ask", "q", "--json") == 1
    assert json.loads(capsys.readouterr().out)["status"] == status


def test_nothing_in_an_answer_can_command_the_terminal(canned, capsys):
    assert CUSTOMERS.result is not None
    hostile = replace(
        CUSTOMERS,
        summary="\x1b[2Jgone",
        result=replace(CUSTOMERS.result, types=("text",), rows=(("\x1b]0;title\x07a\nb",),)),
    )
    canned(q=hostile)
    run("ask", "q")
    assert "\x1b" not in (printed := capsys.readouterr().out)
    assert "a b" in printed


@pytest.mark.parametrize("question", ["", "   ", "x" * 2_001])
def test_an_empty_or_too_long_question_is_wrong_use(bank, capsys, question):
    assert run("ask", question, "--database", bank, "--json") == 2
    output = capsys.readouterr()
    assert output.err.startswith("error: The question ")
    assert json.loads(output.out)["status"] == "failed"


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--database", "nonsense://"], "not supported"),
        (["--database", "sqlite:////nowhere/bank.sqlite"], "/nowhere/bank.sqlite"),
        (["--database", "/nowhere/bank.duckdb"], "/nowhere/bank.duckdb"),
        (["--vocabulary", "/nowhere/words.yaml"], "/nowhere/words.yaml"),
        (["--model", "gpt-4o-mini"], "OPENAI_API_KEY"),
    ],
)
def test_a_wrong_database_file_or_model_is_named(bank, capsys, flags, complaint):
    assert run("ask", "q", "--database", bank, *flags, "--json") == 2
    output = capsys.readouterr()
    assert complaint in output.err
    assert json.loads(output.out)["status"] == "failed"


def test_a_server_that_does_not_answer_is_not_wrong_use(monkeypatch, capsys):
    def unreachable(settings: Any, source: str) -> Any:
        raise errors.DatabaseUnavailable("connection refused")

    monkeypatch.setattr(opening, "open_assistant", unreachable)
    assert run("ask", "q") == 1
    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["ask"],
        ["ask", "q", "--batch", "in", "--out", "out"],
        ["ask", "--batch", "in"],
        ["ask", "q", "--out", "out"],
        ["ask", "q", "--as-of", "yesterday"],
        ["ask", "q", "--jobs", "0"],
        ["sql", "SELECT 1", "--timeout-s", "-1"],
        ["check", "SELECT 1", "--schema", "schema.sql"],
        ["check", "SELECT 1", "--schema", "schema.sql", "--dialect", "oracle"],
        ["check", "SELECT 1", "--schema", "schema.sql", "--dialect", "duckdb", "--database", "x"],
        ["predict", "q"],
    ],
)
def test_wrong_flags_are_wrong_use(arguments):
    with pytest.raises(SystemExit) as end:
        run(*arguments)
    assert end.value.code == 2


def test_the_flags_of_a_question_reach_the_settings(monkeypatch, bank):
    seen: list[Any] = []
    monkeypatch.setenv("OPENAI_API_KEY", "key")

    def open_with(settings: Any, source: str) -> CannedAssistant:
        seen.append(settings)
        return CannedAssistant({"q": CUSTOMERS})

    monkeypatch.setattr(opening, "open_assistant", open_with)
    run("ask", "q", "--database", bank, "--as-of", "2026-09-30", "--model", "gpt-5", "--vocabulary", "words.yaml")
    run("ask", "q", "--model", "built-in")
    chosen, built_in = seen
    assert (chosen.database_url, str(chosen.as_of), chosen.model) == (str(bank), "2026-09-30", "gpt-5")
    assert chosen.vocabulary_file == Path("words.yaml")
    assert chosen.openai_api_key is not None
    assert built_in.openai_api_key is None


# ask --batch


def test_a_batch_keeps_order_and_passes_other_keys_through(canned, tmp_path):
    slow, quick = threading.Event(), replace(CUSTOMERS, summary="quick")

    def waits(stop: threading.Event) -> Answer:
        assert slow.wait(20)
        return CUSTOMERS

    def releases(stop: threading.Event) -> Answer:
        slow.set()
        return quick

    canned(first=waits, second=releases)
    first, second = batch(
        tmp_path,
        "ask",
        [{"question": "first", "db": "bank", "gold_sql": "SELECT 1"}, {"question": "second", "sql": "not mine"}],
        "--jobs",
        "2",
    )
    assert (first["question"], first["db"], first["gold_sql"]) == ("first", "bank", "SELECT 1")
    assert set(first) == ASK_KEYS | {"db", "gold_sql"}
    assert (second["question"], second["summary"], second["sql"]) == ("second", "quick", CUSTOMERS.sql)


def test_a_bad_line_fails_alone(canned, tmp_path):
    canned(q=CUSTOMERS, breaks=RuntimeError("boom"))
    lines = [
        "{broken",
        "[1]",
        '"text"',
        '{"question": 7, "id": 4}',
        '{"id": 5, "error": "mine"}',
        '{"question": "q", "weight": NaN}',
        '{"question": "q", "weight": 1e999}',
        '{"question": "q", "deep": ' + "[" * 500 + "]" * 500 + "}",
        {"question": "breaks"},
        "",
        {"question": "q"},
    ]
    *bad, good = batch(tmp_path, "ask", lines)
    assert len(bad) == 9
    assert all(line["status"] == "failed" and line["error"] and set(line) >= ASK_KEYS for line in bad)
    assert (bad[3]["id"], bad[3]["question"]) == (4, 7)
    assert bad[4]["error"] == "the object has no text under 'question'"
    assert bad[8]["question"] == "breaks"
    assert good["status"] == "answered"


def test_a_conversation_is_asked_in_order_and_remembers_what_was_understood_or_refused(canned, tmp_path):
    assistant = canned(
        one=replace(CUSTOMERS, question="one", restatement="ONE"),
        gibberish=Answer("gibberish", "refused", "canned", error="?"),
        two=replace(CUSTOMERS, question="two", restatement="TWO"),
        alone=CUSTOMERS,
    )
    lines = [
        {"question": "one", "conversation": "a"},
        {"question": "alone"},
        {"question": "gibberish", "conversation": "a"},
        {"question": "one", "conversation": {"b": 1}},
        {"question": "two", "conversation": "a"},
        {"question": "two", "conversation": "a"},
    ]
    written = batch(tmp_path, "ask", lines, "--jobs", "3")
    assert [line["question"] for line in written] == ["one", "alone", "gibberish", "one", "two", "two"]
    assert [line["conversation"] for line in written if "conversation" in line] == ["a", "a", {"b": 1}, "a", "a"]
    assert sorted(assistant.asked) == sorted(
        [
            ("one", ()),
            ("gibberish", ("ONE",)),
            ("two", ("ONE", "")),
            ("two", ("ONE", "", "TWO")),
            ("one", ()),
            ("alone", ()),
        ]
    )


def test_a_question_comes_back_as_it_was_written(canned, tmp_path):
    canned(**{" q ": replace(CUSTOMERS, question="q")})
    (line,) = batch(tmp_path, "ask", [{"question": " q "}])
    assert line["question"] == " q "


def test_a_batch_without_its_file_is_wrong_use(canned, tmp_path, capsys):
    canned()
    assert run("ask", "--batch", tmp_path / "none.jsonl", "--out", tmp_path / "out.jsonl") == 2
    assert "none.jsonl" in capsys.readouterr().err
    (tmp_path / "in.jsonl").write_text("{}\n")
    assert run("ask", "--batch", tmp_path / "in.jsonl", "--out", tmp_path / "no" / "out.jsonl") == 2
    assert "out.jsonl" in capsys.readouterr().err


# sql


def test_a_statement_is_run_for_a_person(bank, capsys):
    assert run("sql", "SELECT name, balance FROM customers ORDER BY customer_id", "--database", bank) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:5]] == [
        ["name", "balance"], ["----", "--------"], ["Asha", "175206.5"], ["Ravi"], ["Mira", "3.0"],
    ]  # fmt: skip
    assert lines[-1].startswith("3 rows, ")


def test_a_statement_is_run_for_a_program(bank, capsys):
    assert run("sql", "SELECT COUNT(*) AS n FROM customers", "--database", f"sqlite:///{bank}", "--json") == 0
    outcome = json.loads(capsys.readouterr().out)
    assert list(outcome) == SQL_KEYS
    elapsed_ms = outcome.pop("elapsed_ms")
    assert elapsed_ms > 0
    assert outcome == {
        "id": None, "status": "answered", "columns": ["n"], "rows": [[3]], "row_count": 1, "truncated": False,
        "reason": None,
    }  # fmt: skip


def test_a_statement_that_may_not_run_says_why(bank, capsys):
    assert run("sql", "DELETE FROM customers", "--database", bank) == 1
    assert capsys.readouterr().err.startswith("refused: ")
    assert run("sql", "SELECT nam FROM customers", "--database", bank, "--json") == 1
    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["status"], outcome["rows"]) == ("refused", [])
    assert "name" in outcome["reason"]


def test_a_batch_of_statements_tells_each_outcome(bank, tmp_path):
    endless = "SELECT COUNT(*) FROM entries a JOIN entries b ON a.kind = b.kind JOIN entries c ON b.kind = c.kind"
    lines = [
        {"id": 1, "sql": "SELECT name FROM customers WHERE city = 'Goa'", "kind": "honest"},
        {"id": "two", "sql": "DROP TABLE customers"},
        {"id": 3, "sql": endless},
        {"id": 4},
        "{broken",
        {"id": 6, "sql": "SELECT name FROM customers ORDER BY name LIMIT 1"},
    ]
    written = batch(tmp_path, "sql", lines, "--database", bank, "--timeout-s", "0.5")
    assert [line["status"] for line in written] == ["answered", "refused", "timed_out", "failed", "failed", "answered"]
    assert [line["id"] for line in written] == [1, "two", 3, 4, None, 6]
    assert set(written[0]) == {*SQL_KEYS, "kind"}
    assert written[0]["rows"] == [["Mira"]]
    assert all(line["reason"] for line in written if line["status"] != "answered")
    assert all("sql" not in line for line in written)


def test_a_policy_file_holds_for_statements_too(bank, tmp_path, capsys):
    policy = tmp_path / "policy.json"
    policy.write_text('{"restricted_columns": {"customers": ["balance"]}}')
    assert run("sql", "SELECT balance FROM customers", "--database", bank, "--policy", policy, "--json") == 1
    assert json.loads(capsys.readouterr().out)["status"] == "refused"


# check


@pytest.fixture
def schema(tmp_path) -> Path:
    file = tmp_path / "schema.sql"
    file.write_text(
        "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE pins (pin TEXT);"
    )
    return file


def test_a_verdict_on_a_schema_file_needs_no_database(schema, capsys):
    flags = ["--schema", schema, "--dialect", "postgresql"]
    assert run("check", "select name from customers", *flags) == 0
    assert capsys.readouterr().out.startswith("accepted\n\nSELECT")
    assert run("check", "select nam from customers", *flags) == 1
    assert capsys.readouterr().out.startswith("refused: ")
    assert run("check", "select name from customers", *flags, "--json") == 0
    verdict = json.loads(capsys.readouterr().out)
    assert list(verdict) == ["id", "accepted", "reason", "sql"]
    assert (verdict["accepted"], verdict["reason"]) == (True, None)


def test_a_batch_of_verdicts_follows_the_policy_and_survives_bad_lines(schema, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text('{"hidden_tables": ["pins"], "allow_union": true, "max_rows": 7}')
    lines = [
        {"id": 1, "sql": "SELECT name FROM customers"},
        {"id": 2, "sql": "SELECT pin FROM pins"},
        {"id": 3, "sql": "SELECT name FROM customers UNION SELECT name FROM customers"},
        {"id": 4, "sql": "(" * 5_000},
        {"id": 5, "sql": None},
        "not json",
        {"id": 7, "sql": "SELECT name FROM customers LIMIT 900"},
    ]
    written = batch(tmp_path, "check", lines, "--schema", schema, "--dialect", "sqlite", "--policy", policy)
    assert [line["accepted"] for line in written] == [True, False, True, False, False, False, True]
    assert [set(line) for line in written] == [{"id", "accepted", "reason", "sql"}] * 7
    assert all((line["sql"] is None) == bool(line["reason"]) for line in written)
    assert written[6]["sql"].endswith("7")


def test_a_batch_of_verdicts_ends_with_its_counts_and_names_what_the_policy_cannot_protect(schema, tmp_path, capsys):
    policy = tmp_path / "policy.json"
    policy.write_text('{"hidden_tables": ["pinz"], "restricted_columns": {"customers": ["name", "phon"]}}')
    lines = [{"id": 1, "sql": "SELECT COUNT(*) FROM customers"}, {"id": 2, "sql": "SELECT name FROM customers"}]
    batch(tmp_path, "check", lines, "--schema", schema, "--dialect", "sqlite", "--policy", policy)
    told = capsys.readouterr().err.splitlines()
    assert [line.split()[4].rstrip(",") for line in told[:-1]] == ["customers.phon", "pinz"]
    assert told[-1] == "1 accepted, 1 refused"


def test_a_verdict_on_a_database_uses_its_tables(bank, capsys):
    assert run("check", "SELECT name FROM customers", "--database", bank) == 0
    assert run("check", "SELECT name FROM clients", "--database", bank) == 1


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"schema": None}, "schema"),
        ({"schema": "CREATE TABLE t (a INT);", "policy": "{"}, "policy"),
        ({"schema": "CREATE TABLE t (a INT);", "policy": '{"hiden_tables": []}'}, "hidden_tables"),
    ],
)
def test_a_wrong_schema_or_policy_file_is_named(tmp_path, capsys, files, complaint):
    flags: list[str | Path] = []
    for name, content in files.items():
        flags += [f"--{name}", tmp_path / name]
        if content is not None:
            (tmp_path / name).write_text(content)
    assert run("check", "SELECT a FROM t", "--dialect", "duckdb", *flags) == 2
    assert complaint in capsys.readouterr().err


# vocabulary


def test_the_inferred_vocabulary_can_be_written_and_used(bank, tmp_path, capsys):
    file = tmp_path / "words.yaml"
    assert run("vocabulary", "--database", bank, "--out", file) == 0
    assert run("vocabulary", "--database", bank) == 0
    assert capsys.readouterr().out == file.read_text()
    assert "customers" in file.read_text()
    assert run("check", "SELECT name FROM customers", "--database", bank) == 0


# all the way


def test_a_conversation_goes_all_the_way_to_the_database(small_bank, tmp_path):
    lines = [
        {"id": 1, "question": "How many customers are there?", "conversation": 1},
        {"id": 2, "question": "How many florbs are there?", "conversation": 1},
        {"id": 3, "question": "How many accounts are there?"},
    ]
    customers, florbs, accounts = batch(tmp_path, "ask", lines, "--database", f"duckdb:///{small_bank}", "--jobs", "2")
    assert (customers["status"], customers["rows"]) == ("answered", [[600]])
    assert (florbs["status"], florbs["sql"]) == ("refused", None)
    assert "florbs" in florbs["error"]
    assert accounts["rows"] == [[1_000]]
    steps = {"intent", "sql", "validation", "execution", "insight", "total"}
    assert all(set(line["timings_ms"]) == steps for line in (customers, florbs, accounts))


def test_a_wish_for_a_picture_in_a_conversation_draws_the_last_rows_again(small_bank, tmp_path):
    lines = [
        {"question": question, "conversation": 1}
        for question in ("Total deposits by region as a pie", "show as a line", "show it as bars", "make it a heatmap")
    ]
    pie, refused, bars, again = batch(tmp_path, "ask", lines, "--database", f"duckdb:///{small_bank}")
    assert (pie["status"], pie["chart"]) == ("answered", "pie")
    assert (refused["status"], again["status"]) == ("refused", "refused")
    assert "needs a run of time" in refused["error"]
    assert (bars["chart"], bars["rows"], bars["sql"]) == ("horizontal_bar", pie["rows"], pie["sql"])


# as a program


def test_the_module_runs_as_a_program(bank):
    command = [sys.executable, "-m", "backend.cli", "sql", "SELECT 1 AS one", "--database", str(bank), "--json"]
    ended = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=150, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["rows"] == [[1]]

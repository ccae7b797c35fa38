"""What is left behind for whoever operates the assistant: its log and its counts."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from ai_engine.run_log import without_values
from backend.logs import JsonLines, TextLines
from backend.main import create_app
from backend.opening import open_assistant
from backend.settings import read_settings
from tests.ai_engine.llm.server import fails, says, serving
from tests.backend.canned_assistant import CUSTOMERS, CannedAssistant
from tests.conftest import PROJECT_ROOT
from tests.test_serving import free_port, recipe, wait_until_served

QUESTION = "How many customers are there in all?"
SQL = {"sql": "SELECT COUNT(*) AS n FROM customers"}
BAD_SQL = {"sql": "SELECT nme FROM customers WHERE full_name = 'Ravi Kumar 9876'"}
QUERY = {"outcome": "query", "restatement": "Customers."}


def lines_of(caplog) -> list[dict[str, object]]:
    return [json.loads(line) for line in caplog.handler.stream.getvalue().splitlines()]


@pytest.fixture
def log(caplog):
    """The log as JSON lines, from INFO on."""
    caplog.set_level(logging.INFO)
    caplog.handler.setFormatter(JsonLines())
    return caplog


def asked(small_bank, tmp_path, *replies, questions=(QUESTION,), **options):
    with serving(*replies) as server:
        settings = read_settings(
            database_url=str(small_bank), cache_dir=tmp_path, openai_api_key="k", openai_base_url=server.base_url,
            **options,
        )  # fmt: skip
        with closing(open_assistant(settings)) as assistant:
            answers = [assistant.ask(question) for question in questions]
            return answers, assistant.metrics.text().decode()


def sample(metrics: str, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", metrics, re.MULTILINE)
    assert found, f"{name} is not in\n{metrics}"
    return float(found[1])


SLOW = "SELECT a.channel, COUNT(*) FROM transactions a JOIN transactions b ON a.amount <= b.amount GROUP BY a.channel"
RETRIED = [says(QUERY), says(BAD_SQL), says(SQL), says({"summary": "There are 600 customers.", "chart": "metric"})]


def test_each_retry_is_a_warning_with_its_count_and_reason_and_the_questions_id(small_bank, tmp_path, log):
    [answer], _ = asked(small_bank, tmp_path, *RETRIED)
    lines = [line for line in lines_of(log) if line["question_id"]]
    assert answer.status == "answered"
    assert {line["question_id"] for line in lines} == {answer.question_id}
    [retry] = [line for line in lines if "retry" in str(line["message"])]
    assert retry["level"] == "WARNING"
    assert str(retry["message"]).startswith("retry 1 after SqlRejected in validation: ")
    steps = [str(line["message"]).split(" took")[0] for line in lines if " took " in str(line["message"])]
    assert steps[:2] == ["intent_agent", "sql_agent"]
    assert steps[-2:] == ["execution_tool", "insight_agent"]


@pytest.mark.parametrize("permitted", [False, True])
def test_no_question_and_no_value_is_in_the_log_unless_that_is_permitted(small_bank, tmp_path, log, permitted):
    asked(small_bank, tmp_path, *RETRIED, log_questions=permitted)
    written = log.handler.stream.getvalue()
    assert (QUESTION in written) is permitted
    assert "Ravi" not in written
    messages = " ".join(str(line["message"]) for line in lines_of(log))  # the ids beside them are random digits
    assert "600" not in re.sub(r"\b\d+ ms\b|127\.0\.0\.1:\d+", "", messages)
    assert "SELECT" not in written


def test_what_a_reason_quotes_is_blanked():
    reason = "no value 'Ravi ''K'' Kumar' or \"x\"\nin `t`, 98.76 and A1234; nearest: name"
    assert without_values(reason) == "no value … or … in …, … and …; nearest: name"


@pytest.mark.parametrize("sql", [
    'SELECT customer_id FROM customers WHERE customer_name = "Ravi Kumar"', 'SELECT customer_id FROM "Ravi Kumar"',
    'SELECT "Ravi Kumar"(customer_id) FROM customers', 'SELECT "Ravi ""Kumar" FROM customers',
])  # fmt: skip
def test_a_name_that_a_statement_has_in_quotes_is_in_no_log_line(small_bank, tmp_path, log, sql):
    """Whoever puts a value into double quotes makes a name of it, of which the guard says that it is not there."""
    replies = [says(QUERY), says({"sql": sql}), *RETRIED[2:]]
    [answer], _ = asked(small_bank, tmp_path, *replies)
    assert (answer.status, len(answer.failures)) == ("answered", 1)
    written = log.handler.stream.getvalue()
    assert "retry 1 after SqlRejected in validation: " in written
    assert not re.search("ravi|kumar", written, re.IGNORECASE)


def test_what_happened_is_counted(small_bank, tmp_path):
    question = "How many customers are there?"
    replies = [fails(503), *RETRIED, *RETRIED[:1], fails(401)]
    answers, metrics = asked(small_bank, tmp_path, *replies, questions=(question, question))
    assert [answer.status for answer in answers] == ["answered", "failed"]
    assert len({answer.question_id for answer in answers}) == 2
    assert sample(metrics, 'bank_questions_total{model="gpt-4o-mini",status="answered"}') == 1
    assert sample(metrics, 'bank_questions_total{model="gpt-4o-mini",status="failed"}') == 1
    assert sample(metrics, 'bank_retries_total{stage="validation"}') == 1
    assert sample(metrics, 'bank_model_tokens_total{kind="prompt"}') == 5
    assert sample(metrics, 'bank_step_seconds_count{step="execution"}') == 1
    assert sample(metrics, "bank_timeouts_total") == 0
    assert sample(metrics, "bank_queue_length") == 0
    assert sample(metrics, "bank_workers_replaced_total") == 0
    assert "customers" not in metrics


def test_a_statement_that_is_ended_at_its_deadline_is_counted(small_bank, tmp_path):
    replies = [
        says(QUERY),
        says({"sql": SLOW}),
    ]
    replies += [says({"sql": None, "reason": "no other way"})]
    [answer], metrics = asked(small_bank, tmp_path, *replies, query_timeout_s=0.2)
    assert answer.status == "failed"
    assert sample(metrics, "bank_timeouts_total") == 1


def test_a_worker_that_was_killed_is_counted_as_replaced(small_bank, tmp_path):
    question = "How many customers are there?"
    settings = read_settings(database_url=str(small_bank), cache_dir=tmp_path, database_workers=1)
    with closing(open_assistant(settings)) as assistant:
        assert assistant.ask(question).status == "answered"
        before = assistant.database.load.replaced
        for child in Path("/proc/self/task").glob("*/children"):
            for number in child.read_text().split():
                if b"backend.databases.worker" in Path(f"/proc/{number}/cmdline").read_bytes():
                    os.kill(int(number), signal.SIGKILL)
        time.sleep(0.5)
        assert assistant.ask(question).status == "answered"
        assert assistant.database.load.replaced == before + 1


def test_the_answer_of_the_api_bears_the_id_and_its_counts_are_served(small_bank, tmp_path):
    settings = read_settings(database_url=str(small_bank), cache_dir=tmp_path)
    with closing(open_assistant(settings)) as assistant, TestClient(create_app(lambda: assistant)) as client:
        body = client.post("/ask", json={"query": "How many customers are there?"}).json()
        metrics = client.get("/metrics")
    assert re.fullmatch(r"[0-9a-f]{12}", body["question_id"])
    assert metrics.headers["content-type"].startswith("text/plain")
    assert sample(metrics.text, 'bank_questions_total{model="built-in",status="answered"}') == 1
    assert sample(metrics.text, "bank_questions_let_in") == 0


def test_two_assistants_count_apart(small_bank, tmp_path):
    settings = read_settings(database_url=str(small_bank), cache_dir=tmp_path)
    with closing(open_assistant(settings)) as one, closing(open_assistant(settings)) as other:
        one.ask("How many customers are there?")
        assert "bank_questions_total{" in one.metrics.text().decode()
        assert "bank_questions_total{" not in other.metrics.text().decode()


def test_a_request_that_never_was_a_question_has_an_id_too():
    with TestClient(create_app(lambda: CannedAssistant({"q": CUSTOMERS}))) as client:
        assert client.post("/ask", json={}).json()["question_id"]


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()])
def test_a_line_of_the_log_is_one_line_and_an_exception_keeps_its_text_to_itself(formatter):
    text = "Ravi Kumar has 987654321"
    try:
        raise ValueError(text)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "went\nwrong: %s", ("a\r\nb",), sys.exc_info())
    written = formatter.format(record)
    assert "Ravi" not in written
    assert "ValueError" in written
    assert "test_operations.py" in written
    assert "went" in written.split("\n")[0]
    assert "b" in written.split("\n")[0]


@pytest.mark.parametrize("what", ["app", "api"])
def test_the_servers_write_json_where_the_setting_says_so_and_serve_their_counts(what, small_bank, tmp_path):
    port = free_port()
    environment = {**os.environ, "BANK_DATABASE_URL": str(small_bank), "BANK_LOG_FORMAT": "json"}
    log = tmp_path / "log"
    with log.open("w") as output:
        process = subprocess.Popen([sys.executable, *recipe(what, port)], cwd=PROJECT_ROOT, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=output)  # fmt: skip
        try:
            wait_until_served(f"http://127.0.0.1:{port}/metrics", process)
            counted = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=60, trust_env=False).text
        finally:
            process.terminate()
            process.wait(20)
    assert sample(counted, "bank_queue_length") == 0
    ours = [line for line in log.read_text().splitlines() if "uvicorn" in line]
    assert ours
    assert all({"time", "level", "logger", "message", "question_id"} <= set(json.loads(line)) for line in ours)


def test_questions_at_once_do_not_share_an_id(small_bank, tmp_path, log):
    settings = read_settings(database_url=str(small_bank), cache_dir=tmp_path)
    answers = []
    with closing(open_assistant(settings)) as assistant:
        ask = lambda: answers.append(list(assistant.stream("How many customers are there?"))[-1])  # noqa: E731
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    ids = {answer.question_id for answer in answers}
    assert len(ids) == 4
    by_id = [line["question_id"] for line in lines_of(log) if " took " in str(line["message"])]
    assert {one: by_id.count(one) for one in ids} == dict.fromkeys(ids, 5)

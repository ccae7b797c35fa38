from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_engine.errors import CannotKeep
from backend.evaluation.runs import Evaluations, runs_of
from backend.evaluation.sets import VERIFIED, QuestionSets, permissions
from backend.store.evaluations import KeptRun
from tests.backend.test_tile_results import Bank

LINES = (
    {"question": "How many customers are there?", "gold_sql": "SELECT COUNT(*) FROM customers"},
    {"question": "How many branches are there?", "gold_sql": "SELECT COUNT(*) + 1 FROM branches"},
    {"question": "How many loans are there?", "gold_sql": "DELETE FROM loans"},
    {"question": "How many accounts are there?", "gold_sql": "SELECT email FROM customers"},
)


def written(*lines: dict[str, str]) -> bytes:
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory, kept_at: str) -> Iterator[Bank]:
    opened = Bank(tmp_path_factory.mktemp("evaluation"), kept_at)
    yield opened
    opened.sources.close()
    opened.store.close()


def ended(bank: Bank) -> KeptRun:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        newest = runs_of(bank.assistant)[0]
        if newest.state != "running":
            return newest
        time.sleep(0.05)
    raise AssertionError("the evaluation does not end")


def test_a_set_is_judged_and_kept_and_what_the_guard_refuses_judges_nothing(bank: Bank):
    sets, runs = QuestionSets(bank.store.get, bank.settings), Evaluations(bank.store.get, 2)
    name = sets.bring("../mine.jsonl", written(*LINES), "asha")
    assert name == "mine.jsonl (asha)"
    assert name in sets.names()
    questions = sets.questions(name, bank.assistant)
    runs.start(questions, name, bank.assistant, "asha")
    run = ended(bank)
    assert (run.state, run.asked, run.problem) == ("done", 4, "")
    report = json.loads(run.report)
    assert [one["verdict"] for one in report["outcomes"]] == ["right", "wrong", "left out", "left out"]
    assert report["by_mark"] == {"compiled": {"right": 1, "wrong": 1, "left out": 2}}
    for _ in range(2):
        while runs.running:
            time.sleep(0.01)
        runs.start(questions[:1], name, bank.assistant, "asha")
        ended(bank)
    assert len(runs_of(bank.assistant)) == 2


def test_a_run_is_stopped_after_its_present_question_and_keeps_what_it_has(bank: Bank):
    runs = Evaluations(bank.store.get, 5)
    questions = QuestionSets(bank.store.get, bank.settings)._read(written(*(LINES[0],) * 400).decode(), "many")
    runs.start(questions, "many", bank.assistant, "asha")
    with pytest.raises(CannotKeep):
        runs.start(questions, "many", bank.assistant, "asha")
    runs.stop()
    run = ended(bank)
    assert run.state == "stopped"
    assert 1 <= run.asked < 400


@pytest.mark.parametrize("content", [b"", b"no json", b"\xff\xfe", b'{"question": "x"}', b"x" * 600_000])
def test_what_is_no_set_is_refused_in_words(bank: Bank, content: bytes):
    with pytest.raises(CannotKeep) as refused:
        QuestionSets(bank.store.get, bank.settings).bring("set.jsonl", content, "asha")
    assert refused.value.user_message


def test_sets_of_the_folder_are_found_by_name_and_nothing_else_is(bank: Bank, tmp_path: Path):
    (tmp_path / "monthly.jsonl").write_bytes(written(LINES[0]))
    settings = bank.settings.model_copy(update={"question_sets_dir": tmp_path})
    sets = QuestionSets(bank.store.get, settings)
    assert sets.names()[:2] == (VERIFIED, "monthly.jsonl")
    assert len(sets.questions("monthly.jsonl", bank.assistant)) == 1
    for name in ("../monthly.jsonl", "/etc/passwd", VERIFIED):
        with pytest.raises(CannotKeep):
            sets.questions(name, bank.assistant)


def test_nobody_evaluates_unless_named(bank: Bank):
    assert not permissions(bank.settings).allow("asha")
    named = bank.settings.model_copy(update={"evaluators": "asha, vikram"})
    assert permissions(named).allow("vikram")
    assert not permissions(named).allow("meera")

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ai_engine.semantics.osi import dump_vocabulary
from backend import cli
from tests.ai_engine.built_in.bank import MODEL
from tests.ai_engine.scripted_model import write_bank

RETAIL = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = write_bank(tmp_path / "bank.sqlite")
    file.with_suffix(".yaml").write_text(dump_vocabulary(MODEL), encoding="utf-8")
    monkeypatch.setenv("BANK_DATABASE_URL", str(file))
    monkeypatch.setenv("BANK_STORE_URL", f"sqlite:///{tmp_path / 'store.sqlite'}")
    monkeypatch.setenv("BANK_VERIFIERS", "asha")
    monkeypatch.setenv("BANK_DATABASE_WORKERS", "1")
    return file


def verified(*arguments: str | Path) -> int:
    return cli.main(["verified", *map(str, arguments), *(["--who", "asha"] if "--who" not in arguments else [])])


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    capsys.readouterr()
    assert verified("list", "--json") == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_answers_are_added_listed_retracted_and_carried_to_another_store(
    bank: Path, tmp_path: Path, capsys, monkeypatch
):
    assert verified("add", "How many customers are there?") == 0
    assert "verified as " in capsys.readouterr().out
    assert verified("add", "How many punters frobnicate?", "--sql", RETAIL) == 0
    assert verified("add", "Who frobnicates?", "--sql", RETAIL) == 0
    last = listed(capsys)[0]
    assert last["question"] == "Who frobnicates?"
    assert verified("retract", last["id"], "--reason", "not yet") == 0
    assert verified("list") == 0
    assert "retracted (not yet)  asha  Who frobnicates?" in capsys.readouterr().out
    assert verified("export", "--out", tmp_path / "core.yaml") == 0
    monkeypatch.setenv("BANK_STORE_URL", f"sqlite:///{tmp_path / 'second.sqlite'}")
    assert listed(capsys) == []
    assert verified("import", "--file", tmp_path / "core.yaml") == 0
    assert {one["question"] for one in listed(capsys)} == {
        "How many customers are there?", "How many punters frobnicate?", *(q.question for q in MODEL.verified_questions)
    }  # fmt: skip
    capsys.readouterr()
    assert cli.main(["ask", "How many punters frobnicate?", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["trust"] == "verified"


def test_what_may_not_be_done_is_told_in_a_sentence(bank: Path, capsys):
    assert verified("add", "x", "--sql", RETAIL, "--who", "mallory") == 1
    assert "You may not do this here" in capsys.readouterr().err
    assert verified("add", "x", "--sql", "DROP TABLE customers") == 1
    assert verified("add", "How many punters frobnicate?") == 1
    assert verified("retract", "nothing") == 1
    assert "There is no such answer." in capsys.readouterr().err
    assert listed(capsys) == []


@pytest.mark.parametrize("arguments", [("add",), ("retract",), ("list", "x"), ("export", "x"), ("import", "x")])
def test_an_action_says_what_it_takes(arguments: tuple[str, ...]):
    with pytest.raises(SystemExit, match="2"):
        verified(*arguments)

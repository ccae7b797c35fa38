"""Evidence packs: equal bytes for equal answers, every change found, and the figure compared with today's."""

from __future__ import annotations

import io
import json
import math
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ai_engine.types import Answer
from backend import cli
from backend.answers.evidence import MEMBERS, SEAL, evidence_pack, seal_of
from backend.answers.evidence_check import Evidence, difference_to_today
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import read_settings
from backend.sources.source import name_of
from tests.ai_engine.scripted_model import write_bank

QUESTION = "Customers by segment"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return write_bank(tmp_path / "bank.sqlite")


@pytest.fixture
def assistant(bank: Path, tmp_path: Path) -> Iterator[Assistant]:
    opened = open_assistant(
        read_settings(
            database_url=str(bank), store_url=f"sqlite:///{tmp_path / 'store.sqlite'}", cache_dir=tmp_path,
            database_workers=1, as_of=date(2026, 11, 21),
        )
    )  # fmt: skip
    yield opened
    opened.close()


@pytest.fixture
def answer(assistant: Assistant) -> Answer:
    found = assistant.ask(QUESTION)
    assert found.result is not None
    return found


@pytest.fixture
def pack(answer: Answer, assistant: Assistant, tmp_path: Path) -> Path:
    file = tmp_path / "evidence.zip"
    file.write_bytes(evidence_pack(answer, assistant, "asha", "una"))
    return file


def members(pack: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(pack) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(pack: Path, changed: dict[str, bytes]) -> None:
    with zipfile.ZipFile(pack, "w") as archive:
        for name, content in changed.items():
            archive.writestr(name, content)


def said(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = cli.main(["verify-evidence", *arguments])
    return status, capsys.readouterr().out


def test_a_pack_says_all_that_belongs_to_a_figure(answer: Answer, assistant: Assistant, pack: Path):
    facts = json.loads(members(pack)["evidence.json"])
    assert (facts["asked_by"], facts["exported_by"]) == ("asha", "una")
    assert (facts["question"], facts["sql"], facts["row_count"]) == (QUESTION, answer.sql, answer.result.row_count)
    assert facts["source"] == name_of(assistant.database.place)
    told = b"".join(members(pack).values()).decode()
    assert str(Path(assistant.settings.database_url.removeprefix("duckdb:///")).parent) not in told, "where it lies"
    assert facts["guard"]["verdict"] == "let through"
    assert facts["as_of"] == "2026-11-21"
    assert len(facts["schema_fingerprint"]) == 32
    assert set(facts["versions"]["prompts"]) >= {"intent", "sql", "insight"}
    assert facts["intent"]["dimensions"]


def test_equal_answers_give_equal_bytes(answer: Answer, assistant: Assistant, pack: Path):
    assert evidence_pack(answer, assistant, "asha", "una") == pack.read_bytes()
    assert evidence_pack(answer, assistant, "vikram", "una") != pack.read_bytes()
    assert evidence_pack(answer, assistant, "asha", "vikram") != pack.read_bytes()


def test_an_untouched_pack_is_as_it_was_sealed(pack: Path, bank: Path, capsys: pytest.CaptureFixture[str]):
    assert said(str(pack), capsys=capsys)[0] == 0
    status, told = said(str(pack), "--database", str(bank), capsys=capsys)
    assert (status, "The database still says the same." in told) == (0, True)


def test_who_asked_and_who_took_it_away_are_told_and_of_an_earlier_pack_the_one_person(pack: Path, capsys):
    told = said(str(pack), capsys=capsys)[1]
    assert "asked_by: asha\nexported_by: una\n" in told
    whole = members(pack)
    facts = json.loads(whole["evidence.json"])
    earlier = {name: said for name, said in facts.items() if name not in ("asked_by", "exported_by")}
    rewritten(pack, sealed_anew(whole, "evidence.json", {**earlier, "format": 1, "person": "vera"}))
    status, told = said(str(pack), capsys=capsys)
    assert (status, "person: vera\n" in told, "exported_by" in told) == (0, True, False)


@pytest.mark.parametrize("name", [*MEMBERS, SEAL])
def test_a_changed_or_missing_file_is_named(pack: Path, name: str, capsys: pytest.CaptureFixture[str]):
    whole = members(pack)
    rewritten(pack, {**whole, name: whole[name].replace(b"1", b"2", 1).replace(b"Evidence", b"Evidences", 1)})
    status, told = said(str(pack), capsys=capsys)
    assert (status, name in told or "seal" in told) == (1, True)
    rewritten(pack, {key: content for key, content in whole.items() if key != name})
    status, told = said(str(pack), capsys=capsys)
    assert (status, f"{name} is missing" in told) == (1, True)


def test_a_pack_sealed_anew_over_a_changed_figure_contradicts_itself(pack: Path, capsys: pytest.CaptureFixture[str]):
    forged = members(pack)
    forged["evidence.json"] = forged["evidence.json"].replace(
        b'"asked_by": "asha"', b'"asked_by": "asha", "row_count": 99'
    )
    forged["result.csv"] = forged["result.csv"].replace(b"Retail", b"Retold")
    forged[SEAL] = json.dumps(seal_of(forged)).encode()
    rewritten(pack, forged)
    status, told = said(str(pack), capsys=capsys)
    assert status == 1
    assert "result.csv does not have the rows of answer.json" in told


def sealed_anew(whole: dict[str, bytes], name: str, changed: object) -> dict[str, bytes]:
    content = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
    forged = {**whole, name: content}
    return {**forged, SEAL: json.dumps(seal_of(forged)).encode()}


def test_a_pack_whose_rows_an_earlier_version_quoted_otherwise_does_not_contradict_itself(pack: Path, capsys):
    files = members(pack)
    lines = [b",".join(b'"' + cell + b'"' for cell in line.split(b",")) for line in files["result.csv"].split(b"\r\n")]
    files["result.csv"] = b"\r\n".join(lines)
    files[SEAL] = json.dumps(seal_of(files)).encode()
    rewritten(pack, files)
    assert said(str(pack), capsys=capsys)[0] == 0


def test_a_pack_made_to_trip_its_reader_is_told_as_one_that_was_changed(pack: Path, bank: Path, capsys):
    whole = members(pack)
    facts, answer = json.loads(whole["evidence.json"]), json.loads(whole["answer.json"])
    rows = answer["result"]["rows"]
    forged = [
        ("evidence.json", {**facts, "dialect": "nonesuch"}),
        ("evidence.json", {**facts, "dialect": {"a": 1}}),
        ("evidence.json", {**facts, "question": "\ud800", "status": "as sealed"}),
        ("evidence.json", b"[" * 100_000),
        ("evidence.json", b"\xff\xfe\x00"),
        ("answer.json", b"[" * 100_000),
        ("answer.json", {**answer, "result": {**answer["result"], "rows": [rows[0][:1], *rows[1:]]}}),
        ("answer.json", {**answer, "sql": "select (((( from"}),
        ("answer.json", {**answer, "sql": None}),
        ("answer.json", {**answer, "answered_at": "today", "intent": "none"}),
    ]
    for name, changed in forged:
        rewritten(pack, sealed_anew(whole, name, changed))
        assert said(str(pack), capsys=capsys)[0] == 1
        status, told = said(str(pack), "--json", "--database", str(bank), capsys=capsys)
        assert (status, json.loads(told)["status"]) == (1, "tampered")
    rewritten(pack, whole)
    damaged = bytearray(pack.read_bytes())
    with zipfile.ZipFile(pack) as archive:
        start = archive.getinfo("answer.json").header_offset
    damaged[start + 45 : start + 65] = bytes(20)
    pack.write_bytes(damaged)
    assert cli.main(["verify-evidence", str(pack)]) == 2


def test_a_figure_that_has_changed_since_has_a_status_of_its_own(
    pack: Path, bank: Path, capsys: pytest.CaptureFixture[str]
):
    with closing(sqlite3.connect(bank)) as writer:
        writer.execute("UPDATE customers SET segment = 'Retail'")
        writer.commit()
    status, told = said(str(pack), "--database", str(bank), capsys=capsys)
    assert (status, "The figure has changed since" in told) == (3, True)
    with closing(sqlite3.connect(bank)) as writer:
        writer.execute("ALTER TABLE customers RENAME TO clients")
        writer.commit()
    status, told = said(str(pack), "--database", str(bank), "--json", capsys=capsys)
    assert (status, json.loads(told)["status"]) == (4, "cannot be run again")


def test_what_is_no_pack_or_too_large_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch):
    other = tmp_path / "other.zip"
    other.write_bytes(b"no ZIP")
    assert cli.main(["verify-evidence", str(other)]) == 2
    assert cli.main(["verify-evidence", str(tmp_path / "missing.zip")]) == 2
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("answer.json", b"0" * 40_000_000)
    other.write_bytes(file.getvalue())
    monkeypatch.setenv("BANK_MAX_RESULT_MB", "1")
    assert cli.main(["verify-evidence", str(other)]) == 2
    assert "more than 32 MB" in capsys.readouterr().err


def test_floating_point_may_differ_in_its_last_digits_alone(assistant: Assistant):
    answer = assistant.run_again("SELECT AVG(customer_id / 3.0) AS mean FROM customers", question="Mean")
    ((mean,),) = answer.result.rows
    for changed, same in ((math.nextafter(mean, 0), True), (mean * 1.000_001, False)):
        kept = replace(answer, result=replace(answer.result, rows=((changed,),)))
        assert (difference_to_today(Evidence({}, kept, ()), assistant) == "") is same

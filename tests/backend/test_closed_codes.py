"""Words for the codes of a closed column: neither seen values nor what a file calls them is told of it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from ai_engine.catalogue import Catalogue
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.infer.code_lists import read_code_list
from ai_engine.semantics.infer.doubts import ColumnAnswer
from ai_engine.semantics.kept_back import with_kept_back
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit, with_edits
from backend.catalogue.entries import entries, search
from backend.opening import open_assistant
from backend.renewal import renewed
from backend.service import Assistant
from backend.store import column_answers
from tests.backend.test_kept_back import PEOPLE, ROWS, Bank, marked, told


@pytest.fixture(params=["duckdb", "sqlite"])
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> Bank:
    return Bank(request.param, str(tmp_path / f"bank.{request.param}"))


CODES = {
    "people": {"person_id": "INTEGER PRIMARY KEY", "country": "VARCHAR(9)", "sex": "VARCHAR(9)", "town": "VARCHAR(9)"}
}
STORED = ((("IN", "US"), ("M", "F")), (("GB", "FR"), ("Male", "Female")))
"""Of two banks: countries and sexes, whose words an inferred vocabulary knows."""
ASKED_OF_CODES = (
    "how many Americans are there?", "people from France", "how many women are there?", "what does male mean?",
    "explain american", "what is a frenchman?", "what does french mean?",
)  # fmt: skip


def closed_by_edit(assistant: Assistant) -> Assistant:
    edits = [Edit("column", f"people.{name}", "sensitive", False, True) for name in ("country", "sex")]
    assistant.changes.publish(assistant.changes.propose(edits, "", "edith").id, "edith")
    return renewed(assistant)


def closed_by_answer(assistant: Assistant) -> Assistant:
    said = [ColumnAnswer("people", name, "sensitive", "keep it back") for name in ("country", "sex")]
    with assistant.store.get().writing() as connection:
        column_answers.keep(connection, assistant.kept_as, said, "edith")
    settings = assistant.settings
    assistant.close()
    return open_assistant(settings)


@pytest.mark.parametrize("close_both", [closed_by_edit, closed_by_answer])
def test_words_for_codes_that_were_seen_in_a_column_are_gone_once_a_person_closes_it(
    bank: Bank, tmp_path: Path, close_both
):
    said = []
    for twin, (countries, sexes) in enumerate(STORED):
        rows = [(n, countries[n % 2], sexes[n % 2], ("Pune", "Goa")[n % 2]) for n in range(24)]
        bank.fill(CODES, {"people": rows})
        opened = bank.opened(tmp_path / str(twin))
        assert opened.vocabulary.model.dataset("people").field("country").value_synonyms
        with closing(close_both(opened)) as assistant:
            answers = [assistant.ask(question) for question in ASKED_OF_CODES]
            said.append(
                told(assistant)
                | {"answers": [(one.status, one.summary, one.error, one.suggestions, one.meanings) for one in answers]}
            )
    assert said[0] == said[1]


def test_a_value_that_a_file_has_words_for_is_not_described_where_its_column_is_sensitive(bank: Bank, tmp_path: Path):
    bank.fill(PEOPLE, ROWS)

    def change(said: dict[str, Any]) -> None:
        known = json.loads(said["custom_extensions"][0]["data"])
        said["custom_extensions"][0]["data"] = json.dumps(known | {"inferred": False})
        illness = next(one for one in said["datasets"][0]["fields"] if one["name"] == "illness")
        known = json.loads(illness["custom_extensions"][0]["data"])
        illness["custom_extensions"][0]["data"] = json.dumps(known | {"value_synonyms": {"ill 1": ["measles"]}})

    with closing(bank.opened(tmp_path, vocabulary_file=marked(tmp_path, bank, change))) as assistant:
        answer = assistant.ask("what does measles mean?")
        assert "ill 1" not in f"{answer.summary} {answer.error} {answer.suggestions}"
        assert "sensitive" in f"{answer.summary} {answer.error}"


TERMINALS = {"terminal_category": "VARCHAR(9)", "terminal_code": "VARCHAR(9)"}
PAYMENTS = {"payment_id": "INTEGER PRIMARY KEY", "terminal_code": "VARCHAR(9)", "amount": "INTEGER"}
ASKED_OF_A_LIST = ("what does TC mean?", "payments of hush2 item", "payments of calm2 item", "explain hush2")


def with_a_list(bank: Bank, meaning: str, said: str) -> None:
    """Payments at terminals, which a list of codes says something of."""
    codes = ("TA", "TB", "TC", "TD", "TE", "TF")
    rows: dict[str, list[tuple[Any, ...]]] = {
        "terminals": [("TERMINAL", code, said.format(place)) for place, code in enumerate(codes)],
        "payments": [(n, codes[n % 6], n * 10) for n in range(42)],
    }
    bank.fill({"terminals": {**TERMINALS, meaning: "VARCHAR(40)"}, "payments": PAYMENTS}, rows)


def list_closed_by_edit(assistant: Assistant, column: str) -> Assistant:
    edits = [Edit("column", f"terminals.{column}", "sensitive", False, True)]
    assistant.changes.publish(assistant.changes.propose(edits, "", "edith").id, "edith")
    return renewed(assistant)


def list_closed_by_answer(assistant: Assistant, column: str) -> Assistant:
    with assistant.store.get().writing() as connection:
        answer = ColumnAnswer("terminals", column, "sensitive", "keep it back")
        column_answers.keep(connection, assistant.kept_as, [answer], "edith")
    settings = assistant.settings
    assistant.close()
    return open_assistant(settings)


def list_closed_by_edit_of_a_file(assistant: Assistant, column: str) -> Assistant:
    file = assistant.settings.cache_dir / "said.yaml"
    file.write_text(dump_vocabulary(assistant.vocabulary.model), encoding="utf-8")
    settings = assistant.settings.model_copy(update={"vocabulary_file": file})
    assistant.close()
    return list_closed_by_edit(open_assistant(settings), column)


def as_it_opens(assistant: Assistant, column: str) -> Assistant:
    assert column in assistant.vocabulary.kept_back["terminals"]
    return assistant


@pytest.mark.parametrize(
    ("meaning", "words", "close"),
    [
        *((name, "{} item", as_it_opens) for name in ("pin_text", "secret_text", "password_text", "email_text")),
        ("terminal_name", "{}@bank.in", as_it_opens),
        ("terminal_name", "{} item", list_closed_by_edit),
        ("terminal_name", "{} item", list_closed_by_answer),
        ("terminal_name", "{} item", list_closed_by_edit_of_a_file),
    ],
)
def test_what_a_list_of_codes_holds_in_a_closed_column_is_no_word_of_another_table(
    bank: Bank, tmp_path: Path, meaning, words, close
):
    said = []
    for twin, word in enumerate(("hush", "calm")):
        with_a_list(bank, meaning, word + words)
        with closing(close(bank.opened(tmp_path / str(twin)), meaning)) as assistant:
            found = search(entries(assistant.vocabulary.model), "hush2", 5)
            answers = [assistant.ask(question) for question in ASKED_OF_A_LIST]
            said.append(
                told(assistant)
                | {"answers": [(one.status, one.summary, one.error, one.suggestions, one.meanings) for one in answers]}
                | {"found": [(entry.name, entry.text) for entry in found]}
            )
    assert said[0] == said[1]


@pytest.mark.parametrize("column", TERMINALS)
def test_a_list_of_codes_whose_kinds_or_codes_are_closed_gives_no_word_either(bank: Bank, tmp_path: Path, column):
    with_a_list(bank, "terminal_name", "hush{} item")
    opened = bank.opened(tmp_path)
    assert "hush2" in dump_vocabulary(opened.vocabulary.model)
    with closing(list_closed_by_edit(opened, column)) as assistant:
        assert "hush2" not in dump_vocabulary(assistant.vocabulary.model)


def test_a_field_that_a_list_has_named_and_described_is_as_without_it_once_the_list_is_closed():
    ddl = """
    CREATE TABLE ref_cd (cd_grp VARCHAR(9), cd_val VARCHAR(9), cd_desc VARCHAR(40), PRIMARY KEY (cd_grp, cd_val));
    CREATE TABLE calls (call_no INTEGER PRIMARY KEY, flt_cd VARCHAR(9));
    """
    bank = catalogue_from_ddl(ddl, "sqlite")
    samples = {("ref_cd", "cd_grp"): ("FLT",), ("calls", "flt_cd"): ("01", "02")}
    rows = [("FLT", "01", "Door fault"), ("FLT", "02", "No fault found")]
    lists = read_code_list(bank.tables[0], rows)
    listed = load_vocabulary(dump_vocabulary(infer_vocabulary(bank, samples, code_lists=lists)), bank)
    plain = infer_vocabulary(bank, samples)
    assert listed.dataset("calls").field("flt_cd").label == "fault"
    for column in ("cd_grp", "cd_val", "cd_desc"):
        held = {"ref_cd": frozenset({column})}
        assert with_kept_back(listed, bank, held) == with_kept_back(plain, bank, held)
    renamed = Edit("column", "calls.flt_cd", "label", "fault", "trouble")
    named, _ = with_edits(listed, [renamed])
    assert with_kept_back(named, bank, held).dataset("calls").field("flt_cd").label == "trouble"


LISTED = """
CREATE TABLE ref_cd (cd_grp VARCHAR(9), cd_val VARCHAR(9) PRIMARY KEY, cd_desc VARCHAR(40));
CREATE TABLE calls (call_no INTEGER PRIMARY KEY, flt_cd VARCHAR(9) REFERENCES ref_cd (cd_val));
"""
HELD = {"ref_cd": frozenset({"cd_desc"})}


def with_listed_faults() -> tuple[Catalogue, SemanticModel]:
    bank = catalogue_from_ddl(LISTED, "sqlite")
    samples = {("ref_cd", "cd_grp"): ("FLT",), ("calls", "flt_cd"): ("01", "02")}
    lists = read_code_list(bank.tables[0], [("FLT", "01", "Door fault"), ("FLT", "02", "No fault found")])
    model = infer_vocabulary(bank, samples, code_lists=lists)
    assert model.dataset("calls").field("flt_cd").value_synonyms == {"01": ("door fault",), "02": ("no fault found",)}
    return bank, model


@pytest.mark.parametrize("by_file", [False, True])
def test_words_that_a_person_gave_and_the_declared_link_stay_when_a_list_of_codes_is_closed(by_file):
    bank, model = with_listed_faults()
    words = model.dataset("calls").field("flt_cd").value_synonyms
    more = {"01": [*words["01"], "stuck"], "02": list(words["02"])}
    edited, _ = with_edits(model, [Edit("column", "calls.flt_cd", "value_synonyms", words, more)])
    read = load_vocabulary(dump_vocabulary(edited), bank) if by_file else edited
    closed = with_kept_back(read, bank, HELD)
    assert closed.dataset("calls").field("flt_cd").value_synonyms == {"01": ("stuck",)}
    assert [(one.from_columns, one.to_columns, one.only_where) for one in closed.relationships] == [
        (("flt_cd",), ("cd_val",), ())
    ]


def test_no_word_of_a_list_is_kept_with_a_field_that_is_closed_itself():
    bank, model = with_listed_faults()
    closed = with_kept_back(model, bank, {"calls": frozenset({"flt_cd"})})
    assert "found" not in dump_vocabulary(closed)


@pytest.mark.parametrize("left_out", ["words", "learnt"])
def test_a_file_that_does_not_say_what_is_learnt_loses_the_words_of_a_list_that_is_closed(left_out):
    bank, model = with_listed_faults()
    said = yaml.safe_load(dump_vocabulary(model))
    field = next(one for one in said["semantic_model"][0]["datasets"][1]["fields"] if one["name"] == "flt_cd")
    known = json.loads(field["custom_extensions"][0]["data"])
    (known if left_out == "learnt" else known["learnt"]).pop(left_out)
    field["custom_extensions"][0]["data"] = json.dumps(known)
    read = load_vocabulary(yaml.safe_dump(said), bank)
    assert read.dataset("calls").field("flt_cd").label == "fault"
    item = with_kept_back(read, bank, HELD).dataset("calls").field("flt_cd")
    assert (item.value_synonyms, item.described_by) == ({}, None)
    assert item.label == infer_vocabulary(bank).dataset("calls").field("flt_cd").label

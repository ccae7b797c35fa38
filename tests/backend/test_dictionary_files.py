"""A bank's data dictionary as a file: what it changes in the vocabulary that is inferred, and what it cannot say."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import xlsxwriter
import yaml

from ai_engine.errors import BadConfiguration
from ai_engine.semantics.osi import dump_vocabulary
from backend import cli
from backend.catalogue.sampling import collect_samples
from backend.databases import open_database
from backend.opening import open_assistant
from backend.settings import Settings
from backend.vocabulary.dictionary_files import open_dictionary
from backend.vocabulary.doubts import open_doubts

DDL = """
CREATE TABLE vtg (vt_nr INTEGER PRIMARY KEY, kd_nr INTEGER, a1 TEXT, a2 REAL, a3 REAL, a4 INTEGER);
CREATE TABLE kd (kd_nr INTEGER PRIMARY KEY, a1 TEXT, a2 TEXT);
"""
COLUMNS = ["Table Name", "Column Name", "Data type", "Business Name", "Description", "Codes", "Unit", "PII"]
ROWS = [
    ["vtg", "", "", "loans; credit contracts", "What we lend.", "", "", ""],
    ["kd", "", "", "customers", "", "", "", ""],
    ["vtg", "a1", "TEXT", "state", "", "P = repaid; R = running", "", ""],
    ["vtg", "a2", "REAL", "outstanding amount; debt", "What is still owed.", "", "EUR", ""],
    ["vtg", "a3", "REAL", "effective charge", "", "", "%", "no"],
    ["vtg", "a4", "INTEGER", "risk class", "", "1 = good; 2 = bad", "", ""],
    ["kd", "a1", "TEXT", "town", "", "", "", ""],
    ["kd", "a2", "TEXT", "nickname", "", "", "", "yes"],
]


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    file = tmp_path / "opaque.sqlite"
    with closing(sqlite3.connect(file)) as database, database:
        database.executescript(DDL)
        database.executemany("INSERT INTO kd VALUES (?, ?, ?)", [(1, "Graz", "Bo"), (2, "Linz", "Mo")])
        contracts = [(1, 1, "R", 100.0, 4.0, 1), (2, 1, "P", 0.0, 6.0, 2), (3, 2, "R", 50.0, 5.0, 2)]
        database.executemany("INSERT INTO vtg VALUES (?, ?, ?, ?, ?, ?)", contracts)
    return file


def as_csv(file: Path) -> None:
    lines = [";".join(f'"{cell}"' for cell in row) for row in [COLUMNS, *ROWS]]
    file.write_text("﻿" + "\r\n".join(lines), encoding="utf-8")


def as_workbook(file: Path) -> None:
    with xlsxwriter.Workbook(file) as workbook:
        workbook.add_worksheet("About").write_row(0, 0, ["Our bank"])
        sheet = workbook.add_worksheet("Columns")
        for number, row in enumerate([COLUMNS, *ROWS]):
            sheet.write_row(number, 0, row)


def as_yaml(file: Path) -> None:
    entries = [{heading: cell for heading, cell in zip(COLUMNS, row, strict=True) if cell} for row in ROWS]
    for entry in entries:
        if "Codes" in entry:
            pairs = [part.split(" = ") for part in entry["Codes"].split("; ")]
            entry["Codes"] = {int(code) if code.isdigit() else code: meaning for code, meaning in pairs}
    file.write_text(yaml.safe_dump(entries), encoding="utf-8")


@pytest.mark.parametrize(("ending", "write"), [("csv", as_csv), ("xlsx", as_workbook), ("yaml", as_yaml)])
def test_questions_are_understood_in_the_words_of_the_dictionary(
    bank: Path, tmp_path: Path, ending: str, write: Callable[[Path], None]
):
    dictionary = tmp_path / f"dictionary.{ending}"
    write(dictionary)
    settings = Settings(database_url=f"sqlite:///{bank}", dictionary_file=dictionary, cache_dir=tmp_path / "cache")
    with closing(open_assistant(settings)) as assistant:
        model = assistant.vocabulary.model
        debt, charge, risk = (model.dataset("vtg").field(name) for name in ("a2", "a3", "a4"))
        assert (model.dataset("vtg").label, model.dataset("vtg").synonyms[0]) == ("loan", "credit contract")
        assert (debt.unit, debt.role, charge.unit, charge.default_aggregate) == ("EUR", "measure", "percent", "avg")
        assert (risk.role, risk.value_synonyms["2"]) == ("category", ("bad",))
        assert model.dataset("kd").field("a2").sensitive
        for question, expected in [
            ("How many running loans are there?", [(2,)]),
            ("Total debt of bad loans", [(50.0,)]),
            ("Average effective charge by town", [("Graz", 5.0), ("Linz", 5.0)]),
        ]:
            answer = assistant.ask(question)
            assert answer.result is not None, question
            assert sorted(answer.result.rows) == expected
        assert assistant.ask("List customers with nickname").status == "refused"


FAULTS = {
    "a heading is missing": ("field,name\na,b\n", "no column `table` in its first row, which says field, name"),
    "two columns mean one thing": ("table,column,field\nkd,a1,a1\n", "two columns for column"),
    "a row names no table": ("table,column\n,a1\n", "row 2: it names no table"),
    "codes are not pairs": ("table,column,codes\nkd,a1,good and bad\n", "row 2: the codes 'good and bad' are not"),
    "a code stands there twice": ("table,column,codes\nkd,a1,A = one; A = two\n", "row 2: the code A stands there"),
    "a unit is unknown": ("table,column,unit\nvtg,a2,lakh INR\n", "the unit 'lakh INR' is not known"),
    "sensitive is neither yes nor no": ("table,column,sensitive\nkd,a1,maybe\n", "'maybe' does not say whether"),
    "a column is described twice": ("table,column\nkd,a1\nKD,A1\n", "row 3: kd.a1 is described twice"),
    "a table has codes": ("table,codes\nkd,A = one\n", "row 2: a table has no codes"),
    "it is not UTF-8": ("table,name\nkd,M\xfcnchen\n".encode("latin-1"), "not written in UTF-8"),
    "it is empty": ("", "which says nothing"),
}


@pytest.mark.parametrize(("content", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_what_cannot_be_understood_is_named_with_its_place(bank: Path, content: str | bytes, said: str):
    file = bank.with_name("dictionary.csv")
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with open_database(f"sqlite:///{bank}") as database, pytest.raises(BadConfiguration) as caught:
        open_dictionary(file, database.catalogue, 100)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("d.yaml", "a: [", "no YAML that can be read"),
        ("d.yaml", "table: kd", "no list of entries"),
        ("d.xlsx", "PK no workbook", "no workbook that can be read"),
        ("d.csv", "table\n" + "kd\n" * 40_000, "more than 100 KB"),
    ],
)
def test_a_file_of_another_form_is_refused_in_one_sentence(bank: Path, name: str, content: str, said: str):
    file = bank.with_name(name)
    file.write_text(content, encoding="utf-8")
    with open_database(f"sqlite:///{bank}") as database, pytest.raises(BadConfiguration, match=said):
        open_dictionary(file, database.catalogue, 100)


def test_what_the_database_does_not_have_is_left_out_and_said(bank: Path):
    file = bank.with_name("dictionary.csv")
    file.write_text("table,column,name\nvertrag,,contract\nkd,ort,town\nkd,a1,town\n", encoding="utf-8")
    with open_database(f"sqlite:///{bank}") as database:
        dictionary = open_dictionary(file, database.catalogue, 100)
    assert dictionary.left_out == (
        "row 2: there is no table vertrag (did you mean vtg?)",
        "row 3: kd has no column ort",
    )
    assert list(dictionary.entries) == [("kd", "a1")]


def test_the_command_writes_a_vocabulary_in_the_words_of_the_dictionary(bank: Path, capsys: pytest.CaptureFixture[str]):
    as_csv(bank.with_name("words.csv"))
    asked = ["vocabulary", "--database", f"sqlite:///{bank}", "--dictionary", str(bank.with_name("words.csv"))]
    assert cli.main(asked) == 0
    assert "outstanding amount" in capsys.readouterr().out


def test_a_dictionary_beside_a_vocabulary_is_told_to_be_one_too_many(bank: Path):
    as_csv(bank.with_name("words.csv"))
    assert cli.main(["vocabulary", "--database", f"sqlite:///{bank}", "--out", str(bank.with_suffix(".yaml"))]) == 0
    settings = Settings(database_url=f"sqlite:///{bank}", dictionary_file=bank.with_name("words.csv"))
    with pytest.raises(BadConfiguration, match="both a vocabulary"):
        open_assistant(settings)


def test_what_only_a_dictionary_calls_sensitive_decides_no_word_link_or_row_that_is_seen(tmp_path: Path):
    dictionary = tmp_path / "dictionary.csv"
    called = ("visits,token", "codes,code_desc", "accounts,owner_id", "notes,token")
    dictionary.write_text("table,column,sensitive\n" + "".join(f"{one},yes\n" for one in called), encoding="utf-8")
    said = []
    for twin in range(2):
        file = tmp_path / f"{twin}.sqlite"
        with closing(sqlite3.connect(file)) as database, database:
            database.executescript(
                "CREATE TABLE visits (token TEXT PRIMARY KEY, seen_on TEXT, city TEXT) WITHOUT ROWID;"
                "CREATE TABLE notes (note_id INTEGER PRIMARY KEY, kind TEXT, token TEXT);"
                "CREATE INDEX by_token ON notes (token, kind);"
                "CREATE TABLE codes (code_type TEXT, code_value TEXT, code_desc TEXT);"
                "CREATE TABLE parties (id INTEGER PRIMARY KEY, town TEXT);"
                "CREATE TABLE accounts (account_nr INTEGER PRIMARY KEY, owner_id INTEGER, occ TEXT);"
            )
            for row in range(3_000):
                place = 9_000 - row if twin else row
                day, kind = ("unknown", "R") if row < 1_500 else ("2024-01-02", "S")
                database.execute("INSERT INTO visits VALUES (?, ?, 'Pune')", (f"t{place:05}", day))
                database.execute("INSERT INTO notes VALUES (?, ?, ?)", (row, kind, f"t{place:05}"))
            meanings = ("jailed", "healthy") if twin else ("artist", "baker")
            database.executemany("INSERT INTO codes VALUES ('OCC', ?, ?)", zip("AB", meanings, strict=True))
            people = [(1_000 + row * row * 7, ("Graz", "Linz")[row % 2]) for row in range(40)]
            database.executemany("INSERT INTO parties VALUES (?, ?)", people)
            owners = [(row, row if twin else people[row][0], "AB"[row % 2]) for row in range(40)]
            database.executemany("INSERT INTO accounts VALUES (?, ?, ?)", owners)
        settings = Settings(
            database_url=f"sqlite:///{file}", dictionary_file=dictionary, cache_dir=tmp_path / f"cache_{twin}",
            store_url=f"sqlite:///{tmp_path}/store_{twin}.sqlite",
        )  # fmt: skip
        with closing(open_assistant(settings)) as assistant:
            doubts = open_doubts(assistant)
            values = collect_samples(assistant.database, assistant.vocabulary.kept_back).values
            said.append((dump_vocabulary(assistant.vocabulary.model), assistant.examples, doubts, values))
    assert said[0] == said[1]
    assert "artist" not in said[0][0]

"""Files that people bring: read whole or refused with the reason, private whatever is asked, gone when removed."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai_engine.errors import NotPermitted, SqlRejected, UnknownSource, UploadRefused
from backend.cli import main
from backend.main import create_app
from backend.opening import open_assistant
from backend.settings import Settings, read_settings
from backend.sources.sources import Sources
from backend.uploads.file_tables import CannotRead, FileTable, read_tables
from backend.uploads.own_data import OwnData
from backend.uploads.plan import UploadLimits
from tests.ai_engine.scripted_model import write_bank

LIMITS = UploadLimits(max_rows=1_000, max_columns=50, max_cell_kb=4)
LOANS = (
    "Loan No,Branch,Amount (₹),Opened,Code,Active,Rate\n".encode()
    + (
        '1,Pune,"₹ 1,23,456.50",31-12-2026,0012,Yes,5.25%\n2,=cmd|calc,"₹ 2,000",01-01-2025,0013,No,7%\n'
        "3,,NA,13-01-2025,13,yes,8.5%\n"
    ).encode()
)


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    write_bank(tmp_path / "core.duckdb")
    for name, value in {
        "DATABASE_URL": tmp_path / "core.duckdb", "UPLOADS_DIR": tmp_path / "uploads", "CACHE_DIR": tmp_path / "cache",
        "STORE_URL": f"sqlite:///{tmp_path}/store.sqlite", "USER_HEADER": "X-User",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"BANK_{name}", str(value))
    return read_settings()


def bring(settings: Settings, who: str, raw: bytes = LOANS, name: str = "loans.csv") -> OwnData:
    own = OwnData(settings, who)
    looked = own.look(name, raw)
    own.build(looked, looked.tables, "2026-11-23")
    return own


def rows_of(own: OwnData, table: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(own.folder / "data.duckdb", read_only=True) as duck:
        return duck.execute(f'FROM "{table}"').fetchall()


def of(raw: bytes, ending: str = "csv") -> FileTable:
    return read_tables(ending, raw, LIMITS)[0]


def workbook(write: Callable[[Any], None]) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        write(book)
    return file.getvalue()


# --- what a file says -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "headings", "rows", "said"),
    [
        (b"a,b\n1,2\n", ("a", "b"), 1, "separated by commas"),
        (b"a;b\n1;2,5\n2;3,5\n", ("a", "b"), 2, "semicolons"),
        (b"a\tb\n1\t2\n", ("a", "b"), 1, "tabs"),
        ("\ufeffname,b\nकोटक,2\n".encode(), ("name", "b"), 1, "UTF-8"),
        ("a,b\nRené,2\n".encode("cp1252"), ("a", "b"), 1, "Windows-1252"),
        ("a,b\n1,2\n".encode("utf-16"), ("a", "b"), 1, "UTF-16"),
        (b"a,b\n1\0,2\n", ("a", "b"), 1, "Null characters"),
        (b"Statement of May\n\na,b,c\n1,2,3\n", ("a", "b", "c"), 1, "A line above"),
        (b"a,b\n1\n1,2\n", ("a", "b"), 2, ""),
        (b"a,b\n" + b"1,2\n" * 40 + b"1,2,3\n", ("a", "b"), 40, "left out (line 42)"),
        (b'a,b\n"x\ny",2\n', ("a", "b"), 1, ""),
        (b"a,b,,\n1,2,,\n", ("a", "b"), 1, ""),
    ],
)
def test_a_csv_is_read_however_it_was_written_and_what_was_taken_for_granted_is_said(raw, headings, rows, said):
    table = of(raw)
    assert (table.headings, table.cells.num_rows) == (headings, rows)
    assert said in " ".join(table.notes)


@pytest.mark.parametrize(
    ("raw", "ending", "said"),
    [
        (b"", "csv", "nothing in it"),
        (b"a,b\n", "csv", "no rows"),
        (",".join(map(str, range(10_000))).encode() + b"\n1\n", "csv", "10,000 columns"),
        (b"a,b\n1," + b"x" * 5_000 + b"\n", "csv", "limit"),
        (b"a\n" + b"1\n" * 1_001, "csv", "more than 1,000 rows"),
        (b"a,b\n1,2,3\n4,5,6\n", "csv", "more cells than the heading"),
        (b"PK\x03\x04 not a workbook", "xlsx", "packing is damaged"),
        (b"no workbook at all", "xlsx", "no workbook"),
        (b"PAR1 nor this", "parquet", "no Parquet"),
        (os.urandom(300), "xls", "no workbook"),
    ],
)
def test_a_file_that_cannot_be_a_table_says_why(raw, ending, said):
    with pytest.raises(CannotRead) as fault:
        read_tables(ending, raw, LIMITS)
    assert said in str(fault.value)


def test_a_workbook_that_unpacks_to_far_more_than_it_is_is_not_opened():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b"0" * (64 * 2**20))
    with pytest.raises(CannotRead, match="far larger"):
        read_tables("xlsx", file.getvalue(), LIMITS)


def test_sheets_are_tables_their_formulas_the_results_that_were_saved():
    def write(book: Any) -> None:
        first, second = book.add_worksheet("Loans"), book.add_worksheet("Empty")
        assert second
        first.write_row(0, 0, ["Account", "Amount", "Paid", "Total"])
        first.write_string(1, 0, "00012")
        first.write_number(1, 1, 2_500)
        first.write(1, 2, True)
        first.write_formula(1, 3, "=B2*2", None, 5_000)

    table = of(workbook(write), "xlsx")
    assert table.cells.to_pylist() == [{"0": "00012", "1": "2500", "2": "true", "3": "5000"}]
    assert "Formulas" in table.notes[0]


def test_parquet_keeps_its_types_and_leaves_nested_columns_out():
    file = io.BytesIO()
    columns = {"a": [Decimal("1.25")], "b": [[1, 2]], "c": pa.array(["x"]).dictionary_encode()}
    pq.write_table(pa.table(columns), file)
    table = of(file.getvalue(), "parquet")
    assert table.headings == ("a", "c")
    assert table.cells.to_pylist() == [{"0": Decimal("1.25"), "1": "x"}]
    assert "b" in table.notes[0]


# --- what it becomes ------------------------------------------------------------------------------------------------


def test_types_codes_dates_and_units_are_found_and_nothing_is_lost(bank):
    looked = OwnData(bank, "asha").look("Loans 2026.csv", LOANS)
    (plan,) = looked.tables
    assert plan.name == "loans_2026"
    assert [(one.name, one.kind, one.unit) for one in plan.columns] == [
        ("loan_no", "whole number", ""), ("branch", "text", ""), ("amount", "number", "INR"), ("opened", "date", ""),
        ("code", "text", ""), ("active", "yes or no", ""), ("rate", "number", "percent"),
    ]  # fmt: skip
    assert plan.preview[0] == ("1", "Pune", "123456.50", "2026-12-31", "0012", "true", "5.25")
    assert plan.preview[2][1:3] == ("", "")


@pytest.mark.parametrize(
    ("cells", "kind", "written"),
    [
        (["1", "2"], "whole number", ""), (["1.5", "2"], "number", ""),
        (["1,234", "12,34,567"], "whole number", "grouped"),
        (["1.234,50", "2,25"], "number", "decimal commas"), (["01", "12"], "text", ""), (["1", "x"], "text", ""),
        (["2026-01-31"], "date", ""), (["03/04/2026", "13/04/2026"], "date", "day first"),
        (["03/04/2026", "12/25/2026"], "date", "month first"), (["31-Dec-26"], "date", ""),
        (["2026-01-31 10:15:00"], "date and time", ""), (["yes", "no"], "yes or no", ""), (["1e5", "2"], "number", ""),
        (["(1,200.00)", "5"], "number", ""), (["9" * 30], "number", ""), (["9" * 50], "text", ""),
        (["₹5", "$5"], "text", ""), (["₹5", "5%"], "text", ""), (["₹5", "5 inr", "5"], "whole number", "INR"),
        (["-", "NA"], "text", ""), (["12-13-14-15"], "text", ""),
    ],
)  # fmt: skip
def test_a_column_is_of_the_kind_that_every_cell_of_it_is(cells, kind, written):
    from backend.uploads.column_kinds import way_of

    with duckdb.connect() as duck:
        duck.register("given", pa.table({"0": pa.array(cells)}))
        way = way_of(duck, "given", '"0"')
        assert way.kind == kind
        assert written in way.written


def test_a_corrected_type_is_kept_and_one_that_a_cell_is_not_of_is_refused_with_its_row(bank):
    own = OwnData(bank, "asha")
    looked = own.look("loans.csv", LOANS)
    (plan,) = looked.tables
    text = replace(plan, columns=tuple(replace(one, kind="text") for one in plan.columns))
    wrong = replace(plan, columns=(*plan.columns[:1], replace(plan.columns[1], kind="number"), *plan.columns[2:]))
    with pytest.raises(UploadRefused, match=r"branch is no number: 2 cells .*row 1: “Pune”"):
        own.build(looked, [wrong], "2026-11-23")
    assert own.source is None
    own.build(looked, [text], "2026-11-23")
    assert rows_of(own, "loans")[0] == ("1", "Pune", "₹ 1,23,456.50", "31-12-2026", "0012", "Yes", "5.25%")
    assert not list((own.folder / "incoming").iterdir())


@pytest.mark.parametrize("name", ["Loans", "1a", 'a"; DROP', "", "a" * 61, "ä"])
def test_a_table_is_called_by_a_plain_name(bank, name):
    own = OwnData(bank, "asha")
    looked = own.look("loans.csv", LOANS)
    with pytest.raises(UploadRefused, match="is no name"):
        own.build(looked, [replace(looked.tables[0], name=name)], "2026-11-23")


def test_headings_that_stand_twice_or_say_harm_become_names_of_their_own(bank):
    own = bring(bank, "asha", b'a,A,,"x""; DROP TABLE y;--"\n1,2,3,4\n')
    with duckdb.connect(own.folder / "data.duckdb", read_only=True) as duck:
        names = [row[0] for row in duck.execute("DESCRIBE loans").fetchall()]
    assert names == ["a", "a_2", "column_3", "x_drop_table_y"]


def test_removed_tables_are_gone_from_disk(bank):
    own = bring(bank, "asha", b"secret,n\nZEBRA-QUAGGA-7,1\n", "first.csv")
    bring(bank, "asha", LOANS, "second.csv")
    own.remove("first", ["first", "second"])
    assert len(rows_of(own, "second")) == 3
    assert not any(b"ZEBRA-QUAGGA-7" in file.read_bytes() for file in own.folder.rglob("*") if file.is_file())
    own.remove("second", ["second"])
    assert not own.folder.exists()
    assert own.source is None


def test_more_than_may_be_kept_is_refused_and_leaves_what_was_there(bank):
    few = bank.model_copy(update={"upload_max_tables": 1, "upload_max_file_mb": 1})
    own = bring(few, "asha")
    with pytest.raises(UploadRefused, match="at most 1"):
        bring(few, "asha", name="more.csv")
    with pytest.raises(UploadRefused, match="1 MB"):
        own.look("large.csv", b"x" * (2**20 + 1))
    with pytest.raises(UploadRefused, match="end in"):
        own.look("program.exe", b"MZ")
    assert len(rows_of(own, "loans")) == 3


# --- whose it is ----------------------------------------------------------------------------------------------------


def test_who_has_no_name_or_is_not_listed_has_no_data(bank):
    with pytest.raises(NotPermitted):
        OwnData(bank, "")
    with pytest.raises(NotPermitted):
        OwnData(bank.model_copy(update={"uploaders": "asha, ravi"}), "vikram")
    with pytest.raises(NotPermitted):
        OwnData(bank.model_copy(update={"uploaders": None}), "asha")


@given(st.text(max_size=40), st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_two_people_never_have_one_folder_and_none_is_outside(bank, one, other):
    folders = [OwnData(bank, who).folder for who in (one, other) if who]
    assert all(folder.parent == bank.uploads_dir for folder in folders)
    assert len(set(folders)) == len({one, other} - {""})


def test_what_one_person_brings_no_other_reads_by_any_door(bank, capsys):
    """Every door is asked by the owner, by others, by nobody and under names that are made up for paths."""
    mine = bring(bank, "asha", b"word,n\nQUAGGA,41\n", "words.csv")
    bring(bank, "ravi", b"word,n\nDODO,7\n", "words.csv")
    address = str(mine.folder / "data.duckdb")
    with closing(Sources(read_settings, open_assistant)) as sources:
        app = create_app(sources.assistant, sources=sources, settings=bank)
        with TestClient(app, base_url="http://localhost") as client:
            for who in ("ravi", "vikram", "", "asha ", "ASHA", "asha/..", mine.folder.name, "*"):
                headers = {"X-User": who} if who.isascii() else {}
                for source in ("own", mine.folder.name, address, "../asha/own", "own ", "OWN"):
                    body = {"query": "Show the words", "source": source}
                    seen = [
                        client.post("/ask", json=body, headers=headers).text,
                        client.post("/orchestrate", params={"source": source}, json={"question": "Show the words"},
                                    headers=headers).text,
                        client.get("/verified", params={"source": source}, headers=headers).text,
                    ] if who.strip() != "asha" else []  # fmt: skip
                    assert not any("QUAGGA" in text for text in seen)
                assert ("private" in client.get("/sources", headers=headers).text) is True
            own = client.post("/ask", json={"query": "Show the words", "source": "own"}, headers={"X-User": "asha"})
            assert "QUAGGA" in own.text
        for who in ("vikram", ""):
            with pytest.raises(UnknownSource):
                sources.assistant("own", who)
    assert main(["sql", "SELECT word FROM words", "--source", "own"]) == 2  # the terminal's person is `local`
    assert "QUAGGA" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{bank}' AS core", "SELECT * FROM '{bank}'", "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM core.main.loans", "SELECT * FROM read_parquet('http://127.0.0.1/x')", "COPY words TO '/tmp/x'",
        "SELECT * FROM duckdb_databases()", "SELECT * FROM glob('/*')",
    ],
)  # fmt: skip
def test_a_private_database_reaches_nothing_but_itself(bank, sql):
    bring(bank, "asha", b"word,n\nQUAGGA,41\n", "words.csv")
    statement = sql.format(bank=bank.database_url)
    with closing(Sources(read_settings, open_assistant)) as sources, pytest.raises(SqlRejected):
        sources.assistant("own", "asha").run_statement(statement)


def test_what_is_learnt_of_private_data_lies_beside_it_and_goes_with_it(bank, tmp_path):
    own = bring(bank, "asha", b"word,n\nQUAGGA,41\nOKAPI,42\n", "words.csv")
    with closing(Sources(read_settings, open_assistant)) as sources:
        sources.assistant("own", "asha")
        sources.close_one("own", "asha")
        own.remove_all()
        kept = [file for file in tmp_path.rglob("*") if file.is_file() and b"QUAGGA" in file.read_bytes()]
        assert kept == []
        with pytest.raises(UnknownSource):
            sources.assistant("own", "asha")

"""On a bank of one's own what is personal is kept back until a vocabulary file permits it."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.column_types import column_type
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.infer.doubts import doubts, with_doubtful_kept_back
from ai_engine.semantics.infer.fields import is_secret_name
from ai_engine.semantics.kept_back import kept_back
from ai_engine.semantics.osi import dump_vocabulary
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from tests.backend.test_contained_keys import write
from tests.patience import allowed_s

CUSTOMERS = (
    "customers(customer_id INTEGER PRIMARY KEY, name TEXT, mobile_number TEXT, email TEXT, city TEXT,"
    " date_of_birth DATE)"
)
ACCOUNTS = (
    "accounts(account_number TEXT PRIMARY KEY, customer_id INTEGER REFERENCES customers, balance NUMERIC,"
    " nominee_account_number TEXT)"
)
CARDS = "cards(card_id INTEGER PRIMARY KEY, card_account_number TEXT, amount NUMERIC)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    people = [
        (n, f"Asha{chr(65 + n % 26)} Rao", f"98{n:08}", f"a{n}@bank.in", ("Pune", "Delhi")[n % 2], f"19{50 + n}-02-01")
        for n in range(1, 40)
    ]
    held = [(f"{n:010}", 1 + n % 39, n * 10, f"77{n:010}") for n in range(1, 60)]
    cards = [(n, f"CA-{n}/7", n) for n in range(1, 9)]
    return write(tmp_path / "own.sqlite", {CUSTOMERS: people, ACCOUNTS: held, CARDS: cards})


def opened(file: Path, tmp_path: Path) -> Assistant:
    return open_assistant(Settings(database_url=str(file), cache_dir=tmp_path / "cache", database_workers=1))


def test_personal_columns_are_told_refused_and_permitted_by_a_file(file, tmp_path):
    assistant = opened(file, tmp_path)
    refused = assistant.ask("show mobile number of customers in Pune")
    counted = assistant.ask("how many customers are in Pune")
    listed = assistant.ask("total balance by account number")
    notes, model = assistant.notes, assistant.vocabulary.model
    assistant.close()
    assert refused.status == "refused"
    assert "sensitive: false" in str(refused.error)
    assert counted.result is not None
    assert counted.result.rows == ((19,),)
    assert listed.status == "answered"
    kept = (
        "accounts.nominee_account_number, cards.card_account_number,"
        " customers.mobile_number, customers.email, customers.date_of_birth"
    )
    assert f"Kept back as personal or secret: {kept}." in notes[-1]
    text = dump_vocabulary(model).replace('"sensitive": true', '"sensitive": false')
    file.with_suffix(".yaml").write_text(text, encoding="utf-8")
    permitted = opened(file, tmp_path)
    shown = permitted.ask("show mobile number of customers in Pune")
    permitted.close()
    assert shown.status == "answered"
    assert permitted.notes == ()


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("who is the oldest customer", "customers.date_of_birth"),
        ("youngest customer in Pune", "customers.date_of_birth"),
        ("average age of customers", "customers.date_of_birth"),
        ("how many customers are over 60 years old", "customers.date_of_birth"),
        ("customers by age band of ten years", "customers.date_of_birth"),
        ("customers born before 1990", "customers.date_of_birth"),
        ("how many customers were born in 1960", "customers.date_of_birth"),
        ("list customers with their birth dates", "customers.date_of_birth"),
        ("total balance of customers older than 50", "customers.date_of_birth"),
        ("show nominee account number of accounts", "accounts.nominee_account_number"),
        ("how many accounts have nominee account number 770000000003", "accounts.nominee_account_number"),
        ("total balance by nominee account number", "accounts.nominee_account_number"),
        ("amount of card 770000000003", "cards.card_account_number"),
        ("total amount of card CA-1007/7", "cards.card_account_number"),
    ],
)
def test_a_question_that_needs_a_kept_column_is_refused_with_its_name_and_how_to_permit_it(
    file, tmp_path, question, column
):
    assistant = opened(file, tmp_path)
    answer = assistant.ask(question)
    assistant.close()
    assert answer.status == "refused"
    assert column in str(answer.error)
    assert "sensitive: false" in str(answer.error)


@pytest.mark.parametrize(
    ("column", "kept"),
    [
        ("national_id", True), ("NationalId", True), ("voter_id_no", True), ("tax_number", True),
        ("driving_licence", True), ("driver_license_number", True), ("identity_number", True),
        ("driver_id", False), ("international_id", False), ("tax_amount", False), ("licence", False),
    ],
)  # fmt: skip
def test_identity_numbers_are_kept_back_by_their_names(column, kept):
    assert is_secret_name(column) is kept


@pytest.mark.parametrize("described", [True, False])
def test_a_national_id_is_kept_back_where_a_vocabulary_file_says_nothing_of_it(described, tmp_path):
    file = write(
        tmp_path / "own.sqlite",
        {"customers(customer_id INTEGER PRIMARY KEY, city TEXT, national_id TEXT)": [(1, "Pune", "NID77")]},
    )
    if described:
        first = opened(file, tmp_path)
        told = replace(first.vocabulary.model, datasets=tuple(
            replace(data, fields=tuple(one for one in data.fields if one.name != "national_id"))
            for data in first.vocabulary.model.datasets
        ))  # fmt: skip
        first.close()
        file.with_suffix(".yaml").write_text(dump_vocabulary(told), encoding="utf-8")
    assistant = opened(file, tmp_path)
    kept = assistant.policy.restricted_columns
    assistant.close()
    assert kept == {"customers": frozenset({"national_id"})}


def test_what_create_table_as_computes_of_an_address_is_kept_back_though_it_has_no_type(tmp_path):
    people = [(n, f"a{n}@bank.in", f"98{n:08}", "Pune") for n in range(20)]
    file = write(tmp_path / "own.sqlite", {"people(person_id INTEGER, email TEXT, mobile TEXT, city TEXT)": people})
    with closing(sqlite3.connect(file)) as bank:
        bank.execute("CREATE TABLE leads AS SELECT lower(email) AS email, trim(mobile) AS reached, city FROM people")
        bank.commit()
    with closing(opened(file, tmp_path)) as assistant:
        assert assistant.policy.restricted_columns["leads"] == {"email", "reached"}
        assert assistant.run_statement("SELECT * FROM leads")[1].columns == ("city",)


def test_a_name_in_a_column_without_a_type_is_asked_about_and_kept_back_where_nobody_can_tell():
    columns = (Column("person_id", "integer", "INTEGER"), Column("full_name", "other", "null"))
    model = infer_vocabulary(Catalogue("sqlite", (Table("people", columns, primary_key=("person_id",)),)))
    assert [(one.field, one.asked) for one in doubts(model, {})] == [("full_name", "sensitive")]
    assert with_doubtful_kept_back(model).dataset("people").field("full_name").sensitive


@pytest.mark.parametrize(
    ("column", "native_type", "kept"),
    [
        ("emails", "VARCHAR[]", True), ("phone", "VARCHAR[]", True), ("mobile_number", "DOUBLE", True),
        ("address", "JSON", True), ("dob", "DATE[]", True),
        ("email", "BOOLEAN", False), ("email_dates", "DATE[]", False),
        ("reach", "STRUCT(email VARCHAR, phone VARCHAR)", True),
        ("reach", "STRUCT(a STRUCT(\"E-Mail\" VARCHAR))[]", True),
        ("kyc", "MAP(VARCHAR, STRUCT(pan VARCHAR))", True), ("reach", "UNION(mobile BIGINT, city VARCHAR)", True),
        ("reach", "struct<city:string,email:string>", True), ("reach", "row(email varchar)", True),
        ("reach", "STRUCT(\"it's\" VARCHAR, email VARCHAR, \"b's\" INTEGER)", True),
        ("reach", "struct<`it's`:string,email:string,`b's`:int>", True), ("reach", "struct<`e-mail`:string>", True),
        ("reach", "STRUCT(s ENUM('a\\'), email VARCHAR, t ENUM('b'))", True),
        ("reach", "Tuple(s Enum8('it\\'s' = 1), email String, t Enum8('b\\'s' = 1))", True),
        ("way", "STRUCT(\"it's\" VARCHAR, way ENUM('say \"email'), \"b's\" INTEGER)", False),
        ("way", "STRUCT(city VARCHAR, channel ENUM('email', 'phone'))", False), ("way", "ENUM('email', 'x')[]", False),
        ("payment", "STRUCT(day TIMESTAMP WITH TIME ZONE, amount DECIMAL(10,2), notes VARCHAR[3])", False),
    ],
)  # fmt: skip
def test_a_column_of_lists_or_of_parts_is_kept_back_by_its_name_and_theirs(column, native_type, kept):
    columns = (Column("city", "text", "VARCHAR"), Column(column, column_type(native_type), native_type))
    bank = Catalogue("duckdb", (Table("customers", columns),))
    assert kept_back(infer_vocabulary(bank), bank) == ({"customers": frozenset({column})} if kept else {})


@pytest.mark.parametrize(
    ("listed", "kept"),
    [
        (["[a1@bank.in, b1@bank.in]", "['c1@bank.in']", "{d1@bank.in,e1@bank.in}"], True),
        (["[Pune, Delhi]", "[Agra, Surat]", "[Goa]"], False),
    ],
)
def test_a_list_is_kept_back_by_the_form_of_its_values(listed, kept):
    columns = (Column("city", "text", "VARCHAR"), Column("reach", "other", "VARCHAR[]"))
    bank = Catalogue("duckdb", (Table("customers", columns),))
    model = infer_vocabulary(bank, {("customers", "reach"): tuple(listed)})
    assert [field.name for field in model.datasets[0].fields if field.sensitive] == ["reach"] * kept


@pytest.mark.parametrize(
    ("native", "value", "kept"),
    [
        ("JSON", '{{"city": "Pune", "email": "a{0}"}}', True), ("JSONB", '{{"reach": [{{"mobile_no": {0}}}]}}', True),
        ("TEXT", '{{"e-mail": "a{0}", "city"', True), ("TEXT", '[{{"national_id" : "N{0}"}}]', True),
        ("MAP(VARCHAR, VARCHAR)", "{{city=Pune, phone={0}}}", True), ("HSTORE", '"city"=>"Pune", "fax"=>"{0}"', True),
        ("JSON", '{{"dob": "1990-01-{0}"}}', True), ("JSON", '{{"a": "x{0}@bank.in"}}', True),
        ("JSON", '["x{0}@bank.in", "y{0}@bank.in"]', True), ("MAP(VARCHAR, VARCHAR)", "{{a='x{0}@bank.in'}}", True),
        ("STRUCT(x JSON)", """{{'x': '{{"city": "it\\'s", "a": "", "email": "a{0}"}}'}}""", True),
        ("STRUCT(x JSON)[]", """[{{'x': '{{"email": "a{0}"}}', 'note': n}}]""", True),
        ("STRUCT(x STRUCT(y JSON))", """{{'x': {{'y': '{{"a": "{{\\\\"email\\\\": {0}}}"}}'}}}}""", True),
        ("MAP(VARCHAR, JSON)", """{{k='{{"email": "a{0}"}}'}}""", True),
        ("MAP(JSON, INTEGER)", """{{'{{"phone": "9{0}"}}'=2}}""", True),
        ("MAP(VARCHAR[], VARCHAR)", "{{[city, email]=a{0}}}", True), ("JSON", '"{{\\"phone\\": {0}}}"', True),
        ("TEXT", '{{"sent": "{{\\"phone\\": {0}}}"}}', True),
        ("reach", '(1,"{{""a"": """", ""phone"": ""9{0}""}}")', True),
        ("JSON[]", '{{"{{\\"phone\\": \\"9{0}\\"}}"}}', True),
        ("MAP(VARCHAR, INTEGER)", "{{x{0}@bank.in=1, total=2}}", True), ("JSON", '{{"x{0}@bank.in": 1}}', True),
        ("MAP(VARCHAR, INTEGER)", "{{98765432{0}=1}}", True), ("TEXT", '{{"x{0}@bank.in": true}}', True),
        ("MAP(INTEGER, INTEGER)", "{{{0}=1}}", False), ("MAP(DATE, INTEGER)", "{{2024-01-{0}=1}}", False),
        ("TIME[]", "[10:30:{0}, 11:30:{0}]", False), ("MAP(VARCHAR, INTEGER)", "{{branch {0}=1}}", False),
        ("JSON", '{{"note": "[late] email: asked {0}"}}', False),
        ("JSON", '{{"city": "Pune", "size": {{"w": {0}}}}}', False), ("JSON", '{{"email": true, "sms": false}}', False),
        ("MAP(VARCHAR, INTEGER)", "{{mobile_banking={0}}}", False), ("TEXT", "[late] email: asked for {0}", False),
        ("JSON", '{{"email_status": "sent", "n": {0}}}', False), ("JSON", '{{"city": "email"}}', False),
    ],
)  # fmt: skip
def test_what_holds_its_own_names_is_kept_back_by_them_and_by_the_form_of_their_values(native, value, kept):
    columns = (Column("city", "text", "VARCHAR"), Column("extra", column_type(native), native))
    bank = Catalogue("duckdb", (Table("customers", columns),))
    seen = {("customers", "extra"): tuple(value.format(number) for number in range(10, 20))}
    model = infer_vocabulary(bank, seen)
    assert [field.name for field in model.datasets[0].fields if field.sensitive] == ["extra"] * kept


@pytest.mark.parametrize("around", ['{{"sent": {}}}', "[{}]", '{{"note": "\\\\", "list": [{}, {}]}}'])
@pytest.mark.parametrize("native", ["TEXT", "JSON"])
def test_long_json_within_json_is_looked_into_in_a_moment_wherever_it_is_cut(around, native):
    within = json.dumps([{"email": f"a{number}", "note": 'said "no"'} for number in range(900)])
    text = around.format(json.dumps(within), json.dumps(within[:9_000]))
    columns = (Column("city", "text", "VARCHAR"), Column("extra", column_type(native), native))
    bank = Catalogue("duckdb", (Table("customers", columns),))
    begun = time.monotonic()
    model = infer_vocabulary(bank, {("customers", "extra"): (text, text[:-1], text[:9_000], text[9_000:])})
    assert time.monotonic() - begun < allowed_s(2)
    assert [field.name for field in model.datasets[0].fields if field.sensitive] == ["extra"]

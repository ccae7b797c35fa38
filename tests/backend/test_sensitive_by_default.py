"""On a bank of one's own what is personal is kept back until a vocabulary file permits it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai_engine.semantics.osi import dump_vocabulary
from backend.service import Assistant, open_assistant
from backend.settings import Settings
from tests.backend.test_contained_keys import write

CUSTOMERS = "customers(customer_id INTEGER PRIMARY KEY, name TEXT, mobile_number TEXT, email TEXT, city TEXT)"
ACCOUNTS = "accounts(account_number TEXT PRIMARY KEY, customer_id INTEGER REFERENCES customers, balance NUMERIC)"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    people = [
        (n, f"Asha{chr(65 + n % 26)} Rao", f"98{n:08}", f"a{n}@bank.in", ("Pune", "Delhi")[n % 2]) for n in range(1, 40)
    ]
    held = [(f"{n:010}", 1 + n % 39, n * 10) for n in range(1, 60)]
    return write(tmp_path / "own.sqlite", {CUSTOMERS: people, ACCOUNTS: held})


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
    assert "Kept back as personal or secret: customers.mobile_number, customers.email." in notes[-1]
    text = dump_vocabulary(model).replace('"sensitive": true', '"sensitive": false')
    file.with_suffix(".yaml").write_text(text, encoding="utf-8")
    permitted = opened(file, tmp_path)
    shown = permitted.ask("show mobile number of customers in Pune")
    permitted.close()
    assert shown.status == "answered"
    assert permitted.notes == ()

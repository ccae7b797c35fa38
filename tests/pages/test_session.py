from __future__ import annotations

from backend import opening
from pages import session
from tests.ai_engine.scripted_model import exchange, write_bank


def test_all_visitors_share_one_assistant_until_its_file_is_exchanged(tmp_path, monkeypatch):
    file = write_bank(tmp_path / "bank.duckdb")
    monkeypatch.setenv("BANK_DATABASE_URL", str(file))
    opening.shared_sources.close()
    try:
        first = session.get_assistant()
        assert session.get_assistant() is first
        exchange(file, "DELETE FROM loans")
        second = session.get_assistant()
        assert second is not first
        assert second.ask("How many loans?").result.rows == ((0,),)
    finally:
        opening.shared_sources.close()

"""An answer that was kept says in every file and place the day that it was given on, not today."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

from ai_engine.formats import Formats
from backend.answers.answer_json import answer_from_json, answer_to_json
from backend.answers.conversation_html import conversation_html
from backend.answers.evidence import FACTS, evidence_pack
from backend.answers.excel import said_of
from backend.dashboards.book import tile_of
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings
from tests.ai_engine.scripted_model import write_bank

THEN, NOW = date(2026, 10, 31), date(2026, 11, 30)


@contextmanager
def bank_on(day: date, file: Path) -> Iterator[Assistant]:
    settings = Settings(
        database_url=str(file), cache_dir=file.parent / "cache", store_url=f"sqlite:///{file.parent}/store.sqlite",
        as_of=day, database_workers=1, verifiers="*",
    )  # fmt: skip
    with closing(open_assistant(settings)) as assistant:
        yield assistant


def test_an_answer_of_last_month_keeps_its_day_wherever_it_is_taken(tmp_path: Path):
    file = write_bank(tmp_path / "bank.sqlite")
    with bank_on(THEN, file) as assistant:
        given = assistant.ask("How many accounts were opened last month?")
        assert given.status == "answered", given.error
        kept = answer_to_json(given)
        pinned = tile_of(given, assistant.vocabulary, "bank", "table", "Opened")
    with bank_on(NOW, file) as assistant:
        answer = answer_from_json(kept)
        assert answer == given
        facts = json.loads(zipfile.ZipFile(io.BytesIO(evidence_pack(answer, assistant, "asha", "una"))).read(FACTS))
        page = conversation_html([answer], assistant.vocabulary, Formats(), "here")
        tile = tile_of(answer, assistant.vocabulary, "bank", "table", "Opened")
        checked = assistant.verified.verify(answer, "asha").answer
        assert (facts["as_of"], dict(said_of(answer, "Opened"))["As of"]) == ("2026-10-31", "2026-10-31")
        assert "as of 31 October 2026" in page
        assert "30 November 2026" not in page
        assert (tile.pinned_on, tile.moves_on) == (pinned.pinned_on, pinned.moves_on) == (THEN, True)
        assert checked.as_of == THEN
        assert assistant.verified.of_question(given.question) is None, "last month is another one now"

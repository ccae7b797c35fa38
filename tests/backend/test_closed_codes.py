"""Words for the codes of a closed column: neither seen values nor what a file calls them is told of it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ai_engine.semantics.infer.doubts import ColumnAnswer
from ai_engine.semantics.vocabulary_edits import Edit
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

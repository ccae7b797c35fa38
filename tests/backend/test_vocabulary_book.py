"""Changes of a vocabulary, on a real store and a real database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from ai_engine.errors import BadVocabulary, CannotChangeVocabulary, NotPermitted, SqlRejected
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary
from ai_engine.semantics.vocabulary_edits import Edit, conflicts, value_at
from backend.opening import open_assistant
from backend.renewal import in_force, renewed, trying
from backend.service import Assistant
from backend.settings import Settings
from backend.sources.sources import Sources

CONFIG = {"database_workers": 1, "editors": "edith", "vocabulary_check_s": 0}
LABEL = ("column", "customers.segment", "label")
NTB = Edit("word", "ntb", "", None, "customers who joined this month")


def settings_for(folder: Path) -> Settings:
    return Settings(
        database_url=str(folder / "bank.duckdb"), cache_dir=folder / "cache", as_of="2026-11-21",
        store_url=f"sqlite:///{folder}/store.sqlite", **CONFIG,
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vocabulary")
    with duckdb.connect(folder / "bank.duckdb") as bank:
        bank.execute(
            "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, segment VARCHAR, city VARCHAR, email VARCHAR, "
            "joined_date DATE, balance DECIMAL(12, 2))"
        )
        bank.execute(
            "INSERT INTO customers SELECT i, CASE WHEN i % 2 = 0 THEN 'Retail' ELSE 'SME' END, 'Pune', 'a@b.c', "
            "DATE '2026-11-01' - (i::INTEGER * 10), i FROM range(60) AS t(i)"
        )
    return folder


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[Assistant]:
    with closing(open_assistant(settings_for(folder))) as assistant:
        yield assistant


@pytest.fixture
def assistant(opened: Assistant) -> Assistant:
    """The assistant with the file's vocabulary in force, whatever an earlier test published."""
    if opened.changes.in_force()[1]:
        opened.changes.roll_back(0, "edith")
    return renewed(opened)


def edit(assistant: Assistant, kind: str, name: str, part: str, after: object) -> Edit:
    return Edit(kind, name, part, value_at(assistant.vocabulary.model, kind, name, part), after)


def test_a_published_word_is_understood_and_told_as_an_assumption(assistant):
    question = "How many NTB are there?"
    assert assistant.ask(question).status == "refused"
    draft = assistant.changes.propose([NTB], "New to bank", "una")
    assert assistant.ask(question).status == "refused"
    assistant.changes.publish(draft.id, "edith")
    answer = renewed(assistant).ask(question)
    assert answer.status == "answered", answer.error
    assert any("NTB" in said and "customers who joined this month" in said for said in answer.assumptions)


def test_only_editors_publish_and_others_see_their_own_proposals_alone(assistant):
    draft = assistant.changes.propose([edit(assistant, *LABEL, "client group")], "", "una")
    with pytest.raises(NotPermitted):
        assistant.changes.publish(draft.id, "una")
    assert draft.id in [one.id for one in assistant.changes.drafts("una")]
    assert draft.id in [one.id for one in assistant.changes.drafts("edith")]
    assert assistant.changes.drafts("ben") == []
    with pytest.raises(CannotChangeVocabulary):
        assistant.changes.discard(draft.id, "ben")
    assistant.changes.discard(draft.id, "una")
    assert draft.id not in [one.id for one in assistant.changes.drafts("edith")]


@pytest.mark.parametrize(
    ("made", "part", "says"),
    [
        (Edit("table", "customers", "default_time", "joined_date", "joined"), "default_time", "no field 'joined'"),
        (Edit("column", "customers.balance", "unit", None, "bananas"), "unit", "bananas"),
        (Edit("column", "customers.city", "label", "city", "  "), "label", "empty"),
        (Edit("word", "ntb", "", None, " "), "meaning", "empty"),
    ],
)
def test_what_is_not_valid_names_the_part_of_the_form(assistant, made, part, says):
    with pytest.raises(BadVocabulary, match=says) as raised:
        assistant.changes.propose([made], "", "una")
    assert raised.value.field == part


def test_a_metric_that_cannot_be_computed_is_refused_with_the_reason(assistant):
    metric = {"label": "total", "expression": "SUM(customers.balence)", "description": "", "synonyms": [],
              "unit": None, "time_field": None}  # fmt: skip
    with pytest.raises(BadVocabulary, match="did you mean 'balance'") as raised:
        assistant.changes.propose([Edit("metric", "total", "", None, metric)], "", "una")
    assert raised.value.field == "expression"


def test_a_column_is_closed_at_once_and_opened_by_editors_alone(assistant):
    draft = assistant.changes.propose([edit(assistant, "column", "customers.city", "sensitive", True)], "", "una")
    assistant.changes.publish(draft.id, "edith")
    closed = renewed(assistant)
    with pytest.raises(SqlRejected):
        closed.check("SELECT city FROM customers")
    opens = edit(closed, "column", "customers.city", "sensitive", False)
    with pytest.raises(NotPermitted):
        closed.changes.propose([opens], "", "una")
    draft = closed.changes.propose([opens], "", "edith")
    with pytest.raises(SqlRejected):  # a draft that is tried opens nothing
        trying(closed, draft.edits).check("SELECT city FROM customers")


def test_where_the_store_is_away_a_closed_column_stays_closed(assistant, folder, tmp_path):
    draft = assistant.changes.propose([edit(assistant, "column", "customers.city", "sensitive", True)], "", "una")
    assistant.changes.publish(draft.id, "edith")
    away = tmp_path / "damaged.sqlite"
    away.write_bytes(b"no store at all, however long one looks at it" * 100)
    settings = settings_for(folder).model_copy(update={"store_url": f"sqlite:///{away}"})
    with closing(open_assistant(settings)) as other, pytest.raises(SqlRejected):
        other.check("SELECT city FROM customers")


def test_a_version_is_rolled_back_to_and_the_history_stays(assistant):
    first = assistant.changes.publish(
        assistant.changes.propose([edit(assistant, *LABEL, "client group")], "a", "una").id, "edith"
    )
    second = assistant.changes.publish(
        assistant.changes.propose([Edit(*LABEL, "client group", "client class")], "b", "una").id, "edith"
    )
    assistant.changes.roll_back(first, "edith")
    assert value_at(renewed(assistant).vocabulary.model, *LABEL) == "client group"
    assistant.changes.roll_back(0, "edith")
    assert value_at(renewed(assistant).vocabulary.model, *LABEL) == "segment"
    kept = assistant.changes.versions()
    assert [one.number for one in kept[:4]] == [second + 2, second + 1, second, first]
    assert (kept[2].author, kept[2].ended_by, kept[2].note) == ("una", "edith", "b")


def test_a_draft_over_which_something_else_was_published_waits_for_a_decision(assistant):
    mine = assistant.changes.propose([edit(assistant, *LABEL, "mine")], "", "una")
    theirs = assistant.changes.propose([edit(assistant, *LABEL, "theirs")], "", "ben")
    assistant.changes.publish(theirs.id, "edith")
    with pytest.raises(CannotChangeVocabulary, match="changed by somebody else"):
        assistant.changes.publish(mine.id, "edith")
    assistant.changes.insist(mine.id, "edith")
    assistant.changes.publish(mine.id, "edith")
    assert value_at(renewed(assistant).vocabulary.model, *LABEL) == "mine"


def test_where_the_file_changes_under_a_version_both_are_shown_and_either_can_be_kept(assistant):
    book = assistant.changes
    book.publish(book.propose([edit(assistant, *LABEL, "ours")], "", "una").id, "edith")
    before = book.base
    try:
        _, edits = book.in_force()
        book.base = book.model_with([Edit(*LABEL, "segment", "the file's")])
        assert conflicts(edits, book.base) == book.changed_under() == ((edits[0], "the file's"),)
        book.settle(LABEL, "edith", by_file=False)
        assert book.changed_under() == ()
        assert value_at(book.model_with(book.in_force()[1]), *LABEL) == "ours"
        book.settle(LABEL, "edith", by_file=True)
        assert value_at(book.model_with(book.in_force()[1]), *LABEL) == "the file's"
    finally:
        book.base = before


def test_what_one_server_publishes_all_others_have_without_a_restart(assistant, folder):
    shared = Sources(lambda: settings_for(folder), open_assistant, in_force)
    try:
        other = shared.assistant()
        assert shared.assistant() is other
        assistant.changes.publish(
            assistant.changes.propose([edit(assistant, *LABEL, "client group")], "", "una").id, "edith"
        )
        told = shared.assistant()
        assert value_at(told.vocabulary.model, *LABEL) == "client group"
        assert told.database is other.database and shared.assistant() is told
    finally:
        shared.close()


def test_two_who_publish_at_once_give_two_versions(assistant):
    drafts = [assistant.changes.propose([Edit("word", word, "", None, "customers")], "", "una") for word in "ab"]
    numbers: list[int] = []
    threads = [
        threading.Thread(target=lambda one=one: numbers.append(assistant.changes.publish(one.id, "edith")))
        for one in drafts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(numbers)) == 2
    assert set(renewed(assistant).vocabulary.model.glossary) >= {"a", "b"}


def test_what_is_in_force_is_written_as_a_file_that_reads_the_same(assistant):
    assistant.changes.publish(assistant.changes.propose([NTB], "", "una").id, "edith")
    model = renewed(assistant).vocabulary.model
    assert load_vocabulary(dump_vocabulary(model), assistant.vocabulary.catalogue) == model

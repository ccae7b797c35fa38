"""What has become restricted is shown nowhere on the page, whether it is open already or opened by an address."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from ai_engine.errors import NotPermitted
from ai_engine.guard.policy import policy_from_json
from ai_engine.semantics.vocabulary_edits import Edit, EditedKind, value_at
from ai_engine.types import Answer
from backend import opening
from backend.answers.withheld import CLOSED_SINCE, ITS_QUESTION
from backend.store import shared_store
from backend.store.conversations import KeptConversations
from backend.store.dashboards import Tile
from pages.dashboard_changes import book
from pages.session import Exchange
from tests.ai_engine.scripted_model import write_bank
from tests.pages.test_screen import APP, ask, words

QUESTION = "Total balance by account type"
SAID = (
    "This answer is not shown any more, as its query may not run today: column account_type of accounts is restricted."
)


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in (
        ("DATABASE_URL", str(write_bank(tmp_path / "bank.duckdb"))), ("CACHE_DIR", str(tmp_path / "cache")),
        ("STORE_URL", f"sqlite:///{tmp_path}/store.sqlite"), ("EDITORS", "*"), ("VOCABULARY_CHECK_S", "0"),
    ):  # fmt: skip
        monkeypatch.setenv(f"BANK_{name}", value)
    opening.shared_sources.close()
    shared_store.close()
    yield
    opening.shared_sources.close()
    shared_store.close()


def restrict() -> None:
    book = opening.default_assistant().changes
    change = book.propose([Edit("column", "accounts.account_type", "sensitive", False, True)], "", "una")
    book.publish(change.id, "una")


def opened(**address: str) -> AppTest:
    screen = AppTest.from_file(APP, default_timeout=60)
    for name, value in address.items():
        screen.query_params[name] = value
    return screen.run()


def evaluated():
    import json
    from datetime import UTC, datetime

    import streamlit as st

    from backend.answers.withheld import mark_of
    from backend.opening import default_assistant
    from backend.store.evaluations import KeptRun
    from pages.drawing.evaluations.report import draw_report

    assistant = default_assistant()
    sql = "SELECT account_type FROM accounts WHERE account_type = 'savings'"
    one = {"key": "1", "question": "Which?", "verdict": "wrong", "reason": "savings", "restatement": "", "mark": None}
    one |= {"restatement": "Those that are savings", "question": "Which are savings?"}
    back = one | {"sql": None, "gold_sql": "SELECT 1", "verdict": "clarified", "reason": "asked back"}
    back |= {"question": "Which?", "restatement": "", "said": "Accounts of type savings | of type current"}
    mark = mark_of(st.session_state.setdefault("then", assistant.policy))
    report = {"questions": 1, "accuracy": 0.0, "wrong_but_confident": 0.0, "by_mark": {}}
    report["outcomes"] = [
        one | {"sql": sql, "gold_sql": sql, "said": "It is savings.", "closed": ""},
        back | {"key": "2", "closed": mark},
        one | {"key": "3", "verdict": "right", "sql": sql, "gold_sql": sql, "said": "", "closed": ""},
    ]
    before = {**report, "outcomes": [{"key": "1", "verdict": "right"}, {"key": "3", "verdict": "wrong"}]}
    at = datetime.now(UTC)
    run, earlier = (
        KeptRun("r", "asha", "set", "bank", "rules", "done", 1, 1, json.dumps(one), "", at, at)
        for one in (report, before)
    )
    draw_report(run, earlier, assistant)


def test_what_an_evaluation_was_told_is_not_shown_once_its_column_is_restricted(published):
    screen = AppTest.from_function(evaluated, default_timeout=60).run()
    assert "It is savings." in words(screen)
    assert words(screen).count("Which are savings?") == 2
    screen.selectbox[0].set_value("2").run()
    assert "of type savings" in words(screen)
    restrict()
    screen.run()
    assert not screen.exception
    assert CLOSED_SINCE in words(screen)
    assert "savings" not in words(screen)
    screen.selectbox[0].set_value("1").run()
    assert screen.selectbox[0].options == [f"wrong: {ITS_QUESTION}", "clarified: Which?"]
    assert SAID in words(screen)
    assert "savings" not in words(screen)
    assert len(screen.dataframe) == 0
    assert not screen.code


def profiled():
    from dataclasses import replace

    import streamlit as st

    from backend.opening import default_assistant
    from pages.drawing.catalogue import columns

    assistant = default_assistant()
    accounts = assistant.vocabulary.model.dataset("accounts")
    seen_by = replace(assistant, vocabulary=replace(assistant.vocabulary))
    at = id(seen_by.vocabulary)
    columns.draw_table_of(seen_by, accounts)
    del seen_by
    later = [replace(assistant, vocabulary=replace(assistant.vocabulary)) for _ in range(2_000)]
    last = next((one for one in later if id(one.vocabulary) == at), later[0])
    st.text(f"known: {columns._known(last, accounts)}")


def test_the_figures_of_a_table_are_those_of_one_vocabulary_wherever_the_next_one_lies(published):
    screen = AppTest.from_function(profiled, default_timeout=60).run()
    assert not screen.exception
    assert screen.text[0].value == "known: None"


def listed_feedback():
    from ai_engine.types import Answer
    from backend.opening import default_assistant
    from pages.drawing.verified.feedback import draw_feedback

    assistant = default_assistant()
    sql = "SELECT COUNT(*) AS n FROM accounts WHERE account_type = 'savings'"
    book = assistant.feedback
    if not book.listed("una"):
        book.say(
            Answer("How many are savings?", "answered", "rules", "Accounts that are savings", sql), "wrong", "", "asha"
        )
    draw_feedback(book, "una", assistant.check)


def test_what_was_said_of_an_answer_shows_no_value_of_a_column_that_is_restricted_since(published, monkeypatch):
    monkeypatch.setenv("BANK_VERIFIERS", "*")
    screen = AppTest.from_function(listed_feedback, default_timeout=60).run()
    assert "savings" in words(screen) + screen.code[0].value
    restrict()
    screen = AppTest.from_function(listed_feedback, default_timeout=60).run()
    assert not screen.exception
    assert SAID in words(screen)
    assert "savings" not in words(screen) + "".join(one.label for one in screen.expander)
    assert not screen.code


@pytest.mark.parametrize("where", ["investigate", "figures", "front-desk", "report-team", "supervisor"])
def test_nor_is_it_on_the_pages_of_several_agents_desks_and_the_supervisor(published, where: str):
    screen = AppTest.from_file(APP, default_timeout=60)
    screen.session_state["assistant"] = where
    screen.run().switch_page(f"pages/{'investigate' if where == 'investigate' else 'chat'}.py").run()

    def shown() -> str:
        return " ".join([words(screen), *(one.value for one in screen.markdown), *map(str, screen.dataframe)])

    ask(screen, QUESTION)
    assert "Savings" in shown()
    ask(screen, "How many customers are there?")
    restrict()
    screen.run()
    assert not screen.exception
    assert "savings" not in shown().lower()
    assert not any("savings" in str(table.value).lower() for table in screen.dataframe)
    assert SAID in shown()
    gone = 2 if where == "report-team" else 1  # its lead's second answer rests on all that it had heard
    assert shown().count(SAID) == gone, "what may still be shown is"


@pytest.mark.parametrize("where", ["investigate", "figures", "front-desk", "report-team", "supervisor"])
def test_nor_is_there_a_question_that_names_a_value_of_it(published, where: str):
    screen = AppTest.from_file(APP, default_timeout=60)
    screen.session_state["assistant"] = where
    screen.run().switch_page(f"pages/{'investigate' if where == 'investigate' else 'chat'}.py").run()

    def shown() -> str:
        return " ".join([words(screen), *(one.value for one in screen.markdown)])

    ask(screen, "How many customers are there?")
    ask(screen, "How many savings accounts are there?")
    assert "How many savings accounts" in shown()
    restrict()
    screen.run()
    assert not screen.exception
    assert "savings" not in shown().lower()
    assert ITS_QUESTION in shown()
    assert "How many customers are there?" in shown()
    if screen.query_params.get("c"):
        again = AppTest.from_file(APP, default_timeout=60)
        again.session_state["assistant"] = where
        again.query_params["c"] = screen.query_params["c"][0]
        screen = again.run().switch_page("pages/chat.py").run()
        assert "savings" not in shown().lower()


def test_an_answer_whose_column_has_become_restricted_is_shown_nowhere_and_the_page_says_why(published):
    first = opened()
    for question in (QUESTION, "How many customers are there?", "How many accounts are there?", "How many loans?"):
        ask(first, question)
    conversation = first.session_state["conversation"]
    turn = first.session_state["exchanges"][0].id
    figure = first.session_state["exchanges"][0].answer.headline
    assert figure in words(opened(a=turn))
    assert figure in words(opened(c=conversation))

    restrict()
    for screen in (first.run(), opened(c=conversation), opened(a=turn)):
        assert not screen.exception
        assert figure not in words(screen)
        assert SAID in words(screen)
        assert not any("savings" in str(table.value) for table in screen.dataframe)
    whole = opened(c=conversation)
    whole.button(key="draw_all_whole").click().run()
    assert figure not in words(whole)
    assert "How many customers" in words(whole)

    opening.default_assistant().changes.roll_back(0, "una")
    assert figure in words(opened(a=turn)), "in the store it is as it was"


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], bytes]]:
    """What each button of a drawn page would write, by its label."""
    offered: dict[str, Callable[[], bytes]] = {}

    def keep(label: str, data: Callable[[], bytes], *_: Any, **__: Any) -> bool:
        offered[label] = data
        return False

    monkeypatch.setattr(st, "download_button", keep)
    return offered


def written(write: Callable[[], bytes]) -> bytes:
    """Write as a click does: later, in a thread that knows of no page."""
    with ThreadPoolExecutor(1) as clicks:
        return clicks.submit(write).result()


def test_a_file_of_an_open_page_is_written_under_the_rules_of_the_click(published, writers):
    page = opened()
    ask(page, QUESTION)
    drawn = dict(writers)
    assert {"CSV", "Excel", "Evidence pack", "Conversation"} <= drawn.keys()
    assert all(written(write) for write in drawn.values())
    assert b"Savings" in written(drawn["CSV"])
    assert b"Savings" in written(drawn["Conversation"])

    restrict()
    for label in ("CSV", "Excel", "Evidence pack"):
        with pytest.raises(NotPermitted, match="column account_type of accounts is restricted"):
            written(drawn[label])
    told = written(drawn["Conversation"])
    assert b"savings" not in told.lower()
    assert SAID.encode() in told


def test_a_file_of_an_open_history_or_catalogue_is_written_under_the_rules_of_the_click(published, writers):
    opening.default_assistant().run_again(
        "SELECT COUNT(*) AS n FROM accounts WHERE account_type = 'savings'", question="Those with savings"
    )
    page = opened()
    page.switch_page("pages/history.py").run()
    page.switch_page("pages/catalogue.py").run()
    page.segmented_control(key="catalogue_section").set_value("Changes").run()
    drawn = dict(writers)
    for label in ("CSV", "JSON Lines"):
        assert b"Those with savings" in written(drawn[label])
    open_fields = written(drawn["Vocabulary file (OSI YAML)"])
    restrict()
    for label in ("CSV", "JSON Lines"):
        assert b"savings" not in written(drawn[label])
    assert written(drawn["Vocabulary file (OSI YAML)"]).count(b"sensitive") > open_fields.count(b"sensitive")


def shared_dashboard() -> str:
    answer = opening.default_assistant().ask(QUESTION)
    source = opening.shared_sources.of("local")[0].name
    board = book().create("Figures", "una")
    book().change(replace(board, is_shared=True, refresh_minutes=1), "una")
    about = (QUESTION, answer.intent, answer.sql, "table", 0.0, (), source, False, date(2026, 11, 20))
    book().pin(board.id, Tile("t1", 3, "Balances", *about), "una")
    return board.id


def take_back(dashboard: str) -> None:
    book().change(replace(book().view(dashboard, "una").dashboard, is_shared=False), "una")


def opened_dashboard(dashboard: str) -> AppTest:
    screen = opened()
    screen.query_params["d"] = dashboard
    return screen.switch_page("pages/dashboards.py").run()


def test_a_dashboard_that_was_taken_back_is_written_to_no_file(published, writers):
    board = shared_dashboard()
    opened_dashboard(board)
    write = writers["HTML"]
    assert b"Balances" in written(write)
    take_back(board)
    with pytest.raises(NotPermitted):
        written(write)


def test_a_dashboard_that_was_taken_back_is_refreshed_no_more(published, monkeypatch):
    board = shared_dashboard()
    assert "Balances" in words(opened_dashboard(board))
    fragment = st.fragment

    def taken_back_meanwhile(draw: Any = None, *, run_every: Any = None) -> Any:
        if run_every is None:
            return fragment(draw)

        def tick(*about: Any, **named: Any) -> None:
            take_back(board)
            draw(*about, **named)

        return tick

    monkeypatch.setattr(st, "fragment", taken_back_meanwhile)
    screen = opened_dashboard(board)
    assert not screen.exception
    assert "Balances" not in words(screen)
    assert "Not for you" in words(screen)


def changes(visitor: str, monkeypatch: pytest.MonkeyPatch) -> str:
    screen = AppTest.from_function(listed_changes, default_timeout=60)
    monkeypatch.setattr("pages.session.visitor", lambda: visitor)
    screen.run()
    assert not screen.exception
    return words(screen)


def listed_changes():
    from backend import opening
    from pages.drawing.catalogue.changes import draw_changes

    draw_changes(opening.default_assistant())


def test_what_was_published_of_a_column_that_is_closed_is_shown_to_editors_alone(published, monkeypatch):
    monkeypatch.setenv("BANK_EDITORS", "una")
    opening.shared_sources.close()
    assistant = opening.default_assistant()
    book, model = assistant.changes, assistant.vocabulary.model
    wanted: list[tuple[EditedKind, str, str, object]] = [
        ("column", "accounts.account_type", "value_synonyms", {"savings": ["sb account"]}),
        ("word", "sba", "", "account_type savings"),
        ("column", "accounts.status", "synonyms", ["state of things"]),
    ]
    called = [Edit(*place, value_at(model, *place), after) for *place, after in wanted]
    book.publish(book.propose(called, "", "una").id, "una")
    assert "sb account" in changes("mallory", monkeypatch)
    restrict()
    seen = changes("mallory", monkeypatch)
    assert "savings" not in seen
    assert "state of things" in seen
    assert "sb account" in changes("una", monkeypatch)


@pytest.mark.parametrize(
    "policy",
    [
        {"restricted_columns": {"Accounts": ["ACCOUNT_TYPE"]}},
        {"hidden_tables": ["accounts"]},
        {"allowed_tables": ["customers"]},
    ],
)
def test_nor_is_it_to_others_where_the_policy_closes_what_the_vocabulary_has_as_open(published, policy):
    from pages.drawing.catalogue.changes import _closed_for, differences_html

    assistant = opening.default_assistant()
    known = assistant.vocabulary
    accounts = known.model.dataset("accounts")
    upper = replace(accounts.field("account_type"), name="kind_of_it", expression="UPPER(account_type)")
    others = (one for one in known.model.datasets if one is not accounts)
    model = replace(known.model, datasets=(replace(accounts, fields=(*accounts.fields, upper)), *others))
    asked = replace(assistant, vocabulary=replace(known, model=model), policy=policy_from_json(json.dumps(policy)))
    edits = [
        Edit("column", "accounts.account_type", "value_synonyms", None, {"savings": ["sb"]}),
        Edit("column", "accounts.kind_of_it", "description", None, "SAVINGS and others"),
        Edit("word", "sba", "", None, "account_type savings"),
        Edit("column", "customers.city", "synonyms", None, ["town"]),
    ]
    told = differences_html(edits, _closed_for(asked, may=False)).lower()
    assert "savings" not in told
    assert "town" in told
    assert "savings" in differences_html(edits, _closed_for(asked, may=True)).lower()


def a_kept_draft():
    import streamlit as st

    from ai_engine.types import Answer, FailedDraft, StepFinished
    from backend.answers.withheld import with_mark
    from backend.opening import default_assistant
    from backend.store.conversations import KeptTurn
    from pages import conversations, session
    from pages.drawing.answer import draw_answer
    from pages.formats import visitor_formats
    from pages.session import Exchange

    assistant = default_assistant()
    if not session.exchanges():
        figures = assistant.run_again("SELECT COUNT(*) AS n FROM customers", question="How many?")
        draft = FailedDraft("SELECT 1 FROM accounts WHERE account_type = 'savings'", "no", "Not savings")
        step = StepFinished("sql_agent", 1, "savings", failed=True, sql=draft.sql)
        from dataclasses import replace

        words_only = KeptTurn("t", "Of savings", "answered", "5", "SELECT MAX(account_type) AS n FROM accounts", True)
        session.exchanges().append(Exchange(replace(figures, failures=(draft,)), (step,)))
        session.exchanges().append(Exchange(with_mark(Answer("How?", "failed", "rules"), assistant.policy), (step,)))
        session.exchanges().append(conversations._exchange(words_only))
    conversations.withhold(assistant)
    for place, exchange in enumerate(session.exchanges()):
        st.text(exchange.answer.question)
        draw_answer(exchange, place, visitor_formats())
    st.text(repr(session.exchanges()))


def test_drafts_and_steps_beside_an_answer_and_a_question_of_which_only_the_words_were_fetched_go_with_the_column(
    published,
):
    screen = AppTest.from_function(a_kept_draft, default_timeout=60).run()
    assert not screen.exception
    assert words(screen).lower().count("savings") + screen.text[-1].value.count("savings") > 2
    restrict()
    screen.run()
    assert not screen.exception
    assert "savings" not in (words(screen) + "".join(one.value for one in (*screen.text, *screen.code))).lower()
    assert "QueryResult" in screen.text[-1].value, "the figures are shown still"


def searched():
    import streamlit as st

    from pages import conversations

    st.text(f"{[one.title for one in conversations.listed('savings', 1)]}")


def test_a_conversation_is_not_found_by_a_question_that_is_not_shown_any_more(published):
    first = opened()
    ask(first, "How many customers are there?")
    ask(first, "How many savings accounts are there?")
    assert (
        AppTest.from_function(searched, default_timeout=60).run().text[0].value == "['How many customers are there?']"
    )
    restrict()
    assert AppTest.from_function(searched, default_timeout=60).run().text[0].value == "[]"


def test_a_search_opens_no_source_and_finds_nothing_by_a_question_of_one_that_is_not_open(
    published, tmp_path, monkeypatch
):
    write_bank(tmp_path / "copy.duckdb")
    listed = tmp_path / "sources.yaml"
    listed.write_text(f'sources:\n  - {{name: copy, url: "{tmp_path}/copy.duckdb", people: ["*"]}}\n', encoding="utf-8")
    monkeypatch.setenv("BANK_SOURCES_FILE", str(listed))
    answers = [Answer(asked, "failed", "rules", error="No") for asked in ("How many?", "Those with savings?")]
    for number, answer in enumerate(answers):
        KeptConversations(shared_store.get, 64).keep("c", f"t{number}", "local", answer, source="copy")
    assert AppTest.from_function(searched, default_timeout=60).run().text[0].value == "[]"
    assert not opening.shared_sources.is_open("copy", "local")
    opening.shared_sources.assistant("copy", "local")
    assert AppTest.from_function(searched, default_timeout=60).run().text[0].value == "['How many?']"


def test_an_answer_is_not_judged_by_the_rules_of_another_source_that_the_address_names_later(
    published, tmp_path, monkeypatch
):
    write_bank(tmp_path / "copy.duckdb")
    listed = tmp_path / "sources.yaml"
    listed.write_text(f'sources:\n  - {{name: copy, url: "{tmp_path}/copy.duckdb", people: ["*"]}}\n', encoding="utf-8")
    monkeypatch.setenv("BANK_SOURCES_FILE", str(listed))
    screen = opened()
    ask(screen, "How many savings accounts are there?")
    conversation = screen.session_state["conversation"]
    restrict()
    screen.session_state["exchanges"].append(Exchange(Answer("Not kept so far", "failed", "rules", error="No")))
    screen.query_params["source"] = "copy"
    screen.run()
    assert not screen.exception
    assert "savings" not in words(screen).lower()
    assert screen.session_state["exchanges"] == []
    _, turns = KeptConversations(shared_store.get, 64).turns(conversation, "local", 10)
    assert [turn.question for turn in turns] == ["How many savings accounts are there?", "Not kept so far"]
    assert (screen.session_state["left"][0], screen.session_state["left"][2]) == (conversation, "bank")
    again = opened(c=conversation, source="copy").session_state["exchanges"]
    assert [one.answer.question for one in again] == [ITS_QUESTION, "Not kept so far"]

from __future__ import annotations

import time
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import func, insert, select, update

from ai_engine.errors import NotKept
from ai_engine.types import Answer, QueryResult, StepFinished
from backend.store import KeptConversations, open_store
from backend.store.conversations import CONVERSATIONS, TURNS

STEPS = (StepFinished("intent_agent", 1, "Understood"), StepFinished("sql_agent", 1, "written", sql="SELECT 1"))
AS_OF = date(2026, 9, 30)


def said(question: str, rows: int = 2) -> Answer:
    result = QueryResult(("n",), ("integer",), tuple((place,) for place in range(rows)))
    words = f"{question}: 2."
    return Answer(question, "answered", "rules", sql="SELECT n FROM t", summary=words, result=result)


@pytest.fixture
def kept(store) -> KeptConversations:
    return KeptConversations(lambda: store, 64)


def titles(kept: KeptConversations, person: str = "asha", search: str = "", **page: int) -> list[str]:
    return [one.title for one in kept.listed(person, search, **page)]


def questions(kept: KeptConversations, conversation: str = "c1") -> list[str]:
    return [turn.question for turn in kept.turns(conversation, "asha", 2)[1]]


def test_a_conversation_is_named_by_its_first_question_and_listed_by_last_use(kept):
    kept.keep("c1", "t1", "asha", said("Deposits\n by  branch"), STEPS, source="own")
    kept.keep("c2", "t2", "asha", said("Loans"))
    assert titles(kept) == ["Loans", "Deposits by branch"]
    kept.keep("c1", "t3", "asha", said("by month"))
    assert titles(kept) == ["Deposits by branch", "Loans"]
    assert titles(kept, skip=1, most=1) == ["Loans"]
    assert titles(kept, search="MONTH") == ["Deposits by branch"]
    assert titles(kept, search="%") == []
    kept.rename("c1", "asha", "  Board   pack ")
    kept.rename("c1", "asha", " ")
    assert titles(kept, search="board") == ["Board pack"]


def test_a_search_finds_nothing_by_a_question_whose_answer_is_not_told(kept):
    kept.keep("c1", "t1", "asha", said("Deposits"), source="own")
    kept.keep("c1", "t2", "asha", said("Savings in Pune"))
    kept.keep("c1", "t3", "asha", Answer("Which Pune?", "clarify", "rules", closed="then"))
    asked: list[tuple[str, Answer]] = []

    def found(is_told: bool, search: str = "pune") -> list[str]:
        listed = kept.listed("asha", search, is_told=lambda *about: asked.append(about) or is_told)
        return [one.title for one in listed]

    assert (found(True), found(False), found(False, "deposits")) == (["Deposits"], [], ["Deposits"])
    assert {(source, one.sql, one.closed) for source, one in asked} == {
        ("own", "SELECT n FROM t", ""), ("own", None, "then"),
    }  # fmt: skip


def test_another_server_reads_every_turn_as_it_was_shown(kept, store_settings):
    whole = replace(said("Deposits"), as_of=AS_OF)
    kept.keep("c1", "t1", "asha", whole, STEPS, source="own")
    kept.keep("c1", "t2", "asha", Answer(question="x", status="refused", model="rules", error="I do not know x."))
    other = open_store(store_settings)
    conversation, turns = KeptConversations(lambda: other, 64).turns("c1", "asha", 1)
    assert conversation.source == "own"
    assert [(turn.words, turn.answer is None) for turn in turns] == [
        ("Deposits: 2.", True),
        ("I do not know x.", False),
    ]
    turn = KeptConversations(lambda: other, 64).turn("t1", "asha")
    assert (turn.answer, turn.steps, turn.source) == (whole, STEPS, "own")
    other.close()


def test_an_answer_of_an_earlier_version_has_the_day_that_was_kept_beside_it(store, kept):
    kept.keep("c1", "t1", "asha", said("Deposits"))
    with store.writing() as on:
        on.execute(update(TURNS).values(as_of=AS_OF))
    assert kept.turn("t1", "asha").answer == replace(said("Deposits"), as_of=AS_OF)


def test_a_final_answer_takes_the_place_of_the_one_shown_meanwhile(kept):
    kept.keep("c1", "t1", "asha", said("Deposits"))
    kept.keep("c1", "t1", "asha", replace(said("Deposits"), headline="Deposits grew."))
    (turn,) = kept.turns("c1", "asha", 0)[1]
    assert turn.words == "Deposits grew."


def test_a_question_that_was_begun_takes_no_answers_place_however_late_it_comes(kept):
    begun = Answer(question="Deposits", status="failed", model="rules", error="No answer yet.")
    kept.keep("c1", "t1", "asha", begun, is_begun=True)
    assert kept.turns("c1", "asha", 1)[1][0].words == "No answer yet."
    kept.keep("c1", "t1", "asha", said("Deposits"))
    kept.keep("c1", "t1", "asha", begun, is_begun=True)
    kept.keep("c2", "t1", "ravi", begun, is_begun=True)
    assert [turn.words for turn in kept.turns("c1", "asha", 1)[1]] == ["Deposits: 2."]


def test_nobody_sees_or_changes_what_is_anothers(kept):
    kept.keep("c1", "t1", "asha", said("Deposits"))
    assert titles(kept, "ravi") == []
    for refused in (
        lambda: kept.turns("c1", "ravi", 5),
        lambda: kept.turn("t1", "ravi"),
        lambda: kept.keep("c1", "t9", "ravi", said("mine")),
        lambda: kept.keep("c1", "t1", "ravi", said("mine")),
        lambda: kept.rename("c1", "ravi", "mine"),
        lambda: kept.delete("c1", "ravi"),
        lambda: kept.restore("c1", "ravi"),
        lambda: kept.drop_from("c1", "t1", "ravi"),
        lambda: kept.put_back("c1", ["t1"], "ravi"),
        lambda: kept.share("t1", "ravi", is_shared=True),
        lambda: kept.turn("nothing", "asha"),
        lambda: kept.turns("nothing", "asha", 5),
    ):
        with pytest.raises(NotKept):
            refused()
    assert questions(kept) == ["Deposits"]


def test_a_turn_cannot_be_put_into_another_conversation(kept):
    kept.keep("c1", "t1", "asha", said("Deposits"))
    with pytest.raises(Exception, match=r"another conversation"):
        kept.keep("c2", "t1", "ravi", said("mine"))
    assert questions(kept) == ["Deposits"]


def test_a_shared_answer_opens_for_others_until_it_is_no_longer_shared_and_nothing_else_does(kept):
    kept.keep("c1", "t1", "asha", said("Deposits"))
    kept.keep("c1", "t2", "asha", said("Loans"))
    kept.share("t1", "asha", is_shared=True)
    found = kept.turn("t1", "ravi")
    assert (found.is_own, found.asked_by, found.is_shared, found.answer) == (False, "asha", True, said("Deposits"))
    with pytest.raises(NotKept):
        kept.turn("t2", "ravi")
    kept.share("t1", "asha", is_shared=False)
    with pytest.raises(NotKept):
        kept.turn("t1", "ravi")
    kept.share("t1", "asha", is_shared=True)
    kept.delete("c1", "asha")
    with pytest.raises(NotKept):
        kept.turn("t1", "ravi")


def test_what_was_deleted_comes_back_when_that_is_undone(kept):
    kept.keep("c1", "t1", "asha", said("Deposits"))
    kept.delete("c1", "asha")
    assert titles(kept) == []
    with pytest.raises(NotKept):
        kept.turns("c1", "asha", 2)
    kept.restore("c1", "asha")
    assert questions(kept) == ["Deposits"]


def test_an_edited_question_replaces_what_followed_until_that_is_undone(kept):
    for number in range(4):
        kept.keep("c1", f"t{number}", "asha", said(f"q{number}"))
    dropped = kept.drop_from("c1", "t2", "asha")
    kept.keep("c1", "t9", "asha", said("q2 again"))
    assert questions(kept) == ["q0", "q1", "q2 again"]
    kept.put_back("c1", dropped, "asha")
    assert questions(kept) == ["q0", "q1", "q2", "q3"]


def seconds(look, again):
    started = time.perf_counter()
    look(again)
    return time.perf_counter() - started


def test_a_thousand_conversations_and_two_hundred_turns_stay_quick(store, kept):
    kept.keep("long", "t", "asha", said("first", 500))
    with store.writing() as on:
        row = dict(on.execute(select(TURNS)).mappings().one())
        on.execute(insert(TURNS), [row | {"number": 10 + n, "id": f"t{n}", "question": f"q{n}"} for n in range(199)])
        one = dict(on.execute(select(CONVERSATIONS)).mappings().one())
        on.execute(insert(CONVERSATIONS), [one | {"id": f"c{n}", "title": f"Conversation {n}"} for n in range(1_000)])
        assert on.scalar(select(func.count()).select_from(TURNS)) == 200
    looks = (
        lambda _: kept.listed("asha"),
        lambda _: kept.listed("asha", "q77"),
        lambda _: kept.turns("long", "asha", 10),
        lambda again: kept.keep("long", f"last{again}", "asha", said("last")),
    )
    spent_s = [min(seconds(look, again) for again in range(3)) for look in looks]  # others have the processor too
    assert max(spent_s) < 0.5, spent_s

"""How a question is cut: as little as possible, and where agents say that a part is theirs."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ai_engine.orchestrator.parts import share_out

WORDS = {
    "data": {"deposits", "and", "loans", "by", "branch", "how", "many", "branches", "show"},
    "sums": {"if", "calculate", "12", "percent", "of", "450"},
    "web": {"call", "rates", "today"},
}


def claim(agent: str, part: str) -> float | None:
    words = re.findall(r"\w+", part.lower())
    return float(bool(words) and set(words) <= WORDS[agent])


def shares(question: str) -> list[tuple[str | None, str]]:
    return [(share.agent, share.part) for share in share_out(question, list(WORDS), claim)]


def test_a_question_that_one_agent_takes_stays_whole():
    assert shares("Show deposits and loans by branch") == [("data", "Show deposits and loans by branch")]


def test_each_agent_gets_its_part_in_the_order_of_the_question():
    question = "How many branches, deposits and loans by branch, and then calculate 12 percent of 450? Call rates"
    assert shares(question) == [
        ("data", "How many branches, deposits and loans by branch"),
        ("sums", "calculate 12 percent of 450"),
        ("web", "Call rates"),
    ]


def test_one_agent_may_have_two_parts_that_are_not_neighbours():
    assert [agent for agent, _ in shares("deposits by branch, call rates today and show loans")] == [
        "data", "web", "data",
    ]  # fmt: skip


def test_two_questions_in_one_sentence_are_two_parts_also_of_one_agent():
    assert [part for _, part in shares("How many branches by branch, and how many loans")] == [
        "How many branches by branch", "how many loans",
    ]  # fmt: skip


def test_a_list_of_things_is_not_cut_though_each_is_claimed():
    assert shares("deposits, loans, and branches by branch") == [("data", "deposits, loans, and branches by branch")]


def test_a_new_thing_after_a_comma_goes_to_whoever_is_as_sure_of_it():
    def claim_all(agent: str, part: str) -> float | None:
        return 1.0 if agent == "data" or part in {"the rates", "rates"} else 0.0

    def cut(question: str) -> list[tuple[str | None, str]]:
        return [(one.agent, one.part) for one in share_out(question, ["web", "data"], claim_all)]

    assert cut("deposits, and the rates") == [("data", "deposits"), ("web", "the rates")]
    assert cut("deposits and rates") == [("data", "deposits and rates")]


def test_what_nobody_claims_is_kept_together():
    assert shares("deposits by branch, and the weather, or snow and rain") == [
        ("data", "deposits by branch"),
        (None, "the weather, or snow and rain"),
    ]


def test_a_question_that_nobody_claims_stays_whole():
    assert shares("The weather, and the snow?") == [(None, "The weather, and the snow?")]


@given(st.lists(st.sampled_from([*WORDS["data"], *WORDS["sums"], "weather", ",", "?", ";", "then", "."]), max_size=14))
def test_no_word_is_lost_or_said_twice_but_those_of_the_seams(words: list[str]):
    question = " ".join(words)
    seams = {"and", "then", "also", "plus", "as", "well"}

    def said(text: str) -> list[str]:
        return [word for word in re.findall(r"\w+", text.lower()) if word not in seams]

    assert said(" ".join(part for _, part in shares(question))) == said(question)


def test_each_part_is_put_to_each_agent_once():
    asked: list[tuple[str, str]] = []

    def counting(agent: str, part: str) -> float | None:
        asked.append((agent, part))
        return None

    share_out(", ".join(f"part {number}" for number in range(12)), list(WORDS), counting)
    assert len(asked) == len(set(asked)) <= 3 * 21


def test_the_ends_of_a_span_stay_together():
    parts = {"days between 1 April and 30 June": "sums", "how many loans": "data"}

    def claim_whole(agent: str, part: str) -> float | None:
        return float(parts.get(part) == agent)

    shared = share_out("days between 1 April and 30 June, and how many loans", ["data", "sums"], claim_whole)
    assert [(share.part, share.agent) for share in shared] == [*parts.items()]


def test_a_supposition_stays_with_what_is_asked_of_it():
    assert shares("if 12 of 450, calculate 12 percent") == [("sums", "if 12 of 450, calculate 12 percent")]


def test_an_announcement_of_parts_is_no_part():
    assert shares("Two quick things: loans by branch, and call rates") == [
        ("data", "loans by branch"), ("web", "call rates"),
    ]  # fmt: skip

"""The requirements language: all of it is read, and what is none is refused with the nearest that is."""

from __future__ import annotations

import pytest

from ai_engine.context.requirements import Requirement, UnknownRequirement, parse_requirement, parse_requirements


@pytest.mark.parametrize(
    ("text", "source", "part", "argument"),
    [
        ("query", "query", "query", ""),
        ("language", "parameter", "language", ""),
        ("conversation.recent(5)", "conversation", "recent", "5"),
        ("conversation.summary", "conversation", "summary", ""),
        ("conversation.all", "conversation", "all", ""),
        ("tools.summaries", "tools", "summaries", ""),
        ("tools.schema(web_search)", "tools", "schema", "web_search"),
        ("tools.schema(search-server.web_search)", "tools", "schema", "search-server.web_search"),
        ("results.step(2)", "results", "step", "2"),
        ("results.step(step_2)", "results", "step", "step_2"),
        ("results.all", "results", "all", ""),
        ("actions.this_turn", "actions", "this_turn", ""),
    ],
)
def test_every_documented_requirement_is_read(text: str, source: str, part: str, argument: str):
    assert parse_requirement(text) == Requirement(text, source, part, argument)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("conversation.recents(5)", "conversation.recent(5)"),
        ("tool.schema(rag_search)", "tools.schema(NAME)"),
        ("result.all", "results.all"),
        ("actions.this_term", "actions.this_turn"),
        ("Query", "query"),
        ("langage", "language"),
        ("query; drop", "query"),
    ],
)
def test_an_unknown_one_is_refused_with_the_nearest(text: str, nearest: str):
    with pytest.raises(UnknownRequirement) as refused:
        parse_requirement(text, ("query", "language"))
    assert str(refused.value) == f"There is no requirement {text!r}. The nearest is {nearest}."


def test_nothing_is_no_requirement():
    with pytest.raises(UnknownRequirement):
        parse_requirement("")


@pytest.mark.parametrize(
    "text",
    ["conversation.recent", "conversation.recent(0)", "conversation.recent(five)", "conversation.recent()",
     "conversation.recent(5000)", "conversation.summary(2)", "tools.schema()", "tools.schema", "results.step(a b)"],
)  # fmt: skip
def test_a_wrong_argument_is_refused_with_how_it_is_written(text: str):
    with pytest.raises(UnknownRequirement, match="is written"):
        parse_requirement(text)


def test_a_number_is_read_as_one():
    assert parse_requirement("conversation.recent(12)").number == 12


def test_the_same_twice_is_refused():
    with pytest.raises(UnknownRequirement, match="twice"):
        parse_requirements(["query", "query"])

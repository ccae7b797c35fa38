"""Parameters are checked against the operator's schema, and what is wrong is said so that a model can mend it."""

from __future__ import annotations

from typing import Any

import pytest

from ai_engine.operators.parameters import BadParameters, check_schema, checked_parameters

SCHEMA = {
    "type": "object",
    "properties": {
        "language": {"type": "string", "enum": ["python", "sql"], "default": "python"},
        "top_k": {"type": "integer", "minimum": 1, "maximum": 20},
        "titles": {"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 2},
        "table": {
            "type": ["object", "null"],
            "properties": {"columns": {"type": "array", "items": {"type": "string"}}},
            "required": ["columns"],
        },
    },
    "required": ["top_k"],
}


def test_the_schema_is_one():
    check_schema(SCHEMA)


def test_what_is_not_given_has_its_default():
    assert checked_parameters({"top_k": 3}, SCHEMA) == {"top_k": 3, "language": "python"}


def test_what_is_to_be_done_may_always_be_said():
    assert checked_parameters({"query": "x", "top_k": 3}, SCHEMA)["query"] == "x"


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({}, "missing: top_k"),
        ({"top_k": "3"}, "top_k must be integer"),
        ({"top_k": True}, "top_k must be integer"),
        ({"top_k": 0}, "top_k must be at least 1"),
        ({"top_k": 21}, "top_k must be at most 20"),
        ({"top_k": 1, "language": "cobol"}, "language must be one of python, sql"),
        ({"top_k": 1, "titles": ["a", "b", "c"]}, "titles must have at most 2 items"),
        ({"top_k": 1, "titles": ["a", "longer"]}, "titles[1] must have at most 5 characters"),
        ({"top_k": 1, "table": {"rows": []}}, "missing: table.columns"),
        ({"top_k": 1, "table": {"columns": [1]}}, "table.columns[0] must be string"),
        ({"top_k": 1, "table": 5}, "table must be object or null"),
        ({"top_k": 1, "langage": "python"}, "there is no langage, language is meant"),
        ({"top_k": 1, "zzz": 1}, "there is no zzz; there are: query, language, top_k, titles, table"),
    ],
)
def test_what_is_wrong_is_said(params: dict[str, Any], why: str):
    with pytest.raises(BadParameters) as refused:
        checked_parameters(params, SCHEMA)
    assert str(refused.value) == why

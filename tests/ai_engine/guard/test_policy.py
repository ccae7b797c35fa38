"""The policy file."""

from __future__ import annotations

import pytest

from ai_engine.errors import BadConfiguration
from ai_engine.guard import Policy, policy_from_json


def test_every_key_of_the_file_is_optional():
    assert policy_from_json("{}") == Policy()


def test_names_are_read_without_regard_to_case():
    text = '{"hidden_tables": ["Staff"], "restricted_columns": {"Customers": ["PHONE"]}, "max_rows": 50}'
    policy = policy_from_json(text)
    assert policy.hidden_tables == {"staff"}
    assert policy.restricted_columns == {"customers": {"phone"}}
    assert policy.max_rows == 50


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[]", "object"),
        ("{", "JSON"),
        ('{"hidden_table": []}', "nearest: hidden_tables"),
        ('{"allow_union": "yes"}', "true or false"),
        ('{"max_rows": 0}', "above 0"),
        ('{"max_rows": true}', "above 0"),
        ('{"allowed_tables": "customers"}', "list of names"),
        ('{"restricted_columns": ["a"]}', "object"),
        ('{"restricted_columns": {"customers": "phone"}}', "restricted_columns.customers"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(text, part):
    with pytest.raises(BadConfiguration, match=part):
        policy_from_json(text)

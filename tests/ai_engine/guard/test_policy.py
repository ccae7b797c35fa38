"""The policy file."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from ai_engine.errors import BadConfiguration
from ai_engine.guard import Policy, policy_from_json
from ai_engine.guard.policy import unknown_names
from tests.ai_engine.guard.bank import catalogue


def test_every_key_of_the_file_is_optional():
    assert policy_from_json("{}") == Policy()


def test_names_are_read_without_regard_to_case():
    text = '{"hidden_tables": ["Staff"], "restricted_columns": {"Customers": ["PHONE"]}, "max_rows": 50}'
    policy = policy_from_json(text)
    assert policy.hidden_tables == {"staff"}
    assert policy.restricted_columns == {"customers": {"phone"}}
    assert policy.max_rows == 50


def test_keys_of_one_table_are_united_however_they_are_written():
    text = """{"hidden_tables": ["Crm.Vault", "`Keys`"], "allowed_tables": ["main.A", "B", "\\"c.d\\""],
        "restricted_columns": {"customers": ["PHONE"], "Customers": ["pan"], "crm.\\"CUSTOMERS\\"": ["pin"]}}"""
    policy = policy_from_json(text)
    assert policy.hidden_tables == {"vault", "keys"}
    assert policy.allowed_tables == {"a", "b", "c.d"}
    assert policy.restricted_columns == {"customers": {"phone", "pan", "pin"}}


def test_names_that_protect_nothing_are_told():
    policy = Policy(
        hidden_tables=frozenset({"staff_logins", "safes"}), restricted_columns={"cards": frozenset({"pan", "cvv"})}
    )
    assert unknown_names(policy, catalogue("duckdb")) == ["cards.cvv", "safes"]


def test_every_key_of_a_policy_file_is_in_the_readme():
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    assert [field.name for field in fields(Policy) if f"`{field.name}`" not in readme] == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[]", "object"),
        ("{", "JSON"),
        ('{"hidden_table": []}', "nearest: hidden_tables"),
        ('{"allow_union": "yes"}', "true or false"),
        ('{"restricted_columns": {"cards": ["pan"], "cards": ["cvv"]}}', "cards twice"),
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

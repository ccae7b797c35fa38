"""Ways through the relationships of a vocabulary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.errors import AmbiguousPath
from ai_engine.semantics.join_paths import (
    Reach,
    describe,
    distances,
    linking_datasets,
    many_to_one_path,
    many_to_one_paths,
    other_way,
    path_between,
    paths_between,
)
from ai_engine.semantics.model import Dataset, Relationship, SemanticModel

from .compiler.bank import MODEL


def names(path: object) -> list[str]:
    return [step.relationship.name for step in path]  # type: ignore[attr-defined]


def bank_of(*links: str, preferred: str = "") -> SemanticModel:
    """Read links written `name: many > one`."""
    relationships = []
    for link in links:
        name, _, rest = link.partition(": ")
        many, _, one = rest.partition(" > ")
        key = (f"{name}_id",)
        relationships.append(Relationship(name, many, key, one, key, preferred=name == preferred))
    found = dict.fromkeys(end for item in relationships for end in (item.from_dataset, item.to_dataset))
    return SemanticModel("bank", tuple(Dataset(name, name, (), name) for name in found), tuple(relationships))


def test_the_shortest_many_to_one_path_wins() -> None:
    path = many_to_one_path(MODEL, "transactions", "branches")
    assert path is not None
    assert names(path) == ["transaction_account", "account_branch"]


def test_named_relationships_choose_a_longer_path() -> None:
    path = many_to_one_path(MODEL, "transactions", "branches", ("home_branch",))
    assert path is not None
    assert names(path) == ["transaction_account", "account_customer", "home_branch"]


def test_a_dataset_reaches_itself_without_a_step() -> None:
    assert many_to_one_path(MODEL, "accounts", "accounts") == ()


def test_a_relationship_to_its_own_dataset_is_walked_when_named() -> None:
    model = bank_of("manager: employees > employees")
    path = many_to_one_path(model, "employees", "employees", ("manager",))
    assert path is not None
    assert names(path) == ["manager"]


def test_there_is_no_many_to_one_path_from_one_to_many() -> None:
    assert many_to_one_path(MODEL, "branches", "accounts") is None


def test_a_path_through_many_prefers_no_shared_parent() -> None:
    model = bank_of(
        "home: customers > branches",
        "owner: accounts > customers",
        "of: transactions > accounts",
        "at: transactions > branches",
    )
    path = path_between(model, "customers", "transactions")
    assert path is not None
    assert names(path) == ["owner", "of"]


def test_two_equal_paths_are_ambiguous_and_say_both() -> None:
    model = bank_of("payer: transfers > accounts", "payee: transfers > accounts")
    with pytest.raises(AmbiguousPath) as caught:
        many_to_one_path(model, "transfers", "accounts")
    assert set(caught.value.alternatives) == {("payer",), ("payee",)}
    assert len(caught.value.descriptions) == 2


def test_a_preferred_relationship_settles_a_tie() -> None:
    model = bank_of("payer: transfers > accounts", "payee: transfers > accounts", preferred="payee")
    path = many_to_one_path(model, "transfers", "accounts")
    assert path is not None
    assert names(path) == ["payee"]


def test_a_table_that_links_both_settles_a_tie_with_a_shared_parent() -> None:
    model = bank_of(
        "lives_in: clients > districts",
        "kept_in: accounts > districts",
        "disposed_by: dispositions > clients",
        "disposed: dispositions > accounts",
        "of: loans > accounts",
    )
    path = path_between(model, "clients", "loans")
    assert path is not None
    assert names(path) == ["disposed_by", "disposed", "of"]
    assert linking_datasets(path) == ("dispositions",)


def test_unconnected_datasets_have_no_path() -> None:
    model = bank_of("a: x > y", "b: v > w")
    assert paths_between(model, "x", "w") == ()
    assert path_between(model, "x", "w") is None


def test_distances_count_steps_in_both_directions() -> None:
    assert distances(MODEL, "loans") == {
        "loans": 0,
        "customers": 1,
        "accounts": 2,
        "branches": 2,
        "transactions": 3,
        "balances": 3,
    }


def test_distances_are_those_from_the_nearest_of_several_starts() -> None:
    assert distances(MODEL, "loans", "branches")["accounts"] == 1
    assert distances(MODEL) == {}


def test_only_parents_are_within_reach_where_no_step_may_multiply_rows() -> None:
    reach = Reach(MODEL)
    parents = {name for name in distances(MODEL, "loans") if reach.steps("loans", name, to_many=False) is not None}
    ways = {name for name in distances(MODEL, "loans") if many_to_one_paths(MODEL, "loans", name)}
    assert parents == ways == {"loans", "customers", "branches"}
    assert reach.steps("loans", "transactions") == 3
    assert reach.steps("loans", "nowhere") is None


def test_the_other_way_arrives_by_another_relationship() -> None:
    path = many_to_one_path(MODEL, "accounts", "branches")
    assert path is not None
    rival = other_way(MODEL, path)
    assert rival is not None
    assert describe(MODEL, rival) == "the account's customer's home branch"


def test_a_path_in_words_names_each_step() -> None:
    path = path_between(MODEL, "branches", "transactions")
    assert path is not None
    assert describe(MODEL, path) == "the branch's account's transaction"


def test_a_chain_of_a_thousand_tables_is_walked_to_its_end() -> None:
    chain = [f"r{number}: t{number} > t{number + 1}" for number in range(999)]
    model = bank_of(*chain)
    path = path_between(replace(model), "t0", "t999")
    assert path is not None
    assert len(path) == 999

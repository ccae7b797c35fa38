"""People keep templates for themselves; each is judged when it is kept and when it is read."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from sqlalchemy import select, update

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import WorkflowInvalid
from ai_engine.guard import check
from ai_engine.guard.policy import Policy
from ai_engine.types import CheckedStatement
from ai_engine.workflows.definition import WorkflowLimits, read_definition
from ai_engine.workflows.filling import Filled, fill
from ai_engine.workflows.kept_templates import template_of
from ai_engine.workflows.recognition import recognise
from ai_engine.workflows.template import WorkflowTemplate
from backend.store import SqlKeptTemplates, Store
from backend.store.workflow_templates import TEMPLATES
from tests.ai_engine.workflows.bench import OPERATORS, step
from tests.ai_engine.workflows.test_templates import Bank

CATALOGUE = catalogue_from_ddl("CREATE TABLE accounts (kind VARCHAR, balance INTEGER)", "duckdb")
MADE = read_definition(
    {
        "goal": "Deposits beside the peers",
        "steps": [step("a"), step("b", "a", operator="synthesizer", sources=["{{a.output}}", "{{user_query}}"])],
    }
)


@dataclass(frozen=True)
class AccountsAlone:
    """Judges statements of a bank by the columns that are closed now."""

    policy: Policy
    kept_as: str = "bank"

    def check(self, sql: str) -> CheckedStatement:
        return check(sql, CATALOGUE, self.policy)


def kept_in(store: Store, most: int = 3, closed: str = "") -> SqlKeptTemplates:
    judge = AccountsAlone(Policy(restricted_columns={"accounts": frozenset({closed})} if closed else {}))
    return SqlKeptTemplates(lambda: store, OPERATORS, WorkflowLimits(), most, judge)


def named(title: str) -> WorkflowTemplate:
    return template_of(MADE, title, (), Bank())


def test_a_workflow_that_ran_is_kept_and_asked_for_by_its_title(store: Store):
    kept = kept_in(store)
    asyncio.run(kept.keep("asha", named("Deposits vs. peers"), ()))
    (found,) = asyncio.run(kept.of("asha"))
    assert (found.name, found.steps) == ("deposits_vs_peers", MADE.steps)
    heard = recognise("Please run the deposits vs peers for me", (found,), Bank())
    assert heard is not None
    filled = fill(heard.template, heard.given, Bank(), "run it")
    assert isinstance(filled, Filled)
    assert filled.definition == MADE
    assert filled.inputs == {"user_query": "run it", "param": {}, "phrase": {}}


def test_texts_of_any_script_are_kept(store: Store):
    told = 'जमा 😀 \x7f \u0085 "quoted" # {{user_query}}'
    asyncio.run(kept_in(store).keep("आशा", named("Mine").model_copy(update={"description": told}), ()))
    assert [one.description for one in asyncio.run(kept_in(store).of("आशा"))] == [told]


def test_nobody_sees_the_templates_of_others(store: Store):
    kept = kept_in(store)
    asyncio.run(kept.keep("asha", named("Mine"), ()))
    assert asyncio.run(kept.of("ravi")) == ()
    assert asyncio.run(kept.drop("ravi", "mine")) is False
    assert asyncio.run(kept.drop("asha", "mine")) is True
    assert asyncio.run(kept.of("asha")) == ()


@pytest.mark.parametrize(
    ("statements", "closed", "is_left"),
    [
        (("SELECT SUM(balance) FROM accounts",), "kind", True),
        (("SELECT SUM(balance) FROM accounts", "SELECT kind FROM accounts"), "kind", False),
        ((), "kind", False),
        ((), "", True),
    ],
)
def test_one_that_may_name_what_was_closed_since_is_left_out_until_that_is_open_again(
    store: Store, statements: Sequence[str], closed: str, is_left: bool
):
    asyncio.run(kept_in(store).keep("asha", named("Mine"), statements))
    assert [one.name for one in asyncio.run(kept_in(store, closed=closed).of("asha"))] == ["mine"] * is_left
    assert [one.name for one in asyncio.run(kept_in(store).of("asha"))] == ["mine"]


def test_one_of_the_same_name_takes_the_place_and_no_more_than_the_bound_are_kept(store: Store):
    kept = kept_in(store)
    for title in ("One", "Two", "Three", "Two"):
        asyncio.run(kept.keep("asha", named(title), ()))
    with pytest.raises(WorkflowInvalid, match="3 templates already"):
        asyncio.run(kept.keep("asha", named("Four"), ()))
    assert [one.name for one in asyncio.run(kept.of("asha"))] == ["one", "three", "two"]


def test_what_cannot_run_is_not_kept(store: Store):
    broken = named("Mine").model_copy(update={"goal": "{{nobody}}"})
    with pytest.raises(WorkflowInvalid, match="'nobody'"):
        asyncio.run(kept_in(store).keep("asha", broken, ()))
    assert asyncio.run(kept_in(store).of("asha")) == ()


@pytest.mark.parametrize("title", ["", "   ", "!", "x" * 501])
def test_a_title_that_names_nothing_is_refused(title: str):
    with pytest.raises(WorkflowInvalid):
        named(title)


@pytest.mark.parametrize("change", ["operator", "garbage", "pickle", "bomb", "unknown basis"])
def test_what_somebody_changed_in_the_store_is_judged_when_it_is_read(
    store: Store, change: str, caplog: pytest.LogCaptureFixture
):
    kept = kept_in(store)
    asyncio.run(kept.keep("asha", named("Mine"), ()))
    asyncio.run(kept.keep("asha", named("Other"), ()))
    with store.writing() as connection:
        row = connection.scalar(select(TEMPLATES.c.template).where(TEMPLATES.c.name == "mine"))
        changed = {
            "operator": str(row).replace('"sql"', '"shell"'),
            "garbage": "{",
            "pickle": "!!python/object/apply:os.system ['touch pickle-ran']",
            "bomb": "[" * 60_000,
            "unknown basis": str(row).partition("\n")[0],
        }[change]
        connection.execute(update(TEMPLATES).where(TEMPLATES.c.name == "mine").values(template=changed))
    with caplog.at_level(logging.WARNING):
        assert [one.name for one in asyncio.run(kept.of("asha"))] == ["other"]
    assert "template mine cannot run" in caplog.text

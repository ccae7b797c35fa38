"""What the README says about settings, flags, errors, make targets and files is compared with the code."""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from backend.api.errors import HTTP_STATUS
from backend.command_line.arguments import build_parser
from backend.settings import PROJECT_ROOT, SAMPLE_BANK_FILE, Settings

README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md"]


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"no section {title!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """Cells of every table row below its heading."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "`" in line.split("|")[1]]


def written_default(value: object) -> str:
    if value is None:
        return "unset"
    if value == f"duckdb:///{SAMPLE_BANK_FILE}":
        return "the sample bank"
    if isinstance(value, Path):
        return str(value.relative_to(PROJECT_ROOT))
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_settings_table_is_the_settings_class():
    expected = [
        [f"`{field.validation_alias or f'BANK_{name.upper()}'}`", written_default(field.default), field.description]
        for name, field in Settings.model_fields.items()
    ]
    assert rows(section("Settings")) == expected


def test_every_flag_of_the_command_line_is_documented_and_no_other():
    commands = next(
        action.choices for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    flags = {
        flag for parser in commands.values() for flag in parser._option_string_actions if flag not in ("-h", "--help")
    }
    assert set(re.findall(r"--[a-z][a-z-]*", section("Command line"))) == flags
    assert set(re.findall(r"backend\.cli ([a-z]+(?:-[a-z]+)*)", section("Command line"))) == set(commands)


def test_every_error_class_has_its_status_in_the_table():
    documented = {
        name: int(status) for names, status in rows(section("HTTP API")) for name in re.findall(r"`(\w+)`", names)
    }
    assert documented == {kind.__name__: int(status) for kind, status in HTTP_STATUS.items()}


def test_every_make_target_is_documented_and_no_other():
    makefile = (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*?## ", makefile, re.MULTILINE))
    described = {target for document in DOCUMENTS for target in re.findall(
        r"\bmake ([a-z]+(?:-[a-z]+)*)", code_of((PROJECT_ROOT / document).read_text(encoding="utf-8"))
    )}  # fmt: skip
    assert described == targets


def code_of(markdown: str) -> str:
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", markdown, re.DOTALL))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_linked_file_exists(document):
    path = PROJECT_ROOT / document
    links = re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_written_as_code_exists(document):
    text = (PROJECT_ROOT / document).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:ai_engine|backend|pages|data|tests|docs|benchmarks)/[\w./]*)`", text)
    assert not [path for path in paths if not (PROJECT_ROOT / path).exists()]


def test_every_key_of_the_json_objects_is_documented():
    from ai_engine.types import Answer
    from backend.answers.json_values import answer_to_json
    from backend.command_line.sql_command import run_statement

    text = " ".join(section("Command line").split())
    lists: dict[str, list[str]] = defaultdict(list)
    for command, keys in re.findall(r"`(\w+) --json` prints (?:one object: )?`([^`]+)`", text):
        lists[command] = keys.split(", ")
    assert lists["ask"] == list(answer_to_json(Answer("q", "failed", "built-in")))
    assert lists["sql"] == ["id", *run_statement(lambda: 1 / 0)[0]]  # type: ignore[arg-type,return-value]
    assert lists["check"] == ["id", "accepted", "reason", "sql"]


def test_the_agent_of_the_readme_works_as_it_stands_there():
    from ai_engine.agent import AgentRequest
    from ai_engine.orchestrator import Setting, run
    from tests.ai_engine.scripted_agents import ScriptedAgent

    (block,) = re.findall(r"```python\n(.*?)```", section("Several specialists"), re.DOTALL)
    assert len(block.strip().splitlines()) <= 15
    names: dict[str, Any] = {}
    exec(block, names)
    setting = Setting((ScriptedAgent("sql", claims=("total", "deposits")), names["HolidayAgent"]()))
    response = run(AgentRequest(question="Total deposits, and on which holidays is the bank closed?"), setting)
    assert response.planner is not None
    assert response.planner.chosen_agents == ("sql", "holidays")
    assert response.answer.endswith("The bank is closed on 2 days.")
    assert response.data is not None
    assert response.data.columns == ["holiday", "day"]


def test_the_squad_of_the_readme_works_as_it_stands_there():
    import asyncio

    from tests.ai_engine.routing.scripted import ScriptedConversation, calls

    (block,) = re.findall(r"```python\n(.*?)```", section("The front desk"), re.DOTALL)
    assert len(block.split("\n")) - block.split("\n").count("") <= 10
    model = ScriptedConversation(calls(("balance", '{"account": "7"}')), "It is Rs.12,000.")
    names: dict[str, Any] = {"model": model}
    exec(block, names)
    assert asyncio.run(names["main"]()) == "It is Rs.12,000."
    assert model.asked[1][-1].text == "Rs.12,000"
    assert list(names["squad"].get_all_agents()) == ["accounts", "cards"]


def test_the_operator_of_the_readme_works_as_it_stands_there(monkeypatch: pytest.MonkeyPatch):
    from ai_engine.operators.registry import OperatorRegistry
    from tests.ai_engine.operators.calls import call, caller

    (block,) = re.findall(r"```python\n(.*?)```", section("Operators"), re.DOTALL)
    assert len(block.split("\n")) - block.split("\n").count("") <= 10
    registry = OperatorRegistry()
    monkeypatch.setattr("ai_engine.operators.registry.operators", registry)
    exec(block, {})
    result = call("branch_hours", "When are you open on Saturdays?", caller(registry=registry), day="saturday")
    assert result.text == "Hours on a saturday: 10:00 to 13:00."
    assert result.output == {"hours": "10:00 to 13:00"}


def test_every_operator_is_documented_and_no_other():
    from ai_engine.operators.registry import all_operators

    documented = re.findall(r"^\| `(\w+)` \|", section("Operators"), re.MULTILINE)
    assert sorted(documented) == list(all_operators().names)

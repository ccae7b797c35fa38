"""Operators enter by their decorator, and what is wrong with one is told before anything runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ai_engine.operators.base import BaseOperator, OperatorContext, OperatorResult, OperatorType
from ai_engine.operators.registry import BadOperator, OperatorRegistry, UnknownOperator, all_operators
from ai_engine.tools import Tools
from backend.settings import PROJECT_ROOT


class Echo(BaseOperator):
    """Says what it is told."""

    name = "echo"
    description = "Says what it is told"
    operator_type = OperatorType.PURE_LLM

    async def execute(self, context: OperatorContext, tools: Tools | None = None) -> OperatorResult:
        return OperatorResult(output=context.query, text=context.query)


def like_echo(**said: Any) -> type[BaseOperator]:
    return type("Another", (Echo,), said)


def registry(**by_name: type[BaseOperator]) -> OperatorRegistry:
    made = OperatorRegistry()
    for name, kind in by_name.items():
        made.register(name)(kind)
    made.check()
    return made


def test_an_operator_enters_by_its_decorator_and_is_made_by_its_name():
    made = OperatorRegistry()

    @made.register("parrot")
    class Parrot(Echo):
        pass

    assert made.names == ("parrot",)
    assert isinstance(made.create("parrot"), Parrot)
    assert Parrot.name == "parrot"


def test_a_name_is_given_once():
    made = registry(echo=like_echo())
    with pytest.raises(BadOperator, match="There is an operator 'echo'"):
        made.register("echo")(like_echo())


@pytest.mark.parametrize("name", ["", "Echo", "e-cho", "1echo", "e" * 65])
def test_a_name_is_plain(name: str):
    with pytest.raises(BadOperator):
        OperatorRegistry().register(name)(like_echo())


def test_there_is_none_of_an_unknown_name_and_the_nearest_is_told():
    with pytest.raises(UnknownOperator, match=r"There is no operator 'ecko'. The nearest is echo."):
        registry(echo=like_echo()).create("ecko")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"context_requirements": ("query", "results.al")}, r"The nearest is results\.all"),
        ({"context_requirements": ("language",)}, "no requirement 'language'"),
        ({"context_requirements": ("query", "query")}, "twice"),
        ({"parameters": {"type": "array"}}, "object with properties"),
        ({"parameters": {"type": "object", "properties": {"n": {"type": "int"}}}}, "no type int"),
        ({"parameters": {"type": "object", "properties": {"n": {"pattern": "x"}}}}, "pattern is not checked"),
        ({"parameters": {"type": "object", "properties": {}, "required": ["n"]}}, "required"),
        ({"parameters": {"type": "object", "properties": {"n": {"type": "integer", "default": "x"}}}}, "default"),
        ({"description": " "}, "description"),
        ({"operator_type": None}, "operator_type"),
        ({"operator_type": OperatorType.MCP_BACKED}, "names them in mcp_tools"),
        ({"mcp_tools": ("web_search",)}, "no mcp_tools"),
        ({"max_retries": -1}, "max_retries"),
    ],
)
def test_what_a_class_says_wrongly_of_itself_is_refused_at_once(said: dict[str, Any], why: str):
    with pytest.raises(BadOperator, match=why):
        OperatorRegistry().register("echo")(like_echo(**said))


def test_a_parameter_may_be_required_as_context():
    schema = {"type": "object", "properties": {"language": {"type": "string"}}}
    assert registry(echo=like_echo(parameters=schema, context_requirements=("language",))).names == ("echo",)


def test_a_fallback_exists():
    with pytest.raises(BadOperator, match=r"no fallback 'ecko'. The nearest is echo"):
        registry(echo=like_echo(), other=like_echo(fallback_operator="ecko"))


def test_fallbacks_do_not_go_round():
    with pytest.raises(BadOperator, match="a → b → a"):
        registry(a=like_echo(fallback_operator="b"), b=like_echo(fallback_operator="a"))


def test_one_of_tools_is_there_when_a_server_offers_one_of_them_or_its_fallback_can_work():
    search = {"operator_type": OperatorType.MCP_BACKED, "mcp_tools": ("web_search",)}
    made = registry(
        plain=like_echo(),
        search=like_echo(**search),
        sure=like_echo(**search, fallback_operator="plain"),
        hybrid=like_echo(operator_type=OperatorType.HYBRID, mcp_tools=("run_python",)),
        served=like_echo(needs_services=(int,)),
    )
    assert made.available((), {}) == ("hybrid", "plain", "sure")
    assert made.available(("news.web_search",), {int: 1}) == ("hybrid", "plain", "search", "served", "sure")


def test_a_registry_with_another_operator_leaves_the_first_as_it_was():
    first = registry(echo=like_echo())
    second = first.with_others(like_echo(name="parrot", fallback_operator="echo"))
    assert (first.names, second.names) == (("echo",), ("echo", "parrot"))


FILE = """
from ai_engine.operators.base import BaseOperator, OperatorResult, OperatorType
from ai_engine.operators.registry import operators


@operators.register("shout")
class ShoutOperator(BaseOperator):
    description, operator_type = "Says it loudly.", OperatorType.PURE_LLM

    async def execute(self, context, tools=None):
        return OperatorResult(output=context.query.upper())
"""
PROGRAM = """
import sys
import ai_engine.operators
ai_engine.operators.__path__.append(sys.argv[1])
from tests.ai_engine.operators.calls import call, caller
print(call("shout", "hello", caller()).output)
"""


def test_a_new_operator_is_one_file_of_ten_lines(tmp_path: Path):
    (tmp_path / "shout.py").write_text(FILE)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    ran = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "HELLO\n"
    assert len([line for line in FILE.splitlines() if line.strip()]) <= 10


def test_the_operators_of_the_product_are_whole():
    known = all_operators()
    known.check()
    assert {"sql", "computation", "api_docs", "orchestrator", "writer", "coder", "web_searcher"} <= set(known.names)

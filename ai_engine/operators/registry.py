"""The operators that exist, by name: each is a file of a folder beside this one, and enters by its decorator."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, TypeVar

from ai_engine.context.requirements import UnknownRequirement, parse_requirements
from ai_engine.operators.base import BaseOperator, OperatorType
from ai_engine.operators.parameters import check_schema

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_Kind = TypeVar("_Kind", bound=type[BaseOperator])


class BadOperator(ValueError):
    """An operator cannot be registered; the text says which and why."""


class UnknownOperator(KeyError):
    """There is no operator of this name; the text names the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


class OperatorRegistry:
    """Operators by name; filled while modules are imported, only read afterwards."""

    def __init__(self, operators: Mapping[str, type[BaseOperator]] | None = None) -> None:
        self._operators = dict(operators or {})

    def register(self, name: str) -> Callable[[_Kind], _Kind]:
        """Decorate an operator's class: it is known by `name` from now on.

        Raises:
            BadOperator: the name is taken, or what the class says of itself is wrong.
        """

        def enter(kind: _Kind) -> _Kind:
            if not _NAME.match(name) or name in self._operators:
                raise BadOperator(f"There is an operator {name!r}, or it is no name: a-z, 0-9 and _, at most 64.")
            kind.name = name
            _check(kind)
            self._operators[name] = kind
            return kind

        return enter

    def create(self, name: str) -> BaseOperator:
        """Make an operator.

        Raises:
            UnknownOperator: there is none of this name.
        """
        return self.kind(name)()

    def kind(self, name: str) -> type[BaseOperator]:
        """Return an operator's class.

        Raises:
            UnknownOperator: as `create`.
        """
        if name not in self._operators:
            near = get_close_matches(name, self._operators, n=1, cutoff=0.0)
            raise UnknownOperator(f"There is no operator {name!r}." + (f" The nearest is {near[0]}." if near else ""))
        return self._operators[name]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order of the alphabet."""
        return tuple(sorted(self._operators))

    def __iter__(self) -> Iterator[type[BaseOperator]]:
        """Yield the classes by name."""
        return (self._operators[name] for name in self.names)

    def with_others(self, *kinds: type[BaseOperator]) -> OperatorRegistry:
        """Return a registry that has these too; this one stays as it is.

        Raises:
            BadOperator: as `register`, and for a fallback that is not there.
        """
        more = OperatorRegistry(self._operators)
        for kind in kinds:
            more.register(kind.name)(kind)
        more.check()
        return more

    def check(self) -> None:
        """Judge what can only be told once all are there.

        Raises:
            BadOperator: a fallback is no operator, or leads round in a circle.
        """
        for name in self.names:
            walked = [name]
            while (fallback := self._operators[walked[-1]].fallback_operator) is not None:
                if fallback not in self._operators:
                    near = get_close_matches(fallback, self._operators, n=1, cutoff=0.0)
                    raise BadOperator(f"{walked[-1]}: there is no fallback {fallback!r}. The nearest is {near[0]}.")
                if fallback in walked:
                    raise BadOperator(f"The fallbacks go round: {' → '.join([*walked, fallback])}.")
                walked.append(fallback)

    def available(self, tool_names: Collection[str], services: Mapping[type[Any], Any]) -> tuple[str, ...]:
        """Name the operators that can work, themselves or by their fallback.

        Args:
            tool_names: tools that servers offer, as `ToolSummary.name`.
            services: what operators would be given.
        """
        return tuple(name for name in self.names if self._can_work(name, tool_names, services))

    def _can_work(self, name: str, tool_names: Collection[str], services: Mapping[type[Any], Any]) -> bool:
        kind = self._operators[name]
        if not lacks(kind, tool_names, services):
            return True
        return kind.fallback_operator is not None and self._can_work(kind.fallback_operator, tool_names, services)


def lacks(
    kind: type[BaseOperator] | BaseOperator, tool_names: Collection[str], services: Mapping[type[Any], Any]
) -> str:
    """Say what an operator needs and has not; empty where it can work. A hybrid one needs tools or services."""
    has_tool = any(tools_named(name, tool_names) for name in kind.mcp_tools)
    if has_tool and kind.operator_type is OperatorType.HYBRID:
        return ""
    if not has_tool and kind.operator_type is OperatorType.MCP_BACKED:
        return f"No server that is enabled offers {' or '.join(kind.mcp_tools)}."
    missing = [service.__name__ for service in kind.needs_services if service not in services]
    return f"{kind.name} needs {', '.join(missing)}, which is not set up." if missing else ""


def tools_named(name: str, tool_names: Collection[str]) -> tuple[str, ...]:
    """Return how a tool is called: by its name, or once per server, as `server.tool`, where several have it."""
    return (name,) if name in tool_names else tuple(full for full in tool_names if full.endswith(f".{name}"))


def _check(kind: type[BaseOperator]) -> None:
    """Judge what a class says of itself."""
    name = kind.name
    if not getattr(kind, "description", "").strip() or not isinstance(
        getattr(kind, "operator_type", None), OperatorType
    ):
        raise BadOperator(f"{name}: an operator has a description and an operator_type.")
    if kind.operator_type is OperatorType.MCP_BACKED and not kind.mcp_tools:
        raise BadOperator(f"{name}: an operator of tools names them in mcp_tools.")
    if kind.operator_type is OperatorType.PURE_LLM and kind.mcp_tools:
        raise BadOperator(f"{name}: an operator of the model alone has no mcp_tools.")
    if kind.max_retries < 0:
        raise BadOperator(f"{name}: max_retries is not below 0.")
    try:
        check_schema(kind.parameters)
        parse_requirements(kind.context_requirements, kind.parameters["properties"])
    except UnknownRequirement as fault:
        raise BadOperator(f"{name}: {fault}") from None
    except ValueError as fault:
        raise BadOperator(f"{name}: {fault}.") from None


operators = OperatorRegistry()
"""Those of this product; complete once `all_operators` was called."""


@cache
def all_operators() -> OperatorRegistry:
    """Import every operator of the folders beside this file, and return them all.

    Raises:
        BadOperator: one is wrong.
    """
    package = import_module(__package__)
    for module in walk_packages(package.__path__, f"{__package__}."):
        import_module(module.name)
    operators.check()
    return operators

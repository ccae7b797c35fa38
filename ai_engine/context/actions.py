"""What was decided in this turn and what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from ai_engine.json_values import any_to_json

ActionName: TypeAlias = Literal["answer", "call_tool", "workflow", "clarify"]
Outcome: TypeAlias = Literal["decided", "succeeded", "partial", "failed", "repeated"]
"""`repeated`: the same call had been made in this turn, so its result was taken."""


WITHHELD = "(with figures of an earlier answer, which are not told to a language model)"
FAILURE_WITHHELD = "(why is told to the person alone, as it was given what is not told to a language model)"


@dataclass(frozen=True, slots=True)
class Action:
    """One decision and its outcome.

    Attributes:
        iteration: from 1.
        query: what the operator was to do, standing alone.
        step: id under which the result is kept; empty where there is none.
        message: why it failed, for people.
        kind: of the failure, such as "NothingFound".
        details: of the failure, such as `choices`.
        withheld: query, parameters and message have figures that no language model may be told.
        failure_withheld: message and details may have such, as what failed was given them.
    """

    action: ActionName
    reasoning: str
    iteration: int
    operator: str | None = None
    query: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome = "decided"
    step: str = ""
    message: str = ""
    kind: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    withheld: bool = False
    failure_withheld: bool = False

    @property
    def call_key(self) -> str:
        """Equal for calls that are the same: operator, query and parameters."""
        return json.dumps([self.operator, self.query, any_to_json(dict(self.params))], sort_keys=True)

    def told(self, text: str) -> str:
        """Return a text of it as a language model may be told it."""
        return WITHHELD if text and self.withheld else text

    @property
    def told_message(self) -> str:
        """Why it failed, as a language model may be told it beside its kind."""
        return FAILURE_WITHHELD if self.message and self.failure_withheld else self.told(self.message)

    def as_told(self) -> dict[str, Any]:
        """Write it as JSON values, without what is empty, as a language model may be told it."""
        told = {
            "iteration": self.iteration, "action": self.action, "operator": self.operator,
            "query": self.told(self.query), "params": {} if self.withheld else any_to_json(dict(self.params)),
            "reasoning": self.reasoning, "outcome": self.outcome, "step": self.step,
            "message": self.told_message, "kind": self.kind,
        }  # fmt: skip
        return {name: value for name, value in told.items() if value not in (None, "", {})}


@dataclass(frozen=True, slots=True)
class ActionHistory:
    """The actions of one turn in order; adding gives a new history."""

    actions: tuple[Action, ...] = ()

    def adding(self, action: Action) -> ActionHistory:
        """Return a history with one more."""
        return ActionHistory((*self.actions, action))

    def settling(self, **changes: Any) -> ActionHistory:
        """Return a history whose last action has its outcome."""
        return ActionHistory((*self.actions[:-1], replace(self.actions[-1], **changes)))

    @property
    def last(self) -> Action | None:
        """The latest action."""
        return self.actions[-1] if self.actions else None

    def same_call_before(self) -> Action | None:
        """Return an earlier call that was the same as the latest and has succeeded."""
        *before, last = self.actions
        return next((one for one in before if one.step and one.call_key == last.call_key), None)

    def operators_tried(self) -> tuple[str, ...]:
        """Name the operators that were called, each once, in order."""
        return tuple(dict.fromkeys(one.operator for one in self.actions if one.operator))

    def __iter__(self) -> Iterator[Action]:
        """Yield the actions in order."""
        return iter(self.actions)

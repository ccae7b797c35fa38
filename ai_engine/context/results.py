"""What operators made in this turn, by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ai_engine.operators.base import OperatorResult


@dataclass(frozen=True, slots=True)
class StepResult:
    """One result under the id of its step: `call_1` for the first call, a workflow step's own id."""

    step: str
    operator: str
    query: str
    result: OperatorResult


@dataclass(frozen=True, slots=True)
class ResultStore:
    """The results of one turn in the order in which they came; adding gives a new store."""

    entries: tuple[StepResult, ...] = ()

    def adding(self, *entries: StepResult) -> ResultStore:
        """Return a store that has these too; one of the same step takes the place of the older."""
        replaced = {entry.step for entry in entries}
        return ResultStore((*(one for one in self.entries if one.step not in replaced), *entries))

    def step(self, name: str) -> OperatorResult | None:
        """Return the result of a step, by its id or by its place counted from 1; None where there is none."""
        for entry in self.entries:
            if entry.step == name:
                return entry.result
        place = int(name) if name.isdigit() else 0
        return self.entries[place - 1].result if 0 < place <= len(self.entries) else None

    def by_step(self) -> dict[str, OperatorResult]:
        """Return all results by step."""
        return {entry.step: entry.result for entry in self.entries}

    def __iter__(self) -> Iterator[StepResult]:
        """Yield the entries in order."""
        return iter(self.entries)

    def __len__(self) -> int:
        """Count the results."""
        return len(self.entries)

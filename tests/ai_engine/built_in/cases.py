"""The cases of `readings.txt`, `readings_inferred.txt` and of the tables beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ai_engine.types import Interpretation

_FOLDER = Path(__file__).parent


@dataclass
class ReadingCase:
    """One question with what must become of it; `line` is its place in the file.

    `not_yet` where something else becomes of it still: the test says so once it is mended.
    """

    question: str
    line: int
    outcome: str = ""
    expected: str = ""
    assumptions: list[str] = field(default_factory=list)
    not_yet: bool = False

    @property
    def marks(self) -> tuple[pytest.MarkDecorator, ...]:
        """How its test is marked."""
        return (pytest.mark.xfail(strict=True, reason="read wrongly still"),) if self.not_yet else ()


def reading_cases(name: str = "readings.txt") -> list[ReadingCase]:
    found: list[ReadingCase] = []
    text = (_FOLDER / name).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if not said or line.startswith("#"):
            continue
        if not line.startswith(" "):
            found.append(ReadingCase(said, number))
        elif said == "not yet":
            found[-1].not_yet = True
        elif said.startswith("+ "):
            found[-1].assumptions.append(said.removeprefix("+ "))
        else:
            marker = "→ " if said.startswith("→ ") else f"{said.partition(':')[0]}: "
            found[-1].outcome = {"→ ": "query", "refused: ": "refused", "clarify: ": "clarify"}[marker]
            found[-1].expected = said.removeprefix(marker)
    return found


def check_reading(found: Interpretation, case: ReadingCase) -> None:
    """Compare what became of a question with what its file says."""
    said = " ".join((found.reply, *found.unplaced))
    assert found.outcome == case.outcome, found.restatement or said
    if case.outcome == "query":
        assert found.restatement == case.expected
        assert set(case.assumptions) <= set(found.assumptions)
    elif case.outcome == "clarify":
        assert " | ".join(found.choices) == case.expected
    elif not found.unplaced:
        assert found.reply.startswith(case.expected)
    elif found.unplaced != (case.expected,):
        assert set(case.expected.split(", ")) <= set(found.unplaced)


def table(name: str) -> list[tuple[str, ...]]:
    """Rows of a text table: cells between bars, `#` begins a remark."""
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [tuple(cell.strip() for cell in line.split("|")) for line in lines if line.strip() and line[0] != "#"]


ANSWERED = [case for case in reading_cases() if case.outcome == "query"]

"""What it takes to judge a model's program grows with its length, and nothing faster."""

import sys
from types import FrameType

import pytest

from ai_engine.specialists.computation.program_figures import invented_figures


def _calls(code: str) -> int:
    """Count the calls that the judging makes, which a busy machine makes no more of."""
    made = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal made
        made += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        invented_figures(code, "What is 1 of 5?", ("rows",))
    finally:
        sys.setprofile(None)
    return made


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        ("x = 1", "-1", ""), ("x = rows", "-rows", ""), ("x = [1", ", 1-1", "]"), ("x = rows\n", "x = x - 1\n", ""),
        ("x = max(1", ", 1-1", ")"), ("x = rows", ".count(1)", ""),
        ("while rows:\n while rows:\n  while rows:\n   x = 1\n", "   x -= 1\n", ""),
    ],
    ids=repr,
)  # fmt: skip
def test_a_program_of_many_equal_steps_takes_no_more_for_each_of_them(before: str, step: str, after: str):
    short, long = (_calls(f"{before}{step * many}{after}\nresult = x") for many in (100, 400))
    assert long < 4.5 * short

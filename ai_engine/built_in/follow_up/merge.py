"""An earlier question changed by what a fragment says: a few general operations on the structured question."""

from __future__ import annotations

from dataclasses import replace

from pydantic import ValidationError

from ai_engine.built_in.follow_up.address import Address
from ai_engine.built_in.follow_up.asked import change_figures
from ai_engine.built_in.follow_up.dating import change_period
from ai_engine.built_in.follow_up.dropping import add_up, drop_named
from ai_engine.built_in.follow_up.fragment import Fragment
from ai_engine.built_in.follow_up.narrowing import change_filters, drop_filters
from ai_engine.built_in.follow_up.ordering import change_order_and_limit
from ai_engine.built_in.follow_up.shaping import change_groups, show_rows, transform
from ai_engine.built_in.follow_up.step import Merge
from ai_engine.built_in.follow_up.those_shown import keep_those_shown
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import beyond_bounds
from ai_engine.semantics.intent import Intent


def merge(earlier: Intent, said: Address, fragment: Fragment, knowledge: Knowledge) -> Merge:
    """Change an earlier question by a fragment."""
    listed = said.has("add") and not earlier.measures
    if (
        fragment.measures and (fragment.turn.each or listed) and not said.has("strong")
    ):  # "how many orders each has": of those that were shown
        said = replace(said, leans=said.leans | {"pronoun", "add"})
    if fragment.turn.shown:
        said = replace(said, leans=said.leans | {"pronoun"})
    step = Merge(earlier, said, fragment, knowledge, left=list(fragment.unplaced))
    try:
        _change(step)
    except ValidationError as fault:
        step.left += beyond_bounds(fault)
    if fragment.denied and not said.has("unfilter"):
        step.left.append("not")
    return step


def _change(step: Merge) -> None:
    said = step.fragment
    for step.fragment in (*said.off, said):
        drop_named(step)
    step.left += ["not" for gone in said.off if gone.denied]
    drop_filters(step)
    change_figures(step)
    change_filters(step)
    change_period(step)
    change_groups(step)
    transform(step)
    change_order_and_limit(step)
    add_up(step)
    show_rows(step)
    keep_those_shown(step)

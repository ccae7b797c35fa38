"""Rules for the shape of the answer: a list or a figure, shares, changes, comparisons side by side."""

from __future__ import annotations

from decimal import Decimal

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    Figure,
    Number,
    Stored,
    Thing,
)
from ai_engine.built_in.rules.besides import asks_day_too, asks_person_too
from ai_engine.built_in.rules.limits import STEPS_OF
from ai_engine.built_in.rules.ranked_alone import rank_what_is_asked_about
from ai_engine.built_in.rules.rows_of_values import count_rows_of_value
from ai_engine.built_in.rules.sameness import is_of_two
from ai_engine.built_in.rules.shares import is_no_share_of_rows, mark_part, share_beside, share_of_them
from ai_engine.built_in.sketch import Pending, Walk
from ai_engine.semantics.intent import Condition, Measure
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words

_ASKING = frozenset({"whom", "where", "which", "whose"})
_OUTCOMES = frozenset({"status", "state", "result", "outcome", "decision", "response", "stage", "flag"})


def asks_list(walk: Walk) -> None:
    """ "show", "list"; "compare" asks for figures."""
    compares = walk.text().lower() == "compare"
    walk.sketch.asks_list |= not compares
    walk.sketch.one_row_each |= compares
    walk.take(1)


def asks_what(walk: Walk) -> None:
    """ "what", "which"; said again, what was asked first is shown too."""
    if walk.sketch.asks_what and walk.is_cue(-1, "and", "stop"):
        rank_what_is_asked_about(walk)
        walk.sketch.asked_first = next(iter(walk.sketch.things), None)
    walk.sketch.asks_what = True
    walk.take(1)


def asks_when(walk: Walk) -> None:
    """ "when was ...": a date."""
    if asks_day_too(walk):
        return
    walk.sketch.asks_when = True
    walk.take(1, "date")


def against(walk: Walk) -> None:
    """ "UPI vs IMPS": both, each in its row; "credits vs debits" are two figures anyway."""
    if isinstance(walk.peek(-1), Figure) and isinstance(walk.peek(1), Figure):
        walk.take(1)
        return
    if isinstance(walk.peek(-1), Thing) and walk.open_membership:
        walk.leave_over()  # "payments with no shop vs shop payments" sets two groups against each other
        return
    walk.sketch.one_row_each = True
    walk.take(1, "one row each")


def rolling(walk: Walk) -> None:
    """ "3 month moving average of ...": over three steps where none are said."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    taken, said = 1, cue.value
    window = walk.peek(1)
    if said == "open" and isinstance(window, Number) and window.unit in STEPS_OF:
        walk.sketch.window, walk.sketch.step, taken = int(window.value), STEPS_OF[window.unit], 2
    following = walk.peek(taken)
    if said == "open" and isinstance(following, Cue) and following.kind == "aggregate":
        said, taken = following.value, taken + 1
    if said not in {None, "avg", "sum"}:
        walk.leave_over()
        return
    walk.sketch.transform = "rolling_sum" if said == "sum" else "rolling_average"
    walk.sketch.window = walk.sketch.window or 3
    walk.take(taken, f"{'sum' if said == 'sum' else 'mean'} over {walk.sketch.window} steps")


def distinct(walk: Walk) -> None:
    """ "distinct", "different"."""
    if is_of_two(walk) or _sets_apart(walk):
        walk.leave_over()
        return
    if isinstance(walk.peek(1), Stored) and walk.items[walk.position + 1].apart:
        walk.leave_over()  # "different from savings" is no savings
        return
    if walk.pending is not None:
        walk.pending.distinct = True
    else:
        walk.sketch.distinct = True
    walk.take(1, "each once")


def _sets_apart(walk: Walk) -> bool:
    """ "a different branch from the one that ...": one of them is held against another."""
    if walk.position + 2 >= len(walk.items) or walk.is_cue(-1, "each", "group") or walk.pending is not None:
        return False
    noun = walk.items[walk.position + 1].text.lower()
    return (
        walk.text().lower() == "different"
        and isinstance(walk.peek(1), Thing | Attribute)
        and singular(noun) == noun
        and walk.items[walk.position + 2].apart
    )


def share(walk: Walk) -> None:
    """ "what percentage of", "share of"; said again at the end ("in %") it only names the unit."""
    if share_beside(walk) or share_of_them(walk) or is_no_share_of_rows(walk):
        return
    said = walk.sketch.share or walk.sketch.share_beside or walk.sketch.ratio
    said = said or any(measure.percent for measure in walk.sketch.measures)
    if said and walk.peek(walk.skip(1, "stop")) is None:
        walk.sketch.in_percent |= walk.sketch.ratio
        walk.take(1)
        return
    if walk.sketch.share and walk.text().lower().startswith("in "):
        walk.take(1, "unit")  # "what share of the flats, in percent, are let"
        return
    rows = walk.peek(1)
    shares = [measure.dataset for measure in walk.sketch.measures if measure.percent]
    again = isinstance(rows, Thing) and rows.dataset in shares
    ahead = walk.skip(2, "have")
    if again and (walk.is_cue(ahead, "stop") or walk.peek(ahead) is None):
        walk.take(ahead)  # "failure rate per channel, % of all transactions made"
        return
    before = walk.peek(-1)
    beside = isinstance(before, Attribute) and walk.knowledge.field(before).role == "measure"
    if walk.text().lower().startswith("as ") or (beside and walk.items[walk.position].apart):
        _set_against_whole(walk)
    mark_part(walk)
    walk.sketch.share = True
    shown = walk.sketch.measures and walk.peek(walk.skip(1, "stop")) is None  # "deposits by kind, % share"
    walk.sketch.share_of_groups |= bool(shown and walk.sketch.groups)
    if walk.pending is None and not shown:
        walk.pending = Pending(("count",), False, walk.text(), implied=True)
    walk.take(1, "share")


def _set_against_whole(walk: Walk) -> None:
    """ "interest as % of balance": the figure before is divided by the one that follows."""
    before, sketch = walk.peek(-1), walk.sketch
    if isinstance(before, Attribute) and before in sketch.attributes[-1:]:
        item = walk.knowledge.field(before)
        if item.role == "measure":
            sketch.attributes.pop()
            sketch.measures.append(Measure(aggregate=item.default_aggregate or "sum", field=ref(before)))
    if sketch.measures:
        sketch.in_percent, sketch.narrowed_before = True, bool(sketch.filters)


_FALLING = frozenset("decrease decreased decline declined fall fell drop dropped".split())


def change(walk: Walk) -> None:
    """ "growth in deposits", "change"."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    described = walk.peek(1)
    if walk.text().lower().endswith("ed") and isinstance(described, Thing) and not walk.items[walk.position + 1].apart:
        walk.leave_over()  # "declined payments" do not change
        return
    transform, _, step = str(cue.value).partition(" ")
    walk.sketch.difference |= walk.text().lower().split()[0] in {"difference", "gap", "spread"}
    if walk.sketch.transform != "change_percent":
        walk.sketch.transform = transform  # type: ignore[assignment]
    walk.sketch.step = step or walk.sketch.step  # type: ignore[assignment]
    _rank_by_change(walk)
    walk.take(1, "change")


def _rank_by_change(walk: Walk) -> None:
    """ "grew the most", "the highest growth in deposits", "top 5 by growth": the change ranks, not the figure."""
    before = walk.is_cue(-1, "superlative")
    best = walk.peek(-1) if before else walk.peek(1) if walk.is_cue(1, "superlative") else None
    falling = walk.text().lower().split()[0] in _FALLING
    if best is not None:
        low = isinstance(best, Cue) and best.value in {"low", "few"}
        walk.sketch.ranked_by_change = falling == low
    elif walk.is_cue(-1, "group", "order") and walk.sketch.limit is not None:
        walk.sketch.ranked_by_change = not falling
    if before:
        walk.superlative, walk.sketch.limit = None, walk.sketch.limit or 1


def running(walk: Walk) -> None:
    """ "running total"."""
    walk.sketch.transform = "running_total"
    walk.take(1, "running total")


def ratio(walk: Walk) -> None:
    """ "ratio of loans to deposits"."""
    walk.sketch.ratio = True
    walk.take(1, "ratio")


def rate(walk: Walk) -> None:
    """ "decline rate", "success rates": the share of the rows that have the value said before it."""
    last = walk.sketch.filters[-1] if walk.sketch.filters else None
    if not (isinstance(walk.peek(-1), Stored) and isinstance(last, Condition) and _tells_outcome(walk, last)):
        walk.leave_over()
        return
    whole = Measure(aggregate="count", dataset=last.field.dataset)
    part = whole.model_copy(update={"filters": (last,), "denominator": whole, "percent": True})
    walk.sketch.filters.pop()
    walk.sketch.measures += [] if part in walk.sketch.measures else [part]
    walk.pending = None
    walk.take(1, "share of them")


def _tells_outcome(walk: Walk, value: Condition) -> bool:
    """A "decline rate" is of a status; the "USD rate" is none of a currency."""
    item = walk.knowledge.field(value.field)
    return item.role == "flag" or bool(_OUTCOMES.intersection(words(item.label)))


def unit(walk: Walk) -> None:
    """ "in lakh", "in crore": what the figures are counted in."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    if walk.sketch.shown_in is not None:
        walk.leave_over()
        return
    walk.sketch.shown_in = Decimal(str(cue.value))
    walk.take(1, "unit")


def versus(walk: Walk) -> None:
    """ "compared to the same period last year"."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    walk.sketch.compare, walk.sketch.one_row_each = cue.value, False  # type: ignore[assignment]
    walk.take(1, "comparison")


def both(walk: Walk) -> None:
    """ "both savings and current"."""
    walk.both = True
    walk.take(1)


def alternative(walk: Walk) -> None:
    """ "or" between two conditions."""
    walk.alternative = bool(walk.sketch.filters) or walk.sketch.period is not None
    walk.take(1)


def relative(walk: Walk) -> None:
    """ "who", "which" inside a sentence: what follows is about the thing before."""
    count_rows_of_value(walk)
    if not walk.sketch.things and not walk.sketch.attributes and not walk.sketch.measures:
        walk.sketch.asks_what = True
    if walk.text().lower().endswith("whom") and asks_person_too(walk):
        return
    if walk.peek(walk.skip(1, "stop")) is None and words(walk.text())[-1] in _ASKING:
        walk.leave_over()  # "the largest loan, and where": with nothing after it, it asks
        return
    walk.take(1)


def connective(walk: Walk) -> None:
    """Commas, "and", articles: they hold the sentence together; a comma ends "name and count"."""
    ends_there = walk.is_cue(0, "stop") and walk.peek(1) is not None
    if ends_there and walk.text() == "?" and walk.superlative is not None and walk.superlative.kind in {"many", "few"}:
        walk.sketch.unplaced.append(walk.superlative.text)  # "billed the most? Give the names" ranks no names
        walk.superlative = None
    if ends_there and walk.sketch.things and not walk.sketch.measures and _counts_alone(walk):
        walk.sketch.measures.append(Measure(aggregate="count", dataset=walk.sketch.things[0].dataset))
        walk.pending = None
    walk.take(1)


def _counts_alone(walk: Walk) -> bool:
    """ "count" as a noun, which is of the things spoken of."""
    pending = walk.pending
    if pending is None or walk.sketch.orders:  # "the most settlement count." is a ranking
        return False
    return pending.text.lower() in {"count", "headcount"} and pending.aggregates == ("count",) and not pending.distinct

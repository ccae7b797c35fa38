"""Rules for a figure and beside it its share of the whole: "total balance by branch and its share of the total"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Stored, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition, FieldRef, Measure

_BY_WHAT = ("by what", "by which", "by how many")


def share_beside(walk: Walk) -> bool:
    """Take a share that is said of the figure before it, with the words that say the whole once more."""
    with_it = walk.is_cue(-1, "have") and walk.items[walk.position - 1].text.lower() == "with"
    if not (with_it or walk.is_cue(-1, "and")) or walk.sketch.share or walk.sketch.ratio:
        return False
    figure = _figure_before(walk)
    ahead = _whole_again(walk, figure) if figure is not None else None
    if figure is None or ahead is None:
        return False
    if figure not in walk.sketch.measures:
        walk.sketch.attributes = [item for item in walk.sketch.attributes if ref(item) != figure.field]
        walk.sketch.measures.append(figure)
        walk.pending = None
    walk.sketch.share_beside = figure
    walk.take(ahead, "its share of the whole")
    return True


def share_of_them(walk: Walk) -> bool:
    """ "how many customers are there, and what share of them have a loan": a second count, in relation to the first."""
    sketch = walk.sketch
    them = walk.peek(1) is not None and walk.items[walk.position + 1].of_them
    counted = sketch.measures and sketch.measures[-1] == Measure(aggregate="count", dataset=walk.subject)
    if not (them and counted and len(sketch.counts_said) == 1):
        return False
    sketch.counts_said.append(sketch.here)
    sketch.counts_of_them = sketch.second_as_share = True
    walk.take(1, "share of them")
    return True


def is_no_share_of_rows(walk: Walk) -> bool:
    """Leave over "by what percentage did it rise" and "among amounts, what percentage": neither is of rows."""
    if not (_tells_how_far(walk) or _is_of_amounts(walk)):
        return False
    walk.leave_over()
    return True


def mark_part(walk: Walk) -> None:
    """ "gold loan share of approved loans": the value before the share is the part, whatever is said of the whole."""
    sketch, first = walk.sketch, walk.items[0]
    if walk.text().lower() != "share of" or (first.apart and isinstance(first.meaning, Stored)):
        return  # "in Mumbai share of gold loans"
    before = walk.peek(-2) if isinstance(walk.peek(-1), Thing) else walk.peek(-1)
    part = sketch.filters[-1] if sketch.filters else None
    if isinstance(before, Stored) and isinstance(part, Condition) and part.field.field == before.field:
        sketch.part, sketch.each_part, sketch.one_row_each = part, True, False


def _tells_how_far(walk: Walk) -> bool:
    before = " ".join(item.text for item in walk.items[: walk.position]).lower()
    changes = any(isinstance(item.meaning, Cue) and item.meaning.kind == "change" for item in walk.items)
    return changes and before.endswith(_BY_WHAT)


def _is_of_amounts(walk: Walk) -> bool:
    whole = [item for item in walk.items[: walk.position] if not isinstance(item.meaning, Cue)]
    amount = whole[-1].meaning if whole else None
    if not isinstance(amount, Attribute) or walk.knowledge.field(amount).role != "measure":
        return False
    owner = whole[-2:-1]
    return whole[-1].among or any(item.among and isinstance(item.meaning, Thing) for item in owner)


def _figure_before(walk: Walk) -> Measure | None:
    """The figure named last: a measure, a field that is one, or a count that waits for its rows."""
    sketch, pending = walk.sketch, walk.pending
    last = sketch.attributes[-1] if sketch.attributes else None
    item = walk.knowledge.field(last) if last is not None else None
    if pending is not None:
        counts = pending.aggregates == ("count",) and not pending.implied and walk.subject is not None
        return Measure(aggregate="count", dataset=walk.subject) if counts else None
    if sketch.measures:
        return sketch.measures[-1]
    if last is not None and item is not None and item.role == "measure":
        return Measure(aggregate=item.default_aggregate or "sum", field=ref(last))
    return None


def _whole_again(walk: Walk, figure: Measure) -> int | None:
    """How many items the share takes with "of the total balance of all branches"; None when it is of something else."""
    ahead = 1
    while _repeats(walk, ahead, figure):
        ahead += 1
    ends = walk.peek(ahead) is None or walk.is_cue(ahead, "stop", "group", "share", "order", "direction")
    return ahead if ends else None


def _repeats(walk: Walk, ahead: int, figure: Measure) -> bool:
    said = walk.peek(ahead)
    if isinstance(said, Attribute):
        return figure.field == FieldRef(dataset=said.dataset, field=said.field, via=said.via)
    if isinstance(said, Figure):
        return said.metric == figure.metric
    if isinstance(said, Thing):
        return said in walk.sketch.groups or said in walk.sketch.things or said.dataset == walk.knowledge.base(figure)
    return walk.is_cue(ahead, "aggregate", "weak", "amount", "anybody")

"""Whether a period is that of the figure, or of the things that were named before it."""

from __future__ import annotations

from ai_engine.built_in.meanings import Cue, Days
from ai_engine.built_in.sketch import Item, Walk
from ai_engine.built_in.stocks import begins_with_its_date, is_stock
from ai_engine.semantics.intent import Condition, Membership
from ai_engine.semantics.words import words

_STATIC = frozenset({"with", "having", "have", "has", "had", "holding", "hold", "holds", "own", "owning", "from"})
_LASTING = frozenset(
    """
    do does possess possesses contain carry carries maintain maintains maintaining maintained include includes included
    despite assigned associated linked related attached are is come shared secured backed covered protected
    """.split()
)


def from_then_on(walk: Walk, ahead: int, found: Days) -> Days:
    """ "customers since 2020", where a day is called "customer since": from then on, and not in that year alone."""
    said = words(walk.items[walk.position + ahead - 1].text) if walk.position + ahead else ()
    if said[-1:] != ("since",) or None in {found.start, found.end}:
        return found
    return Days(found.start, None, f"since {found.label}")


def dates_figure(walk: Walk) -> bool:
    """ "branches opened before 2020 with the highest deposits in 2026": the second period is that of the figure."""
    sketch, knows = walk.sketch, walk.knowledge
    if sketch.period is None or sketch.period_field is None or walk.open_membership:
        return False
    figures = [*sketch.measures, *(wish.measure for wish in sketch.orders if wish.measure)]
    bases = {knows.base(figure) for figure in figures} - {None}
    dated = sketch.period_field.dataset
    return bool(bases) and all(base and knows.time_field(base) and base != dated for base in bases)


def is_of_what_happened(walk: Walk) -> bool:
    """ "transactions by customers with credit cards last month": they were made then, whenever the cards began."""
    knows, last, measures = walk.knowledge, walk.sketch.filters[-1], walk.sketch.measures
    lasting = isinstance(last, Membership) and begins_with_its_date(knows.dataset(last.dataset))
    if not lasting or not _only_has_them(walk) or not (measures or walk.pending is not None):
        return False
    counted = [base for measure in measures if (base := knows.base(measure))]
    rows = counted or [item.field.dataset for item in walk.sketch.filters if isinstance(item, Condition)]
    happen = all(knows.time_field(name) and not begins_with_its_date(knows.dataset(name)) for name in rows)
    return bool(rows) and happen and not any(is_stock(measure, knows) for measure in measures)


def is_of_the_rows_themselves(walk: Walk) -> bool:
    """ "applications with a broker this year": the rows are of this year, whenever that to which they belong began."""
    last, subject = walk.sketch.filters[-1], walk.subject
    plain = isinstance(last, Membership) and not (last.negated or last.filters)
    if not plain or subject is None or not isinstance(last, Membership) or not walk.knowledge.time_field(subject):
        return False
    return _only_has_them(walk) and walk.knowledge.is_parent(subject, last.dataset)


def is_of_what_is_ranked(walk: Walk) -> bool:
    """ "which officer approved the highest amount in 2026": what was approved then, and not all that those approved."""
    last = walk.sketch.filters[-1]
    plain = isinstance(last, Membership) and not (last.negated or last.filters)
    if not plain or not isinstance(last, Membership) or walk.knowledge.time_field(last.dataset) is None:
        return False
    amount = walk.superlative is not None and walk.is_cue(-1, "amount")
    orders = walk.sketch.orders
    ranked = {wish.field.dataset for wish in orders if wish.field}
    ranked |= {base for wish in orders if wish.measure and (base := walk.knowledge.base(wish.measure))}
    return ranked == {last.dataset} or (amount and not ranked)


def says_a_deed(item: Item) -> bool:
    """Tell whether an item is a verb of what somebody did at some time, as "used" is and "holds" is not."""
    cue, said = item.meaning, item.text.lower()
    return isinstance(cue, Cue) and cue.kind == "have" and said not in _STATIC and said.split()[0] not in _LASTING


def _only_has_them(walk: Walk) -> bool:
    """ "with a loan", where "took a loan in 2025" dates the loan."""
    before = reversed(walk.items[: walk.position])
    verbs = (item.text.lower() for item in before if isinstance(item.meaning, Cue) and item.meaning.kind == "have")
    return next(verbs, None) in _STATIC

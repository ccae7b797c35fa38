"""What is asked of a single row that a ranking singles out: columns of that row, and no total of it."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute
from ai_engine.built_in.sketch import OrderWish, Sketch
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Membership


def are_only_figures(sketch: Sketch, named: list[Attribute], knows: Knowledge) -> bool:
    """Tell whether nothing but figures was named, and not as the columns of a single row."""
    figures = bool(named) and all(knows.field(item).role == "measure" for item in named)
    return figures and not _tells_of_one_row(sketch, named, knows)


def _tells_of_one_row(sketch: Sketch, named: list[Attribute], knows: Knowledge) -> bool:
    """ "the income of the member with the best rating": what ranks the rows is something else than what is asked."""
    ranked = sketch.orders[0].field if len(sketch.orders) == 1 else None
    if ranked is None or sketch.limit != 1 or sketch.skip or not sketch.things:
        return False
    return all(ref(item) != ranked and not knows.is_parent(item.dataset, ranked.dataset) for item in named)


def not_asked_again(sketch: Sketch, named: list[Attribute]) -> list[Attribute]:
    """ "who has the highest balance, and what is the balance": what ranks is shown anyway."""
    again = sketch.asked_first is not None and [wish.field for wish in sketch.orders] == list(map(ref, named))
    return [] if again else named


def list_rows_singled_out(
    sketch: Sketch, knows: Knowledge, subject: str, columns: list[FieldRef]
) -> tuple[str, list[FieldRef]]:
    """ "the name of the member with the largest loan" is told by that loan: rows to list and their columns."""
    ranked = _ranked_singly(sketch)
    if ranked is None or not columns or subject == ranked.dataset or not knows.is_parent(ranked.dataset, subject):
        return subject, columns
    own = [item for item in sketch.filters if not isinstance(item, Condition)]
    compared = any(isinstance(item, Condition) and item.versus is not None for item in sketch.filters)
    if compared or sketch.period is not None or not all(_is_of_rows(item, ranked.dataset) for item in own):
        return subject, columns
    ways = {item.via for item in own if isinstance(item, Membership) and item.via}
    if any(item.via or item.grain for item in columns) or len(ways) > 1:
        return subject, columns
    if not ways and _leads_to(ranked.dataset, subject, knows) > 1:
        return subject, columns  # who sent it or who received it
    sketch.filters = [inner for item in sketch.filters for inner in _said_of_rows(item)]
    way = next(iter(ways), ())
    reached = [item.model_copy(update={"via": way}) if item.dataset == subject else item for item in columns]
    return ranked.dataset, reached


def _ranked_singly(sketch: Sketch) -> FieldRef | None:
    wish: OrderWish | None = sketch.orders[0] if len(sketch.orders) == 1 else None
    return wish.field if wish is not None and wish.one_row and sketch.limit == 1 and not sketch.skip else None


def _leads_to(dataset: str, other: str, knows: Knowledge) -> int:
    links = knows.model.relationships_of(dataset)
    return sum((link.from_dataset, link.to_dataset) == (dataset, other) for link in links)


def _is_of_rows(item: Filter, rows: str) -> bool:
    if not isinstance(item, Membership) or item.dataset != rows or item.negated:
        return False
    return (item.at_least or 1, item.at_most) == (1, None)


def _said_of_rows(item: Filter) -> tuple[Filter, ...]:
    return item.filters if isinstance(item, Membership) else (item,)

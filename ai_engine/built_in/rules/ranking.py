"""Rules for what is ranked: "the largest", "most", "the most common"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    Figure,
    Number,
    Thing,
)
from ai_engine.built_in.rules.harm import ranks_harm
from ai_engine.built_in.rules.most_rows import is_noun_of_its_rows
from ai_engine.built_in.rules.ranked_before import is_most_of_what_was_said, ranks_said_field
from ai_engine.built_in.rules.single_rows import is_adjoined, singles_out_by
from ai_engine.built_in.sketch import OrderWish, Pending, Superlative, Walk
from ai_engine.built_in.spending import amount_spent
from ai_engine.semantics.intent import (
    Condition,
    FieldRef,
    Measure,
)
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.restatement import plural

_NO_RANK_COST = 2.0
_UNITS_OF_TIME = frozenset({"day", "week", "month", "quarter", "year"})
_COMMONNESS = frozenset({"common", "frequent", "frequently", "popular", "rarest", "busiest"})


def superlative(walk: Walk) -> None:
    """ "highest", "the five largest", "most": wait for what it ranks."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by type
    if ranks_harm(walk):
        cue = Cue(cue.kind, "low" if cue.value == "high" else "high")
    if walk.alternative and walk.sketch.filters:
        extreme_or_more(
            walk, 1, "max" if cue.value in {"high", "new"} else "min" if cue.value in {"low", "old"} else None
        )
        return
    if walk.superlative is not None:
        walk.sketch.unplaced.append(walk.superlative.text)  # two rankings of one thing
    if ranks_said_field(walk, str(cue.value)):
        walk.sketch.attributes.pop()
        walk.superlative = Superlative(cue.value, None, walk.text())  # type: ignore[arg-type]
        ranked = walk.peek(-1)
        assert isinstance(ranked, Attribute)  # noqa: S101 - ranks_said_field says so
        walk.take(1, "ranking")
        order_by(walk, field=ref(ranked))
        return
    if is_most_of_what_was_said(walk, str(cue.value)):
        spent = walk.sketch.attributes.pop()
        walk.superlative = Superlative(cue.value, None, walk.text())  # type: ignore[arg-type]
        total = Measure(aggregate="sum", field=ref(spent))
        walk.take(1, "ranking")
        order_by(walk, measure=total)
        return
    number = walk.peek(1)
    limit = int(number.value) if isinstance(number, Number) and number.unit is None else None
    walk.superlative = Superlative(cue.value, limit, walk.text())  # type: ignore[arg-type]
    if limit is not None and cue.value in {"many", "few"}:
        walk.sketch.cost += 0.3  # "at least 2" is no ranking
    walk.take(1 + (limit is not None), "ranking")


def begins_ranking(walk: Walk) -> bool:
    """ "the month with the highest total", "months with over 100 visits": said first, and what chooses among them."""
    return walk.position == 0 and walk.is_cue(1, "have") and walk.is_cue(2, "superlative", "compare")


def extreme_or_more(walk: Walk, ahead: int, edge: Aggregate | None) -> None:
    """ "more than two settlements or the largest amount": rows whose figure is the highest of all are meant too."""
    found = walk.peek(ahead)
    place = ref(found) if isinstance(found, Attribute) else None
    if isinstance(found, Thing):
        place = walk.knowledge.main_measure(found.dataset)
    if place is None or edge is None or place.dataset != walk.subject:
        walk.leave_over()
        return
    walk.add_filter(Condition(field=place, operator="=", versus=Measure(aggregate=edge, field=place)))
    walk.take(ahead + 1, f"the {edge} of all")


def rank_by_attribute(walk: Walk, found: Attribute) -> None:
    """ "lowest credit score", "most common type"."""
    best = walk.superlative
    assert best is not None  # noqa: S101 - the caller looked
    item = walk.knowledge.field(found)
    if best.text.lower() == "last" and walk.text().lower() in _UNITS_OF_TIME:
        walk.leave_over()  # "last month" is a time, whatever column is called a month
        return
    if is_judgement(best) and item.role not in {"measure", "time"}:
        walk.leave_over()  # "the 3 best branches" are told by no name
        return
    if _is_latest_state(walk, found):
        return
    if best.kind in {"high", "low"} and item.role == "category" and walk.pending is None and ranking_follows(walk):
        walk.sketch.groups.append(found)
        _ranked_by_what_follows(walk, best, item.label)
        return
    if is_noun_of_its_rows(walk, found):
        walk.sketch.cost += _NO_RANK_COST  # "the most disputes" is their number, and no disputed amount
    if best.kind in {"high", "low"} and walk.pending is None and item.role in {"identifier", "text", "name"}:
        walk.sketch.cost += _NO_RANK_COST  # nobody asks for the largest account number
    asks_rows = walk.sketch.asks_what and not _asks_what_it_is(walk)
    walk.sketch.extreme = not (walk.sketch.things or walk.sketch.attributes or asks_rows or is_adjoined(walk))
    said_distinct = walk.is_cue(-1, "distinct")  # "the most different account types"
    one_row = singles_out_by(walk, found)
    walk.take(1, item.label)
    if walk.pending is not None and walk.pending.aggregates != ("count",):
        measure = Measure(aggregate=walk.pending.aggregates[0], field=ref(found))
        order_by(walk, measure=measure)
    elif best.kind in {"many", "few"} and item.role != "measure":
        if walk.pending is not None or said_distinct:
            walk.sketch.distinct &= not said_distinct
            order_by(walk, measure=Measure(aggregate="count_distinct", field=ref(found)))
            return
        walk.sketch.attributes.append(found)
        in_use = _names_its_row(walk, found) or (
            "busiest" in best.text.lower() and walk.knowledge.referring(found.dataset)
        )
        counted = _rows_counted(walk, found.dataset) if in_use else found.dataset
        common = says_commonness(best.text) and "busiest" not in best.text.lower()
        if counted == found.dataset and common and walk.knowledge.may_lack(ref(found)):
            walk.add_filter(Condition(field=ref(found), operator="is not null"))  # to give no reason is none
        if counted is not None:
            order_by(walk, measure=Measure(aggregate="count", dataset=counted))
    else:
        order_by(walk, field=ref(found), one_row=one_row)


def _asks_what_it_is(walk: Walk) -> bool:
    """ "what is the highest balance of any account"; "what is the highest balance account" asks for the account."""
    ahead = -3 if isinstance(walk.peek(-2), Number) else -2  # "what are the 3 highest"
    asked = walk.is_cue(ahead, "what") and walk.items[walk.position + ahead].text.lower().startswith("what")
    return asked and not is_adjoined(walk)


def _is_latest_state(walk: Walk, found: Attribute | Thing) -> bool:
    """ "in the latest snapshot": the rows of the latest date, rather than a ranking by it."""
    best, dataset = walk.superlative, walk.knowledge.dataset(found.dataset)
    dated = isinstance(found, Thing) or found.field == dataset.snapshot_time
    if best is None or best.kind != "new" or best.limit is not None or not dated or dataset.snapshot_time is None:
        return False
    walk.superlative = None
    asked = {item.dataset for item in walk.sketch.attributes if walk.knowledge.field(item).role == "measure"}
    asked |= {base for measure in walk.sketch.measures if (base := walk.knowledge.base(measure))}
    if asked and found.dataset not in asked:
        walk.leave_over()  # a figure of other rows has no part in these snapshots
        return True
    place = FieldRef(dataset=found.dataset, field=dataset.snapshot_time)
    walk.add_filter(Condition(field=place, operator="=", versus=Measure(aggregate="max", field=place)))
    walk.take(1, f"the latest {dataset.field(dataset.snapshot_time).label}")
    return True


def rank_by_thing(walk: Walk, found: Thing) -> None:
    """ "largest loan", "oldest customer", "most transactions"."""
    best = walk.superlative
    assert best is not None  # noqa: S101 - the caller looked
    knows = walk.knowledge
    label = knows.dataset(found.dataset).label
    if _is_latest_state(walk, found):
        return
    if knows.field_follows(walk.peek(1), found.dataset) and not _is_newest_itself(walk, best):
        walk.take(1)
        walk.sketch.things.append(found)
        return
    walk.sketch.cost += _NO_RANK_COST * _goes_on_elsewhere(walk, best, found)
    if is_judgement(best) and not ranking_follows(walk):
        walk.superlative = None
        walk.sketch.unplaced.append(f"{best.text}: by what")
        walk.take(1)
        return
    if walk.subject not in {None, found.dataset} and _describes(knows, best.text.lower().split()[-1], found):
        walk.sketch.cost += _NO_RANK_COST  # "which branch has most active accounts": these are the active ones
    if (best.kind in {"high", "low"} or _is_commonness(best)) and walk.pending is None and ranking_follows(walk):
        walk.sketch.things.append(found)
        _ranked_by_what_follows(walk, best, f"{label} rows")
        return
    if best.kind in {"high", "low"} and walk.pending is not None and _asks_extreme(walk, found):
        return
    if _is_commonness(best) and walk.pending is None:
        walk.take(1, f"{label} rows")
        walk.sketch.things.append(found)
        counted = _rows_counted(walk, found.dataset)
        if counted is not None:
            order_by(walk, measure=Measure(aggregate="count", dataset=counted))
        return
    if best.kind in {"many", "few"} or walk.pending is not None:
        if walk.pending is not None and (walk.pending.of_amount or walk.pending.aggregates[0] not in {"count", "sum"}):
            amount = (amount_spent if walk.sketch.spent else Knowledge.main_measure)(knows, found.dataset)
            if amount is None and walk.sketch.spent:
                walk.leave_over()  # of cards there is a limit, which nobody has spent
                return
            measure = Measure(aggregate=walk.pending.aggregates[0], field=amount) if amount else count_of(walk, found)
        else:
            measure = count_of(walk, found, walk.pending)
            walk.sketch.total_ranks = walk.pending is not None and walk.pending.aggregates == ("sum",)
        walk.take(1, f"number of {label} rows")
        order_by(walk, measure=measure)
        return
    ranked = ranked_field(knows, found, best)
    if ranked is None:
        walk.leave_over()
        walk.superlative = None
        return
    walk.assume(f"“{best.text} {label}” is ranked by {knows.field(ranked).label}.")
    walk.take(1, f"{label} rows")
    if not (walk.sketch.things or walk.sketch.attributes or walk.sketch.measures):
        walk.sketch.listed_first = found  # "latest 5 transactions with account number" lists the transactions
    walk.sketch.things.append(found)
    order_by(walk, field=ranked, one_row=True)


def _ranked_by_what_follows(walk: Walk, best: Superlative, taken: str) -> None:
    """ "ten biggest customers by total balance", "third largest loan type by outstanding"."""
    walk.superlative = None
    walk.sketch.limit, walk.sketch.limit_descending = best.limit or 1, best.descending
    walk.sketch.skip = best.skip
    walk.take(1, taken)


def _is_newest_itself(walk: Walk, best: Superlative) -> bool:
    """ "newest customer's name": the customer is the newest, and of no name is that said."""
    shown = walk.peek(1)
    plain = isinstance(shown, Attribute) and walk.knowledge.field(shown).role not in {"time", "measure"}
    return best.kind in {"old", "new"} and plain


def _goes_on_elsewhere(walk: Walk, best: Superlative, found: Thing) -> bool:
    """ "the latest loan status" is none of the customer's."""
    shown = walk.peek(1)
    other = isinstance(shown, Attribute) and shown.dataset != found.dataset
    return best.kind in {"old", "new"} and other and not walk.items[walk.position + 1].apart


def _describes(knows: Knowledge, word: str, found: Thing) -> bool:
    return any(knows.lexicon.tells_apart(meant, found) for meant in (word, *knows.lexicon.corrections(word)))


def ranked_field(knows: Knowledge, found: Thing, best: Superlative) -> FieldRef | None:
    """By what rows are largest or oldest: people by their birth, unless they are "the latest"."""
    if best.kind not in {"old", "new"}:
        return knows.main_measure(found.dataset)
    born, dated = knows.birth_field(found.dataset), knows.time_field(found.dataset)
    by_age = best.text.lower().split()[-1] in {"youngest", "oldest", "eldest"}
    return born or dated if by_age else dated or born


def is_judgement(best: Superlative) -> bool:
    """ "best", "worst": by what, everybody must say for themselves."""
    return best.text.lower().split()[-1] in {"best", "worst"}


def _is_commonness(best: Superlative) -> bool:
    """ "most common", "least popular": of a thing it says how many others refer to it."""
    return best.kind in {"many", "few"} and says_commonness(best.text)


def says_commonness(text: str) -> bool:
    """Tell whether a superlative ranks things by how often they occur."""
    return not _COMMONNESS.isdisjoint(text.lower().split())


def _names_its_row(walk: Walk, found: Attribute) -> bool:
    dataset = walk.knowledge.dataset(found.dataset)
    return (found.field,) in {dataset.primary_key, *dataset.unique_keys}


def _rows_counted(walk: Walk, dataset: str) -> str | None:
    """The rows that refer to a thing each of whose names occurs once; None where several do, or none."""
    best, knows = walk.superlative, walk.knowledge
    assert best is not None  # noqa: S101 - the callers looked
    referring = knows.referring(dataset)
    if len(referring) != 1:
        walk.superlative = None
        walk.sketch.unplaced.append(f"{best.text}: by what")
        return None
    label = knows.dataset(dataset).label
    walk.assume(f"“{best.text} {label}” counts the {plural(knows.dataset(referring[0]).label)} of each.")
    return referring[0]


def _asks_extreme(walk: Walk, found: Thing) -> bool:
    """ "how much was the biggest transaction" asks for that figure; "value of the 3 biggest" adds them up."""
    best, pending = walk.superlative, walk.pending
    amount = walk.knowledge.main_measure(found.dataset)
    nothing_else = not (walk.sketch.things or walk.sketch.attributes or walk.sketch.measures or walk.sketch.groups)
    if best is None or pending is None or not (pending.of_amount and pending.aggregates == ("sum",)):
        return False
    if amount is None or best.limit is not None or not nothing_else:
        return False
    walk.superlative = walk.pending = None
    walk.sketch.measures.append(Measure(aggregate="max" if best.descending else "min", field=amount))
    walk.take(1, f"{best.text} {walk.knowledge.field(amount).label}")
    return True


def ranking_follows(walk: Walk) -> bool:
    """Tell whether it is said by what they are ranked: "ten biggest customers by total balance"."""
    ahead = walk.skip(1, "stop")
    if not walk.is_cue(ahead, "group"):
        return False
    found, ranked = walk.peek(), walk.peek(ahead + 1)
    figure = isinstance(ranked, Attribute) and walk.knowledge.field(ranked).role == "measure"
    if isinstance(ranked, Thing) and isinstance(found, Thing):  # "busiest branch by transactions"
        return walk.knowledge.is_parent(ranked.dataset, found.dataset)
    return figure or isinstance(ranked, Figure) or walk.is_cue(ahead + 1, "aggregate", "amount")


def order_by(
    walk: Walk, measure: Measure | None = None, field: FieldRef | None = None, *, one_row: bool = False
) -> None:
    """Settle a superlative: what it ranks, and how many to show."""
    best = walk.superlative
    assert best is not None  # noqa: S101 - the callers looked
    walk.superlative = None
    walk.pending = None
    walk.sketch.orders.append(OrderWish(measure, field, best.descending, one_row))
    walk.sketch.limit = best.limit or walk.sketch.limit or 1
    walk.sketch.skip = best.skip


def count_of(walk: Walk, found: Thing, pending: Pending | None = None) -> Measure:
    """Rows of a thing, or distinct ones."""
    key = walk.knowledge.key(found.dataset)
    if pending is not None and pending.distinct and key is not None:
        return Measure(aggregate="count_distinct", field=key)
    return Measure(aggregate="count", dataset=found.dataset)

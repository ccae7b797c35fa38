"""Rules for aggregates that are said and wait for what they apply to: "total", "how many", "median of"."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.cues import kinds_of_cue
from ai_engine.built_in.meanings import Attribute, Cue, Figure, Meaning, Number, Step, Stored, Thing
from ai_engine.built_in.rules.amount_columns import is_column_of_one_row, lists_columns
from ai_engine.built_in.rules.amounts_of_things import adds_up_what_was_named, is_of_what_was_added_up
from ai_engine.built_in.rules.besides import asks_amount_too, counts_uses
from ai_engine.built_in.rules.done_most import ranks_what_was_done
from ai_engine.built_in.rules.ranking import extreme_or_more, order_by
from ai_engine.built_in.rules.single_rows import row_singled_out
from ai_engine.built_in.sketch import Pending, Walk
from ai_engine.built_in.spending import says_spending
from ai_engine.semantics.intent import Measure, Membership
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.words import words

_EITHER = "total of"  # "total of the payments": how many, or what they add up to
_BARE = {"amount", "amounts", "value"}


def aggregate(walk: Walk) -> None:
    """ "average, minimum and maximum", "how many different": wait for what it applies to."""
    if ranks_what_was_done(walk) or (walk.text().lower() == "how often" and counts_uses(walk)):
        return
    if walk.text().lower() == "numbers of" and walk.sketch.asks_list and _lists_numbers(walk):
        return
    if walk.text().lower() == _EITHER and _counts(walk) and (walk.pending or not _adds_up_rows(walk, walk.text(), 1)):
        walk.leave_over()  # only of rows with an amount it may be either
        return
    aggregates: list[Aggregate] = []
    ahead = 0
    while walk.is_cue(ahead, "aggregate") or (aggregates and walk.is_cue(ahead, "and", "stop")):
        cue = walk.peek(ahead)
        if isinstance(cue, Cue) and cue.kind == "aggregate":
            aggregates.append(cue.value)  # type: ignore[arg-type]
        elif not walk.is_cue(walk.skip(ahead, "and", "stop"), "aggregate"):
            break
        ahead += 1
    if len(aggregates) > 1 and not any(walk.is_cue(place, "and", "stop") for place in range(ahead)):
        counted = walk.peek(ahead)
        stored = isinstance(counted, Attribute) and walk.knowledge.field(counted).role == "measure"
        if stored and aggregates[1:] == ["count"]:
            aggregates = aggregates[:1]  # "average number of shares": the number is stored
        elif aggregates == ["avg", "count"]:
            walk.sketch.per_each, aggregates = True, ["count"]  # "average number of accounts per customer"
        elif len(set(aggregates)) > 1 and "sum" not in aggregates:
            walk.leave_over(ahead)
            return
        else:
            aggregates = [said for said in aggregates if said != "sum"] or ["sum"]
    if walk.alternative and walk.sketch.filters and aggregates[0] in {"max", "min"}:
        extreme_or_more(walk, ahead, aggregates[0])
        return
    if (
        walk.pending is not None
        and walk.pending.implied
        and aggregates in (["sum"], ["count"])
        and _is_summed(walk.peek(ahead))
    ):
        walk.pending = None  # "share of each channel in the total value"
    if walk.pending is not None and tuple(aggregates) != ("count",):
        walk.leave_over(ahead)
        return
    if walk.pending is not None and walk.pending.aggregates != ("sum",):
        walk.leave_over(ahead)  # "average number of": a figure of figures
        return
    aggregates = list(dict.fromkeys(aggregates))
    distinct = walk.is_cue(ahead, "distinct")
    text = walk.text(ahead)
    walk.take(ahead + distinct)
    summed = not distinct and aggregates != ["count"] and _adds_up_rows(walk, text)
    walk.pending = Pending(tuple(aggregates), distinct, text, of_amount=summed)
    if aggregates == ["count"] and not distinct:
        walk.sketch.counts_said.append(walk.sketch.here)
        walk.sketch.counts_of_them = walk.peek() is not None and walk.items[walk.position].of_them


def _counts(walk: Walk) -> bool:
    cue = walk.peek()
    return isinstance(cue, Cue) and cue.value == "count"


def _adds_up_rows(walk: Walk, said: str, ahead: int = 0) -> bool:
    """ "sum of the bills" adds their amounts up, where "total bills" may count them; people have no sum."""
    while isinstance(walk.peek(ahead), Stored):
        ahead += 1
    rows = walk.peek(ahead)
    if not isinstance(rows, Thing):
        return False
    sums = "sum" in words(said) or said.lower() == _EITHER or (said.lower() == "total" and _is_money_held(walk, ahead))
    if not sums or calls_people(walk.knowledge.dataset(rows.dataset)):
        return False
    if walk.knowledge.field_follows(walk.peek(ahead + 1), rows.dataset):
        return False  # "sum of the account balances"
    return walk.knowledge.main_measure(rows.dataset, money_only=True) is not None


def _is_money_held(walk: Walk, ahead: int) -> bool:
    """ "total deposits by region"; "total deposits opened in 2025" may count them."""
    plain = walk.peek(ahead + 1) is None or walk.is_cue(ahead + 1, "stop", "group", "each", "and", "wise")
    return plain and walk.items[walk.position + ahead].text.lower() == "deposits"


def _lists_numbers(walk: Walk) -> bool:
    """ "list the numbers of dormant accounts": their keys, where these are numbers."""
    ahead = 1
    while isinstance(walk.peek(ahead), Stored):
        ahead += 1
    noun = walk.peek(ahead)
    key = walk.knowledge.key(noun.dataset) if isinstance(noun, Thing) else None
    if key is None or not {"number", "no"}.intersection(words(walk.knowledge.field(key).label)):
        return False
    walk.sketch.attributes.append(Attribute(key.dataset, key.field))
    walk.take(1, walk.knowledge.field(key).label)
    return True


def _is_summed(meaning: Meaning | None) -> bool:
    return isinstance(meaning, Thing | Attribute | Figure) or (isinstance(meaning, Cue) and meaning.kind == "amount")


def amount(walk: Walk) -> None:
    """ "amount of loans", "total value of NEFT transactions": the main figure of the thing that follows."""
    if walk.text().lower() == "worth" and walk.is_cue(1, "compare") and walk.pending is None:
        walk.take(1)  # "transfers worth more than 50"
        return
    if walk.text().lower().startswith("how much"):
        figure_named = walk.is_cue(1, "superlative") and isinstance(walk.peek(2), Attribute | Figure)
        if figure_named or (walk.is_cue(1, "aggregate") and not isinstance(walk.peek(2), Thing)):
            walk.take(1)  # "how much is the average balance" asks what it is
            return
        if asks_amount_too(walk):
            return
    if is_of_what_was_added_up(walk):
        walk.take(1)
        return
    if adds_up_what_was_named(walk):
        return
    last = walk.peek(walk.skip(1, "stop")) is None
    if last and walk.pending is None and walk.is_cue(-1, "have", "and", "stop") and _ranks_by_money(walk):
        walk.take(1)  # "top 5 branches by deposits, with amount"
        return
    said = walk.text().lower().removesuffix(" of")
    bare = walk.pending is None and (
        said in _BARE or not (" " in said or kinds_of_cue(said))
    )  # the latter is a slip of the pen
    if bare and (_rank_by_amount(walk) or lists_columns(walk) or is_column_of_one_row(walk)):
        return
    walk.sketch.spent = walk.text() if says_spending(walk.text()) else walk.sketch.spent
    pending = walk.pending or Pending(("sum",), False, walk.text())
    if pending.aggregates == ("count",) and walk.is_cue(-1, "and"):
        walk.sketch.counts_too = True  # "count and value of transactions"
        pending = Pending(("sum",), False, walk.text())
    if pending.implied:
        pending = Pending(("sum",), False, pending.text)  # "share of each segment in the spend"
    walk.pending = replace(pending, of_amount=True)
    walk.take(1)


def _rank_by_amount(walk: Walk) -> bool:
    """ "the payment with the highest amount": the amount of the rows that were just named."""
    row, best = row_singled_out(walk), walk.superlative
    of_others = isinstance(walk.peek(1), Thing | Stored | Attribute | Number | Step)
    if row is None or best is None or best.kind not in {"high", "low"} or walk.pending is not None or of_others:
        return False
    amount = walk.knowledge.main_measure(row.dataset, money_only=True)
    if amount is None:
        return False
    label = walk.knowledge.field(amount).label
    if label != walk.text().lower():
        walk.assume(f"The amount is the {label}.")
    walk.take(1, label)
    order_by(walk, field=amount, one_row=True)
    return True


def _ranks_by_money(walk: Walk) -> bool:
    """Whether the figure of the ranking is an amount, which is shown anyhow."""
    ranking = walk.sketch.limit is not None or bool(walk.sketch.orders)
    sums = [measure for measure in walk.sketch.measures if measure.aggregate == "sum"]
    return ranking and len(sums) == len(walk.sketch.measures) == 1


def weighted(walk: Walk) -> None:
    """ "weighted average interest rate by outstanding": the weight comes after "by"."""
    walk.sketch.weighted = True
    walk.pending = Pending(("avg",), False, walk.text())
    walk.take(1, "weighted average")


def percentile(walk: Walk) -> None:
    """ "90th percentile of"."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    walk.pending = Pending(("median",), False, walk.text(), quantile=float(str(cue.value)))
    walk.take(1, "percentile")


def weak(walk: Walk) -> None:
    """ "customers below 25, number": said last and of nothing else, it asks to count."""
    key = _numbered(walk)
    if key is not None:
        walk.sketch.attributes.append(key)
        walk.take(1, walk.knowledge.field(key).label)
        return
    if _counts_what_they_have(walk):
        return
    counted = Thing | Attribute | Figure if _says_number(walk.text()) else Thing | Attribute
    follows = isinstance(walk.peek(1), counted) or walk.is_cue(1, "have")
    if walk.subject is None and not walk.sketch.filters and follows:
        walk.leave_over()  # "number of business days" asks how many, and is read so elsewhere
        return
    if walk.is_cue(1, "and", "stop") and (walk.is_cue(2, "aggregate", "amount") or _counts_beside_figure(walk)):
        walk.sketch.counts_too = True  # "number and total amount of orders"
    said_last = walk.peek(1) is None or (walk.is_cue(1, "stop") and walk.peek(2) is None)
    joined = walk.is_cue(-1, "and", "stop") or walk.items[walk.position].apart
    if said_last and walk.sketch.measures and joined and walk.text().lower() in {"number", "count"}:
        walk.sketch.counts_too = True  # "loans disbursed by branch and their number"
    if said_last and walk.is_cue(-1, "have") and walk.text().lower() in {"count", "counts"} and _counts_values(walk):
        walk.take(1, "number of rows")
        return
    bounded = [item for item in walk.sketch.filters if isinstance(item, Membership) and item.at_least is not None]
    if said_last and joined and not walk.sketch.measures and len(bounded) == 1:
        walk.sketch.measures.append(Measure(aggregate="count", dataset=bounded[0].dataset))
    elif said_last and not walk.sketch.measures and walk.sketch.things and not walk.sketch.attributes:
        walk.pending = Pending(("count",), False, walk.text())
    walk.take(1)


def _counts_values(walk: Walk) -> bool:
    """ "refund reasons with counts": how many rows have each of the values listed."""
    sketch = walk.sketch
    listed = [item for item in sketch.attributes if walk.knowledge.field(item).role == "category"]
    rows = {item.dataset for item in sketch.attributes}
    others = any(thing.dataset not in rows for thing in sketch.things)
    if not listed or listed != sketch.attributes or len(rows) != 1 or others or sketch.measures:
        return False
    sketch.groups += listed
    sketch.attributes = []
    sketch.measures.append(Measure(aggregate="count", dataset=rows.pop()))
    return True


def _counts_beside_figure(walk: Walk) -> bool:
    """ "payments by month, number and amount paid": of groups or with no rows listed, a figure stands beside it."""
    figure, sketch = walk.peek(2), walk.sketch
    is_figure = isinstance(figure, Attribute) and walk.knowledge.field(figure).role == "measure"
    grouped = sketch.groups or sketch.each_groups or sketch.step is not None
    listed = sketch.asks_list or ((sketch.attributes or sketch.beside) and not grouped)
    return is_figure and walk.text().lower() in {"number", "count"} and not listed


def _counts_what_they_have(walk: Walk) -> bool:
    """ "who handled any claims, with the number handled": a verb without its noun is of what was had before."""
    if not walk.is_cue(1, "have") or not (walk.peek(2) is None or walk.is_cue(2, "stop", "and")):
        return False
    had = [item for item in walk.sketch.filters if isinstance(item, Membership) and not item.negated]
    counted = [Measure(aggregate="count", dataset=item.dataset, filters=item.filters) for item in had]
    counted = counted or [having.measure for having in walk.sketch.havings]
    if len(counted) != 1 or walk.pending is not None or not _says_number(walk.text()):
        return False
    walk.sketch.measures.append(counted[0])
    walk.take(2, "number of them")
    return True


def _numbered(walk: Walk) -> Attribute | None:
    """ "account number", "list their numbers", "cards that expire: number and network": the key of the rows."""
    said, noun = walk.text().lower(), walk.peek(-1)
    if said not in {"number", "numbers"} or walk.pending is not None or walk.superlative is not None:
        return None
    if isinstance(noun, Thing) and not walk.items[walk.position].apart and not isinstance(walk.peek(1), Number):
        key = walk.knowledge.key(noun.dataset)
        return Attribute(key.dataset, key.field) if key is not None else None
    key = walk.knowledge.key(walk.sketch.things[0].dataset) if walk.sketch.things else None
    if key is None or "number" not in words(walk.knowledge.field(key).label):
        return None
    listed = walk.is_cue(-1, "stop", "list") and walk.is_cue(1, "and", "stop") and isinstance(walk.peek(2), Attribute)
    return Attribute(key.dataset, key.field) if said == "numbers" or listed else None


def _says_number(text: str) -> bool:
    """ "number of deposits" counts, where "value of deposits" is their figure."""
    return text.lower().startswith(("number", "count"))

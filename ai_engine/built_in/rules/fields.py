"""Rules for fields: compared, aggregated, ranked, lacked, or simply named."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Days,
    Stored,
    Thing,
)
from ai_engine.built_in.rules.compared_figures import compare_measure
from ai_engine.built_in.rules.comparisons import condition_after
from ai_engine.built_in.rules.deeds import did, did_to_most, is_no_figure
from ai_engine.built_in.rules.lacking import rows_lack
from ai_engine.built_in.rules.listed import is_listed_day
from ai_engine.built_in.rules.newest import shows_one_of_the_newest
from ai_engine.built_in.rules.properties import (
    DATE_NOUNS,
    add_flag,
    has_one,
    is_adjective,
    is_money_at_a_rate,
    is_one_of_its_values,
    of_numbered_row,
    says_its_value,
)
from ai_engine.built_in.rules.ranking import rank_by_attribute
from ai_engine.built_in.rules.stamps import still_open
from ai_engine.built_in.sketch import Pending, Walk
from ai_engine.built_in.stocks import is_stock
from ai_engine.built_in.tokens import is_identifier
from ai_engine.built_in.whole_names import LENGTHS
from ai_engine.semantics.intent import (
    Condition,
    Measure,
    Membership,
)
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.people import name_parts
from ai_engine.semantics.words import words

_COUNTED_FIGURE_COST = 0.8
_VERB_COST = 0.4
_NAME_PARTS = frozenset({"first", "last", "given", "family", "middle"})
_WHOSE = frozenset({"their", "its"})
_NUMBERS = frozenset({"integer", "decimal", "float"})


def attribute(walk: Walk) -> None:
    """A field: compared, aggregated, ranked, or simply named."""
    found = walk.peek()
    assert isinstance(found, Attribute)  # noqa: S101 - dispatched by type
    if walk.text().lower() == "times" and isinstance(walk.peek(1), Attribute | Thing):
        walk.leave_over()  # "quantity times price" multiplies, which is not understood
        return
    if walk.items[walk.position].indefinite and walk.text().lower() in LENGTHS:
        walk.leave_over()  # "within a year of signing" names no column "build year"
        return
    if _is_of_the_latest(walk, found):
        walk.superlative = None
        walk.leave_over()
        return
    if walk.pending is not None and _dates_the_part(walk, found) and condition_after(walk, found):
        return
    if walk.pending is None and (
        says_its_value(walk, found) or of_numbered_row(walk, found) or condition_after(walk, found)
    ):
        return
    if did(walk) or did_to_most(walk) or (walk.negated and rows_lack(walk, found)):
        return
    if _tells_that_it_is_known(walk, found):
        walk.add_filter(Condition(field=ref(found), operator="is not null"))
        walk.take(1, f"{walk.knowledge.field(found).label} is known")
        return
    if still_open(walk, found):
        return
    of_others = _is_no_field_of_its_noun(walk, found) or _tells_the_kind_of_another(walk, found)
    of_others = of_others or is_one_of_its_values(walk, found) or is_money_at_a_rate(walk, found)
    if of_others or _is_state(walk, found) or is_no_figure(walk, found):
        walk.leave_over()
        return
    if walk.pending is not None and walk.knowledge.field(found).role == "flag" and walk.peek(1) == Thing(found.dataset):
        walk.take(1)  # "number of NPA loans"
        add_flag(walk, found)
        return
    if shows_one_of_the_newest(walk, found):
        return
    if walk.superlative is not None:
        rank_by_attribute(walk, found)
    elif walk.pending is not None and not (walk.pending.of_amount and walk.knowledge.field(found).role != "measure"):
        _aggregate_attribute(walk, found)
    else:
        item = walk.knowledge.field(found)
        if item.role == "flag" and is_adjective(walk):
            walk.take(1)
            add_flag(walk, found)
            return
        if has_one(walk, item):
            walk.add_filter(Condition(field=ref(found), operator="is not null"))
            walk.take(1, f"{item.label} is known")
            walk.having = False
            return
        happened = item.role == "time" and _is_verb(walk.text()) and not is_listed_day(walk)
        if happened and _happened_to_what_they_have(walk, found):
            return
        if happened and not walk.sketch.asks_when:
            walk.sketch.cost += _VERB_COST  # in "branches opened the most accounts" nobody asks for a date
            walk.sketch.happened.append(found)
        if _goes_with_first_thing(walk, found):
            walk.sketch.listed_first = walk.sketch.things[0]
        walk.sketch.attributes.extend(_whole_name(walk, found))
        walk.sketch.after_ranking += [found] if walk.sketch.orders else []
        walk.take(1, item.label)
    walk.having = False


def _happened_to_what_they_have(walk: Walk, found: Attribute) -> bool:
    """ "who had both a gold loan and a car loan sanctioned": said last, it is said of each of the rows they have."""
    if walk.subject == found.dataset or walk.peek(walk.skip(1, "stop")) is not None:
        return False
    known, filters = Condition(field=ref(found), operator="is not null"), walk.sketch.filters
    for place, item in enumerate(filters):
        if isinstance(item, Membership) and item.dataset == found.dataset and not item.negated:
            filters[place] = item.model_copy(update={"filters": (*item.filters, known)})
    if not any(isinstance(item, Membership) and known in item.filters for item in filters):
        return False
    walk.take(1, f"{walk.knowledge.field(found).label} is known")
    return True


def _is_of_the_latest(walk: Walk, found: Attribute) -> bool:
    """ "whose most recent balance is over 500": of the latest of their rows, which is no condition on every row."""
    best = walk.superlative
    said = -1 - (walk.peek(-1) == Thing(found.dataset))
    waits = best is not None and best.kind in {"old", "new"} and walk.is_cue(said, "superlative")
    return waits and walk.is_cue(1, "compare") and walk.knowledge.field(found).role != "time"


def _is_no_field_of_its_noun(walk: Walk, found: Attribute) -> bool:
    """ "claim start date", where claims have other dates and the policy has a start: it is nobody's to choose."""
    noun = walk.peek(-1)
    if not isinstance(noun, Thing | Attribute) or walk.items[walk.position].apart or noun.dataset == found.dataset:
        return False
    own, said = walk.knowledge.dataset(noun.dataset), words(walk.text())
    if isinstance(noun, Attribute) and words(walk.items[walk.position - 1].text) != words(own.label):
        return False
    whose = set(words(walk.knowledge.dataset(found.dataset).label))
    role = walk.knowledge.field(found).role
    alike = any(item.role == role and said[-1] in words(item.label) for item in own.fields)
    return alike and role in {"time", "measure"} and len(said) > 1 and whose.isdisjoint(said)


def _dates_the_part(walk: Walk, found: Attribute) -> bool:
    """ "share of the flats built before 1990": what is counted are the flats, and the verb tells which."""
    pending = walk.pending
    dated = walk.knowledge.field(found).role == "time" and isinstance(walk.peek(1), Days)
    return pending is not None and pending.implied and dated and bool(walk.sketch.filters)


def _tells_that_it_is_known(walk: Walk, found: Attribute) -> bool:
    """ "insured homes": a participle that is part of the name of a figure says of the rows that they have one."""
    noun, said = walk.peek(1), words(walk.text())
    described = isinstance(noun, Thing | Stored) and not walk.items[walk.position + 1].apart
    participle = len(said) == 1 and said[0].endswith("ed") and said != words(walk.knowledge.field(found).label)
    return described and participle and walk.knowledge.field(found).role == "measure" and walk.superlative is None


def _tells_the_kind_of_another(walk: Walk, found: Attribute) -> bool:
    """ "which phone models": right before a column of another table, a noun is no column of its own."""
    following = walk.peek(1)
    opens = walk.position == 1 and walk.is_cue(-1, "relative", "what")
    if not opens or not isinstance(following, Attribute) or following.dataset == found.dataset:
        return False
    beside = not walk.items[walk.position + 1].apart
    return beside and walk.knowledge.field(found).role not in {"measure", "time"}


def _is_state(walk: Walk, found: Attribute) -> bool:
    """ "close complaints" are in a state; the day they were closed is said with its verb or as a date."""
    base_form = walk.knowledge.field(found).role == "time" and walk.text().lower() == "close"
    return base_form and isinstance(walk.peek(1), Thing | Stored)


def _goes_with_first_thing(walk: Walk, found: Attribute) -> bool:
    """ "branches with their city", "branches in Pune and their city": the branches are listed, and the city of each."""
    sketch = walk.sketch
    theirs = walk.is_cue(-1, "and") and not _WHOSE.isdisjoint(words(walk.items[walk.position - 1].text))
    said = (walk.having and walk.is_cue(-1, "have")) or (theirs and not sketch.measures and not sketch.groups)
    if not sketch.things or sketch.attributes or not said:
        return False
    first = sketch.things[0].dataset
    return found.dataset == first or walk.knowledge.is_parent(first, found.dataset)


def _aggregate_attribute(walk: Walk, found: Attribute) -> None:
    pending = walk.pending
    assert pending is not None  # noqa: S101 - the caller looked
    if pending.aggregates == ("count",) and walk.is_cue(-1, "and") and walk.knowledge.field(found).role == "measure":
        walk.sketch.counts_too = True  # "dormant accounts, count and balance"
        pending = replace(pending, aggregates=(walk.knowledge.field(found).default_aggregate or "sum",))
    walk.pending = None
    label = walk.knowledge.field(found).label
    only_flag = walk.knowledge.field(found).role == "flag" and not isinstance(walk.peek(1), Thing | Attribute)
    if only_flag and pending.aggregates == ("count",) and not pending.distinct:
        walk.sketch.measures.append(Measure(aggregate="count", dataset=found.dataset))
        walk.take(1, f"{label} rows")
        add_flag(walk, found)
        return
    measures = tuple(_attribute_measure(walk, found, aggregate, pending) for aggregate in pending.aggregates)
    walk.sketch.meanings.append((pending.text, " and ".join(pending.aggregates)))
    walk.take(1, label)
    if len(measures) == 1 and compare_measure(walk, measures[0]):
        return
    walk.sketch.measures.extend(measures)
    following = walk.peek(1)
    if (
        walk.is_cue(0, "and", "stop")
        and isinstance(following, Attribute)
        and walk.knowledge.field(following).role == "measure"
        and not walk.is_cue(2, "compare")
    ):
        walk.take(1)
        walk.pending = pending


def _attribute_measure(walk: Walk, found: Attribute, aggregate: Aggregate, pending: Pending) -> Measure:
    item = walk.knowledge.field(found)
    if aggregate == "count" and len(pending.aggregates) > 1 and item.role == "measure" and not pending.distinct:
        return Measure(aggregate="count", dataset=found.dataset)  # "count and total amount"
    if aggregate == "count" and pending.implied and item.role == "measure":
        return Measure(aggregate=item.default_aggregate or "sum", field=ref(found))
    if aggregate == "count" and item.role == "time" and not pending.distinct:
        walk.sketch.counted_by = ref(found)
        return Measure(aggregate="count", dataset=found.dataset)
    if aggregate == "count" and item.role == "measure" and not pending.distinct and item.unit in {None, "count"}:
        return Measure(aggregate=item.default_aggregate or "sum", field=ref(found))  # "number of inhabitants" is stored
    if aggregate == "count":
        walk.sketch.cost += _COUNTED_FIGURE_COST if item.role in {"measure", "flag"} else 0.0
        return Measure(aggregate="count_distinct", field=ref(found))
    if aggregate in {"avg", "sum", "median"} and walk.knowledge.birth_field(found.dataset) == ref(found):
        return Measure(aggregate=aggregate, field=ref(found, "age_years"))
    if item.role == "time" and aggregate == "sum" and (amount := _amount_that_day(walk, found)) is not None:
        return amount
    if item.role in {"category", "name", "text", "identifier"} and aggregate in {"sum", "avg", "median"}:
        walk.sketch.cost += 1.0
    ordered = item.type in _NUMBERS or (aggregate in {"max", "min"} and item.role != "category")
    if not ordered and aggregate in {"sum", "avg", "median", "stddev", "max", "min"}:
        walk.sketch.unplaced.append(f"{pending.text} of {item.label}")
    if aggregate == "sum" and item.default_aggregate == "avg":
        walk.sketch.cost += 0.2
    if pending.distinct and aggregate not in {"min", "max"}:
        walk.sketch.unplaced.append(f"{pending.text} of distinct values")
    return Measure(aggregate=aggregate, field=ref(found), quantile=pending.quantile)


def _is_verb(text: str) -> bool:
    """ "opened", but not "opening date" or a column as the database spells it."""
    return not (DATE_NOUNS & set(words(text)) or is_identifier(text))


def _whole_name(walk: Walk, found: Attribute) -> list[Attribute]:
    """ "names of the clients" are their first and their last names where these are kept apart."""
    parts = name_parts(walk.knowledge.dataset(found.dataset))
    bare = {"name", "names"} & set(words(walk.text())) and not _NAME_PARTS & set(words(walk.text()))
    return [replace(found, field=part) for part in parts] if bare and found.field in parts else [found]


def _amount_that_day(walk: Walk, found: Attribute) -> Measure | None:
    """ "total paid in cash": the verb that dates the rows stands for their amount."""
    amount = walk.knowledge.main_measure(found.dataset, money_only=True)
    if amount is None or not _is_verb(walk.text()):
        return None
    if is_stock(Measure(aggregate="sum", field=amount), walk.knowledge):
        return None  # what is held now came in on other days than that of opening
    walk.assume(f"The total is of the {walk.knowledge.field(amount).label}.")
    return Measure(aggregate="sum", field=amount)

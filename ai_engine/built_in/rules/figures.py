"""Rules for what is counted, summed and averaged."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    Figure,
    Meaning,
    Number,
    Thing,
)
from ai_engine.built_in.people import name_parts
from ai_engine.built_in.rules.comparisons import condition_after
from ai_engine.built_in.rules.properties import DATE_NOUNS, add_flag, has_one, is_adjective, may_lack, says_its_value
from ai_engine.built_in.rules.ranking import count_of, order_by, rank_by_attribute, rank_by_thing
from ai_engine.built_in.rules.relations import is_shown_beside, related_thing
from ai_engine.built_in.sketch import COMPARISONS, Pending, Walk
from ai_engine.built_in.tokens import is_identifier
from ai_engine.semantics.intent import (
    Condition,
    Having,
    Measure,
    Membership,
)
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.words import words

_COUNTED_FIGURE_COST = 0.8
_AGGREGATED_FIGURE_COST = 0.6
_VERB_COST = 0.4
_NAME_PARTS = frozenset({"first", "last", "given", "family", "middle"})
_NUMBERS = frozenset({"integer", "decimal", "float"})
_MONEY_NOUNS = frozenset(
    "fee deposit payment repayment collection charge premium salary interest commission disbursement withdrawal "
    "remittance income expense revenue dividend penalty refund".split()
)
_WORTH = frozenset({"value", "values", "amount", "amounts", "worth", "spend"})


def _is_worth(walk: Walk) -> bool:
    """ "total transaction value": the noun after the thing asks for its amount."""
    return walk.is_cue(1, "amount", "weak") and walk.items[walk.position + 1].text.lower().split()[0] in _WORTH


def _is_money(walk: Walk, found: Thing) -> bool:
    """ "total fees" adds the fees up; "total customers" counts them."""
    noun = words(walk.knowledge.dataset(found.dataset).label)[-1:]
    return bool(_MONEY_NOUNS.intersection(noun))


def attribute(walk: Walk) -> None:
    """A field: compared, aggregated, ranked, or simply named."""
    found = walk.peek()
    assert isinstance(found, Attribute)  # noqa: S101 - dispatched by type
    if walk.text().lower() == "times" and isinstance(walk.peek(1), Attribute | Thing):
        walk.leave_over()  # "quantity times price" multiplies, which is not understood
        return
    if walk.pending is None and (says_its_value(walk, found) or condition_after(walk, found)):
        return
    if walk.negated and _rows_lack(walk, found):
        return
    if _is_no_field_of_its_noun(walk, found):
        walk.leave_over()
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
        if item.role == "time" and not walk.sketch.asks_when and _is_verb(walk.text()):
            walk.sketch.cost += _VERB_COST  # in "branches opened the most accounts" nobody asks for a date
            walk.sketch.happened.append(found)
        if walk.having and _goes_with_first_thing(walk, found):
            walk.sketch.listed_first = walk.sketch.things[0]
        walk.sketch.attributes.extend(_whole_name(walk, found))
        walk.take(1, item.label)
    walk.having = False


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


def _rows_lack(walk: Walk, found: Attribute) -> bool:
    """ "accounts without a nominee", "number of undisbursed loans": rows of which the field is empty."""
    item, knows = walk.knowledge.field(found), walk.knowledge
    waits = walk.superlative is not None or walk.pending is not None
    of_rows = walk.peek(1) == Thing(found.dataset) or (walk.sketch.things and not waits)
    if not of_rows or knows.key(found.dataset) == ref(found) or not may_lack(walk, item):
        return False
    walk.use_negation()
    subject = walk.subject or found.dataset
    if found.dataset == subject or knows.is_parent(subject, found.dataset):
        walk.add_filter(Condition(field=ref(found), operator="is null"))
    else:  # "statements never paid" have no payment, rather than one without a date
        walk.add_filter(Membership(dataset=found.dataset, negated=True))
    walk.take(1, f"no {item.label}")
    return True


def _goes_with_first_thing(walk: Walk, found: Attribute) -> bool:
    """ "branches with their city": the branches are listed, and the city of each."""
    sketch = walk.sketch
    if not sketch.things or sketch.attributes or not walk.is_cue(-1, "have"):
        return False
    first = sketch.things[0].dataset
    return found.dataset == first or walk.knowledge.is_parent(first, found.dataset)


def thing(walk: Walk) -> None:
    """Rows of a table: counted, ranked, related to the subject, or the subject itself."""
    found = walk.peek()
    assert isinstance(found, Thing)  # noqa: S101 - dispatched by type
    if walk.superlative is not None:
        rank_by_thing(walk, found)
    elif walk.pending is not None and walk.pending.implied and _total_follows(walk):
        walk.sketch.things.append(found)  # "share of savings accounts in the total balance" is one of the balance
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
    elif walk.pending is not None:
        _aggregate_thing(walk, found)
    elif not related_thing(walk, found):
        ranked = walk.sketch.limit_descending is not None
        if (walk.sketch.asks_list or ranked) and not walk.sketch.things and not walk.sketch.attributes:
            walk.sketch.listed_first = found
        if is_shown_beside(walk, found):
            walk.sketch.beside.append(found)
        else:
            walk.sketch.things.append(found)
        walk.open_membership = False
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
    walk.having = False


def _total_follows(walk: Walk) -> bool:
    cue, total = walk.peek(1), walk.peek(2)
    summed = isinstance(cue, Cue) and cue.kind == "aggregate" and cue.value == "sum"
    return summed and (isinstance(total, Figure) or _is_measure(walk, total))


def _is_measure(walk: Walk, found: Meaning | None) -> bool:
    return isinstance(found, Attribute) and walk.knowledge.field(found).role == "measure"


def figure(walk: Walk) -> None:
    """A metric of the vocabulary."""
    found = walk.peek()
    assert isinstance(found, Figure)  # noqa: S101 - dispatched by type
    metric = walk.knowledge.model.metric(found.metric)
    measure = Measure(metric=found.metric)
    if walk.subject is not None and walk.pending is None and _counts_what_follows(walk):
        walk.having = True
        walk.take(1)  # "branches that disbursed more than 50 loans": here the figure's name is a verb
        return
    total = metric.expression.upper().startswith(("SUM(", "COUNT("))
    if total and walk.pending is not None and not {"sum", "count"} & set(walk.pending.aggregates):
        walk.sketch.cost += _AGGREGATED_FIGURE_COST
        walk.sketch.per_each |= walk.pending.aggregates == ("avg",)
        walk.sketch.unplaced += [] if walk.pending.aggregates == ("avg",) else [walk.pending.text]
    if (
        total
        and walk.superlative is not None
        and not (walk.sketch.things or walk.sketch.attributes or walk.sketch.groups)
    ):
        walk.sketch.cost += _AGGREGATED_FIGURE_COST
    if walk.pending is not None and "count" in walk.pending.aggregates and metric.unit != "count":
        base = walk.knowledge.base(measure)
        if walk.pending.aggregates == ("count",) or base is None:
            walk.sketch.unplaced += [] if walk.pending.implied else [walk.pending.text]
        else:  # "count and total value"
            walk.sketch.measures.append(Measure(aggregate="count", dataset=base))
    walk.pending = None  # "total deposits", "average NPA ratio": the metric knows its own aggregate
    walk.take(1, f"metric {metric.label}")
    if walk.superlative is not None:
        order_by(walk, measure)
    elif not _compare_measure(walk, measure):
        walk.sketch.measures.append(measure)


def _counts_what_follows(walk: Walk) -> bool:
    return walk.is_cue(1, "compare") and isinstance(walk.peek(2), Number) and isinstance(walk.peek(3), Thing)


def _aggregate_attribute(walk: Walk, found: Attribute) -> None:
    pending = walk.pending
    assert pending is not None  # noqa: S101 - the caller looked
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
    if len(measures) == 1 and _compare_measure(walk, measures[0]):
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
    if item.type not in _NUMBERS and aggregate in {"sum", "avg", "median", "stddev"}:
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
    walk.assume(f"The total is of the {walk.knowledge.field(amount).label}.")
    return Measure(aggregate="sum", field=amount)


def _aggregate_thing(walk: Walk, found: Thing) -> None:
    pending = walk.pending
    assert pending is not None  # noqa: S101 - the caller looked
    if walk.knowledge.field_follows(walk.peek(1), found.dataset) or _belongs_to_next(walk):
        walk.take(1)
        walk.sketch.things.append(found)
        return
    if pending.aggregates == ("sum",) and (_is_worth(walk) or _is_money(walk, found)):
        pending = replace(pending, of_amount=True)  # "total transaction value"
    if pending.aggregates == ("avg",) and not pending.of_amount and _is_counted_per(walk, found):
        walk.sketch.per_each = True
        pending = replace(pending, aggregates=("count",))
    walk.pending = None
    if pending.of_amount and "count" in pending.aggregates:
        walk.sketch.measures.append(count_of(walk, found, pending))
        pending = replace(pending, aggregates=tuple(said for said in pending.aggregates if said != "count") or ("sum",))
    counts = pending.aggregates in {("count",), ("sum",)} and not pending.of_amount
    walk.sketch.meanings.append((pending.text, "count" if counts else " and ".join(pending.aggregates)))
    if counts:
        measure = count_of(walk, found, pending)
        if pending.aggregates == ("sum",):
            walk.sketch.cost += 0.1
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
        if walk.subject not in {None, found.dataset} and _compare_measure(walk, measure):
            return
        walk.sketch.measures.append(measure)
        if not walk.sketch.groups:
            walk.sketch.things.append(found)
        return
    amount = walk.knowledge.main_measure(found.dataset, money_only=pending.of_amount)
    if amount is None and pending.of_amount:
        walk.pending = pending  # "how much did customers spend": the amount is not theirs
        walk.take(1, f"{walk.knowledge.dataset(found.dataset).label} rows")
        walk.sketch.things.append(found)
        return
    if amount is None:
        walk.leave_over()
        return
    walk.assume(f"“{pending.text} {walk.text()}” was taken as its {walk.knowledge.field(amount).label}.")
    walk.sketch.cost += 0.0 if pending.of_amount else 0.1
    walk.take(1, walk.knowledge.field(amount).label)
    measures = [Measure(aggregate=aggregate, field=amount) for aggregate in pending.aggregates]
    if not (len(measures) == 1 and _compare_measure(walk, measures[0])):
        walk.sketch.measures.extend(measures)
        walk.sketch.things.append(found)


def _is_counted_per(walk: Walk, found: Thing) -> bool:
    """ "average transactions per account" is how many each has."""
    owner = walk.peek(2)
    said = walk.is_cue(1, "group") and walk.items[walk.position + 1].text.lower() in {"per", "for each", "for every"}
    return said and isinstance(owner, Thing) and walk.knowledge.is_parent(found.dataset, owner.dataset)


def _belongs_to_next(walk: Walk) -> bool:
    """ "how many female clients' accounts", "customer accounts": of two nouns side by side the last is counted."""
    following = walk.position + 1
    return isinstance(walk.peek(1), Thing) and not walk.items[following].apart and walk.peek(1) != walk.peek()


def _compare_measure(walk: Walk, measure: Measure) -> bool:
    """ "total balance over 10000", "average income above the average": keep groups by their figure."""
    ahead = walk.skip(0, "not")
    cue, number = walk.peek(ahead), walk.peek(ahead + 1)
    if not (isinstance(cue, Cue) and cue.kind == "compare" and isinstance(number, Number)):
        return False
    operator = COMPARISONS.get(str(cue.value))
    if operator is None or (measure.aggregate == "count" and number.unit is not None):
        return False  # no number of loans is "more than 90 days"
    walk.sketch.havings.append(Having(measure=measure, operator=operator, value=number.value))
    walk.take(ahead + 2, "condition on the figure")
    return True

"""Rules for comparisons: a field or a figure against numbers, texts, dates and other figures."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    CueKind,
    Days,
    Figure,
    Number,
    Quote,
    Stored,
    Thing,
)
from ai_engine.built_in.rules.ages import is_age, older
from ai_engine.built_in.rules.amounts import OF_TIMES, add_number, is_counted, measured_after, understood_number
from ai_engine.built_in.rules.bounds import bound_on_groups
from ai_engine.built_in.rules.counting import (
    count_again,
    count_between,
    count_described,
    count_related,
    counts_ranked_things,
    described_thing,
)
from ai_engine.built_in.rules.dates import compare_days, date_condition
from ai_engine.built_in.rules.elapsed import elapsed_after
from ai_engine.built_in.rules.over_all import compare_with_average, compare_with_figure
from ai_engine.built_in.rules.parts_of_fields import part_of_field, part_of_limit
from ai_engine.built_in.rules.roles import other_role
from ai_engine.built_in.rules.texts import TEXT_OPERATORS, text_before_field, text_comparison
from ai_engine.built_in.rules.values import stored_value
from ai_engine.built_in.rules.whose_period import from_then_on
from ai_engine.built_in.sketch import OPPOSITE, Walk
from ai_engine.semantics.intent import (
    Condition,
    Operator,
    Value,
)
from ai_engine.semantics.model import Field

_LINKS: tuple[CueKind, ...] = ("and", "or", "stop")
_BY_DATE = frozenset({"before", "after", "since", "later", "earlier", "prior", "until"})


def compare(walk: Walk) -> None:
    """A comparison whose left side was not named right before it."""
    cue = walk.peek()
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    number = walk.peek(1)
    if isinstance(number, Days) and cue.value == ">" and not number.label.endswith(" ago"):
        walk.take(1)  # "over the last 12 months"
        return
    if cue.value == "between" and walk.sketch.transform == "change" and isinstance(number, Stored | Days):
        walk.take(1)  # "the difference in deposits between Mumbai and Pune"
        return
    if isinstance(number, Number) and is_age(walk, number):
        older(walk)
        return
    if cue.value in TEXT_OPERATORS:
        text_before_field(walk, str(cue.value))
        return
    if cue.value in {"=", "!="} and _is_alike(walk, str(cue.value)):
        return
    if isinstance(number, Number) and not walk.negated and _is_relative(walk, str(cue.value), number):
        return
    negated = walk.use_negation()
    operator = str(OPPOSITE[str(cue.value)] if negated and cue.value in OPPOSITE else cue.value)
    if isinstance(number, Number) and number.unit is None and walk.text().lower() in OF_TIMES:
        walk.leave_over(2)  # "before 1950" is said of a year, and no figure is one
        return
    if isinstance(number, Number):
        _compare_number(walk, operator, number)
        return
    if walk.is_cue(1, "aggregate") and (target := understood_number(walk, None)) is not None:
        compare_with_average(walk, operator, target)
        return
    walk.leave_over()


def _is_relative(walk: Walk, operator: str, number: Number) -> bool:
    """Days after another date, or a part of another figure."""
    return elapsed_after(walk, operator, number) or part_of_limit(walk, operator)


def _is_alike(walk: Walk, operator: str) -> bool:
    """ "a type different from savings", "the account branch is different from the home branch"."""
    if isinstance(walk.peek(1), Stored | Quote):
        walk.negated ^= operator == "!="
        walk.take(1)
        return True
    return isinstance(walk.peek(1), Thing) and _is_other_role(walk, operator)


def _compare_number(walk: Walk, operator: str, number: Number) -> None:
    """Find what is compared: counted rows, the figure of each group, the figure behind the number, that of the rows."""
    summed = walk.is_cue(2, "aggregate") and isinstance(walk.peek(3), Thing)  # "at least 5 total transactions"
    following = walk.peek(2 + summed)
    described = described_thing(walk, 2)
    if described is not None and walk.peek(2) is not described and number.unit is None:
        count_related(walk, operator, number, described, taken=2)
    elif (
        (operator == "between" and count_between(walk, number))
        or count_again(walk, operator, number)
        or (isinstance(following, Stored) and count_described(walk, operator, number, following))
        or bound_on_groups(walk, operator, number)
    ):
        return
    elif isinstance(following, Thing):
        count_related(walk, operator, number, following, taken=3 + summed)
    elif operator == "between" and (measured := measured_after(walk, number)) is not None:
        add_number(walk, ref(measured), operator, replace(number, unit=None), taken=2)
        walk.take(1)
    elif isinstance(following, Attribute) and walk.knowledge.field(following).role == "measure":
        if is_counted(walk, following, number, 2):
            walk.leave_over(3)  # "more than 3 EMIs" are no sum of money
            return
        add_number(walk, ref(following), operator, number, taken=3)
    elif isinstance(following, Attribute) and not walk.items[walk.position + 2].apart:
        walk.leave_over(3)  # "more than one product" is no sum of money
    elif (target := understood_number(walk, number)) is not None:
        add_number(walk, target, operator, number, taken=2)
    else:
        walk.leave_over(2)


def _is_other_role(walk: Walk, operator: str) -> bool:
    """ "the account branch is different from the home branch"."""
    denied = walk.negated
    if not other_role(walk, "!=" if (operator == "!=") != denied else "=", 1):
        return False
    walk.negated = False
    return True


def sign(walk: Walk) -> None:
    """ "accounts with a negative balance": the figure is below nothing."""
    cue, found = walk.peek(), walk.peek(1)
    assert isinstance(cue, Cue)  # noqa: S101 - dispatched by kind
    if not (isinstance(found, Attribute) and walk.knowledge.field(found).role == "measure"):
        walk.leave_over()
        return
    operator: Operator = "<" if cue.value == "<" else ">"
    walk.add_filter(Condition(field=ref(found), operator=operator, values=(0,)))
    walk.take(2, f"{walk.knowledge.field(found).label} {operator} 0")
    walk.having = False


def condition_after(walk: Walk, found: Attribute) -> bool:
    """Read "balance over 5 lakh", "opened in 2024", "name contains 'a'", "term 24 months" where it begins here."""
    place = ref(found)
    item = walk.knowledge.field(found)
    ahead = 1
    denied = False
    while walk.is_cue(ahead, "not", "have", "relative"):
        denied ^= walk.is_cue(ahead, "not")
        ahead += 1
    meaning = walk.peek(ahead)
    if walk.is_cue(1, "have", "relative") and walk.sketch.asks_list and isinstance(meaning, Cue | Days):
        return False  # "balance of accounts with more than 5 crore" shows it too
    if isinstance(meaning, Cue) and meaning.kind == "compare":
        if _counts_things(walk, ahead, item) or (item.role != "measure" and _is_grouped_by(walk, found)):
            return False
        return _comparison(walk, found, ahead, denied)
    if isinstance(meaning, Cue) and meaning.kind == "empty":
        operator: Operator = "is not null" if denied or walk.use_negation() else "is null"
        walk.add_filter(Condition(field=place, operator=operator))
        walk.take(ahead + 1, f"{item.label} {operator}")
        return True
    if item.role == "time" and isinstance(meaning, Days):
        if ahead > 1 and walk.sketch.attributes and not walk.sketch.measures:
            walk.sketch.attributes.append(found)  # "names and opening dates of the branches opened after 2020"
        meaning = from_then_on(walk, ahead, meaning)
        date_condition(walk, place, meaning, ahead + 1, denied)
        return True
    if any(walk.is_cue(between, "have", "relative") for between in range(1, ahead)):
        return False
    ranked = walk.is_cue(ahead + 1, "superlative") or (
        (item.role == "identifier" or isinstance(walk.peek(ahead + 1), Thing)) and counts_ranked_things(walk, ahead)
    )
    if isinstance(meaning, Number) and item.type != "boolean" and not ranked:
        if item.role in {"time", "flag"} or (item.role in {"text", "name"} and meaning.unit):
            return False
        add_number(walk, place, "!=" if denied or walk.use_negation() else "=", meaning, taken=ahead + 1)
        return True
    if isinstance(meaning, Quote) and item.type == "text":
        walk.add_filter(Condition(field=place, operator="!=" if denied else "=", values=(meaning.text,)))
        walk.take(ahead + 1, f"{item.label} is {meaning.text}")
        return True
    return False


def _is_grouped_by(walk: Walk, found: Attribute) -> bool:
    """ "deposits by city above 50 crore": what is compared are the deposits of each."""
    return walk.is_cue(-1, "group", "each") or found in walk.sketch.groups


def _comparison(walk: Walk, found: Attribute, ahead: int, denied: bool) -> bool:
    """The attribute is followed by a comparison at `ahead`; read its right side."""
    cue = walk.peek(ahead)
    assert isinstance(cue, Cue)  # noqa: S101 - the caller looked
    denied ^= walk.use_negation()
    operator = str(OPPOSITE.get(str(cue.value), cue.value) if denied else cue.value)
    place, item = ref(found), walk.knowledge.field(found)
    right = walk.peek(ahead + 1)
    cue_text = walk.items[walk.position + ahead].text.lower().split()
    if isinstance(right, Thing) and isinstance(its := walk.peek(ahead + 2), Attribute) and its.dataset == right.dataset:
        right, ahead = replace(its, via=right.via), ahead + 1  # "higher than the customer's own limit"
    if operator.removeprefix("not ") in TEXT_OPERATORS:
        return item.type == "text" and text_comparison(walk, place, operator, ahead)
    if part_of_field(walk, place, operator, ahead + 1):
        return True
    if isinstance(right, Number) and item.role not in {"time", "name", "text"}:
        add_number(walk, place, operator, right, taken=ahead + 2)
        return True
    if isinstance(right, Days) and right.label.endswith(" ago") and not _BY_DATE.intersection(cue_text):
        walk.leave_over(ahead + 2)  # "at least 3 years ago" is a length of time, not a side of that day
        return True
    if isinstance(right, Days):
        return item.role == "time" and compare_days(walk, place, operator, right, ahead + 2)
    if isinstance(right, Stored | Quote) and operator in {"=", "!="}:
        value: Value = right.text if isinstance(right, Quote) else stored_value(right)
        walk.add_filter(Condition(field=place, operator=operator, values=(value,)))
        walk.take(ahead + 2, f"{item.label} {operator} {value}")
        return True
    if walk.is_cue(ahead + 1, "aggregate"):
        return compare_with_figure(walk, found, operator, ahead + 1)
    if isinstance(right, Attribute) and walk.knowledge.field(right).type == item.type:
        walk.add_filter(Condition(field=place, operator=operator, other=ref(right)))
        walk.take(ahead + 2, f"{item.label} {operator} {walk.knowledge.field(right).label}")
        return True
    return False


def _counts_things(walk: Walk, ahead: int, item: Field) -> bool:
    """ "more than one loan", "over 100 refunds", "over 5 lakh in deposits" is not about the field before."""
    counted = walk.peek(ahead + 2)
    if isinstance(counted, Attribute) and item.role == "category" and walk.knowledge.field(counted).role == "measure":
        return isinstance(walk.peek(ahead + 1), Number)
    return isinstance(walk.peek(ahead + 1), Number) and (
        isinstance(counted, Thing) or (isinstance(counted, Stored | Figure) and item.role != "measure")
    )

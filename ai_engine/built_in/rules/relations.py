"""Rules for what the subject has or lacks: "with a loan", "without", "at least two accounts"."""

from __future__ import annotations

from ai_engine.built_in.meanings import (
    Attribute,
    Days,
    Quote,
    Stored,
    Thing,
)
from ai_engine.built_in.own_kind import has_superior, leads_to_its_own
from ai_engine.built_in.rules.absence import never_used
from ai_engine.built_in.rules.bounds import keep_groups_having
from ai_engine.built_in.rules.deeds import dealt
from ai_engine.built_in.rules.elapsed import happened_elsewhere
from ai_engine.built_in.rules.listed import is_listed
from ai_engine.built_in.rules.roles import is_nobodys, other_role, plays_in, way_by_deed, way_to
from ai_engine.built_in.rules.sameness import own
from ai_engine.built_in.rules.stamps import tells_it_happened
from ai_engine.built_in.rules.whose import lies_between
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import (
    AnyOf,
    Condition,
    FieldRef,
    Membership,
)
from ai_engine.semantics.words import words

_LIGHT = frozenset(
    {"with", "having", "have", "has", "had", "do", "does", "did", "done", "make", "makes", "made", "making"}
)


def _holds(state: Stored) -> Condition:
    stored = state.value if isinstance(state.value, bool | int | str) else str(state.value)
    return Condition(field=FieldRef(dataset=state.dataset, field=state.field), operator="=", values=(stored,))


def have(walk: Walk) -> None:
    """ "with", "who made": what follows belongs to the subject; "with no" and "without" come here too."""
    if never_used(walk) or own(walk) or dealt(walk):
        return
    if is_nobodys(walk):
        walk.leave_over()
        return
    if is_listed(walk) and walk.text().lower() not in _LIGHT:
        walk.leave_over()  # "topic, member, lodged": a verb between commas has nothing that it could link
        return
    if tells_it_happened(walk):
        return
    state = _state_said_last(walk)
    if state is not None:
        walk.add_filter(_holds(state))
        walk.take(1, f"{walk.knowledge.dataset(state.dataset).field(state.field).label} is {state.value!s}")
        return
    unread = _has_no_doer(walk) or _ends_unsaid(walk) or _is_one_of_two(walk) or happened_elsewhere(walk)
    unread = unread or _is_itself_added_up(walk) or _tells_a_figure_of_two(walk)
    if walk.text().lower() not in _LIGHT and unread:
        walk.leave_over()
        return
    if walk.items[walk.position].apart and isinstance(walk.peek(1), Days) and not walk.is_cue(-1, "relative"):
        walk.open_membership = False  # "payments without a fee were made in 2025" dates the payments
    walk.having = True
    walk.take(1)


def _is_itself_added_up(walk: Walk) -> bool:
    """ "total paid per branch": the verb stands for the figure, which is not understood where it names none."""
    waits = walk.pending is not None and walk.is_cue(-1, "aggregate") and not walk.pending.of_amount
    figure = waits and walk.pending is not None and "count" not in walk.pending.aggregates
    of_each = isinstance(walk.peek(1), Stored) and walk.is_cue(2, "group", "each")  # "for each settled claim"
    return figure and (of_each or not isinstance(walk.peek(1), Thing | Attribute | Stored | Days))


def _tells_a_figure_of_two(walk: Walk) -> bool:
    """ "ratio of refunds paid to total sales": with nobody who paid them, the verb says an amount."""
    return walk.sketch.ratio and isinstance(walk.peek(-1), Thing) and walk.is_cue(1, "aggregate")


def _has_no_doer(walk: Walk) -> bool:
    """ "filled buy orders": a verb in its base form with nobody who does it is something else."""
    described = walk.is_cue(-1, "aggregate") or isinstance(walk.peek(-1), Stored)
    return walk.subject is None and described and isinstance(walk.peek(1), Thing)


def _state_said_last(walk: Walk) -> Stored | None:
    """ "total fees we have earned": a verb without an object that is a word for a value of the rows named before."""
    rows = {thing.dataset for thing in walk.sketch.things}
    rows |= {item.dataset for item in walk.sketch.attributes}
    rows |= {base for measure in walk.sketch.measures if (base := walk.knowledge.base(measure))}
    verb = words(walk.text())[-1:]
    if walk.negated or walk.peek(walk.skip(1, "stop")) is not None or walk.knowledge.lexicon.date_of(verb[0]):
        return None
    held = [found.meaning for found in walk.knowledge.lexicon.stored(verb)]
    own = [value for value in held if isinstance(value, Stored) and value.dataset in rows]
    return own[0] if len(own) == 1 else None


def _is_one_of_two(walk: Walk) -> bool:
    """ "both paid and overdue invoices": beside a value, a verb is one itself."""
    return walk.is_cue(1, "and", "or") and isinstance(walk.peek(2), Stored)


def _ends_unsaid(walk: Walk) -> bool:
    """ "waived fees included": said last, it would mean that nothing is left out, which is not understood."""
    return walk.text().lower().startswith("includ") and walk.peek(walk.skip(1, "stop")) is None


def related_thing(walk: Walk, found: Thing) -> bool:
    """Read a thing that the subject has or lacks: "with a loan", "who made no transactions"."""
    knows = walk.knowledge
    denied = walk.negated
    if way_by_deed(walk, found.dataset) is not None:
        walk.leave_over()  # "loans guaranteed by members from Leeds" is not said of those who took them
        return True
    if walk.having and not denied and keep_groups_having(walk, found, ">=", 1):
        return True
    if walk.subject is None and (walk.having or denied) and walk.is_cue(-1, "not", "have"):
        _take_rows_of_value(walk, found)
    subject = walk.subject
    last = walk.sketch.filters[-1] if walk.open_membership else None
    if isinstance(last, Membership) and last.dataset == found.dataset and isinstance(walk.peek(-1), Stored):
        walk.take(1)  # "at least 5 failed payments": counted already, the value between
        return True
    if isinstance(last, Membership) and subject is not None and lies_between(walk, found, last, subject):
        walk.take(1)
        return True
    listed = isinstance(last, Membership) and walk.is_cue(-1, "and", "or", "stop") and isinstance(walk.peek(-2), Thing)
    groups = [group.dataset for group in walk.sketch.groups if isinstance(group, Thing)]
    if (subject or "".join(groups[-1:])) == found.dataset and _belongs_to_its_own(walk, found):
        return True
    if subject is None or subject == found.dataset:
        return False
    if not (walk.having or denied or listed or _is_said_by_verb(walk, found)):
        return False
    if isinstance(last, Membership) and last.dataset == found.dataset and not denied:
        walk.take(1)  # "a mortgage loan": the value before it opened the membership
        return True
    belongs = knows.is_parent(subject, found.dataset) and not denied and not plays_in(walk, found.dataset)
    if belongs and not _is_any(walk):
        return False  # each row belongs to one: naming it narrows nothing
    if denied and other_role(walk, "!="):
        walk.negated = False
        return True
    if denied and knows.is_parent(subject, found.dataset) and (isinstance(walk.peek(1), Thing) or _is_another(walk)):
        walk.leave_over()
        return True
    if isinstance(last, Membership) and last.negated and listed and not walk.having:
        denied, walk.alternative = True, False  # "without loans or accounts" has neither
    walk.negated = False
    label = knows.dataset(found.dataset).label
    waiting = _take_waiting_values(walk, found)
    denies = denied or any(map(_is_negative, waiting))
    plain = tuple(map(_positive, waiting))
    walk.add_filter(Membership(dataset=found.dataset, negated=denies, via=way_to(walk, found), filters=plain))
    walk.take(1, f"{'without' if denied else 'with'} {label}")
    return True


def _is_another(walk: Walk) -> bool:
    """ "a city other than that of their branch": one that differs, where "without" would lack any."""
    behind = -1
    while walk.is_cue(behind, "relative", "have"):
        behind -= 1
    return walk.is_cue(behind, "not") and walk.items[walk.position + behind].text.lower() == "other than"


def _is_any(walk: Walk) -> bool:
    """ "how many loans have a broker", of which nothing more is said: those for which it is known."""
    following = walk.peek(1)
    ended = following is None or isinstance(following, Days) or walk.is_cue(1, "stop", "group", "each")
    return walk.having and walk.items[walk.position].indefinite and ended


def _belongs_to_its_own(walk: Walk, found: Thing) -> bool:
    """ "agents without a supervisor", who is an agent too; "with their supervisor" shows the supervisor."""
    one = walk.items[walk.position].indefinite and walk.having
    if found in walk.sketch.things or not leads_to_its_own(found, walk.knowledge) or not (walk.negated or one):
        return False
    lacks = walk.use_negation()
    walk.add_filter(has_superior(found, walk.knowledge, lacks=lacks))
    walk.take(1, "without one" if lacks else "with one")
    return True


def _is_said_by_verb(walk: Walk, found: Thing) -> bool:
    """ "how many clients traded": those with trades."""
    said = words(walk.text())
    return len(said) == 1 and said[0].endswith("ed") and not walk.knowledge.lexicon.is_noun(said[0], found)


def is_shown_beside(walk: Walk, found: Thing) -> bool:
    """ "debits with account number and branch": what each row belongs to is a column where nothing narrows it."""
    subject, knows = walk.subject, walk.knowledge
    if subject is None or not knows.is_parent(subject, found.dataset):
        return False
    following = walk.peek(1)
    narrowed = isinstance(following, Stored | Attribute) and following.dataset == found.dataset
    if narrowed or isinstance(following, Days | Quote) or walk.is_cue(1, "have", "relative", "compare"):
        return False
    named = walk.peek(-2)
    listed = walk.is_cue(-1, "and", "stop") and (named in walk.sketch.attributes or named in walk.sketch.beside)
    apart = walk.items[walk.position].apart  # "and the customers", "and their customers"
    theirs = walk.is_cue(-1, "and") and (apart or {"their", "its"} & {*words(walk.items[walk.position - 1].text)})
    theirs = theirs and not walk.sketch.measures
    listed = listed or bool(theirs) or is_listed(walk)
    return listed or (walk.is_cue(-1, "have") and walk.items[walk.position - 1].text.lower() == "with")


def _take_rows_of_value(walk: Walk, found: Thing) -> None:
    """ "relationship managers with no customers": a value said like a noun stands for its rows."""
    first = walk.sketch.filters[0] if walk.sketch.filters else None
    if isinstance(first, Condition) and walk.knowledge.is_parent(found.dataset, first.field.dataset):
        walk.sketch.things.append(Thing(first.field.dataset))


def _take_waiting_values(walk: Walk, found: Thing) -> list[Condition]:
    """Values said right before the thing describe it: "a gold card", "business loans", "or with a gold loan"."""
    filters = walk.sketch.filters
    moved: list[Condition] = []
    last = filters[-1] if filters else None
    if isinstance(last, AnyOf) and isinstance(value := last.filters[-1], Condition) and _describes(walk, value, found):
        *others, _ = last.filters
        filters[-1] = AnyOf(filters=tuple(others)) if len(others) > 1 else others[0]
        walk.alternative = True
        return [value]
    behind = -1
    while walk.is_cue(behind, "and", "or", "both", "stop"):
        behind -= 1
    apart = walk.is_cue(behind, "have", "not", "relative") or isinstance(walk.peek(behind), Days)
    while not (walk.alternative or apart) and filters:
        last = filters[-1]
        if not (isinstance(last, Condition) and _describes(walk, last, found)):
            break
        moved.insert(0, last)
        filters.pop()
    return moved


def _describes(walk: Walk, value: Condition, found: Thing) -> bool:
    """A value describes the thing after it, also by the name of a code that the thing has and the subject has not."""
    knows, subject, dataset = walk.knowledge, walk.subject, value.field.dataset
    own = subject is not None and knows.is_parent(subject, dataset)
    return dataset == found.dataset or (knows.is_parent(found.dataset, dataset) and subject != dataset and not own)


def _is_negative(item: Condition) -> bool:
    return item.operator in {"!=", "not in"}


def _positive(item: Condition) -> Condition:
    if _is_negative(item):
        return item.model_copy(update={"operator": "=" if item.operator == "!=" else "in"})
    return item

"""Fields said like properties: "NPA loans", "KYC not verified", "without an e-mail address"."""

from __future__ import annotations

from ai_engine.built_in.knowledge import ref
from ai_engine.built_in.meanings import Attribute, Number, Stored, Thing
from ai_engine.built_in.rules.denials import LEAVING_OUT
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.intent import Condition
from ai_engine.semantics.model import Field
from ai_engine.semantics.words import words

DATE_NOUNS = frozenset({"date", "dates", "day", "time", "timestamp", "month", "year", "birthday", "dob", "end"})
_IRREGULAR = frozenset("left sold sent built begun drawn withdrawn taken given written broken".split())
_DENYING = frozenset({"not", "never", "cannot", "neither", "nor", "non", "no longer"})  # said of verbs, not of nouns


_RATES = frozenset({"rate", "rates", "percent", "percentage"})
_MONEY_WENT = frozenset({"paid", "received", "earned", "collected", "charged", "incurred"})


def says_its_value(walk: Walk, found: Attribute) -> bool:
    """ "KYC not verified": the field only tells where the value stands."""
    value = walk.peek(walk.skip(1, "not"))
    if not walk.is_cue(1, "not") or not isinstance(value, Stored):
        return False
    if (value.dataset, value.field) != (found.dataset, found.field):
        return False
    walk.take(1)
    return True


def of_numbered_row(walk: Walk, found: Attribute) -> bool:
    """ "status of loan 17", "amount of loan number 17": the number tells which row by its key."""
    ahead = 1 + (walk.is_cue(1, "weak") and walk.items[walk.position + 1].text.lower() == "number")
    number, said = walk.peek(ahead), words(walk.items[walk.position].text)
    if not isinstance(number, Number) or number.unit is not None:
        return False
    key = walk.knowledge.numbered_by(found.dataset, number.value)
    if key is None or key == ref(found):
        return False
    of_thing = "of" in said and walk.knowledge.lexicon.is_noun(said[-1], Thing(key.dataset))
    if not of_thing or walk.items[walk.position + ahead].apart or walk.superlative is not None:
        return False
    walk.sketch.attributes.append(found)
    walk.sketch.things += [] if walk.sketch.things else [Thing(key.dataset)]
    walk.add_filter(Condition(field=key, operator="=", values=(walk.knowledge.typed(key, number),)))
    walk.take(ahead + 1, f"{walk.knowledge.field(key).label} is {number.value}")
    return True


def may_lack(walk: Walk, item: Field) -> bool:
    """ "without an e-mail address", "never closed": a row may lack the field; what "no issue" denies is not a date."""
    if not (walk.is_cue(-1, "not") or (walk.is_cue(-1, "have") and walk.is_cue(-2, "not"))):
        return False  # "never had an offer? Return the name": what was denied came before
    before = walk.items[walk.position - 1].text.lower()
    if before in LEAVING_OUT:
        return False  # "excluding types never sold" leaves rows out, "excluding the email" a column
    if item.role == "time":
        said = words(walk.text())
        if before in _DENYING:
            return all(word.endswith(("ed", "id")) or word in _IRREGULAR for word in said)
        return bool(DATE_NOUNS.intersection(said)) or (len(said) > 1 and said == words(item.label))
    rated = item.role == "measure" and item.default_aggregate == "avg"  # a score of 0 is a score, as no amount is
    return before not in _DENYING and (rated or item.role in {"text", "name", "category", "identifier"})


def has_one(walk: Walk, item: Field) -> bool:
    """ "accounts with a closing date" are those that have one; "with the closing date" shows it."""
    said, found = walk.items[walk.position], walk.peek()
    of_listed = isinstance(found, Attribute) and found.dataset in {named.dataset for named in walk.sketch.attributes}
    rows_named = bool(walk.sketch.things) or of_listed  # "names of customers with a score"
    return walk.having and said.indefinite and rows_named and item.role != "flag"


def is_one_of_its_values(walk: Walk, found: Attribute) -> bool:
    """ "NPA clients", "the maximum NPA": what is exactly a value is no name of the field, unless rows go by it."""
    noun, pending, best = walk.peek(1), walk.pending, walk.superlative
    described = isinstance(noun, Thing) and noun.dataset != found.dataset and not walk.items[walk.position + 1].apart
    of_an_edge = pending is not None and not {"max", "min"}.isdisjoint(pending.aggregates)
    of_an_edge |= best is not None and best.kind in {"high", "low"}
    if not (described or of_an_edge) or walk.knowledge.field(found).role != "category":
        return False
    values = (known.meaning for known in walk.knowledge.lexicon.stored(words(walk.text())))
    return any(isinstance(one, Stored) and (one.dataset, one.field) == (found.dataset, found.field) for one in values)


def is_money_at_a_rate(walk: Walk, found: Attribute) -> bool:
    """ "interest paid to members": an amount of money went, and no rate."""
    left_out = set(words(walk.knowledge.field(found).label)) - set(words(walk.text()))
    verb = walk.items[walk.position + 1].text.lower().split()[0] if walk.is_cue(1, "have") else ""
    return bool(_RATES & left_out) and verb in _MONEY_WENT


def is_adjective(walk: Walk) -> bool:
    """ "NPA loans", "accounts that are frozen": a yes-or-no field said like a property."""
    following = walk.peek(1)
    said_before = isinstance(walk.peek(-1), Thing) or walk.is_cue(-1, "relative", "not", "aggregate", "have")
    of_figures = bool(walk.sketch.measures) and not walk.is_cue(-1, "and", "stop", "group", "each")
    return isinstance(following, Thing | Stored) or said_before or walk.sketch.share or walk.having or of_figures


def add_flag(walk: Walk, found: Attribute) -> None:
    """Ask for the rows of which the field says yes, or no where that was said."""
    stored = walk.knowledge.flag_value(found, yes=not walk.use_negation())
    walk.add_filter(Condition(field=ref(found), operator="=", values=(stored,)))

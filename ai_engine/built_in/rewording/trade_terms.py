"""Figures and kinds that banking has a short name for, said by what this database keeps: CASA, NPA amount, TAT."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import BESIDE_AMOUNTS, Knowledge
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.rewording.deposit_terms import (
    LENT,
    deposits,
    figure_of,
    keeps_deposits_only,
    kind_of_account,
    money_lent,
    named_fully,
    rows_called,
    savings_and_current,
)
from ai_engine.built_in.rewording.durations import is_said, turnaround
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.built_in.rewording.limit_use import use_of_limit
from ai_engine.built_in.rewording.rows_in_states import (
    OUTCOMES,
    ROWS_IN_STATES,
    many,
    overdue,
    rows_in_state,
    state_called,
)
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import words

_STATES = {
    r"turned down|turned away|knocked back|thrown out|said no to": "declined rejected refused denied dismissed",
    r"given the (?:go[- ]ahead|green light|nod|all[- ]clear)|green[- ]?lit|waved through|okayed|ok'd|said yes to":
        "approved accepted granted authorised authorized",
    r"called off|scrapped": "cancelled canceled",
    r"sent back": "returned",
    r"paid back(?: in full)?": "repaid",
    r"northern": "north", r"southern": "south", r"eastern": "east", r"western": "west",
}  # fmt: skip
_RATIO = r"(?:ratio|%|pct|percent(?:age)?|share|rate)"
_BOUND = (
    r"(?:is\s+)?(?:over|above|below|under|more than|less than|at least|at most|>=?|<=?)\s*[\d.]+\s*(?:%|percent|pct)"
)
_AMOUNT = r"(?:amts?|amounts?|bal|balances?|outstanding|book|exposure|value)"
_CHARGED = frozenset("charge charges fare fares sale sales billed invoiced tuition".split())
_SOLD = frozenset("invoice order sale booking bill reservation".split())
_SUMS = frozenset("amount total value".split())


def in_terms_of_the_database(question: str, knowledge: Knowledge) -> WrittenOut:
    """Say each such term in words that the vocabulary has, and what it was taken for; a name of its own stays."""
    notes: list[str] = []
    for term in _TERMS:

        def said(found: re.Match[str], term: _Term = term, question: str = question) -> str:
            if term.name and _is_known(term.name, knowledge):
                return found.group()
            meaning = term.meaning(found, question, knowledge)
            if meaning is None:
                return found.group()
            notes.append(f"“{found.group().strip()}” was read as {meaning}")
            return meaning

        question = term.spelled.sub(said, question)
    return WrittenOut(question, tuple(dict.fromkeys(notes)))


_Meaning = Callable[[re.Match[str], str, Knowledge], str | None]


@dataclass(frozen=True)
class _Term:
    """How a term is spelled, and what gives its meaning here; one with a `name` is left where that names something."""

    spelled: re.Pattern[str]
    meaning: _Meaning
    name: str = ""


def _is_known(term: str, knowledge: Knowledge) -> bool:
    key = words(term)
    return bool(knowledge.lexicon.names(key) or knowledge.lexicon.stored(key))


def _flagged(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "NPA amount", "NPA %": of loans in such a state what is owed counts, in total or as part of all that is owed."""
    flag = next(
        (
            c.meaning
            for c in knowledge.lexicon.names(words(found["flag"]))
            if isinstance(c.meaning, Attribute) and knowledge.field(c.meaning).role == "flag"
        ),
        None,
    )
    if flag is None or (words(found["what"]) and _is_known(f"{found['flag']} {found['what']}", knowledge)):
        return None
    rows = knowledge.dataset(flag.dataset)
    owed = figure_of(rows, "outstanding")
    if owed is None:
        return None
    kind, grouped = f"{found['flag']} {plural(rows.label)}", found["group"] or ""
    if re.fullmatch(_AMOUNT, found["what"], re.IGNORECASE):
        return f"total {owed.label} of {kind}{grouped}"
    by_number = found["base"] is not None and re.search(r"count|number|loans|accounts|nos?\b", found["base"], re.I)
    return f"percentage of {kind}{'' if by_number else f' in total {owed.label}'}{grouped}"


def _used(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "utilisation": what is owed of the limit that stands beside it."""
    both = [(dataset, use) for dataset in knowledge.model.datasets if (use := use_of_limit(dataset)) is not None]
    if len(both) != 1:
        return None
    dataset, (used, limit) = both[0]
    if found["bound"]:
        return f"{used.label} {found['bound']} of {limit.label}"
    grouped, kind = found["group"] or "", f", {found['kind']} {plural(dataset.label)}" if found["kind"] else ""
    return f"total {used.label} as a percentage of total {limit.label}{grouped}{kind}"


def _ticket(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """The size of one loan, order or payment: the main amount of the rows that are named."""
    named = [item for item in knowledge.model.datasets if is_said(item, question)]
    amounts = [(item, knowledge.main_measure(item.name, money_only=True)) for item in named]
    known = [(item, knowledge.field(amount)) for item, amount in amounts if amount is not None]
    return named_fully(*known[0]) if len(known) == 1 else None


def _lent_of_deposits(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """The credit-deposit ratio: what is lent over what is deposited."""
    loans, accounts = rows_called("loan", knowledge), rows_called("account", knowledge)
    owed, held = figure_of(loans, "outstanding"), figure_of(accounts, "balance")
    if loans is None or accounts is None or owed is None or held is None:
        return None
    if not keeps_deposits_only(accounts, knowledge):
        return None
    grouped = f" {found['group']}" if found["group"] else ""
    return f"total {named_fully(loans, owed)} as a percentage of total {named_fully(accounts, held)}{grouped}"


def _outcome(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "failure rate", "cancellation %": the share of the rows in the state that is stored."""
    state = state_called(found["noun"].lower(), knowledge)
    return f"{state} rate" if state is not None and not _is_known(f"{found['noun']} rate", knowledge) else None


def _state(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "turned down", where the data says "declined" or "rejected"."""
    states = next(said for spelled, said in _STATES.items() if re.fullmatch(spelled, found.group(), re.IGNORECASE))
    stored = [state for state in states.split() if knowledge.lexicon.values.exactly((state,))]
    if len(stored) != 1 or _is_known(found.group(), knowledge):
        return None
    places = {(value.dataset, value.field) for value in knowledge.lexicon.values.exactly((stored[0],))}
    if (stored[0],) not in cue_table().by_phrase or len(places) > 1:
        return stored[0]
    dataset, field = places.pop()  # "declined" alone may be a change
    return f"{knowledge.model.dataset(dataset).field(field).label} {stored[0]}"


def _interest(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "avg rate on FDs": where only interest rates are kept, that is the rate."""
    rates = {
        item.label for dataset in knowledge.model.datasets for item in dataset.fields if "rate" in words(item.label)
    }
    return "interest rate" if rates and all("interest" in words(label) for label in rates) else None


def _lent(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "loan book": what is owed on all loans, unless the question says which amount it means."""
    loans = rows_called("loan", knowledge)
    if loans is None:
        return None
    owed = figure_of(loans, "outstanding")
    said = re.search(r"\b(?:outstanding|amounts?|balance|sanctioned|disbursed|number|count|cnt|how many)\b", question)
    return plural(loans.label) if said or owed is None else f"total {named_fully(loans, owed)}"


def _earned(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "revenue", where one figure of all tables is what is charged for what was sold or done."""
    if _is_known(words(found.group())[-1], knowledge):
        return None
    datasets = knowledge.model.datasets
    money = [
        (dataset, item)
        for dataset in datasets
        for item in dataset.fields
        if item.role == "measure" and item.default_aggregate == "sum" and BESIDE_AMOUNTS.isdisjoint(words(item.label))
    ]
    charged = [
        (dataset, item)
        for dataset, item in money
        if not _CHARGED.isdisjoint(words(item.label))
        or (not _SOLD.isdisjoint(words(dataset.label)) and words(item.label)[-1] in _SUMS)
    ]
    if len(charged) != 1:
        return None
    dataset, item = charged[0]
    alone = sum(other.label == item.label for _, other in money) == 1
    called = item.label if alone else named_fully(dataset, item)
    before = found["before"]  # "freight revenue" is the freight charge
    return called if before is None or before.lower() in words(called) else f"{before} {called}"


def _living(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "live accounts" are those whose status is active, where no status is called live."""
    known = knowledge.lexicon
    return "active" if known.stored(("active",)) and not known.values.exactly(("live",)) else None


def _credit_card(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    cards = rows_called("card", knowledge)
    told = cards is not None and knowledge.lexicon.tells_apart("credit", Thing(cards.name))
    return f"credit card{found['many'] or ''}" if told else None


_LONGER = "more than|over|at least"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'\"`‘“/-])(?:{text})(?![\w'’-])", re.IGNORECASE)


_TERMS = (
    _Term(_pattern(rf"CASA(?P<ratio>\s+{_RATIO}(?:\s*(?:%|pct|percent)?\s*(?:of|to|in)\s+(?:total\s+)?deposits)?)?"),
          savings_and_current, "casa"),
    _Term(re.compile(r"(?<![\w'-])(?P<kind>SB)(?![\w'-])", re.IGNORECASE), kind_of_account, "sb"),
    _Term(re.compile(r"(?<![\w'-])(?P<kind>CA)(?=\s+(?:a/?cs?|acc\w*|bal\w*|only|and|n|or)\b)"),
          kind_of_account, "ca"),
    _Term(_pattern(r"cc(?P<many>s?)"), _credit_card, "cc"),
    _Term(_pattern(r"(?:loan\s+(?:book|portfolio)|advances)"), _lent, "loan book"),
    _Term(_pattern(LENT), money_lent),
    _Term(_pattern(r"live\s*\(active\)"
             r"|live(?=\s+(?!in\b|at\b|with\b)\w)|(?:(?<=and )|(?<=are )|(?<=, ))live(?=\s*$)"), _living),
    _Term(_pattern(r"(?<=avg )rate|(?<=average )rate|(?<=highest )rate|(?<=lowest )rate|(?<=max )rate|(?<=min )rate"
             r"|(?<=, )rate(?=\s*(?:[,;)?.]|$))"),
          _interest),
    _Term(_pattern(
        r"(?:CD|LDR|LD|credit[ -](?:to[ -])?deposit|loan[ -]to[ -]deposit)\s+ratio(?:\s+(?P<group>(?:by|per)\s+\w+))?"
        r"(?:\s*[:(=]\s*(?:total\s+)?(?:loans?|advances|credit)\b[^,;)]*?(?:\bover\b|/|\bby\b|\bto\b)"
        r"\s*(?:total\s+)?deposits?\)?)?"
        r"(?:,?\s*(?:in\s+)?(?:pct|percent|%))?"), _lent_of_deposits),
    _Term(_pattern(
        rf"(?:total\s+)?(?:gross\s+)?(?P<flag>[A-Za-z]{{3,}})\s+(?P<what>{_AMOUNT}|{_RATIO})"
        r"(?P<group>\s+(?:by|per|for each)\s+\w+(?=\s*\())?"
        r"(?P<base>\s*\(?(?:on|by|of)\s+(?:outstanding|o/s|amount|value|balance|count|number|nos?|loans|accounts)\)?)?"),
        _flagged),
    _Term(_pattern(rf"(?:(?P<kind>credit)\s+card\s+|card\s+|credit\s+|limit\s+)?(?:average\s+)?utili[sz]ation(?:\s+{_RATIO})?"
        rf"(?:\s*(?P<bound>{_BOUND}))?(?P<group>\s+(?:by|per|for each)\s+\w+)?"), _used,
          "utilisation"),
    _Term(_pattern(r"(?:TAT|turn\s?-?around\s+time)(?:\s+\(?(?:in\s+)?days\)?)?"), turnaround, "tat"),
    _Term(_pattern(r"ticket\s+sizes?"), _ticket, "ticket size"),
    _Term(_pattern(
        r"(?:(?P<before>[a-z]+)\s+)?(?:revenues?|turnover"
        r"|(?<!of )(?<!many )(?<!per )sales(?!-?\s?(?:person|people|man|men|rep|team|staff|manager)))"), _earned),
    _Term(_pattern("|".join(_STATES)), _state),
    _Term(_pattern(rf"(?P<noun>{'|'.join(OUTCOMES)})\s+(?:rates?|ratio|%|pct|percent(?:age)?)"
        r"(?:\s*(?:in\s+)?%)?"), _outcome),
    _Term(_pattern(rf"(?P<noun>{'|'.join(map(many, ROWS_IN_STATES))})"), rows_in_state),
    _Term(_pattern(rf"(?:(?P<bound_before>{_LONGER}) (?P<before>\d{{1,4}}) days )?"
        r"(?:that are |which are |are )?(?:overdue|(?<!days )past due|past (?:their|its) due dates?)"
        rf"(?: by)?(?: (?P<bound>{_LONGER}) (?P<days>\d{{1,4}}) days)?(?: (?:as of|as on|by) (?:today|now))?"),
          overdue),
    _Term(_pattern(
        r"(?P<sum>total\s+)?(?<!fixed )(?<!term )(?<!recurring )(?<!security )(?<!call )deposits?"
        r"(?:\s+(?P<noun>bal|balances?|amts?|amounts?|a/?cs?|accts?|accounts?))?"), deposits, "deposit"),
)  # fmt: skip

"""Figures and kinds that banking has a short name for, said by what this database keeps: CASA, NPA amount, TAT."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ai_engine.built_in.glossary import WrittenOut
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.limit_use import figure_called, use_of_limit
from ai_engine.built_in.meanings import Attribute, Stored, Thing
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import stem, words

_RATIO = r"(?:ratio|%|pct|percent(?:age)?|share|rate)"
_BOUND = (
    r"(?:is\s+)?(?:over|above|below|under|more than|less than|at least|at most|>=?|<=?)\s*[\d.]+\s*(?:%|percent|pct)"
)
_AMOUNT = r"(?:amts?|amounts?|bal|balances?|outstanding|book|exposure|value)"
_LENDING = frozenset(map(stem, "loan overdraft credit card mortgage advance od cc".split()))
_BEGUN = frozenset(
    map(stem, "raised opened filed received reported logged lodged submitted requested intimated".split())
)
_ENDED = frozenset(map(stem, "resolved closed completed settled decided disposed".split()))
_COUNTING = re.compile(r"\b(?:how many|number of|no\.? of|count of|list|show|which)\s+$", re.IGNORECASE)
_NARROWED = re.compile(
    r"\s+(?:over|above|below|under|of (?:more|less|over)|more than|less than|with|opened|matur|>|<)", re.I
)
_AVERAGED = re.compile(r"\b(?:avg|average|mean|median|max(?:imum)?|min(?:imum)?|highest|lowest)\s+$", re.IGNORECASE)
_OUTCOMES = {
    "failure": "failed", "cancellation": "cancelled canceled", "rejection": "rejected", "approval": "approved",
    "closure": "closed", "completion": "completed", "resolution": "resolved", "reversal": "reversed",
    "expiry": "expired", "settlement": "settled", "delinquency": "delinquent", "dormancy": "dormant",
    "default": "defaulted default", "success": "success successful succeeded", "denial": "denied",
    "activation": "activated active", "escalation": "escalated", "decline": "declined", "dispute": "disputed",
    "conversion": "converted", "refund": "refunded", "return": "returned", "withdrawal": "withdrawn",
    "renewal": "renewed", "repudiation": "repudiated", "bounce": "bounced", "lapse": "lapsed",
}  # fmt: skip


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


def _dataset(noun: str, knowledge: Knowledge) -> Dataset | None:
    found = {c.meaning for c in knowledge.lexicon.names((noun,)) if isinstance(c.meaning, Thing) and c.cost < _CLEAR}
    plain = {item.dataset for item in found}
    return knowledge.dataset(plain.pop()) if len(plain) == 1 else None


_CLEAR = 0.3


def _figure(dataset: Dataset | None, *said: str) -> Field | None:
    return figure_called(dataset, *said) if dataset is not None else None


def _named(dataset: Dataset, item: Field) -> str:
    """The figure with its table's noun, which tells it from others of the same name."""
    return item.label if dataset.label in item.label else f"{dataset.label} {item.label}"


def _holds(knowledge: Knowledge, *kinds: str) -> bool:
    """Whether one field tells all these kinds apart."""
    places = [
        {
            (c.meaning.dataset, c.meaning.field)
            for c in knowledge.lexicon.stored((kind,))
            if isinstance(c.meaning, Stored)
        }
        for kind in kinds
    ]
    return bool(set.intersection(*places))


def _casa(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """Current and savings accounts together, and their part of all deposits."""
    accounts = _dataset("account", knowledge)
    balance = _figure(accounts, "balance")
    if accounts is None or not _holds(knowledge, "savings", "current"):
        return None
    if found["ratio"] is None:
        return "savings or current"
    if balance is None or not _keeps_deposits_only(accounts, knowledge):
        return None
    return f"percentage of savings or current {plural(accounts.label)} in total {balance.label}"


def _kind_of_account(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    kind = "savings" if found["kind"][0] in "sS" else "current"
    return kind if _holds(knowledge, "savings", "current") else None


def _keeps_deposits_only(accounts: Dataset, knowledge: Knowledge) -> bool:
    """Whether no kind of account is one of lending."""
    for item in accounts.fields:
        known = knowledge.vocabulary.values.values_of(accounts.name, item.name)
        held = {stem(word) for value in (known.values if known else ()) for word in words(str(value))}
        if item.role == "category" and held & _LENDING:
            return False
    return True


def _deposits(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:
    """ "total deposits" are what the accounts hold, "deposits over 10 lakh" the accounts that hold it."""
    accounts = _dataset("account", knowledge)
    balance = _figure(accounts, "balance")
    if accounts is None or balance is None or not _keeps_deposits_only(accounts, knowledge):
        return None
    noun, following = (found["noun"] or "").lower(), question[found.end() :]
    rows = noun.startswith("ac") or noun.startswith("a/c") or _NARROWED.match(following)
    if rows or (_COUNTING.search(question[: found.start()]) and not noun):
        return plural(accounts.label)
    averaged = _AVERAGED.search(question[: found.start()])
    return f"{'' if averaged else 'total '}{_named(accounts, balance)}"


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
    owed = _figure(rows, "outstanding")
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


def _turnaround(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """From the day a case was raised to the day it was resolved, of the one table that keeps both."""
    spans = [(_only(dataset, _BEGUN), _only(dataset, _ENDED)) for dataset in knowledge.model.datasets]
    named = [
        (dataset, span)
        for dataset, span in zip(knowledge.model.datasets, spans, strict=True)
        if all(span) and _is_said(dataset, question)
    ]
    if len(named) != 1:
        return None
    start, end = named[0][1]
    return f"days from {start.label} to {end.label}" if start is not None and end is not None else None


def _only(dataset: Dataset, events: frozenset[str]) -> Field | None:
    dates = [
        item for item in dataset.fields if item.role == "time" and events.intersection(map(stem, words(item.label)))
    ]
    return dates[0] if len(dates) == 1 else None


def _is_said(dataset: Dataset, question: str) -> bool:
    asked = {stem(word) for word in words(question)}
    return any({stem(word) for word in words(name)} <= asked for name in (dataset.label, *dataset.synonyms))


def _ticket(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """The size of one loan, order or payment: the main amount of the rows that are named."""
    named = [item for item in knowledge.model.datasets if _is_said(item, question)]
    amounts = [(item, knowledge.main_measure(item.name, money_only=True)) for item in named]
    known = [(item, knowledge.field(amount)) for item, amount in amounts if amount is not None]
    return _named(*known[0]) if len(known) == 1 else None


def _lent_of_deposits(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """The credit-deposit ratio: what is lent over what is deposited."""
    loans, accounts = _dataset("loan", knowledge), _dataset("account", knowledge)
    owed, held = _figure(loans, "outstanding"), _figure(accounts, "balance")
    if loans is None or accounts is None or owed is None or held is None:
        return None
    if not _keeps_deposits_only(accounts, knowledge):
        return None
    grouped = f" {found['group']}" if found["group"] else ""
    return f"total {_named(loans, owed)} as a percentage of total {_named(accounts, held)}{grouped}"


def _outcome(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    """ "failure rate", "cancellation %": the share of the rows in the state that is stored."""
    for state in _OUTCOMES[found["noun"].lower()].split():
        if knowledge.lexicon.stored((state,)) and not _is_known(f"{found['noun']} rate", knowledge):
            return f"{state} rate"
    return None


def _credit_card(found: re.Match[str], question: str, knowledge: Knowledge) -> str | None:  # noqa: ARG001
    cards = _dataset("card", knowledge)
    told = cards is not None and knowledge.lexicon.tells_apart("credit", Thing(cards.name))
    return f"credit card{found['many'] or ''}" if told else None


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'\"`‘“/-])(?:{text})(?![\w'’-])", re.IGNORECASE)


_REMARK = r"(?:\s*[:(,]?\s*(?:as\s+)?(?:a\s+)?(?:%|pct|percent(?:age)?)(?:\s+of\s+(?:all|total)\s+\w+)?\)?)?"
_TERMS = (
    _Term(_pattern(rf"CASA(?P<ratio>\s+{_RATIO}(?:\s*(?:%|pct|percent)?\s*(?:of|to|in)\s+(?:total\s+)?deposits)?)?"),
          _casa, "casa"),
    _Term(re.compile(r"(?<![\w'-])(?P<kind>SB)(?![\w'-])", re.IGNORECASE), _kind_of_account, "sb"),
    _Term(re.compile(r"(?<![\w'-])(?P<kind>CA)(?=\s+(?:a/?cs?|acc\w*|bal\w*|only|and|n|or)\b)"),
          _kind_of_account, "ca"),
    _Term(_pattern(r"cc(?P<many>s?)"), _credit_card, "cc"),
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
    _Term(_pattern(r"(?:TAT|turn\s?-?around\s+time)(?:\s+\(?(?:in\s+)?days\)?)?"), _turnaround, "tat"),
    _Term(_pattern(r"ticket\s+sizes?"), _ticket, "ticket size"),
    _Term(_pattern(rf"(?P<noun>{'|'.join(_OUTCOMES)})\s+(?:rates?|ratio|%|pct|percent(?:age)?)"), _outcome),
    _Term(_pattern(
        r"(?P<sum>total\s+)?(?<!fixed )(?<!term )(?<!recurring )(?<!security )(?<!call )deposits?"
        r"(?:\s+(?P<noun>bal|balances?|amts?|amounts?|a/?cs?|accts?|accounts?))?"), _deposits, "deposit"),
)  # fmt: skip

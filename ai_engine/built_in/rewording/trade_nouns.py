"""Words of the trade that a database says otherwise: borrowers, cardholders, credit cards, "unverified"."""

from __future__ import annotations

import re

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.numbers import SCALES
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.semantics.names import singular
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.schema_words import ABBREVIATIONS
from ai_engine.semantics.words import stem, words

_HELD = {
    "borrower": "loan", "saver": "savings",
    "account holder": "account", "accountholder": "account", "depositor": "account",
    "card holder": "card", "cardholder": "card", "policy holder": "policy", "policyholder": "policy",
}  # fmt: skip
_KINDS = {"card": "credit|bank|payment", "account": "bank", "transaction": "bank|financial", "loan": "bank"}


def _spaced(words_of_a_noun: str) -> str:
    return words_of_a_noun.replace(" ", r"[\s-]+")


_HOLDER = re.compile(
    r"(?<!\w)(?:account |card |policy )?holder(?:'s|s'|s)?(?P<name> names?)?(?=\s*(?:[,;)?.&+]|and\b|n\b|$))",
    re.IGNORECASE,
)
_ROLE = re.compile(
    rf"\b(?P<role>{'|'.join(_spaced(role) for role in _HELD)})"
    r"(?P<end>s?(?:'s|s')?)(?=\W|$)(?P<next>\s+\w+)?",
    re.IGNORECASE,
)
_KIND = re.compile(
    rf"\b(?:{'|'.join(_spaced(f'(?:{kinds}) {noun}') for noun, kinds in _KINDS.items())})(?=s?\b)", re.IGNORECASE
)
_DENIED = re.compile(r"\b(?:un|in|non-)(?P<value>[a-z]{4,})\b", re.IGNORECASE)
_WORD = re.compile(r"(?<![\w'\"`“‘./-])[A-Za-z]{2,8}(?![\w'\"`”’]|[-/.]\w)")  # the AC of "AC-1007/7" is no account
_COUNTED_IN = re.compile(r"(?:\bin(?:\s+(?:rs|inr|usd)\.?)?|\d)\s*$", re.IGNORECASE)
_EXACT = 0.1


def in_words_of_the_vocabulary(question: str, knowledge: Knowledge) -> WrittenOut:
    """Say such a noun in words that the vocabulary has, and what it was taken for; a noun of its own stays."""
    assumptions: list[str] = []

    def whole(found: re.Match[str]) -> str:
        kind, noun = words(found.group())
        thing = _thing(noun, knowledge)
        if thing is None or knowledge.lexicon.tells_apart(kind, thing) or knowledge.lexicon.names_together(kind, noun):
            return found.group()
        assumptions.append(f"“{found.group()}” was read as any {noun}: there are no kinds to tell apart")
        return noun

    def people(found: re.Match[str]) -> str:
        role = " ".join(words(found["role"]))
        apart = role.replace("holder", " holder").replace("  ", " ").strip()
        if apart != role and _names(apart, knowledge, Thing):  # "cardholders" are the card holders
            return f"{apart}{found['end']}{found['next'] or ''}"
        held = _thing(_HELD[role], knowledge)
        if knowledge.people is None or held in {None, Thing(knowledge.people)} or _names(role, knowledge, Thing):
            return found.group()
        noun = knowledge.dataset(knowledge.people).label
        following = found["next"] or ""
        rest = question[: found.start()] + question[found.end("end") :]
        if "'" in found["end"] or _said_elsewhere(_HELD[role], rest):
            meaning = f"{noun}{found['end']}"
        elif following and _names(f"{noun} {following}", knowledge, Attribute):
            meaning, following = f"{noun}{following} with {plural(_HELD[role])}", ""
        else:
            meaning = f"{plural(noun)} with {plural(_HELD[role])}"
        assumptions.append(f"“{found['role']}{found['end']}” was read as {meaning}")
        return f"{meaning}{following}"

    def denied(found: re.Match[str]) -> str:
        value = words(found["value"])
        known = knowledge.lexicon
        happened = any(
            isinstance(c.meaning, Attribute) and knowledge.field(c.meaning).role in {"time", "flag"}
            for c in known.names(value)
        )
        happened = happened or value[-1] in known.dates_of_verbs or stem(value[-1]) in knowledge.participles
        if known.knows(found.group().lower()) or not (
            happened or known.values.exactly(value) or known.values.by_stem(value)
        ):
            return found.group()
        assumptions.append(f"“{found.group()}” was read as not {found['value']}")
        return f"not {found['value']}"

    def in_full(found: re.Match[str]) -> str:
        word = found.group()
        meaning = ABBREVIATIONS.get(word.lower(), "").replace("+", " ")
        known, key = knowledge.lexicon, (word.lower(),)
        if word.lower() in SCALES and _COUNTED_IN.search(question[: found.start()]):
            return word  # "5 cr", "in cr"
        if not meaning or key in cue_table().by_phrase or known.names(key) or known.stored(key):
            return word
        around = (*words(question[: found.start()])[-1:], word.lower(), *words(question[found.end() :])[:1])
        if any(known.names(around[at : at + 2]) for at in range(len(around) - 1)):
            return word  # "CD ratio"
        if not all(map(known.knows, meaning.split())):
            return word
        assumptions.append(f"“{word}” was read as {meaning}")
        return meaning

    def holder(found: re.Match[str]) -> str:
        listed = re.search(r"(?:[,:(–-]|\band|\bwith|\bby)\s*$", question[: found.start()])
        if knowledge.people is None or not listed or _names("holder", knowledge, Thing):
            return found.group()
        meaning = f"{knowledge.dataset(knowledge.people).label}{found['name'] or ''}"
        assumptions.append(f"“{found.group()}” was read as {meaning}")
        return meaning

    written = _DENIED.sub(
        denied, _ROLE.sub(people, _KIND.sub(whole, _WORD.sub(in_full, _HOLDER.sub(holder, question))))
    )
    return WrittenOut(written, tuple(dict.fromkeys(assumptions)))


def _thing(noun: str, knowledge: Knowledge) -> Thing | None:
    found = (c.meaning for c in knowledge.lexicon.names((noun,)) if isinstance(c.meaning, Thing))
    return next(found, None)


def _said_elsewhere(noun: str, rest: str) -> bool:
    return any(singular(word) == noun for word in words(rest))


def _names(phrase: str, knowledge: Knowledge, kind: type) -> bool:
    named = tuple(singular(word) for word in words(phrase))
    found = knowledge.lexicon.names(named)
    return any(isinstance(candidate.meaning, kind) and candidate.cost < _EXACT for candidate in found)

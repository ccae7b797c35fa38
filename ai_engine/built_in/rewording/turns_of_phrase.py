"""Everyday turns whose parts stand apart, said plainly: "from 5000 to 10000", "more loans than any other".

Each turn is a closed form with an open place or two; phrases that stand together are cues of `cues.yaml`.
"""

from __future__ import annotations

import re
from functools import partial

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.built_in.rewording.turns import TURNS, Said
from ai_engine.semantics.names import singular
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import words

_OWN_NAME = 0.2
_LITERALS = re.compile(r"(?<!\\)[a-z]+")
_LIVING = re.compile(
    r"\bwhat (?:he|she|they|each(?: of them| one)?|people|everyone|every \w+) (?:do|does) for a living\b"
    r"|\bhow (?:they|he|she|people) (?:earn|earns|make|makes) (?:their|his|her|a) living\b",
    re.IGNORECASE,
)
_KINDS_OF = re.compile(r"\b(?P<asks>what|which) (?:kinds|types|sorts) of (?P<noun>[a-z]+)\b", re.IGNORECASE)
_KEPT_MONEY = re.compile(
    r"\b(?P<keeps>has|have|having|with|holds?|holding|owns?|owning|keeps?|keeping) (?:the )?(?P<way>most|least) money\b"
    r"(?:,? (?:in total|overall|altogether|with us))?(?! (?:in|on|from|at|to|for)\b)",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(r"\b(?P<first>[a-z]+) (?P<last>[a-z]+),? \(?in (?:plain )?words\)?", re.IGNORECASE)
_NOT_KEPT = re.compile(
    r"\bno (?P<name>[a-z]+(?: [a-z]+){0,2}?) (?:on file|on record|recorded|captured|kept|given|known)\b", re.IGNORECASE
)
_DUE_BY_NOW = re.compile(r"\b(?:already|now) due\b(?! (?:to|in|on|for|from|by (?:the|end|\d))\b)", re.IGNORECASE)
_TRADES = ("occupation", "profession", "job", "job title", "employment", "work")
_QUOTED = re.compile(r"(?<!\w)[‘'\"“`][^‘’'\"“”`]{1,80}[’'\"”`](?!\w)")
_THAT_IS = re.compile(r"\b(?P<word>[a-z]{4,}),? \(?(?:i\.\s?e\.?|that is|meaning|in other words),? ", re.IGNORECASE)


def in_plain_words(question: str, knowledge: Knowledge) -> WrittenOut:
    """Say the turns of phrase of a question plainly; quoted texts stay as they are."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"\x01{len(kept) - 1}\x01"

    text = " ".join(_QUOTED.sub(keep, question.replace("\x01", " ")).split())
    assumptions: list[str] = []

    def explained(found: re.Match[str]) -> str:
        word = found["word"].lower()
        if knowledge.lexicon.knows(word) or knowledge.lexicon.corrections(word):
            return found.group()
        before = words(text[: found.start()])[-1:]
        if not all(map(knowledge.lexicon.knows, before)):
            return found.group()  # the words explain one of the two, and which is not said
        assumptions.append(f"“{found['word']}” was read as the words that explain it")
        return ""

    trade = next((name for name in _TRADES if _is_column(name, knowledge)), None)
    if trade is not None:
        text = _LIVING.sub(trade, text)
    if _is_column("due date", knowledge):
        text = _DUE_BY_NOW.sub("due until today", text)
    text = _THAT_IS.sub(explained, text)
    text = _KINDS_OF.sub(partial(_kinds, knowledge), text)
    text = _KEPT_MONEY.sub(partial(_kept_money, knowledge), text)
    text = _NOT_KEPT.sub(partial(_missing, knowledge), text)
    text = _IN_WORDS.sub(partial(_called, knowledge), text)
    for pattern, said in TURNS:
        text = pattern.sub(partial(_in_known_words, knowledge, said), text)
    for place, quoted in enumerate(kept):
        text = text.replace(f"\x01{place}\x01", quoted)
    return WrittenOut(text, tuple(assumptions))


def _in_known_words(knowledge: Knowledge, said: Said, found: re.Match[str]) -> str:
    """Say one turn plainly, unless a word that nobody knows would be lost in an open place of it."""
    plain = found.expand(said) if isinstance(said, str) else said(found)
    fixed = _LITERALS.findall(found.re.pattern)
    lost = set(words(found.group())).difference(words(plain), fixed)
    return plain if all(map(knowledge.lexicon.knows, lost)) else found.group()


def _kinds(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "what kinds of loans do we offer": their types, where that is a column."""
    noun = singular(found["noun"].lower())
    kind = next((kind for kind in ("type", "kind", "category") if _is_column(f"{noun} {kind}", knowledge)), None)
    return f"{found['asks']} {noun} {plural(kind)}" if kind is not None else found.group()


def _kept_money(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "who has the most money": what they have is their balance, not what they paid or borrowed."""
    way = "highest" if found["way"].lower() == "most" else "lowest"
    named = any(c.cost < _OWN_NAME for c in knowledge.lexicon.names(("balance",)) if isinstance(c.meaning, Attribute))
    return f"{found['keeps']} the {way} total balance" if named else found.group()  # points are no money


def _called(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "each claim status (in words)": what the code is called, where a column says so."""
    said = f"{found['first']} {found['last']} description"
    return said if _is_column(said.lower(), knowledge) else found.group()


def _missing(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "with no income on file": of a column, what is not kept is missing."""
    return f"missing {found['name']}" if _is_column(found["name"].lower(), knowledge) else found.group()


def _is_column(name: str, knowledge: Knowledge) -> bool:
    return any(isinstance(found.meaning, Attribute) for found in knowledge.lexicon.names(tuple(name.split())))

"""Those who are still there, by the date on which the others left: "still with us", "current staff", "in place"."""

from __future__ import annotations

import re
from functools import partial

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Stored, Thing
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.semantics.infer.events import event_phrases
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.words import words

_NOW = r"(?:right now|now|currently|at present|presently|at the moment|today|as of today|these days)"
_HERE = r"(?:with us|here|with the bank|at the bank|with the company|in the company|around|on the rolls|on the payroll)"
_WORKING = r"(?:working|works?|employed|serving|on the job)"
_AT_WORK = rf"(?:{_WORKING}(?:\s+(?:{_HERE}|for us|by us))?|in service|in office|{_HERE})"
_WHO = r"(?:(?:and|,)?\s*\b(?:(?:who|that|which)(?:\s+(?:is|are|was|were))?|(?:is|are)|(?:from\s+)?among\s+those)\s+)?"
_AWAY = re.compile(
    rf"{_WHO}(?:\b(?:no longer|not (?:any ?more|now))\s+(?:{_AT_WORK}|works?(?:\s+{_HERE}|\s+for us)?)"
    rf"|\bleft (?:us|the (?:bank|company|house)))(?![\w-])",
    re.IGNORECASE,
)
_STAYING = re.compile(
    rf"{_WHO}(?:\bstill\s+{_AT_WORK}|\b(?:currently|presently|at present)\s+(?:working|employed|serving|in service)"
    rf"(?:\s+(?:{_HERE}|for us|by us))?|\bin (?:place|post|position|office)\s+{_NOW}|\bhave(?:n't| not) left yet"
    rf"|\bdo(?:es)? (?:we|the bank) (?:currently|now|presently|still) have|\b{_NOW}(?=\s*(?:[?.!,;]|$)))"
    rf"(?:\s+(?:{_HERE}|{_NOW}))?(?![\w-])",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:current|present|serving|existing|in-service|(?P<gone>former|ex|previous))[\s-]+"
    r"(?P<noun>[a-z]+(?:\s+[a-z]+)?)",
    re.IGNORECASE,
)
_ALIVE = re.compile(
    rf"{_WHO}\b(?:still\s+)?alive(?![\w-])|(?<![\w-])(?:(?:still )?living|alive)\s+(?P<noun>[a-z]+(?:\s+[a-z]+)?)",
    re.IGNORECASE,
)
_STILL_SO = re.compile(
    r"(?:\b(?:(?:that|which|who)\s+)?(?:is|are|was|were)\s+)?\bstill\s+(?P<verb>[a-z]+ed)\b(?!\s+(?:by|in|on)\s+\d)",
    re.IGNORECASE,
)
_GONE = frozenset(
    """
    removed removal closed closing closure terminated termination cancelled cancellation released release returned
    return withdrawn withdrawal uninstalled deinstalled decommissioned deactivated discharged surrendered
    """.split()
)
_LONGEST_NAME = 3


def those_still_there(question: str, knowledge: Knowledge) -> WrittenOut:
    """Say of people who are still there that the day they left is missing, where such a day is kept of them.

    So it is of those who are alive, where the day of their death is.
    """
    left, died = (_only_day(question, verb, knowledge) for verb in ("left", "died"))
    here = _without_day(question, *left, knowledge) if left else WrittenOut(question, ())
    alive = _alive(here.question, *died, knowledge) if died else WrittenOut(here.question, ())
    return WrittenOut(alive.question, (*here.assumptions, *alive.assumptions))


def _alive(question: str, dataset: Dataset, day: Field, knowledge: Knowledge) -> WrittenOut:
    meaning, notes = f"whose {day.label} is missing", []

    def stays(found: re.Match[str]) -> str:
        said = (found["noun"] or "").split()
        noun = _noun_of(said, dataset, knowledge)
        if said and not noun:
            return found.group()
        notes.append(f"“{' '.join(found.group().strip(' ,').split()[: -len(said) or None])}” was read as {meaning}")
        return " ".join(("", *noun, meaning, *said[len(noun) :]))

    return WrittenOut(" ".join(_ALIVE.sub(stays, question).split()), tuple(dict.fromkeys(notes)))


def _noun_of(said: list[str], dataset: Dataset, knowledge: Knowledge) -> list[str]:
    """As many of the words as name the rows of a dataset, at most two."""
    long = (said[:length] for length in (2, 1))
    return next((noun for noun in long if noun and dataset.name in _named(words(" ".join(noun)), knowledge)), [])


def _without_day(question: str, dataset: Dataset, day: Field, knowledge: Knowledge) -> WrittenOut:
    meanings = {gone: f"whose {day.label} is {'known' if gone else 'missing'}" for gone in (True, False)}
    notes: list[str] = []

    def stays(found: re.Match[str], *, gone: bool = False) -> str:
        notes.append(f"“{found.group().strip(' ,')}” was read as {meanings[gone]}")
        return f" {meanings[gone]}"

    def present(found: re.Match[str]) -> str:
        noun = " ".join(_noun_of(found["noun"].split(), dataset, knowledge))
        if not noun:
            return found.group()
        meaning = meanings[found["gone"] is not None]
        notes.append(f"“{found.group().split()[0]} {noun}” was read as those {meaning}")
        return f"{noun} {meaning}{found['noun'][len(noun) :]}"

    said = _PRESENT.sub(present, _STAYING.sub(stays, _AWAY.sub(partial(stays, gone=True), question)))
    return WrittenOut(" ".join(said.split()), tuple(dict.fromkeys(notes)))


def still_as_they_were_put(question: str, knowledge: Knowledge) -> WrittenOut:
    """ "machines still installed" have no day of removal; where rows keep none, the words are not understood."""
    notes: list[str] = []

    def remains(found: re.Match[str]) -> str:
        verb = found["verb"].lower()
        if knowledge.lexicon.stored((verb,)) or verb in _GONE:
            return found.group()
        put = [item for item in knowledge.model.datasets if any(_tells(day, verb) for day in _days(item))]
        spoken_of = _spoken_of(question, knowledge)
        whose = [item for item in put if item.name in spoken_of]
        if len(whose) != 1:
            return found.group()
        gone = [day for day in _days(whose[0]) if _GONE.intersection(words(day.label))]
        if len(gone) != 1:
            return f"“still {verb}”"
        notes.append(f"“{found.group()}” was read as whose {gone[0].label} is missing")
        return f"whose {gone[0].label} is missing"

    return WrittenOut(_STILL_SO.sub(remains, question), tuple(dict.fromkeys(notes)))


def _days(dataset: Dataset) -> list[Field]:
    return [item for item in dataset.fields if item.role == "time"]


def _tells(day: Field, verb: str) -> bool:
    """Whether a date is called after what happened on it."""
    return verb in {*words(day.label), *event_phrases(words(day.label))}


def _only_day(question: str, verb: str, knowledge: Knowledge) -> tuple[Dataset, Field] | None:
    """Those who are spoken of and do so, with the only day that says when; None where nobody or two do."""
    found = []
    for dataset in map(knowledge.dataset, _spoken_of(question, knowledge)):
        days = [day for day, _ in knowledge.lexicon.days_of_deeds.get(verb, ()) if day.dataset == dataset.name]
        found += [(dataset, knowledge.field(day)) for day in days]
    return found[0] if len(found) == 1 else None


def _spoken_of(question: str, knowledge: Knowledge) -> set[str]:
    said = words(question)
    parts = (said[at : at + length] for length in range(1, _LONGEST_NAME + 1) for at in range(len(said)))
    return {name for part in parts for name in _named(part, knowledge)}


def _named(phrase: tuple[str, ...], knowledge: Knowledge) -> set[str]:
    """The datasets that a phrase names by their noun, a field or a value."""
    known = knowledge.lexicon
    meant = [found.meaning for found in (*known.names(phrase), *known.stored(phrase))]
    return {item.dataset for item in meant if isinstance(item, Thing | Stored | Attribute)}

"""Verbs that with their noun name a table: who "applied for a loan" has loan applications, whether or not a loan."""

from __future__ import annotations

import re
from functools import partial

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.semantics.model import Dataset
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import stem, words

_WHAT_IS_LEFT = {
    r"appl(?:y|ies|ied|ying)": ("application",),
    r"(?:ask|request)(?:s|ed|ing)?": ("request", "application"),
    r"enroll?(?:s|ed|ing)?": ("enrolment", "enrollment"),
    r"subscrib(?:e|es|ed|ing)": ("subscription",),
    r"register(?:s|ed|ing)?": ("registration",),
    r"complain(?:s|ed|ing)?": ("complaint",),
    r"(?:e|i)nquir(?:e|es|ed|ing)": ("enquiry", "inquiry"),
    r"withdr(?:aw|aws|ew|awn|awing)": ("withdrawal",),
}
_LINK = r"(?:\s+(?:for|to|in|into|about|from))?"
_ARTICLE = r"(?:\s+(?:a|an|any|one|the|their|his|her|its|our|some|at least one))?"
_GLUE = r"(?!(?:of|by|in|on|at|for|to|and|or|with|from|after|before|since|during)\b)"
_OBJECT = rf"\s+(?P<first>{_GLUE}[a-z]+)(?P<second>\s+{_GLUE}[a-z]+)?"
_DOING = "|".join(rf"(?<=\b{word} )" for word in "who never have has had not ever they".split()) + r"|(?<=n't )"
_DONE = r"(?=\s*(?:$|[?.!,;])|\s+(?:in|before|after|since|during|last|this|and|but|or)\b)"
_WITH_OBJECT, _ALONE = (
    tuple((re.compile(pattern.format(verb=verb), re.IGNORECASE), nouns) for verb, nouns in _WHAT_IS_LEFT.items())
    for pattern in (rf"\b{{verb}}{_LINK}{_ARTICLE}{_OBJECT}\b", rf"(?:{_DOING}){{verb}}{_DONE}")
)


def in_names_of_tables(question: str, knowledge: Knowledge) -> WrittenOut:
    """Say such a verb with its noun as having rows of the table that they name together."""
    notes: list[str] = []

    def having(said: str, rows: Dataset, kind: str = "") -> str:
        meaning = f"having {kind}{plural(rows.label)}"
        notes.append(f"“{said}” was read as {meaning}")
        return meaning

    def of_object(found: re.Match[str], nouns: tuple[str, ...]) -> str:
        first, second = found["first"], found["second"] or ""
        if second and (rows := _left_by(nouns, words(first + second), knowledge)) is not None:
            return having(found.group(), rows)
        if second and (rows := _left_by(nouns, words(second), knowledge)) is not None:
            whole = _called(words(first + second), knowledge)  # "a reward program" is all that programs are
            return having(found.group(), rows, "" if whole else f"{first} ")
        if (rows := _left_by(nouns, words(first), knowledge)) is not None:
            return having(found.group().removesuffix(second), rows) + second
        return found.group()

    def alone(found: re.Match[str], nouns: tuple[str, ...]) -> str:
        rows = _left_by(nouns, (), knowledge)
        return having(found.group(), rows) if rows is not None else found.group()

    for pattern, nouns in _WITH_OBJECT:
        question = pattern.sub(partial(of_object, nouns=nouns), question)
    for pattern, nouns in _ALONE:
        question = pattern.sub(partial(alone, nouns=nouns), question)
    return WrittenOut(question, tuple(dict.fromkeys(notes)))


def _left_by(nouns: tuple[str, ...], wanted: tuple[str, ...], knowledge: Knowledge) -> Dataset | None:
    """The only table of what such a verb leaves: "loan application" for a loan, "application" where it is of loans."""
    sought = tuple(map(stem, wanted))
    found = [item for item in knowledge.model.datasets if set(nouns).intersection(words(item.label)[-1:])]
    named = [item for item in found if sought and tuple(map(stem, words(item.label)[:-1])) == sought]
    if not named and wanted:
        objects = _called(wanted, knowledge)
        named = [item for item in found if len(words(item.label)) == 1 and _is_linked(item.name, objects, knowledge)]
    chosen = named if wanted else found
    return chosen[0] if len(chosen) == 1 else None


def _called(noun: tuple[str, ...], knowledge: Knowledge) -> set[str]:
    return {found.meaning.dataset for found in knowledge.lexicon.names(noun) if isinstance(found.meaning, Thing)}


def _is_linked(dataset: str, objects: set[str], knowledge: Knowledge) -> bool:
    ends = [{link.from_dataset, link.to_dataset} for link in knowledge.model.relationships_of(dataset)]
    return any(dataset in both and both & (objects - {dataset}) for both in ends)

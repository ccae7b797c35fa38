"""Questions about the data itself, answered from the catalogue and the vocabulary without SQL.

The forms are closed: a question is about the data only when it matches one of them from its first word to its last, and
what stands in the place of a name is a name of the vocabulary. Everything else is left to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Figure, Meaning, Stored, Thing
from ai_engine.built_in.outcomes.describing import (
    describe_columns,
    describe_date,
    describe_field,
    describe_metric,
    describe_metrics,
    describe_span,
    describe_tables,
    describe_value,
    describe_values,
    describe_way,
)
from ai_engine.built_in.outcomes.suggestions import example_questions
from ai_engine.built_in.tokens import tokenise
from ai_engine.types import Interpretation

_SURE = 0.35
_MOST_NAMED = 12
_PREFIX = re.compile(
    r"(?:(?:hi|hello|hey|please|kindly|so|ok|okay|and|also|can you"
    r"|could you|would you|will you|tell me|explain to me|show me"
    r"|give me|i want to know|i would like to know|let me know|do you know|remind me) )*"
)
_SUFFIX = re.compile(
    r"(?: (?:please|exactly|here|in this (?:database|data|context|bank)|for me|in (?:the|your|our) data))*$"
)
_META_WORDS = ("table", "column", "field", "data", "schema", "metric")

_FILE = Path(__file__).with_name("about.yaml")


@cache
def _forms() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    """The forms by what they ask for, read on first use."""
    read = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    words = read.pop("words")
    return {asked: tuple(re.compile(form.format(**words)) for form in forms) for asked, forms in read.items()}


def _capability(knowledge: Knowledge) -> str:
    things = ", ".join(sorted(dataset.name.replace("_", " ") for dataset in knowledge.model.datasets)[:_MOST_NAMED])
    figures = ", ".join(metric.label for metric in knowledge.model.metrics[:5])
    known = f" Figures with a name of their own: {figures}, …" if figures else ""
    return (
        f"You can ask for figures, lists, rankings, shares, comparisons and trends about {things}.{known} "
        "Name a period, a place or a kind to narrow it, and say “by …” to group it."
    )


def _way(found: tuple[Meaning, ...], knowledge: Knowledge) -> str | None:
    return describe_way(found[0], found[1], knowledge)


def _columns(found: tuple[Meaning, ...], knowledge: Knowledge) -> str | None:
    return describe_columns(found[0], knowledge) if isinstance(found[0], Thing) else None


def _values(found: tuple[Meaning, ...], knowledge: Knowledge) -> str | None:
    return describe_values(found[0], knowledge) if isinstance(found[0], Attribute) else None


def _meaning(found: tuple[Meaning, ...], knowledge: Knowledge) -> str | None:
    meant = found[0]
    if isinstance(meant, Thing):
        return describe_columns(meant, knowledge)
    if isinstance(meant, Attribute):
        return describe_field(meant, knowledge)
    if isinstance(meant, Figure):
        return describe_metric(meant, knowledge)
    return describe_value(meant, knowledge) if isinstance(meant, Stored) else None


_ABOUT_ALL = {
    "tables": describe_tables, "date": describe_date, "span": describe_span, "metrics": describe_metrics,
    "capability": _capability,
}  # fmt: skip
_ABOUT_NAMES = {"columns": _columns, "values": _values, "way": _way, "meaning": _meaning}


def about_the_data(question: str, knowledge: Knowledge) -> Interpretation | None:
    """Answer a question about tables, columns, words or dates; None when it asks for something in them."""
    if any(_is_name(word, knowledge) for word in _META_WORDS):
        return None  # a furniture shop's tables are things to count
    text = " ".join(token.word for token in tokenise(question) if token.kind != "mark")
    text = _SUFFIX.sub("", text[_PREFIX.match(text).end() :])  # type: ignore[union-attr]
    reply = _about_all(text, knowledge) or _from_the_glossary(text, knowledge) or _about_names(text, knowledge)
    if reply is None:
        return None
    return Interpretation(outcome="about", restatement="", reply=reply, suggestions=example_questions(knowledge))


def _about_all(text: str, knowledge: Knowledge) -> str | None:
    for asked, answer in _ABOUT_ALL.items():
        if any(form.fullmatch(text) for form in _forms()[asked]):
            return answer(knowledge)
    return None


def _from_the_glossary(text: str, knowledge: Knowledge) -> str | None:
    """What an abbreviation stands for, in the words of the vocabulary."""
    for form in _forms()["meaning"]:
        match = form.fullmatch(text)
        if match and (word := match["name"]) in knowledge.model.glossary:
            return f"{word.upper()} stands for: {knowledge.model.glossary[word]}."
    return None


def _about_names(text: str, knowledge: Knowledge) -> str | None:
    for asked, answer in _ABOUT_NAMES.items():
        for form in _forms()[asked]:
            match = form.fullmatch(text)
            names = [_named(phrase, knowledge) for phrase in match.groupdict().values()] if match else []
            if names and all(names):
                replies = (answer(found, knowledge) for found in _pairs(names))
                reply = " ".join(dict.fromkeys(filter(None, replies)))
                if reply:
                    return reply
    return None


def _pairs(names: list[tuple[Meaning, ...]]) -> Iterator[tuple[Meaning, ...]]:
    """Every meaning of a single name; the first meanings of two."""
    if len(names) == 1:
        yield from ((found,) for found in names[0])
    else:
        yield tuple(found[0] for found in names)


def _named(phrase: str, knowledge: Knowledge) -> tuple[Meaning, ...]:
    """What a phrase names with certainty, the likeliest first; things before fields, values last."""
    spoken = tuple(phrase.split())
    found = sorted(knowledge.lexicon.names(spoken), key=lambda candidate: candidate.cost)
    sure = [c.meaning for c in found if c.cost < min(_SURE, found[0].cost + 0.1)]
    return tuple(sure) or tuple(candidate.meaning for candidate in knowledge.lexicon.stored(spoken))


def _is_name(word: str, knowledge: Knowledge) -> bool:
    return any(c.cost < _SURE and isinstance(c.meaning, Thing) for c in knowledge.lexicon.names((word,)))

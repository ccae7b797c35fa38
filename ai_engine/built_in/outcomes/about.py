"""Questions about the data itself, answered from the catalogue and the vocabulary without SQL.

The forms are closed: a question is about the data only when it matches one of them from its first word to its last, and
what stands in the place of a name is a name of the vocabulary. Everything else is left to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

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
_NAME = r"(?:the |a |an |our |your )?(?P<name>.+?)"
_OTHER = r"(?:the |a |an |our |your )?(?P<other>.+?)"
_TABLE = r"(?: (?:table|dataset|data set|entity))?"
_COLUMN = r"(?: (?:column|field|attribute|table|metric|measure|kpi|figure|value))?"
_COLUMNS = r"(?:columns?|fields?|attributes?|column names|field names)"
_TABLES = r"(?:tables?|datasets?|data sets?|entities|table names)"
_DATA = r"(?:the |your |our |this )?(?:data|database|schema|dataset|db|data model)"
_META_WORDS = ("table", "column", "field", "data", "schema", "metric")

Reply = Callable[[Knowledge, "list[Meaning]"], str]


def _forms(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def _capability(knowledge: Knowledge) -> str:
    things = ", ".join(sorted(dataset.name.replace("_", " ") for dataset in knowledge.model.datasets)[:_MOST_NAMED])
    figures = ", ".join(metric.label for metric in knowledge.model.metrics[:5])
    known = f" Figures with a name of their own: {figures}, …" if figures else ""
    return (
        f"You can ask for figures, lists, rankings, shares, comparisons and trends about {things}.{known} "
        "Name a period, a place or a kind to narrow it, and say “by …” to group it."
    )


_ABOUT_ALL: tuple[tuple[tuple[re.Pattern[str], ...], Callable[[Knowledge], str]], ...] = (
    (
        _forms(
            rf"(?:what|which)(?: all)?(?: of)? {_TABLES}(?: (?:are|is) (?:there|available|in {_DATA})(?: in {_DATA})?"
            rf"| (?:do|can|could|may) (?:you|we|i) (?:have|know|use"
            rf"|query|see|ask about|access)| exist| does {_DATA} have)?",
            rf"(?:list|show|display|name|what are)(?: all)?(?: of)?(?:"
            rf" the| your| our)?(?: available)? {_TABLES}(?: in {_DATA})?",
            rf"(?:describe|explain|summari[sz]e|show|what is in|what s in) {_DATA}",
            r"what (?:data|information)(?: (?:is|are) (?:there|available"
            r"|stored|here)| (?:do|can) (?:you|we|i) (?:have|use|see))",
            rf"how many {_TABLES}(?: (?:are|is) (?:there|available)| do (?:you|we) have| does {_DATA} have| exist)?"
            rf"(?: in {_DATA})?",
            rf"what (?:is|s) (?:the schema|this data about|{_DATA} about)|schema",
        ),
        describe_tables,
    ),
    (
        _forms(
            r"what (?:is|s|was) the (?:as of|data|reporting|cut ?off) (?:date|day)(?: of the data)?|as of date",
            r"(?:as of|up to) (?:when|what (?:date|day)|which (?:date|day))"
            r" (?:is|are|does|do) (?:the|this|your) (?:data|figures|numbers)"
            r"(?: go)?",
            r"how (?:fresh|current|recent|up to date|old) (?:is|are) (?:the|this|your) (?:data|figures|numbers)",
            r"when was (?:the|this|your) (?:data|database) (?:last )?(?:updated|refreshed|loaded)",
            r"what (?:is|s) (?:today|the date today|today s date"
            r"|the current date|your today)|what day is (?:it|today)",
        ),
        describe_date,
    ),
    (
        _forms(
            rf"(?:what|which) (?:period|time (?:period|range|span|frame)"
            rf"|date range|dates|years|months|timeframe|range of dates)"
            rf" (?:does|do|is|are) {_DATA} (?:cover|span|contain|have|covered|available|for)",
            rf"how far (?:back )?(?:does|do) {_DATA} (?:go|reach)(?: back)?",
            rf"(?:from|since) (?:when|what date|which (?:date|year))"
            rf" (?:is|are|does) {_DATA}(?: (?:start|begin|available))?",
            rf"(?:what|which) (?:is|s) the (?:period|time (?:period"
            rf"|range|span)|date range) (?:of|covered by) {_DATA}",
            rf"when (?:does|do) {_DATA} (?:start|begin|end)",
        ),
        describe_span,
    ),
    (
        _forms(
            r"(?:what|which)(?: all)? (?:metrics|kpis|measures|figures"
            r"|indicators|ratios)(?: (?:are|is) (?:there|available|defined)"
            r"| (?:do|can) (?:you|we|i) (?:have|know|ask|ask for|use|compute|calculate|see))?",
            r"(?:list|show|name|what are)(?: all)?(?: the| your| our)?(?: available)? (?:metrics|kpis|indicators)",
        ),
        describe_metrics,
    ),
    (
        _forms(
            r"what (?:all )?(?:can|could|should|may) (?:i|we|you|one)"
            r" (?:ask|do|answer|query|tell me|help with|help me with)"
            r"(?: you)?(?: about| for me| with this)?",
            r"what (?:kind|kinds|sort|sorts|type|types) of (?:questions"
            r"|things|queries) (?:can|could|may|do) (?:i|we|you) "
            r"(?:ask|answer|understand)(?: you)?",
            r"(?:what|which) questions (?:can|could|do) (?:i|we|you) (?:ask|answer|understand)(?: you)?",
            r"what do you (?:know|do|understand|offer)(?: about)?|what are your (?:capabilities|features)",
            r"(?:give|show)?(?: me)?(?: some| a few)?(?: an)? ?(?:examples?"
            r"|example questions?|sample questions?|suggestions?)"
            r"(?: of (?:questions|what i can ask))?",
            r"(?:what are )?(?:some )?examples? (?:of )?questions",
        ),
        _capability,
    ),
)
_MEANING_FORMS = _forms(
    rf"what (?:does|do) {_NAME} (?:mean|stand for|refer to|denote|signify)",
    rf"(?:what (?:is|s) )?(?:the )?(?:meaning|definition) of {_NAME}",
    rf"what (?:is|s) meant by {_NAME}|what do you mean by (?P<other>.+?)",
    rf"(?:define|explain) {_NAME}",
)
_ABOUT_NAMES: tuple[tuple[tuple[re.Pattern[str], ...], Callable[[Knowledge, tuple[Meaning, ...]], str | None]], ...] = (
    (
        _forms(
            rf"(?:what|which)(?: all)?(?: are the)? {_COLUMNS}(?: (?:does"
            rf"|do|are|is|exist|can i see))?(?: (?:there|available))?"
            rf"(?: (?:in|of|for|on))? {_NAME}{_TABLE}(?: (?:have|has|contain|contains|hold|include))?",
            rf"(?:(?:list|show|name|describe|what are) )?(?:all )?(?:the )?{_COLUMNS} (?:of|in|for|on) {_NAME}{_TABLE}",
            rf"what (?:is|s|are) (?:in|inside|stored in) {_NAME} (?:table|dataset)",
            rf"what does {_NAME} (?:table|dataset) (?:have|contain|hold|store|look like)",
            rf"(?:describe|explain) {_NAME} (?:table|dataset)",
            rf"(?:structure|schema|layout) of {_NAME}{_TABLE}",
            rf"how many {_COLUMNS} (?:does|do|are in|are there in) {_NAME}{_TABLE}(?: have)?",
        ),
        lambda knowledge, found: describe_columns(found[0], knowledge) if isinstance(found[0], Thing) else None,
    ),
    (
        _forms(
            rf"(?:what|which)(?: are the)?(?: possible| valid| allowed"
            rf"| different| distinct)? (?:values|options|choices)"
            rf" (?:does|do|can|could|may|are there for|are possible"
            rf" for|are allowed for|exist for|are in) {_NAME}{_COLUMN}"
            rf"(?: (?:have|has|take|hold|contain|be|include))?",
            rf"(?:list |show |what are )?(?:all )?(?:the )?(?:possible|valid"
            rf"|allowed) (?:values|options) (?:of|for|in) {_NAME}{_COLUMN}",
            rf"what are (?:the )?values (?:of|for|in) {_NAME} (?:column|field)",
            rf"what can {_NAME}{_COLUMN} be",
        ),
        lambda knowledge, found: describe_values(found[0], knowledge) if isinstance(found[0], Attribute) else None,
    ),
    (
        _forms(
            rf"how (?:are|is) {_NAME}{_TABLE} (?:and|to|with|related to"
            rf"|connected to|linked to|joined to|connected with|linked with)"
            rf" {_OTHER}{_TABLE}(?: (?:related|connected|linked|joined)(?: to each other| together)?)?",
            rf"how (?:do|does) {_NAME}{_TABLE} (?:relate|connect|link|join) (?:to|with) {_OTHER}{_TABLE}",
            rf"(?:what (?:is|s) )?(?:the )?(?:relationship|relation|link"
            rf"|connection|join) between {_NAME}{_TABLE} and {_OTHER}{_TABLE}",
            rf"what (?:connects|links|joins) {_NAME}{_TABLE} (?:and|to|with) {_OTHER}{_TABLE}",
        ),
        lambda knowledge, found: (
            describe_way(found[0], found[1], knowledge)
            if isinstance(found[0], Thing) and isinstance(found[1], Thing)
            else None
        ),
    ),
    (
        _forms(
            rf"what (?:does|do) {_NAME}{_COLUMN} (?:mean|stand for"
            rf"|represent|refer to|denote|signify)(?: in {_DATA})?",
            rf"(?:what (?:is|s|are) )?(?:the )?(?:meaning|definition"
            rf"|description|formula)s? (?:of|for) {_NAME}{_COLUMN}",
            rf"what (?:is|s|are) meant by {_NAME}{_COLUMN}",
            rf"what do you mean by {_NAME}{_COLUMN}",
            rf"(?:define|describe|explain) {_NAME}{_COLUMN}(?: to me)?",
            rf"how (?:is|are|was) {_NAME}{_COLUMN} (?:defined|calculated"
            rf"|computed|worked out|measured|derived|determined)",
            rf"how (?:do|does|did) (?:you|we|one|the bank) (?:define"
            rf"|calculate|compute|work out|measure|derive) {_NAME}{_COLUMN}",
            r"what (?:is|s) (?:a|an) (?P<name>.+?)",
        ),
        lambda knowledge, found: _meaning(found[0], knowledge),
    ),
)


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
    for forms, answer in _ABOUT_ALL:
        if any(form.fullmatch(text) for form in forms):
            return answer(knowledge)
    return None


def _from_the_glossary(text: str, knowledge: Knowledge) -> str | None:
    """What an abbreviation stands for, in the words of the vocabulary."""
    for form in _MEANING_FORMS:
        match = form.fullmatch(text)
        word = next(filter(None, match.groups()), "") if match else ""
        if word in knowledge.model.glossary:
            return f"{word.upper()} stands for: {knowledge.model.glossary[word]}."
    return None


def _about_names(text: str, knowledge: Knowledge) -> str | None:
    for forms, answer in _ABOUT_NAMES:
        for form in forms:
            match = form.fullmatch(text)
            names = [_named(phrase, knowledge) for phrase in match.groupdict().values()] if match else []
            if names and all(names):
                replies = (answer(knowledge, (*found,)) for found in _pairs(names))
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


def _meaning(found: Meaning, knowledge: Knowledge) -> str | None:
    if isinstance(found, Thing):
        return describe_columns(found, knowledge)
    if isinstance(found, Attribute):
        return describe_field(found, knowledge)
    if isinstance(found, Figure):
        return describe_metric(found, knowledge)
    return describe_value(found, knowledge) if isinstance(found, Stored) else None

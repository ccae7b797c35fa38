"""Tells by rule which template a message asks for, and which values it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from ai_engine.semantics.words import stem, words
from ai_engine.workflows.filling import KnownValues, can_be_filled, name_words
from ai_engine.workflows.months import find_month
from ai_engine.workflows.template import TemplateParameter, WorkflowTemplate

_FILLERS = frozenset(
    "the a an of for our my your in on at to please kindly prepare make write create give show send me us draw up do "
    "run get put produce generate build compile can could would will you i we want need like let have with report and "
    "versus vs against between both s it is now".split()
)
_FILLER_KEYS = _FILLERS | {stem(word) for word in _FILLERS}
_QUESTIONS = frozenset("what which who whom whose how when where why does did are was were".split())
_AS_OF = re.compile(r"\bas (?:of|on|at) (\d{4}-\d\d-\d\d|\d{1,2} [A-Za-z]+ \d{4}|today|now)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+|\d+")  # as `semantics.words` cuts them


@dataclass(frozen=True, slots=True)
class Recognised:
    """A template that a message asks for.

    Attributes:
        given: the texts of its parameters, for `fill`; each may still turn out not to be in the data.
        unused: what of the message it does nothing with, to be told.
    """

    template: WorkflowTemplate
    given: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """A word of the message, or the value of a parameter in it.

    Attributes:
        key: the word's stem, or `{name}`.
    """

    key: str
    text: str


def recognise(message: str, templates: Sequence[WorkflowTemplate], known: KnownValues) -> Recognised | None:
    """Return the template whose name the message says at most length; None where it asks for none."""
    first = next(iter(words(message)), "")
    if first in _QUESTIONS:
        return None
    found = [
        (len(said), recognised)
        for template in templates
        if can_be_filled(template, known)
        for said, recognised in _readings(message, template, known)
    ]
    if found:
        return max(found, key=lambda one: one[0])[1]
    return _by_its_first_clause(message, templates, known)


def _by_its_first_clause(message: str, templates: Sequence[WorkflowTemplate], known: KnownValues) -> Recognised | None:
    """ "Put Retail next to Premium, who are they": what is asked besides is told as not answered."""
    clause, comma, rest = message.partition(", ")
    if not comma or next(iter(words(rest)), "") not in _QUESTIONS:
        return None
    found = recognise(clause, templates, known)
    return None if found is None else replace(found, unused=(*found.unused, rest.strip(" ?.!")))


def read_answer(parameter: TemplateParameter, text: str, known: KnownValues) -> str:
    """Return what an answer says of the parameter that was asked for: "for Pune, please" says "Pune"."""
    parts, given = _parts(text, (parameter,), known)
    if parameter.name in given:
        return given[parameter.name]
    kept = [part.text for part in parts if part.key not in _FILLER_KEYS]
    return " ".join(kept) if kept else text.strip()


def _readings(
    message: str, template: WorkflowTemplate, known: KnownValues
) -> Iterator[tuple[tuple[str, ...], Recognised]]:
    parts, given = _parts(message, template.parameters, known)
    told = [part for part in parts if part.key not in _FILLER_KEYS]
    for said in (*template.said, template.title):
        wanted = _said_keys(said)
        keys = tuple(part.key for part in told)
        if any(key.startswith("{") for key in wanted):
            if keys == wanted:
                yield wanted, Recognised(template, given)
            continue
        at = _place(wanted, keys)
        if at is not None:
            heard = _with_rest(template, given, [*told[:at], _BREAK, *told[at + len(wanted) :]])
            if not (template.says_all and heard.unused):
                yield wanted, heard


def _said_keys(said: str) -> tuple[str, ...]:
    keys = [one if one.startswith("{") else stem(one.lower()) for one in re.findall(r"\{\w+\}|[^\W_]+", said)]
    return tuple(key for key in keys if key not in _FILLER_KEYS)


def _place(wanted: tuple[str, ...], keys: tuple[str, ...]) -> int | None:
    places = range(len(keys) - len(wanted) + 1) if wanted else ()
    return next((at for at in places if keys[at : at + len(wanted)] == wanted), None)


def _with_rest(template: WorkflowTemplate, given: Mapping[str, str], rest: Sequence[_Part]) -> Recognised:
    """Take the words that are left for the value that is missing: it may be misspelled."""
    runs = _runs([part for part in rest if part.key not in _names_of(template)])
    missing = [one for one in template.parameters if one.required and one.default is None and one.name not in given]
    if runs and len(missing) == 1 and missing[0].type in {"value", "text"}:
        given, runs = {**given, missing[0].name: runs[0]}, runs[1:]
    return Recognised(template, given, tuple(runs))


def _names_of(template: WorkflowTemplate) -> frozenset[str]:
    """Return the words that a value may stand beside: "customers", "branch"."""
    texts = [text for one in template.parameters for text in (one.name, *one.of, *one.of.values())]
    return frozenset(stem(word) for text in texts for word in words(text))


_BREAK = _Part("{}", "")


def _runs(parts: Sequence[_Part]) -> list[str]:
    runs: list[str] = []
    left = list(parts)
    while left:
        run = list(takewhile(lambda part: not part.key.startswith("{"), left))
        if run:
            runs.append(" ".join(part.text for part in run))
        left = left[len(run) + 1 :]
    return runs


def _parts(
    message: str, parameters: Sequence[TemplateParameter], known: KnownValues
) -> tuple[list[_Part], dict[str, str]]:
    """Cut a message into words and the values of parameters."""
    given: dict[str, str] = {}
    spans: list[tuple[int, int, str]] = []
    for parameter in parameters:
        if parameter.type == "month" and (month := find_month(message, known.as_of)):
            given[parameter.name] = message[month.start : month.end]
            spans.append((month.start, month.end, parameter.name))
        elif parameter.type == "as_of" and (day := _AS_OF.search(message)):
            given[parameter.name] = day[1]
            spans.append((day.start(), day.end(), parameter.name))
    tokens = [one for one in _WORD.finditer(message) if not any(s <= one.start() < e for s, e, _ in spans)]
    spans += _value_spans(tokens, parameters, known, given)
    parts = [(start, _Part(f"{{{name}}}", "")) for start, _, name in spans]
    parts += [
        (one.start(), _Part(stem(one[0].lower()), one[0]))
        for one in tokens if not any(start <= one.start() < end for start, end, _ in spans)
    ]  # fmt: skip
    return [part for _, part in sorted(parts, key=lambda one: one[0])], given


def _value_spans(
    tokens: Sequence[re.Match[str]], parameters: Sequence[TemplateParameter], known: KnownValues, given: dict[str, str]
) -> list[tuple[int, int, str]]:
    """Find the values of the data in a message, the longest at each place; parameters of one kind take them in turn."""
    by_value: dict[tuple[str, ...], tuple[str, list[TemplateParameter]]] = {}
    for parameter in parameters:
        for name in parameter.of:
            for value in known.values(name):
                by_value.setdefault(name_words(value), (value, []))[1].append(parameter)
    longest = max(map(len, by_value), default=0)
    said = [name for one in tokens for name in name_words(one[0])[:1] or ("",)]
    spans, at = [], 0
    while at < len(tokens):
        for length in range(min(longest, len(tokens) - at), 0, -1):
            value, owners = by_value.get(tuple(said[at : at + length]), ("", []))
            free = [one for one in owners if one.name not in given]
            if value and free:
                given[free[0].name] = value
                spans.append((tokens[at].start(), tokens[at + length - 1].end(), free[0].name))
                at += length
                break
        else:
            at += 1
    return spans

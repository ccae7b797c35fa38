"""Gives a template the values that a person said, each checked against the data, or asks for what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Protocol

from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import words
from ai_engine.workflows.definition import MOST_NAME_CHARS, WorkflowDefinition
from ai_engine.workflows.months import before, find_month, last_day, last_over, said_month
from ai_engine.workflows.references import as_text, resolve, shorten
from ai_engine.workflows.template import TemplateParameter, WorkflowTemplate

_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)\Z")
_MOST_CHOICES = 12
_SHORTEST_PLURAL = 3


class KnownValues(Protocol):
    """What of the data a parameter may be."""

    @property
    def as_of(self) -> date:
        """The day of the data."""
        ...

    def values(self, field_name: str) -> tuple[str, ...]:
        """Return the values of a `dataset.field`; none where there is no such field, or its values are not known."""
        ...

    def fields_of(self, text: str) -> tuple[str, ...]:
        """Return each `dataset.field` of which a text is a value."""
        ...


@dataclass(frozen=True)
class VocabularyValues:
    """Knows what the vocabulary of a database knows; never the values of a sensitive field."""

    vocabulary: Vocabulary

    @property
    def as_of(self) -> date:
        """The day of the data."""
        return self.vocabulary.as_of

    def values(self, field_name: str) -> tuple[str, ...]:
        """See KnownValues."""
        return tuple(sorted(self._values.get(field_name, ())))

    def fields_of(self, text: str) -> tuple[str, ...]:
        """See KnownValues."""
        return tuple(dict.fromkeys(self._fields.get(name_words(text), ())))

    @cached_property
    def _values(self) -> dict[str, list[str]]:
        """By `dataset.field`."""
        sensitive = {
            (one.name, item.name) for one in self.vocabulary.model.datasets for item in one.fields if item.sensitive
        }
        found: dict[str, list[str]] = {}
        for one in self.vocabulary.values.columns:
            if (one.dataset, one.field) not in sensitive:
                texts = (value for value in one.values if isinstance(value, str))
                found.setdefault(f"{one.dataset}.{one.field}", []).extend(texts)
        return found

    @cached_property
    def _fields(self) -> dict[tuple[str, ...], list[str]]:
        """By the words of a value."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name, texts in self._values.items():
            for text in texts:
                found.setdefault(name_words(text), []).append(name)
        return found


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with all that it needs.

    Attributes:
        inputs: what its templates reach, for `run_workflow`.
        unused: words of the message that it does nothing with, for the report to say.
    """

    template: WorkflowTemplate
    definition: WorkflowDefinition
    inputs: Mapping[str, Any]
    unused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AskBack:
    """What has to be asked before a template can run.

    Attributes:
        parameter: its name.
        choices: what can be answered; the nearest values where one was said that does not exist.
        given: what is known already, to be given again beside the answer.
    """

    template: WorkflowTemplate
    parameter: str
    question: str
    choices: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)


class _NotSo(ValueError):
    """A value cannot be taken.

    Attributes:
        choices: what can be.
    """

    def __init__(self, why: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.choices = choices


def fill(
    template: WorkflowTemplate, given: Mapping[str, str], known: KnownValues, user_query: str = ""
) -> Filled | AskBack:
    """Give a template its values.

    Args:
        given: what a person said, by parameter, in any letter case.
        user_query: the whole message.
    """
    values: dict[str, str | None] = {}
    phrases: dict[str, str] = {}
    for parameter in template.parameters:
        said = given.get(parameter.name, "").strip() or parameter.default
        if not said:
            if parameter.required:
                return _asked(template, parameter, given, "", choices_of(parameter, known))
            values[parameter.name], phrases[parameter.name] = None, ""
            values |= _month_before(parameter, None)
            phrases |= dict.fromkeys(_month_before(parameter, None), "")
            continue
        try:
            value, phrase = _taken(parameter, said, known)
            _refuse_twice(template, parameter, value, values)
        except _NotSo as fault:
            return _asked(template, parameter, given, f"{fault} ", fault.choices or choices_of(parameter, known))
        values[parameter.name], phrases[parameter.name] = value, phrase.replace("{}", value)
        for name, month in _month_before(parameter, find_month(value, known.as_of)).items():
            values[name], phrases[name] = month, parameter.phrase.replace("{}", month or "")
    inputs: dict[str, Any] = {"user_query": user_query, "param": values, "phrase": phrases}
    goal = " ".join(as_text(resolve(template.goal, inputs)).split()).rstrip(" :")
    names = [as_text(resolve(step.name, inputs))[:MOST_NAME_CHARS] for step in template.steps]
    return Filled(template, template.definition(goal, names), inputs)


def name_words(text: str) -> tuple[str, ...]:
    """Cut a name into words, "SMEs" as "SME"; other endings make another name."""
    return tuple(word[:-1] if len(word) > _SHORTEST_PLURAL and word.endswith("s") else word for word in words(text))


def choices_of(parameter: TemplateParameter, known: KnownValues) -> tuple[str, ...]:
    """Return what a parameter can be, none where that is more than a person reads."""
    found = tuple(dict.fromkeys(value for name in parameter.of for value in known.values(name)))
    return found if len(found) <= _MOST_CHOICES else ()


def can_be_filled(template: WorkflowTemplate, known: KnownValues) -> bool:
    """Tell whether a database has what the template is about."""
    return all(
        any(known.values(name) for name in parameter.of)
        for parameter in template.parameters if parameter.type == "value" and parameter.required
    )  # fmt: skip


def _asked(
    template: WorkflowTemplate, parameter: TemplateParameter, given: Mapping[str, str], why: str,
    choices: tuple[str, ...],
) -> AskBack:  # fmt: skip
    left = {name: text for name, text in given.items() if name != parameter.name}
    return AskBack(template, parameter.name, f"{why}{parameter.question}", choices, left)


def _taken(parameter: TemplateParameter, said: str, known: KnownValues) -> tuple[str, str]:
    """Return the value as the data spell it, and the phrase that names it."""
    if parameter.type == "value":
        return _value(parameter, said, known)
    if parameter.type == "month":
        return _month(said, known.as_of), parameter.phrase
    if parameter.type == "as_of":
        return _as_of(said, known.as_of), parameter.phrase
    return said, parameter.phrase


def _value(parameter: TemplateParameter, said: str, known: KnownValues) -> tuple[str, str]:
    wanted = name_words(said)
    for name, phrase in parameter.of.items():
        for value in known.values(name):
            if name_words(value) == wanted:
                return value, phrase
    every = {value.lower(): value for name in parameter.of for value in known.values(name)}
    near = tuple(every[one] for one in get_close_matches(shorten(said).lower(), every, n=5, cutoff=0.5))
    meant = f" The nearest: {', '.join(near)}." if near else ""
    raise _NotSo(f"There is no “{shorten(said)}” in the data.{meant}", near)


def _month(said: str, as_of: date) -> str:
    over = last_over(as_of)
    if said.lower() == "last month":
        return said_month(over)
    found = find_month(f"in {said}", as_of)
    if found is None:
        raise _NotSo(f"“{shorten(said)}” is no month.", (said_month(over),))
    if last_day(found.first) > as_of:
        ends = f"{as_of.day} {said_month(as_of)}"
        raise _NotSo(f"The data end on {ends}, before {said_month(found.first)} does.", (said_month(over),))
    return said_month(found.first)


def _as_of(said: str, as_of: date) -> str:
    day = f"{as_of.day} {said_month(as_of)}"
    iso = _DAY.match(said)
    same = iso is not None and tuple(map(int, iso.groups())) == (as_of.year, as_of.month, as_of.day)
    if same or words(said) == words(day) or said.lower() in {"now", "today"}:
        return day
    raise _NotSo(f"This is known as of {day} only, and not for “{shorten(said)}”.", (day,))


def _refuse_twice(
    template: WorkflowTemplate, parameter: TemplateParameter, value: str, values: Mapping[str, str | None]
) -> None:
    """Refuse to hold a value against itself."""
    for other in template.parameters:
        if other.of and other.of == parameter.of and values.get(other.name) == value:
            raise _NotSo(f"“{value}” is named already.")


def _month_before(parameter: TemplateParameter, month: Any) -> dict[str, str | None]:
    if parameter.type != "month":
        return {}
    return {f"{parameter.name}_before": said_month(before(month.first)) if month else None}

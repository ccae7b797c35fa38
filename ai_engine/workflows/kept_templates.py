"""Templates that people keep for themselves: how one is made of a workflow that ran, and where they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue, ValidationError

from ai_engine.errors import WorkflowInvalid
from ai_engine.workflows.definition import MOST_NAME_CHARS, WorkflowDefinition, faults_of
from ai_engine.workflows.filling import KnownValues
from ai_engine.workflows.months import find_month
from ai_engine.workflows.references import SLOT, shorten
from ai_engine.workflows.template import TemplateParameter, WorkflowTemplate

_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"[^\W_]+(?:[^\w\s][^\W_]+)*")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_LONGEST_NAME = 64
_LONGEST_VALUE_WORDS = 5
_USER_QUERY = "{{user_query}}"


class KeptTemplates(Protocol):
    """The templates of people, each seen by its owner alone; judged when they are kept and whenever they are read."""

    async def of(self, person: str) -> tuple[WorkflowTemplate, ...]:
        """Return those that a person has, that can run today and of which no column was closed since, by name.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        ...

    async def keep(self, person: str, template: WorkflowTemplate, statements: Sequence[str]) -> None:
        """Keep a template, in the place of one of its name.

        Args:
            statements: that all values which its texts may name come from; none where nobody can tell.

        Raises:
            WorkflowInvalid: it cannot run, or the person has too many.
            StoreUnavailable: the store cannot be written.
        """
        ...

    async def drop(self, person: str, name: str) -> bool:
        """Forget a template; False where the person has none of this name.

        Raises:
            StoreUnavailable: the store cannot be written.
        """
        ...


@dataclass(frozen=True, slots=True)
class Input:
    """A text in the inputs of a workflow that can be another one the next time.

    Attributes:
        name: of the parameter that it becomes.
    """

    name: str
    text: str


def standing_alone(definition: WorkflowDefinition, user_query: str) -> WorkflowDefinition:
    """Return a workflow whose steps ask what the message asked, in whatever words it is run the next time."""
    said = re.sub(r"\{\{|\}\}", " ", user_query)
    return _rewritten(definition, lambda text: text.replace(_USER_QUERY, said))


def inputs_of(definition: WorkflowDefinition, known: KnownValues) -> tuple[Input, ...]:
    """Return what could be another text the next time: months, values of the data, numbers, then whole inputs."""
    found: dict[str, str] = {}
    texts = list(dict.fromkeys(text for step in definition.steps for text in _texts(step.input_mapping)))
    for plain in (part for text in texts for part in SLOT.split(text)[::2]):
        for text, name in _inner(plain, known):
            found.setdefault(text, name)
    for step in definition.steps:
        for key, value in step.input_mapping.items():
            if isinstance(value, str) and len(value.split()) > 1 and not SLOT.search(value):
                found.setdefault(value, "question" if key == "query" else key)
    taken: dict[str, int] = {}
    inputs = []
    for text, name in found.items():
        taken[name] = taken.get(name, 0) + 1
        inputs.append(Input(name if taken[name] == 1 else f"{name}_{taken[name]}", text))
    return tuple(inputs)


def template_of(
    definition: WorkflowDefinition, title: str, inputs: Sequence[Input], known: KnownValues
) -> WorkflowTemplate:
    """Make a template of a workflow as it ran; a message that says its title asks for it again.

    Args:
        definition: without templates that only its own message fills; see `standing_alone`.
        inputs: texts in its steps that are asked for the next time, each wherever it stands.

    Raises:
        WorkflowInvalid: the title has no letter to make a name of, or is too long; or a text stands in no step.
    """
    words = _NOT_IN_NAMES.sub("_", title.lower()).strip("_")
    name = words if words[:1].isalpha() or not words else f"own_{words}"
    made = definition
    if any(not one.text.strip() for one in inputs):
        raise WorkflowInvalid(("A parameter needs the text that it stands for.",))
    for one in sorted(inputs, key=lambda one: -len(one.text)):
        changed = _rewritten(made, _putting(one))
        if all(old.input_mapping == new.input_mapping for old, new in zip(made.steps, changed.steps, strict=True)):
            raise WorkflowInvalid((f"No step asks about “{shorten(one.text)}”.",))
        made = changed
    said = " ".join(title.split())
    try:
        return WorkflowTemplate(
            name=name[:_LONGEST_NAME],
            title=said,
            description=" ".join(definition.goal.split())[:500],
            said=(said,),
            says_all=True,
            parameters=tuple(_parameter(one, known) for one in inputs),
            goal=made.goal,
            steps=made.steps,
        )
    except ValidationError as fault:
        raise WorkflowInvalid(faults_of(fault)) from None


def _parameter(given: Input, known: KnownValues) -> TemplateParameter:
    question = f"What should stand for “{shorten(given.text)}”?"
    told = {"name": given.name, "description": f"{given.name}, such as {shorten(given.text)}", "question": question}
    if _month(given.text, known) == (0, len(given.text)):
        return TemplateParameter.model_validate({**told, "type": "month"})
    fields = known.fields_of(given.text)
    if fields:
        return TemplateParameter.model_validate({**told, "type": "value", "of": dict.fromkeys(fields, "{}")})
    return TemplateParameter.model_validate({**told, "type": "text"})


def _inner(text: str, known: KnownValues) -> Iterator[tuple[str, str]]:
    """Yield the months, values and numbers that a text names, with a name for each."""
    start, end = _month(text, known)
    if start < end:
        yield text[start:end], "month"
    words = [one for one in _WORD.finditer(text) if not start <= one.start() < end]
    at = 0
    while at < len(words):
        for last in range(min(at + _LONGEST_VALUE_WORDS, len(words)), at, -1):
            said = text[words[at].start() : words[last - 1].end()]
            fields = known.fields_of(said)
            if fields or _NUMBER.fullmatch(said):
                yield said, fields[0].partition(".")[2] if fields else "number"
                at = last
                break
        else:
            at += 1


def _month(text: str, known: KnownValues) -> tuple[int, int]:
    """Return where a month with its year is named; "last month" goes on meaning the last one."""
    found = find_month(text, known.as_of)
    is_named = found is not None and any(char.isdigit() for char in text[found.start : found.end])
    return (found.start, found.end) if found is not None and is_named else (0, 0)


def _putting(given: Input) -> Callable[[str], str]:
    """Return what puts a parameter in the place of its text, as whole words outside of other templates."""
    text = re.compile(rf"(?<!\w){re.escape(given.text)}(?!\w)")
    slot = f"{{{{param.{given.name}}}}}"

    def put(whole: str) -> str:
        plain, slots = SLOT.split(whole)[::2], [one.group() for one in SLOT.finditer(whole)]
        parts = [text.sub(lambda _: slot, one) for one in plain]
        return "".join(part + between for part, between in zip(parts, [*slots, ""], strict=True))

    return put


def _rewritten(definition: WorkflowDefinition, change: Callable[[str], str]) -> WorkflowDefinition:
    """Change every text in which a template may stand."""
    steps = []
    for step in definition.steps:
        name = change(step.name)
        changed = {"name": name if len(name) <= MOST_NAME_CHARS else step.id}
        steps.append(step.model_copy(update={**changed, "input_mapping": _changed(step.input_mapping, change)}))
    return definition.model_copy(update={"goal": change(definition.goal), "steps": tuple(steps)})


def _changed(value: Mapping[str, JsonValue], change: Callable[[str], str]) -> dict[str, JsonValue]:
    def one(item: JsonValue) -> JsonValue:
        if isinstance(item, str):
            return change(item)
        if isinstance(item, list):
            return [one(inner) for inner in item]
        return _changed(item, change) if isinstance(item, dict) else item

    return {key: one(item) for key, item in value.items()}


def _texts(value: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)

"""A workflow that can be run again with other values: its parameters, how people ask for it, and its report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from ai_engine.errors import WorkflowInvalid
from ai_engine.workflows.checks import OperatorSchemas, checked_plan
from ai_engine.workflows.definition import (
    MOST_LEVELS,
    StepId,
    WorkflowDefinition,
    WorkflowLimits,
    WorkflowStep,
    faults_of,
    refuse_deep,
)
from ai_engine.workflows.references import BadReference, references_in

TemplateName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Text = Annotated[str, Field(min_length=1, max_length=500)]
ParameterType: TypeAlias = Literal["value", "month", "as_of", "text"]
Chart: TypeAlias = Literal["bar", "line", "none"]
Roots: TypeAlias = Mapping[str, tuple[str, ...] | None]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TemplateParameter(_Frozen):
    """What a person has to say, or may.

    Attributes:
        type: `value`: one of a dimension's values; `month`: a whole month; `as_of`: the day of the data; `text`.
        of: for a `value`: each field that it may be of, as `dataset.field`, and how a question names one: "in {}".
        phrase: how a question names one of another type.
        question: asked when it is missing.
        default: what is taken when nobody says it; "last month" is the last that is over.
    """

    name: StepId
    description: Text
    type: ParameterType
    of: dict[Annotated[str, Field(pattern=r"^\w+\.\w+$")], Text] = Field(default_factory=dict)
    phrase: Text = "{}"
    question: Text
    required: bool = True
    default: Text | None = None

    @model_validator(mode="after")
    def _fits(self) -> TemplateParameter:
        if (self.type == "value") != bool(self.of):
            raise ValueError("`of` says of which fields a value is, and belongs to the type `value` alone")
        if any(phrase.count("{}") != 1 for phrase in (self.phrase, *self.of.values())):
            raise ValueError("a phrase has one {} where the value stands")
        return self


class ReportSection(_Frozen):
    """One part of a report: what one step found, or the figures of several beside each other."""

    heading: Text
    step: StepId | None = None
    side_by_side: tuple[StepId, ...] = ()
    chart: Chart | None = None
    table: bool = True

    @model_validator(mode="after")
    def _one_source(self) -> ReportSection:
        if (self.step is None) == (not self.side_by_side):
            raise ValueError("a section shows either a `step` or several `side_by_side`")
        return self

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that it shows."""
        return self.side_by_side if self.step is None else (self.step,)


class WorkflowTemplate(_Frozen):
    """A workflow with parameters.

    Attributes:
        said: how people ask for it; `{name}` stands for a parameter's value. One without any is a name that may stand
            among other words, one with values has to be all that is said.
        says_all: a name too has to be all that is said, but for values of parameters.
        goal: with templates, as in steps; so may the names of steps have.
        report: its sections in order; without any, what the steps found is told in their order.
    """

    name: TemplateName
    title: Text
    description: Text
    said: Annotated[tuple[Text, ...], Field(max_length=40)] = ()
    says_all: bool = False
    parameters: Annotated[tuple[TemplateParameter, ...], Field(max_length=20)] = ()
    goal: Text
    steps: Annotated[tuple[WorkflowStep, ...], Field(min_length=1)]
    report: Annotated[tuple[ReportSection, ...], Field(max_length=40)] = ()

    def definition(self, goal: str, names: Sequence[str] | None = None) -> WorkflowDefinition:
        """Give the workflow; what its parameters mean is told to whoever runs it.

        Args:
            names: of the steps, in their order, where they are not as written.
        """
        steps = [
            step if name == step.name else step.model_copy(update={"name": name or step.id})
            for step, name in zip(self.steps, names or [step.name for step in self.steps], strict=True)
        ]
        return WorkflowDefinition(goal=goal, steps=tuple(steps))

    @property
    def roots(self) -> Roots:
        """What its templates may begin with, besides steps."""
        names = [one.name for one in self.parameters]
        before = [f"{one.name}_before" for one in self.parameters if one.type == "month"]
        return {"user_query": None, "param": (*names, *before), "phrase": (*names, *before)}

    def checked(self, operators: OperatorSchemas, limits: WorkflowLimits) -> WorkflowTemplate:
        """Return it, once all of it was judged.

        Raises:
            WorkflowInvalid: it cannot run, or its report shows what is not there.
        """
        checked_plan(self.definition(self.goal), operators, limits, self.roots)
        ids, names = {step.id for step in self.steps}, [one.name for one in self.parameters]
        faults = [f"Two parameters are named {one!r}." for one in dict.fromkeys(names) if names.count(one) > 1]
        faults += [
            f"The section {section.heading!r} shows {one!r}, which is no step."
            for section in self.report for one in section.steps if one not in ids
        ]  # fmt: skip
        for what, text in [("goal", self.goal), *((f"name of {step.id}", step.name) for step in self.steps)]:
            try:
                roots = {one.root for one in references_in(text)}
            except BadReference as fault:
                raise WorkflowInvalid((f"{what}: {fault}.",)) from None
            unknown = sorted(roots - set(self.roots))
            faults += [f"The {what} may not name {one!r}: no step has run yet." for one in unknown]
        if faults:
            raise WorkflowInvalid(tuple(faults))
        return self


_TEMPLATE = TypeAdapter(WorkflowTemplate)
_OPENING = (
    yaml.FlowSequenceStartToken, yaml.FlowMappingStartToken, yaml.BlockSequenceStartToken, yaml.BlockMappingStartToken,
)  # fmt: skip
_CLOSING = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)


def read_template(text: str, max_kb: int) -> WorkflowTemplate:
    """Read a template that somebody wrote in YAML; what it means is for `checked`.

    Raises:
        WorkflowInvalid: it is too large, or its form is wrong.
    """
    _refuse_large(text, max_kb)
    try:
        _refuse_tokens(text)
        given = yaml.safe_load(text)
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise WorkflowInvalid((f"It is no YAML{place}.",)) from None
    except (RecursionError, ValueError):
        raise WorkflowInvalid(("It is no YAML that can be read.",)) from None
    return template_from(given)


def read_kept_template(text: str, max_kb: int) -> WorkflowTemplate:
    """Read a template that was kept as JSON; it is judged as one that somebody wrote.

    Raises:
        WorkflowInvalid: it is too large, or its form is wrong.
    """
    _refuse_large(text, max_kb)
    try:
        given = json.loads(text)
    except (RecursionError, ValueError):
        raise WorkflowInvalid(("What was kept of it cannot be read.",)) from None
    return template_from(given)


def template_from(given: object) -> WorkflowTemplate:
    """Read a template off plain values; what it means is for `checked`.

    Raises:
        WorkflowInvalid: its form is wrong.
    """
    refuse_deep(given)
    try:
        return _TEMPLATE.validate_python(given)
    except ValidationError as fault:
        raise WorkflowInvalid(faults_of(fault)) from None


def _refuse_large(text: str, max_kb: int) -> None:
    if len(text.encode("utf-8", "replace")) > max_kb * 1_024:
        raise WorkflowInvalid((f"A template has at most {max_kb} kB.",))


def _refuse_tokens(text: str) -> None:
    """Refuse what makes much of a little text: aliases, and levels without end.

    Raises:
        WorkflowInvalid: there is such a thing.
        yaml.YAMLError: it is no YAML.
    """
    level = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        if isinstance(token, yaml.AliasToken):
            raise WorkflowInvalid(("A template has no aliases: write what is meant where it is meant.",))
        level += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if level > MOST_LEVELS:
            raise WorkflowInvalid((f"It is nested more than {MOST_LEVELS} levels deep.",))

"""Judges a workflow before anything of it runs, and tells in which order its steps can."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

from ai_engine.errors import WorkflowInvalid
from ai_engine.operators.parameters import BadParameters, checked_parameters
from ai_engine.workflows.definition import Plan, WorkflowDefinition, WorkflowLimits, WorkflowStep
from ai_engine.workflows.references import BadReference, Reference, references_in, shorten

OperatorSchemas: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The JSON schema of the parameters of each operator, by its name."""

_MOST_FAULTS = 20


def checked_plan(
    definition: WorkflowDefinition,
    operators: OperatorSchemas,
    limits: WorkflowLimits,
    known: Mapping[str, Collection[str] | None],
) -> Plan:
    """Return the workflow with its batches.

    Args:
        known: what templates may begin with besides steps, such as `user_query`, and the keys that are known of it;
            None where it is a plain value.

    Raises:
        WorkflowInvalid: it cannot run; everything that is wrong is said at once.
    """
    too_much = tuple(_too_much(definition, limits))
    if too_much:
        raise WorkflowInvalid(too_much)
    faults = [*_of_names(definition, known), *_of_operators(definition, operators)]
    circle = find_circle(definition)
    if circle:
        faults.append(f"The steps wait for each other: {' → '.join(circle)}.")
    else:
        faults += _of_templates(definition, known)
    if faults:
        raise WorkflowInvalid(tuple(faults[:_MOST_FAULTS]))
    return Plan(definition, batches_of(definition))


def batches_of(definition: WorkflowDefinition) -> tuple[tuple[str, ...], ...]:
    """Put each step into the first batch in which all that it needs is done, as written within a batch."""
    batches: list[tuple[str, ...]] = []
    done: set[str] = set()
    waiting = definition.steps
    while waiting:
        batch = tuple(step.id for step in waiting if done.issuperset(step.depends_on))
        if not batch:
            raise WorkflowInvalid((f"The steps wait for each other: {', '.join(step.id for step in waiting)}.",))
        done.update(batch)
        batches.append(batch)
        waiting = tuple(step for step in waiting if step.id not in done)
    return tuple(batches)


def find_circle(definition: WorkflowDefinition) -> tuple[str, ...]:
    """Return the steps of one circle of needs, the first of them again at the end; nothing where there is none."""
    needs = {step.id: list(step.depends_on) for step in definition.steps}
    left = dict(needs)
    while free := [step for step, needed in left.items() if not any(one in left for one in needed)]:
        for step in free:
            del left[step]
    if not left:
        return ()
    walked = [next(iter(left))]
    while (following := next(one for one in left[walked[-1]] if one in left)) not in walked:
        walked.append(following)
    return (*walked[walked.index(following) :], following)


def _too_much(definition: WorkflowDefinition, limits: WorkflowLimits) -> Iterator[str]:
    if len(definition.steps) > limits.max_steps:
        yield f"It has {len(definition.steps)} steps; {limits.max_steps} is the most."
    size = len(json.dumps(definition.model_dump(mode="json"), ensure_ascii=False).encode())
    if size > limits.max_definition_kb * 1_024:
        yield f"It is written in {size // 1_024} kB; {limits.max_definition_kb} kB is the most."


def _of_names(definition: WorkflowDefinition, known: Collection[str]) -> Iterator[str]:
    """Say which ids are there twice, taken, or depended on without being there."""
    ids = [step.id for step in definition.steps]
    yield from (f"Two steps have the id {one!r}." for one in dict.fromkeys(ids) if ids.count(one) > 1)
    yield from (f"No step may have the id {one!r}, which means something else." for one in ids if one in known)
    for step in definition.steps:
        for needed in step.depends_on:
            if needed not in ids:
                yield f"{step.id} depends on {needed!r}, which is no step.{nearest(needed, ids)}"


def _of_operators(definition: WorkflowDefinition, operators: OperatorSchemas) -> Iterator[str]:
    for step in definition.steps:
        if step.operator not in operators:
            yield f"{step.id}: there is no operator {step.operator!r}.{nearest(step.operator, operators)}"
        else:
            yield from _of_inputs(step, operators[step.operator])


def _of_inputs(step: WorkflowStep, schema: Mapping[str, Any]) -> Iterator[str]:
    """Say what an operator lacks or does not take; a value that templates make is judged once it is made."""
    given = step.input_mapping
    missing = [name for name in schema.get("required", ()) if name not in given]
    if missing:
        yield f"{step.id}: {step.operator} also needs {', '.join(missing)}."
    properties: Mapping[str, Any] = schema.get("properties", {})
    templated: dict[str, Any] = {name: {} for name in given if name in properties and "{{" in json.dumps(given[name])}
    inner = {**schema, "properties": {**properties, **templated}, "required": []}
    try:
        checked_parameters(given, inner)
    except BadParameters as fault:
        yield f"{step.id}: {step.operator}: {shorten(str(fault))}."


def _of_templates(definition: WorkflowDefinition, known: Mapping[str, Collection[str] | None]) -> Iterator[str]:
    """Say which templates point nowhere, or to a step that need not be done by then."""
    ids = [step.id for step in definition.steps]
    before = _before(definition)
    for step in definition.steps:
        try:
            found = tuple(references_in(step.input_mapping))
        except BadReference as fault:
            yield f"{step.id}: {fault}."
            continue
        for reference in dict.fromkeys(found):
            wrong = _fault_of(reference, step.id, ids, before[step.id], known)
            if wrong:
                yield f"{step.id}: {{{{{shorten(reference.written)}}}}} {wrong}"


def _fault_of(
    reference: Reference, step_id: str, ids: list[str], before: Collection[str],
    known: Mapping[str, Collection[str] | None],
) -> str:  # fmt: skip
    root = reference.root
    if root in known:
        return _fault_of_known(reference, known[root])
    if root not in ids:
        return f"points nowhere.{nearest(root, [*ids, *known])}"
    if root == step_id:
        return "is the step's own result."
    if root not in before:
        return f"is of a step that {step_id} does not depend on: add {root!r} to its depends_on."
    return ""


def _fault_of_known(reference: Reference, keys: Collection[str] | None) -> str:
    if keys is None:
        return f"points nowhere: {reference.root} is a plain value." if reference.path else ""
    if len(reference.path) != 1 or reference.path[0] not in keys:
        named = str(reference.path[0]) if reference.path else ""
        return f"points nowhere.{nearest(named, keys, f'{reference.root}.')}"
    return ""


def _before(definition: WorkflowDefinition) -> dict[str, set[str]]:
    """Return for each step all that is done before it, at one or several removes."""
    needs = {step.id: step.depends_on for step in definition.steps}
    before: dict[str, set[str]] = {}
    for batch in batches_of(definition) if all(one in needs for all_of in needs.values() for one in all_of) else ():
        for step in batch:
            before[step] = set(needs[step]).union(*(before[one] for one in needs[step]))
    return {step: before.get(step, set(needs[step])) for step in needs}


def nearest(name: str, known: Collection[str], prefix: str = "") -> str:
    """Name what was meant, or all that there is."""
    near = get_close_matches(shorten(name), list(known), n=1, cutoff=0.4)
    if near:
        return f" The nearest is {prefix}{near[0]}."
    return f" There are: {', '.join(f'{prefix}{one}' for one in sorted(known)[:12])}." if known else ""

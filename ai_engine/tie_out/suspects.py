"""Why groups do not add up to their total: the rows that their joins lose or repeat, each kind asked for alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ai_engine.semantics.compiler.grains import TRUNCATED
from ai_engine.semantics.compiler.routes import route, to_one
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Intent, Membership, parts_of
from ai_engine.semantics.join_paths import Path
from ai_engine.semantics.model import Step
from ai_engine.tie_out.control import reached
from ai_engine.tie_out.finding import CauseKind

_MOST_REPEATS = 6
"""Beyond so many rows to a key a difference stays unexplained in part."""


@dataclass(frozen=True)
class Suspect:
    """Rows that would explain a difference.

    Attributes:
        filters: what such rows satisfy.
        said: what is the matter with them, behind their number.
        repeated: they count once more than they should, instead of not at all.
    """

    kind: CauseKind
    filters: tuple[Filter, ...]
    said: str
    repeated: bool = False


def suspects_of(intent: Intent, rows: str, setting: Setting) -> Iterator[tuple[Suspect, ...]]:
    """Yield what to look at, in order; of each tuple as long as the one before found rows.

    No row satisfies two of those that take rows away, so that what they find may be added up.
    """
    kept: list[Filter] = []
    seen: set[tuple[str, ...]] = set()
    for path, loses in _joined(intent, rows, setting):
        for end in range(1, len(path) + 1):
            names = tuple(step.relationship.name for step in path[:end])
            if names in seen:
                continue
            seen.add(names)
            before, step = path[: end - 1], path[end - 1]
            if loses:
                yield from _lost(before, step, tuple(kept), setting)
            yield _repeated(before, step, tuple(kept), setting)
            kept += _at(before, Membership(dataset=step.target, via=(step.relationship.name,)))
    for dimension in intent.dimensions if intent.fill_gaps else ():
        if dimension.field.grain in TRUNCATED:
            yield from _undated(
                intent, dimension.field, _path(intent, rows, dimension.field, setting), tuple(kept), setting
            )


def _joined(intent: Intent, rows: str, setting: Setting) -> Iterator[tuple[Path, bool]]:
    """Yield the walks that groups and conditions join; only those of groups lose rows that the total has."""
    for dimension in intent.dimensions:
        yield _path(intent, rows, dimension.field, setting), True
    for condition in parts_of(Intent(filters=intent.filters), Condition):
        if condition.operator != "is null":
            yield _path(intent, rows, condition.field, setting), False


def _path(intent: Intent, rows: str, ref: FieldRef, setting: Setting) -> Path:
    """Return the rows that a field is read from, one each; nothing where a row may meet several."""
    path = route(setting, rows, ref.dataset, ref.via, intent.subject)
    behind = setting.field(ref).behind
    if behind is not None:
        path = (*path, Step(setting.model.relationship(behind[0]), to_one=True))
    return path if to_one(path) else ()


def _lost(before: Path, step: Step, kept: tuple[Filter, ...], setting: Setting) -> Iterator[tuple[Suspect, ...]]:
    """Look for rows that find no row at a step."""
    none = Membership(dataset=step.target, via=(step.relationship.name,), negated=True)
    whose = _whose((*before, step), setting)
    absent = f"{whose} is not in the table {setting.dataset(step.target).source}"
    key = _key_field(step, setting)
    if key is None:
        yield (Suspect("no such row", (*kept, *_at(before, none)), absent),)
        return
    empty, known = (Condition(field=key, operator=operator) for operator in ("is null", "is not null"))
    yield (Suspect("no key", (*kept, *_at(before, none, empty)), f"{whose} is not known"),)
    yield (Suspect("no such row", (*kept, *_at(before, none, known)), absent),)


def _repeated(before: Path, step: Step, kept: tuple[Filter, ...], setting: Setting) -> tuple[Suspect, ...]:
    """Look for rows that find several rows at a step, as many more times as there are."""
    said = f"{_whose((*before, step), setting)} is in the table {setting.dataset(step.target).source} several times"
    name = step.relationship.name
    return tuple(
        Suspect(
            "several rows",
            (*kept, *_at(before, Membership(dataset=step.target, via=(name,), at_least=count))),
            said,
            repeated=True,
        )
        for count in range(2, _MOST_REPEATS + 1)
    )


def _undated(
    intent: Intent, ref: FieldRef, path: Path, kept: tuple[Filter, ...], setting: Setting
) -> Iterator[tuple[Suspect, ...]]:
    """Look for rows whose date is in none of the steps shown."""
    whose = f"whose {setting.field(ref).label}"
    date = FieldRef(dataset=ref.dataset, field=ref.field)
    empty = Condition(field=date, operator="is null")
    yield (Suspect("no date", (*kept, *_at(path, empty)), f"{whose} is not known"),)
    period = intent.period
    sides: list[Filter] = []
    if period is not None and period.start is not None:
        sides.append(Condition(field=date, operator="<", values=(period.start,)))
    if period is not None and period.end is not None:
        sides.append(Condition(field=date, operator=">=", values=(period.end,)))
    if sides:
        beyond = _at(path, AnyOf(filters=tuple(sides)))
        yield (Suspect("other dates", (*kept, *beyond), f"{whose} is in none of the steps shown"),)


def _whose(path: Path, setting: Setting) -> str:
    """Name the end of a walk: "whose account's branch"."""
    return "whose " + "'s ".join(setting.dataset(step.target).label for step in path)


def _at(path: Path, *filters: Filter) -> tuple[Filter, ...]:
    """Return filters on the row at the end of a walk."""
    return (reached(path, filters),) if path else filters


def _key_field(step: Step, setting: Setting) -> FieldRef | None:
    """Return the field that leads to the next table, where it is one column that the vocabulary has."""
    if len(step.source_columns) != 1:
        return None
    name = step.source_columns[0]
    dataset = setting.dataset(step.source)
    found = next((item for item in dataset.fields if item.expression.strip('"`') == name), None)
    return FieldRef(dataset=dataset.name, field=found.name) if found is not None else None

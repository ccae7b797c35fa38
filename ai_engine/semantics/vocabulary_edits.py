"""Changes of a vocabulary as values: at which place which value stood, and which is to stand there now.

A published vocabulary is the bank's file with such edits over it; a draft is a few more. Since each says what stood
there before, it is seen where the file says something else meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from ai_engine.catalogue import Catalogue
from ai_engine.errors import BadVocabulary
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from ai_engine.semantics.osi import dump_vocabulary, load_vocabulary

EditedKind: TypeAlias = Literal["table", "column", "metric", "relationship", "word"]
Value: TypeAlias = Any
"""What JSON has: of a table or column one of its parts; of all else the whole, None where there is none."""

TABLE_PARTS = ("label", "description", "synonyms", "default_time")
COLUMN_PARTS = ("label", "description", "synonyms", "unit", "sensitive", "value_synonyms")
_METRIC_PARTS = ("label", "expression", "description", "synonyms", "unit", "time_field")
_LINK_PARTS = ("from_dataset", "from_columns", "to_dataset", "to_columns", "synonyms", "preferred", "only_where")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change.

    Attributes:
        name: of the table, metric, relationship or word; of a column `table.column`.
        part: of a table or column; empty for the others, which change as a whole.
        before: what stood there.
        after: what is to stand there.
    """

    kind: EditedKind
    name: str
    part: str
    before: Value
    after: Value

    @property
    def place(self) -> tuple[str, str, str]:
        """What it changes."""
        return self.kind, self.name, self.part

    @property
    def opens(self) -> bool:
        """Tell whether a column becomes less sensitive by it."""
        return self.part == "sensitive" and self.before is True and self.after is not True


def value_at(model: SemanticModel, kind: EditedKind, name: str, part: str = "") -> Value:
    """Return what stands at a place now; None for a metric, relationship or word that there is not.

    Raises:
        KeyError: there is no such table or column.
    """
    match kind:
        case "table":
            return _plain(getattr(model.dataset(name), part))
        case "column":
            table = _owner(name, {item.name for item in model.datasets})
            return _plain(getattr(model.dataset(table).field(name.removeprefix(f"{table}.")), part))
        case "metric":
            metric = next((item for item in model.metrics if item.name == name), None)
            return metric and {key: _plain(getattr(metric, key)) for key in _METRIC_PARTS}
        case "relationship":
            link = next((item for item in model.relationships if item.name == name), None)
            return link and {key: _plain(getattr(link, key)) for key in _LINK_PARTS}
        case "word":
            return model.glossary.get(name)


def with_edits(model: SemanticModel, edits: Iterable[Edit]) -> tuple[SemanticModel, tuple[Edit, ...]]:
    """Return the vocabulary as it is after the edits, and the edits whose table or column there is not."""
    tables = {item.name: item for item in model.datasets}
    metrics = {item.name: item for item in model.metrics}
    links = {item.name: item for item in model.relationships}
    words = dict(model.glossary)
    lost = []
    for edit in edits:
        match edit.kind:
            case "metric":
                _put(metrics, edit.name, _metric(edit) if edit.after is not None else None)
            case "relationship":
                _put(links, edit.name, _link(edit) if edit.after is not None else None)
            case "word":
                _put(words, edit.name, edit.after)
            case _:
                table = tables.get(edit.name if edit.kind == "table" else _owner(edit.name, tables))
                changed = _changed(table, edit) if table is not None else None
                if changed is None:
                    lost.append(edit)
                else:
                    tables[changed.name] = changed
    done = replace(
        model, datasets=tuple(tables.values()), metrics=tuple(metrics.values()), relationships=tuple(links.values()),
        glossary=words,
    )  # fmt: skip
    return done, tuple(lost)


def composed(*steps: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return one edit for each place that several change one after the other; none where all is as it was."""
    found: dict[tuple[str, str, str], Edit] = {}
    for edit in (edit for step in steps for edit in step):
        first = found.get(edit.place)
        found[edit.place] = replace(edit, before=first.before if first is not None else edit.before)
    return tuple(edit for edit in found.values() if edit.before != edit.after)


def conflicts(edits: Iterable[Edit], model: SemanticModel) -> tuple[tuple[Edit, Value], ...]:
    """Return the edits before which something else stood than stands there now, each with that; lost ones not."""
    found = []
    for edit in edits:
        try:
            now = value_at(model, *edit.place)  # type: ignore[arg-type]
        except KeyError:
            continue
        if now not in (edit.before, edit.after):
            found.append((edit, now))
    return tuple(found)


def check_edits(model: SemanticModel, edits: Sequence[Edit], catalogue: Catalogue) -> None:
    """Judge the places that edits touch as a vocabulary file is judged at the start.

    Raises:
        BadVocabulary: something does not exist or cannot be read; `field` is the part of the form at fault.
    """
    changed, lost = with_edits(model, edits)
    if lost:
        raise BadVocabulary(f"there is no {lost[0].kind} {lost[0].name!r} any more", field=lost[0].part)
    for edit in edits:
        if edit.kind == "word" and not (edit.name.strip() and (edit.after is None or str(edit.after).strip())):
            raise BadVocabulary("a word and its meaning must not be empty", field="meaning")
    part = _touched(changed, edits)
    sources = {item.table_name.lower() for item in part.datasets}
    known = replace(catalogue, tables=tuple(item for item in catalogue.tables if item.name.lower() in sources))
    try:
        load_vocabulary(dump_vocabulary(part), known)
    except BadVocabulary as fault:
        problem = str(fault).partition(f"{fault.field}: ")[2] or str(fault)
        raise BadVocabulary(problem, field=_part_of_form(fault.field)) from None


def edits_to_text(edits: Iterable[Edit]) -> str:
    """Write edits as JSON."""
    return json.dumps([asdict(edit) for edit in edits], ensure_ascii=False)


def edits_from_text(text: str) -> tuple[Edit, ...]:
    """Read what `edits_to_text` wrote."""
    return tuple(Edit(**entry) for entry in json.loads(text))


def _touched(model: SemanticModel, edits: Iterable[Edit]) -> SemanticModel:
    """Return the smallest vocabulary that has all that the edits change, so that a large one is judged at once too."""
    names = {kind: {edit.name for edit in edits if edit.kind == kind} for kind in ("metric", "relationship", "word")}
    metrics = tuple(item for item in model.metrics if item.name in names["metric"])
    links = [item for item in model.relationships if item.name in names["relationship"]]
    tables = {item.name for item in model.datasets}
    wanted = {edit.name if edit.kind == "table" else _owner(edit.name, tables) for edit in edits}
    spoken = " ".join(f"{item.expression} {item.time_field or ''}" for item in metrics)
    wanted |= {item.name for item in model.datasets if f"{item.name}." in spoken}
    needed = {way[0] for name in wanted for way in _ways(model, name)}
    links += [item for item in model.relationships if item.name in needed and item not in links]
    wanted |= {end for link in links for end in (link.from_dataset, link.to_dataset)}
    datasets = tuple(item for item in model.datasets if item.name in wanted) or model.datasets[:1]
    kept = tuple(_without_ways(item, {link.name for link in links}) for item in datasets)
    glossary = {word: said for word, said in model.glossary.items() if word in names["word"]}
    return replace(
        model, datasets=kept, relationships=tuple(links), metrics=metrics, glossary=glossary, as_of=None,
        verified_questions=(),
    )  # fmt: skip


def _owner(name: str, tables: Collection[str]) -> str:
    """The table of `table.column`, either of which may have dots in its name."""
    starts = (name[:at] for at in range(len(name) - 1, 0, -1) if name[at] == ".")
    return next((start for start in starts if start in tables), "")


def _ways(model: SemanticModel, name: str) -> list[tuple[str, str]]:
    found = next((item for item in model.datasets if item.name == name), None)
    return [way for item in (found.fields if found else ()) for way in (item.behind, item.described_by) if way]


def _without_ways(dataset: Dataset, links: set[str]) -> Dataset:
    """Leave out what lies behind relationships that are not looked at."""
    fields = (
        replace(
            item,
            behind=item.behind if item.behind is None or item.behind[0] in links else None,
            described_by=item.described_by if item.described_by is None or item.described_by[0] in links else None,
        )
        for item in dataset.fields
    )
    return replace(dataset, fields=tuple(fields))


def _part_of_form(path: str) -> str:
    """Return the part of a form that a path in the file speaks of, the last one that has a name there."""
    names = {
        "ai_context": "synonyms", "synonyms": "synonyms", "from": "from_dataset", "to": "to_dataset",
        **{part: part for part in (*TABLE_PARTS, *COLUMN_PARTS, *_METRIC_PARTS, *_LINK_PARTS)},
    }  # fmt: skip
    steps = [step.partition("[")[0] for step in path.split(".")]
    return next((names[step] for step in reversed(steps) if step in names), "")


def _put(found: dict[str, Any], name: str, value: object) -> None:
    if value is None:
        found.pop(name, None)
    else:
        found[name] = value


def _metric(edit: Edit) -> Metric:
    said: Mapping[str, Any] = edit.after
    return Metric(name=edit.name, **{**said, "synonyms": tuple(said["synonyms"])})


def _link(edit: Edit) -> Relationship:
    said: Mapping[str, Any] = edit.after
    lists = {key: tuple(said[key]) for key in ("from_columns", "to_columns", "synonyms")}
    where = tuple((column, text) for column, text in said["only_where"])
    return Relationship(name=edit.name, **{**said, **lists, "only_where": where})


def _changed(table: Dataset, edit: Edit) -> Dataset | None:
    if edit.kind == "table":
        changes: dict[str, Any] = {edit.part: tuple(edit.after) if edit.part == "synonyms" else edit.after}
        return replace(table, **changes) if edit.part in TABLE_PARTS else None
    column = edit.name.removeprefix(f"{table.name}.")
    if not table.has(column) or edit.part not in COLUMN_PARTS:
        return None
    fields = (_changed_field(item, edit) if item.name == column else item for item in table.fields)
    return replace(table, fields=tuple(fields))


def _changed_field(item: Field, edit: Edit) -> Field:
    value = edit.after
    if edit.part == "synonyms":
        value = tuple(value)
    elif edit.part == "value_synonyms":
        value = {stored: tuple(words) for stored, words in value.items()}
    return replace(item, **{edit.part: value})


def _plain(value: object) -> Value:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value

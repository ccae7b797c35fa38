"""A vocabulary file as a semantic model, every name in it checked against the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.kept_back import columns_of
from ai_engine.semantics.learnt import Learnt
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from ai_engine.semantics.osi import extension as own
from ai_engine.semantics.osi.document import Part, nearest, parse_yaml
from ai_engine.semantics.osi.expressions import check_metric, read_expression
from ai_engine.semantics.osi.fields import is_withheld, read_field
from ai_engine.semantics.osi.partitions import read_partitions
from ai_engine.semantics.osi.relationships import inferred_among, read_columns, read_relationship
from ai_engine.semantics.osi.verified import read_verified

_MODEL = ("name", "description", "ai_context", "datasets", "relationships", "metrics", "custom_extensions")
_DATASET = (
    "name", "source", "primary_key", "unique_keys", "description", "ai_context", "fields", "custom_extensions",
)  # fmt: skip
_METRIC = ("name", "expression", "description", "datatype", "ai_context", "custom_extensions")
_Named = TypeVar("_Named", Dataset, Relationship, Metric)


def load_vocabulary(text: str, catalogue: Catalogue) -> SemanticModel:
    """Read a vocabulary file of the Open Semantic Interchange format.

    What the file leaves out (types, roles, keys, labels; relationships when it has no such key) is inferred.
    Extensions of other vendors are passed over.

    Raises:
        BadVocabulary: with line and field, for whatever does not follow the format or does not exist in `catalogue`.
    """
    root = parse_yaml(text).only(("version", "semantic_model", "dialects", "vendors"), ("semantic_model",))
    if "version" in root and str(root["version"].value).split(".")[0] not in {"0", "1"}:
        root["version"].fail(f"version {root['version'].value} is not known; this reads 1.x")
    models = root["semantic_model"].items()
    if len(models) != 1:
        root["semantic_model"].fail(f"expected one model, found {len(models)}")
    return _model(models[0], catalogue)


def _model(part: Part, catalogue: Catalogue) -> SemanticModel:
    entries = part.only(_MODEL, ("name", "datasets"))
    extra = own.extension(entries, own.MODEL_KEYS)
    inferred = infer_vocabulary(catalogue)
    by_source = {item.source: item for item in inferred.datasets}
    parts = entries["datasets"].items()
    if not parts:
        entries["datasets"].fail("at least one dataset is needed")
    datasets = _unique(parts, lambda item: _dataset(item, catalogue, by_source))
    by_name = {item.name: item for item in datasets}
    tables = {item.name: catalogue.sourced(item.source) for item in datasets}
    relationships = (
        _unique(entries["relationships"].items(), lambda item: read_relationship(item, by_name, tables))
        if _given(entries, "relationships")
        else inferred_among(datasets, inferred)
    )
    known = tuple(
        _with_known_ways(item, part, by_name, relationships) for item, part in zip(datasets, parts, strict=True)
    )
    is_inferred = "inferred" in extra and extra["inferred"].truth()
    return SemanticModel(
        name=entries["name"].name(),
        description=_text(entries, "description"),
        instructions=own.instructions(entries),
        datasets=_with_lists(known, relationships, catalogue, by_source) if is_inferred else known,
        relationships=relationships,
        metrics=(
            _unique(entries["metrics"].items(), lambda item: _metric(item, by_name))
            if _given(entries, "metrics")
            else ()
        ),
        currency=_currency(extra),
        fiscal_year_start_month=_month(extra),
        plain_year=_plain_year(extra),
        as_of=_reference(extra, "as_of", by_name),
        verified_questions=read_verified(extra),
        inferred=is_inferred,
        glossary=_glossary(extra),
    )


def _given(entries: Mapping[str, Part], key: str) -> bool:
    return key in entries and entries[key].value is not None


def _text(entries: Mapping[str, Part], key: str) -> str:
    return entries[key].text() if _given(entries, key) else ""


def _unique(parts: Sequence[Part], read: Callable[[Part], _Named]) -> tuple[_Named, ...]:
    found: dict[str, _Named] = {}
    for part in parts:
        item = read(part)
        if item.name in found:
            part.fail(f"the name {item.name!r} is given twice")
        found[item.name] = item
    return tuple(found.values())


def _dataset(part: Part, catalogue: Catalogue, by_source: Mapping[str, Dataset]) -> Dataset:
    entries = part.only(_DATASET, ("name", "source"))
    extra = own.extension(entries, own.DATASET_KEYS)
    source = entries["source"]
    table = catalogue.sourced(source.name())
    if table is None:
        known = [item.name for item in catalogue.tables]
        source.fail(f"no table {source.value!r}{nearest(source.value.rpartition('.')[2], known)}")
    default = by_source[table.source]
    fields = default.fields
    if _given(entries, "fields"):
        readable = [item for item in entries["fields"].items() if not is_withheld(item, table)]
        fields = tuple(read_field(item, table, default) for item in readable)
        _refuse_repeats(readable, [item.name for item in fields])
    names = [item.name for item in fields]
    return Dataset(
        name=entries["name"].name(),
        source=default.source,
        fields=fields,
        label=extra["label"].name() if "label" in extra else default.label,
        primary_key=(
            read_columns(entries["primary_key"], table) if _given(entries, "primary_key") else default.primary_key
        ),
        unique_keys=(
            tuple(read_columns(item, table) for item in entries["unique_keys"].items())
            if _given(entries, "unique_keys")
            else default.unique_keys
        ),
        description=_text(entries, "description"),
        synonyms=own.synonyms(entries),
        default_time=_default_time(extra, names, default),
        snapshot_time=_snapshot_time(extra, names),
        flows=tuple(_field_name(item, names) for item in extra["flows"].items()) if "flows" in extra else (),
        display=(
            tuple(_field_name(item, names) for item in extra["display"].items())
            if "display" in extra
            else tuple(name for name in default.display if name in names)
        ),
        partitions=read_partitions(extra, table, fields, catalogue.dialect),
    )


def _refuse_repeats(parts: Sequence[Part], names: Sequence[str]) -> None:
    for at, item in enumerate(parts):
        if names[at] in names[:at]:
            item.fail(f"the name {names[at]!r} is given twice")


def _field_name(part: Part, names: Sequence[str]) -> str:
    if part.name() not in names:
        part.fail(f"no field {part.value!r}{nearest(part.value, names)}")
    return part.name()


def _default_time(extra: Mapping[str, Part], names: Sequence[str], default: Dataset) -> str | None:
    if "default_time" not in extra:
        return default.default_time if default.default_time in names else None
    part = extra["default_time"]
    return None if part.value is None else _field_name(part, names)


def _snapshot_time(extra: Mapping[str, Part], names: Sequence[str]) -> str | None:
    part = extra.get("snapshot_time")
    return None if part is None or part.value is None else _field_name(part, names)


def _with_known_ways(
    dataset: Dataset, part: Part, datasets: Mapping[str, Dataset], relationships: Sequence[Relationship]
) -> Dataset:
    """Refuse a field of the file that no relationship of its dataset leads to, and leave out an inferred one."""
    ends = {link.name: datasets[link.to_dataset] for link in relationships if link.from_dataset == dataset.name}
    lost = [item for item in dataset.fields if item.behind and not _leads_to(item.behind, ends)]
    if lost and _given(part.entries(), "fields"):
        part.fail(f"the field {lost[0].name!r} stands behind no relationship and field of this name")
    bare = [item for item in dataset.fields if item.described_by and not _leads_to(item.described_by, ends)]
    if bare and _given(part.entries(), "fields"):
        part.fail(f"the field {bare[0].name!r} is described by no relationship and field of this name")
    kept = tuple(
        replace(item, described_by=None) if item in bare else item for item in dataset.fields if item not in lost
    )
    time = dataset.default_time if dataset.default_time in [item.name for item in kept] else None
    return replace(dataset, fields=kept, default_time=time) if lost or bare else dataset


def _with_lists(
    datasets: Sequence[Dataset],
    relationships: Sequence[Relationship],
    catalogue: Catalogue,
    by_source: Mapping[str, Dataset],
) -> tuple[Dataset, ...]:
    """Say of fields that a list of codes describes that they have their words from it, as older files do not."""
    by_name = {item.name: item for item in datasets}
    links = {link.name: link for link in relationships}

    def with_list(item: Field, default: Dataset) -> Field:
        if item.learnt is not None or item.described_by is None:
            return item
        way, meaning = item.described_by
        there = by_name[links[way].to_dataset]
        table = catalogue.sourced(there.source)
        assert table is not None  # noqa: S101 - the dataset was read from this one
        columns = {*links[way].to_columns, *dict(links[way].only_where)}
        columns |= columns_of(there.field(meaning).expression, table)
        before = default.field(item.name).label if default.has(item.name) else item.label
        learnt = Learnt(table.source, tuple(sorted(columns)), item.label, before, item.value_synonyms)
        return replace(item, learnt=learnt)

    return tuple(
        replace(one, fields=tuple(with_list(item, by_source[one.source]) for item in one.fields)) for one in datasets
    )


def _leads_to(behind: tuple[str, str], ends: Mapping[str, Dataset]) -> bool:
    return behind[0] in ends and ends[behind[0]].has(behind[1])


def _metric(part: Part, datasets: Mapping[str, Dataset]) -> Metric:
    entries = part.only(_METRIC, ("name", "expression"))
    extra = own.extension(entries, own.METRIC_KEYS)
    text, place = read_expression(entries["expression"])
    check_metric(place, text, datasets)
    name = entries["name"].name()
    return Metric(
        name=name,
        expression=text,
        label=extra["label"].name() if "label" in extra else " ".join(name.replace("_", " ").split()).lower(),
        description=_text(entries, "description"),
        synonyms=own.synonyms(entries),
        unit=own.unit(extra["unit"]) if "unit" in extra else None,
        time_field=_reference(extra, "time_field", datasets),
    )


def _reference(extra: Mapping[str, Part], key: str, datasets: Mapping[str, Dataset]) -> str | None:
    """Read a `dataset.field` that must exist."""
    if not _given(extra, key):
        return None
    part = extra[key]
    name, _, field = part.name().rpartition(".")
    if name not in datasets:
        part.fail(f"no dataset {name!r}{nearest(name, list(datasets))}; write dataset.field")
    if not datasets[name].has(field):
        known = [item.name for item in datasets[name].fields]
        part.fail(f"dataset {name!r} has no field {field!r}{nearest(field, known)}")
    return part.name()


def _currency(extra: Mapping[str, Part]) -> str | None:
    if not _given(extra, "currency"):
        return None
    value = extra["currency"].text()
    if not own.is_currency(value):
        extra["currency"].fail(f"{value!r} is not a currency code such as INR")
    return value


def _month(extra: Mapping[str, Part]) -> int:
    if "fiscal_year_start_month" not in extra:
        return SemanticModel.fiscal_year_start_month
    part = extra["fiscal_year_start_month"]
    if not 1 <= part.number() <= 12:
        part.fail("a month is a number from 1 to 12")
    return part.number()


def _plain_year(extra: Mapping[str, Part]) -> Literal["calendar", "fiscal"]:
    if "plain_year" not in extra:
        return SemanticModel.plain_year
    value = extra["plain_year"].text()
    if value not in {"calendar", "fiscal"}:
        extra["plain_year"].fail("a plain year is calendar or fiscal")
    return "fiscal" if value == "fiscal" else "calendar"


def _glossary(extra: Mapping[str, Part]) -> dict[str, str]:
    if not _given(extra, "glossary"):
        return {}
    return {word.lower(): phrase.name() for word, phrase in extra["glossary"].entries().items()}

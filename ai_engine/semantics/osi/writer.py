"""A semantic model as a vocabulary file."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import yaml

from ai_engine.semantics.infer.fields import is_secret_name
from ai_engine.semantics.model import Dataset, Field, Metric, Relationship, SemanticModel
from ai_engine.semantics.osi.extension import VENDOR
from ai_engine.semantics.osi.verified import write_verified
from ai_engine.semantics.partitions import Partition

_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_LINE_WIDTH = 120


def dump_vocabulary(model: SemanticModel) -> str:
    """Return the file from which `load_vocabulary` reads an equal model."""
    body = {"version": "1.0", "semantic_model": [_model(model)]}
    written: str = yaml.dump(
        body, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_LINE_WIDTH, default_flow_style=False
    )
    return written


def _without_empty(entries: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if value not in (None, "", (), [], {})}


def _extension(data: dict[str, Any]) -> dict[str, Any]:
    if not data:
        return {}
    return {"custom_extensions": [{"vendor_name": VENDOR, "data": json.dumps(data, ensure_ascii=False)}]}


def _context(synonyms: tuple[str, ...]) -> dict[str, Any]:
    return {"ai_context": {"synonyms": list(synonyms)}} if synonyms else {}


def _model(model: SemanticModel) -> dict[str, Any]:
    extra = _without_empty(
        {
            "currency": model.currency,
            "fiscal_year_start_month": model.fiscal_year_start_month,
            "plain_year": "fiscal" if model.plain_year == "fiscal" else None,
            "as_of": model.as_of,
            "verified_questions": [write_verified(item) for item in model.verified_questions],
            "glossary": dict(model.glossary),
        }
    )
    if model.inferred:
        extra["inferred"] = True
    return {
        "name": model.name,
        **_without_empty({"description": model.description}),
        **({"ai_context": {"instructions": model.instructions}} if model.instructions else {}),
        "datasets": [_dataset(item) for item in model.datasets],
        "relationships": [_relationship(item) for item in model.relationships],
        **_without_empty({"metrics": [_metric(item) for item in model.metrics]}),
        **_extension(extra),
    }


def _dataset(dataset: Dataset) -> dict[str, Any]:
    extra = {"label": dataset.label, "default_time": dataset.default_time, "display": list(dataset.display)}
    extra |= _without_empty({"snapshot_time": dataset.snapshot_time, "flows": list(dataset.flows)})
    extra |= _without_empty({"partitions": {item.column: _partition(item) for item in dataset.partitions}})
    return {
        "name": dataset.name,
        "source": dataset.source,
        "primary_key": list(dataset.primary_key),
        "unique_keys": [list(key) for key in dataset.unique_keys],
        **_without_empty({"description": dataset.description}),
        **_context(dataset.synonyms),
        "fields": [_field(item) for item in dataset.fields],
        **_extension(extra),
    }


def _partition(partition: Partition) -> dict[str, Any]:
    return _without_empty({"field": partition.field, "grain": partition.grain, "format": partition.format})


def _expression(text: str) -> dict[str, Any]:
    return {"dialects": [{"dialect": "ANSI_SQL", "expression": text}]}


def _field(field: Field) -> dict[str, Any]:
    """Write what the reader would otherwise guess, even where it is nothing."""
    extra: dict[str, Any] = {"role": field.role, "type": field.type}
    if field.unit is not None or field.role == "measure":
        extra["unit"] = field.unit
    if field.default_aggregate is not None or field.role == "measure":
        extra["default_aggregate"] = field.default_aggregate
    if field.value_synonyms:
        extra["value_synonyms"] = {value: list(words) for value, words in field.value_synonyms.items()}
    if field.sensitive or is_secret_name(field.name) or is_secret_name(field.expression):
        extra["sensitive"] = field.sensitive
    if field.behind is not None:
        extra["behind"] = {"relationship": field.behind[0], "field": field.behind[1]}
    if field.described_by is not None:
        extra["described_by"] = {"relationship": field.described_by[0], "field": field.described_by[1]}
    if field.learnt is not None:
        extra["learnt"] = _without_empty(asdict(field.learnt)) | {"words": dict(field.learnt.words)}
    return {
        "name": field.name,
        "expression": _expression(field.expression),
        **({"dimension": {"is_time": True}} if field.role == "time" else {}),
        "label": field.label,
        **_without_empty({"description": field.description}),
        **_context(field.synonyms),
        **_extension(extra),
    }


def _relationship(relationship: Relationship) -> dict[str, Any]:
    extra: dict[str, Any] = {"preferred": True} if relationship.preferred else {}
    extra |= _without_empty({"only_where": dict(relationship.only_where), "guessed_by": relationship.guessed_by})
    return {
        "name": relationship.name,
        "from": relationship.from_dataset,
        "to": relationship.to_dataset,
        "from_columns": list(relationship.from_columns),
        "to_columns": list(relationship.to_columns),
        **_context(relationship.synonyms),
        **_extension(extra),
    }


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "expression": _expression(metric.expression),
        **_without_empty({"description": metric.description}),
        **_context(metric.synonyms),
        **_extension(_without_empty({"label": metric.label, "unit": metric.unit, "time_field": metric.time_field})),
    }

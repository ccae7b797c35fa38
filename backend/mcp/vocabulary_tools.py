"""What the bank's figures mean: a tool that describes one, and resources with the vocabulary and the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mcp_types import Resource
from pydantic import Field

from ai_engine.errors import BadQuestion
from ai_engine.guard.refusal import nearest_names
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.osi import dump_vocabulary
from backend.mcp.calls import Call
from backend.mcp.database_tools import described_table
from backend.mcp.served_tools import Arguments, Reply, ServedTool
from backend.mcp.shown import shown_model, shown_tables
from backend.service import Assistant


class MetricArguments(Arguments):
    """One figure."""

    name: str = Field(min_length=1, max_length=200, description="A figure's name, label or another word for it.")


class MetricReply(Reply):
    """What a figure means."""

    name: str
    label: str
    description: str
    expression: str = Field(description="How it is calculated: SQL over `dataset.field`.")
    unit: str | None = Field(description="A currency code, percent, days, count ...")
    synonyms: list[str]
    dated_by: str | None = Field(description="The field whose date counts for a period; None for a figure as of now.")


@dataclass(frozen=True)
class ServedResource:
    """A text of ours that a client may read; `read` blocks."""

    listed: Resource
    read: Callable[[], str]


def vocabulary_tools(assistant: Callable[[], Assistant]) -> tuple[ServedTool[Any], ...]:
    """Offer `describe_metric`."""

    def describe(given: MetricArguments, call: Call) -> MetricReply:  # noqa: ARG001 - it has nothing to stop
        model = _model(assistant())
        asked = " ".join(given.name.lower().split())
        for one in _figures(model):
            if asked in map(str.lower, (one.name, one.label, *one.synonyms)):
                return one
        nearest = nearest_names(asked, [name for one in _figures(model) for name in (one.label, *one.synonyms)])
        raise BadQuestion(f"There is no figure of that name. Nearest: {', '.join(nearest) or 'none'}.")

    return (
        ServedTool(
            "describe_metric",
            "What a figure means",
            "Say what a figure of the bank means and how it is calculated: the bank's own definition, its unit and the "
            "date that counts.",
            MetricArguments,
            MetricReply,
            describe,
        ),
    )


def vocabulary_resources(assistant: Callable[[], Assistant]) -> tuple[ServedResource, ...]:
    """Offer the vocabulary and the catalogue, both without what is sensitive or withheld."""

    def vocabulary() -> str:
        return dump_vocabulary(_model(assistant()))

    def catalogue() -> str:
        found = assistant()
        tables = [described_table(one) for one in shown_tables(found.vocabulary.catalogue, found.policy)]
        return json.dumps({"dialect": found.database.dialect, "tables": tables}, ensure_ascii=False)

    return (
        ServedResource(
            Resource(
                uri="bank://vocabulary", name="vocabulary", title="Vocabulary", mime_type="application/yaml",
                description="What the bank's tables, fields and figures are called and mean, as a vocabulary file.",
            ),
            vocabulary,
        ),
        ServedResource(
            Resource(
                uri="bank://catalogue", name="catalogue", title="Tables", mime_type="application/json",
                description="The tables that may be read, with columns, types and keys.",
            ),
            catalogue,
        ),
    )  # fmt: skip


def _model(found: Assistant) -> SemanticModel:
    return shown_model(found.vocabulary.model, found.policy, found.vocabulary.catalogue)


def _figures(model: SemanticModel) -> Iterator[MetricReply]:
    """Yield the named figures, then what every measure of a table adds up or averages to."""
    for metric in model.metrics:
        yield MetricReply(
            name=metric.name, label=metric.label, description=metric.description, expression=metric.expression,
            unit=metric.unit, synonyms=list(metric.synonyms), dated_by=metric.time_field,
        )  # fmt: skip
    for dataset in model.datasets:
        dated_by = f"{dataset.name}.{dataset.default_time}" if dataset.default_time else None
        for item in dataset.fields:
            if item.role == "measure" and item.default_aggregate is not None:
                yield MetricReply(
                    name=f"{dataset.name}.{item.name}", label=item.label, description=item.description,
                    expression=f"{item.default_aggregate.upper()}({dataset.name}.{item.name})", unit=item.unit,
                    synonyms=list(item.synonyms), dated_by=dated_by,
                )  # fmt: skip

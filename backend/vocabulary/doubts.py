"""What a database's inferred vocabulary asks a person, and where the answers go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ai_engine.errors import NotPermitted
from ai_engine.semantics.infer.doubts import ColumnAnswer, Doubt, doubts
from backend.catalogue.sampling import collect_samples
from backend.configuration.changed_settings import is_administrator
from backend.store import column_answers
from backend.store.column_answers import kept_answers
from backend.uploads.plan import TablePlan

if TYPE_CHECKING:
    from backend.service import Assistant
    from backend.sources.source import Source


def open_doubts(assistant: Assistant) -> tuple[Doubt, ...]:
    """Return what is not answered yet, at most five; nothing where a file says what the tables mean.

    Raises:
        DatabaseUnavailable: the database is lost meanwhile.
    """
    if not assistant.vocabulary.model.inferred:
        return ()
    held = assistant.vocabulary.kept_back
    samples = collect_samples(assistant.database, held, timeout_s=assistant.settings.sampling_timeout_s)
    answered = kept_answers(assistant.store.get, assistant.kept_as)
    return () if answered is None else doubts(assistant.vocabulary.model, samples.values, answered)


def may_answer(assistant: Assistant, source: Source, who: str) -> bool:
    """Tell whether this person's word counts: of their own data, or as one who may change settings."""
    return source.folder is not None or is_administrator(assistant.settings, who)


def keep_units(assistant: Assistant, source: Source, plans: Sequence[TablePlan], who: str) -> None:
    """Keep the currencies and percent signs that stood beside the numbers of a file; raises what `answer` does."""
    units = {(plan.name, column.name): column.unit for plan in plans for column in plan.columns if column.unit}
    answers = [
        ColumnAnswer(dataset.name, item.name, "unit", units[dataset.source.rpartition(".")[2], item.name])
        for dataset in assistant.vocabulary.model.datasets for item in dataset.fields
        if (dataset.source.rpartition(".")[2], item.name) in units
    ]  # fmt: skip
    if answers:
        answer(assistant, source, answers, who)


def answer(assistant: Assistant, source: Source, answers: Sequence[ColumnAnswer], who: str) -> None:
    """Keep what a person says; it counts once the source is opened anew.

    Raises:
        NotPermitted: their word does not count here.
        StoreUnavailable: it could not be kept.
    """
    if not may_answer(assistant, source, who):
        raise NotPermitted(f"{who} may not say what columns of {source.name} mean")
    with assistant.store.get().writing() as connection:
        column_answers.keep(connection, assistant.kept_as, answers, who)

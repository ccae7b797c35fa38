"""What the tables of one database mean: from a file when there is one, else inferred; with values and the as-of day."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias

from sqlglot import exp

from ai_engine.errors import BadConfiguration
from ai_engine.semantics.data_dictionary import EMPTY
from ai_engine.semantics.kept_back import as_declared, kept_back, with_kept_back
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.osi import load_vocabulary
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from backend.catalogue.date_spans import collect_date_spans
from backend.catalogue.sampling import collect_samples, infer_from
from backend.databases import Database
from backend.databases.address import FileAddress, parse_address
from backend.settings import Settings
from backend.values.collection import collect_values, read_scalar
from backend.vocabulary.dictionary_files import open_dictionary
from backend.vocabulary.field_sql import field_value, table_source

_LOG = logging.getLogger(__name__)

Progress: TypeAlias = Callable[[str], None]


def unheard(_: str) -> None:
    """Tell nobody."""


def open_vocabulary(
    settings: Settings, database: Database, model: SemanticModel, told: Progress = unheard
) -> Vocabulary:
    """Put a database's catalogue, meaning, values and day together; nothing is read of what is kept back.

    Args:
        model: as people have said it.
        told: hears what is done now.

    Raises:
        BadConfiguration: a sensitive field is of no table that there is.
        DatabaseUnavailable: the database is lost meanwhile.
    """
    held = kept_back(model, database.catalogue)
    model = with_kept_back(model, database.catalogue, held)
    told("Learning the names and codes in them")
    values = value_index(settings, database, model)
    as_of = _as_of(settings, database, model)
    told("Looking which days they cover")
    spans = collect_date_spans(
        database,
        model,
        timeout_s=settings.value_collection_timeout_s,
        cache_dir=settings.cache_dir,
        cache_max_age_h=settings.cache_max_age_h,
    )
    return Vocabulary(as_declared(database.catalogue, held), model, values, as_of, spans, held)


def as_set(model: SemanticModel, settings: Settings) -> SemanticModel:
    """Let the settings go before the vocabulary where they say something of currency and years."""
    said = {
        "currency": settings.currency, "fiscal_year_start_month": settings.fiscal_year_start_month,
        "plain_year": settings.plain_year,
    }  # fmt: skip
    given: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    return replace(model, **given) if given else model


def value_index(settings: Settings, database: Database, model: SemanticModel) -> ValueIndex:
    """Learn the values that people will name.

    Raises:
        DatabaseUnavailable: the database is lost meanwhile.
    """
    found = collect_values(
        database,
        model,
        max_distinct=settings.max_indexed_values,
        timeout_s=settings.value_collection_timeout_s,
        cache_dir=settings.cache_dir,
        cache_max_age_h=settings.cache_max_age_h,
    )
    return ValueIndex(found, model)


def semantic_model(settings: Settings, database: Database) -> SemanticModel:
    """Read what a database means from its file, or infer it where there is none.

    Raises:
        BadConfiguration: the vocabulary file cannot be read, or does not fit the database.
        DatabaseUnavailable: the database is lost meanwhile.
    """
    file = settings.vocabulary_file or vocabulary_beside(settings.database_url)
    if file is not None and settings.dictionary_file is not None:
        raise BadConfiguration(
            f"There are both a vocabulary ({file}) and a data dictionary ({settings.dictionary_file}), by which one "
            "would be inferred. Unset BANK_DICTIONARY_FILE, or make a new vocabulary with `vocabulary --dictionary`."
        )
    return inferred(settings, database) if file is None else load_vocabulary(_read(file), database.catalogue)


def inferred(settings: Settings, database: Database) -> SemanticModel:
    """Infer what a database means, by the bank's data dictionary where there is one.

    Raises:
        BadConfiguration: the dictionary cannot be used.
        DatabaseUnavailable: the database is lost meanwhile.
    """
    dictionary = EMPTY
    if settings.dictionary_file is not None:
        dictionary = open_dictionary(settings.dictionary_file, database.catalogue, settings.max_document_kb)
        for reason in dictionary.left_out:
            _LOG.warning("left out of the data dictionary: %s", reason)
    held = dictionary.sensitive(database.catalogue)
    return infer_from(database, collect_samples(database, held, timeout_s=settings.sampling_timeout_s), dictionary)


def vocabulary_beside(database_url: str) -> Path | None:
    """Return the vocabulary that lies beside a database file under its name (`bank.duckdb`, `bank.yaml`), if any."""
    address = parse_address(database_url)
    file = address.path.with_suffix(".yaml") if isinstance(address, FileAddress) else None
    return file if file is not None and file.is_file() else None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise BadConfiguration(f"The vocabulary file {file} cannot be read: {fault}") from fault


def _as_of(settings: Settings, database: Database, model: SemanticModel) -> date:
    if settings.as_of is not None:
        return settings.as_of
    if model.as_of is not None:
        dataset_name, _, field_name = model.as_of.rpartition(".")
        dataset = model.dataset(dataset_name)
        value = field_value(database.catalogue, dataset.source, dataset.field(field_name).expression)
        query = exp.select(exp.Max(this=value)).from_(table_source(database.catalogue, dataset.source))
        recorded = read_scalar(database, query.sql(database.dialect))
        if isinstance(recorded, datetime):
            return recorded.date()
        if isinstance(recorded, date):
            return recorded
    return date.today()  # noqa: DTZ011 - the day where the bank is, which is the server's own

"""What the reader knows of a database that has no vocabulary file, from its DDL and some stored values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Scalar
from tests.ai_engine.built_in.bank import AS_OF
from tests.ai_engine.semantics.schemas import dictionary, permitted


def inferred_knowledge(
    ddl: str,
    values: Mapping[str, Sequence[Scalar]],
    *,
    unique: Sequence[tuple[str, str]] = (),
    descriptions: Mapping[tuple[str, str], str] | None = None,
) -> Knowledge:
    """Infer it; `values` by "table.column", `unique` names columns whose values never repeat."""
    catalogue = catalogue_from_ddl(ddl, "sqlite")
    columns = tuple(
        ColumnValues(*place.split("."), values=tuple(held), complete=True) for place, held in values.items()
    )
    samples = {(item.dataset, item.field): item.values for item in columns}
    model = infer_vocabulary(catalogue, samples, dictionary(descriptions or {}), unique=tuple(unique))
    model = permitted(model, "phone", "email", "address", "birth_date", "payee_account_no")
    return Knowledge(Vocabulary(catalogue, model, ValueIndex(columns, model), AS_OF))

"""Finds values in the database that were not learnt at the start, because their columns have too many."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine import guard
from ai_engine.catalogue import Catalogue
from ai_engine.errors import DatabaseUnavailable, QueryFailed, QueryStopped, SqlRejected
from ai_engine.guard.policy import Policy
from ai_engine.ports import QueryRunner
from ai_engine.semantics.model import Dataset, Field, SemanticModel
from ai_engine.semantics.values import FoundValues, StoredValue
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import words
from backend.values.collection import names_things
from backend.vocabulary.field_sql import field_value, table_source

_MOST_SPELLINGS = 20
_MAIL_WORDS = frozenset({"mail", "email"})
_ORDER = ("name", "identifier", "category", "text")
_Condition = Callable[[exp.Expr, Sequence[str]], exp.Expr]


@dataclass(frozen=True)
class DatabaseValueSearch:
    """Implements ValueSearch by one statement per column, and a second one where letter case hid a value.

    Args:
        runner: keeps to what may be read.
        policy: judges each statement like one of a question.
        timeout_s: everything one question makes it look for.
        max_columns: how many columns are searched; names come first, then codes.
    """

    runner: QueryRunner
    policy: Policy
    timeout_s: float
    max_columns: int

    def find(self, texts: Sequence[str], vocabulary: Vocabulary, *, stop: threading.Event) -> FoundValues:
        """Return the values equal to one of the texts: as people write them, else whatever their letter case."""
        places = _places(vocabulary, any("@" in text for text in texts))
        deadline = time.monotonic() + self.timeout_s
        complete = len(places) <= self.max_columns
        for condition in (_as_written, _whatever_case):
            found: list[StoredValue] = []
            for dataset, item in places[: self.max_columns]:
                values = self._values(vocabulary.catalogue, dataset, item, condition, texts, deadline, stop)
                complete &= values is not None
                found += (StoredValue(dataset.name, item.name, value) for value in values or ())
            if found:
                return FoundValues(tuple(found), complete)
        return FoundValues((), complete)

    def _values(
        self,
        catalogue: Catalogue,
        dataset: Dataset,
        item: Field,
        condition: _Condition,
        texts: Sequence[str],
        deadline: float,
        stop: threading.Event,
    ) -> tuple[str, ...] | None:
        """The matching values of one field, None when they could not be read in time."""
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            return None
        try:
            value = field_value(catalogue, dataset.source, item.expression)
            query = exp.select(exp.alias_(value, "value", quoted=True)).distinct()
            query = query.from_(table_source(catalogue, dataset.source)).where(condition(value.copy(), texts))
            statement = guard.check(query.limit(_MOST_SPELLINGS).sql(catalogue.dialect), catalogue, self.policy)
            rows = self.runner.run(statement.run_sql, max_rows=statement.max_rows, timeout_s=left_s, stop=stop).rows
        except (SqlRejected, SqlglotError):
            return ()  # what may not be read holds nothing for this person
        except (QueryStopped, DatabaseUnavailable):
            raise
        except QueryFailed:
            return None
        return tuple(sorted(row[0] for row in rows if isinstance(row[0], str)))


def _places(vocabulary: Vocabulary, with_mail: bool) -> list[tuple[Dataset, Field]]:
    """Text columns with unknown values by which people name things, the likeliest kind first."""
    found = [(dataset, item) for dataset, item in _text_fields(vocabulary.model)
             if _is_unlearnt(vocabulary, dataset, item) or (with_mail and _holds_mail(item))]  # fmt: skip
    return sorted(found, key=lambda place: _ORDER.index(place[1].role))


def _text_fields(model: SemanticModel) -> Iterator[tuple[Dataset, Field]]:
    for dataset in model.datasets:
        for item in dataset.fields:
            if item.type == "text" and item.role in _ORDER and not item.sensitive:
                yield dataset, item


def _is_unlearnt(vocabulary: Vocabulary, dataset: Dataset, item: Field) -> bool:
    known = vocabulary.values.values_of(dataset.name, item.name)
    return names_things(item) and (known is None or not known.complete)


def _holds_mail(item: Field) -> bool:
    return item.role == "text" and bool(_MAIL_WORDS & {*words(item.label), *words(item.name)})


def _as_written(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """Equal to a usual way of writing it: an index of the column then finds it at once."""
    spelled = dict.fromkeys(form for text in texts for form in (text, text.title(), text.upper(), text.lower()))
    return value.isin(*map(exp.Literal.string, spelled))


def _whatever_case(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    return exp.Lower(this=value).isin(*(exp.Literal.string(text) for text in dict.fromkeys(map(str.lower, texts))))

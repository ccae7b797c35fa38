"""Phrases of a formula that call a column by its name: "total market value of the portfolios", "value of buys"."""

from __future__ import annotations

import re

from ai_engine.built_in.definitions.row_figures import columns_called
from ai_engine.built_in.knowledge import Knowledge, ref
from ai_engine.built_in.meanings import Attribute, Stored, Thing
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.words import words

_AGGREGATE_OF: dict[str, Aggregate] = {
    "total": "sum", "sum of": "sum", "average": "avg", "mean": "avg", "highest": "max", "lowest": "min",
}  # fmt: skip
_SAID = re.compile(r"^(?:the\s+)?(?P<aggregate>total|sum of|average|mean|highest|lowest)\s+(?:of\s+)?(?:the\s+)?")
_OF = re.compile(r"\s+(?:of|from|for)\s+")
_GLUE = frozenset("the all any of their its in on from for".split())
_EXACTLY = 0.02
_CLEARLY = 0.1


def named_figure(phrase: str, knowledge: Knowledge) -> Intent | None:
    """Return the figure of a column that is called just so, of rows with values that the phrase goes on to name."""
    said = _SAID.match(phrase.strip().lower())
    core = phrase.strip()[said.end() :] if said else phrase.strip()
    column = _exact(core, knowledge)
    conditions: tuple[Condition, ...] | None = ()
    if column is None:
        head, *rest = _OF.split(core, maxsplit=1)
        column = _exact(head, knowledge) if rest else None
        conditions = _all_values(rest[0], column.dataset, knowledge) if column is not None else None
    if column is None or conditions is None:
        return None
    aggregate = _AGGREGATE_OF[said["aggregate"]] if said else knowledge.field(column).default_aggregate or "sum"
    return Intent(measures=(Measure(aggregate=aggregate, field=ref(column)),), filters=conditions)


def begins_with_column(phrase: str, knowledge: Knowledge) -> bool:
    """Tell whether a phrase speaks of a column, so that it counts nothing."""
    head = _OF.split(_SAID.sub("", phrase.strip().lower()), maxsplit=1)[0]
    return any(cost <= _CLEARLY for _, cost in columns_called(head, knowledge))


def value_of_rows(word: str, dataset: str, knowledge: Knowledge) -> Stored | None:
    """Return the one value that a word stands for in rows of a dataset or in those they belong to."""
    held = [candidate.meaning for candidate in knowledge.lexicon.stored((word,))]
    own = [
        value
        for value in held
        if isinstance(value, Stored) and (value.dataset == dataset or knowledge.is_parent(dataset, value.dataset))
    ]
    return own[0] if len(own) == 1 else None


def condition_of(value: Stored) -> Condition:
    """Return the condition that a row has a value."""
    stored = value.value if isinstance(value.value, bool | int | str) else str(value.value)
    return Condition(field=FieldRef(dataset=value.dataset, field=value.field), operator="=", values=(stored,))


def _exact(phrase: str, knowledge: Knowledge) -> Attribute | None:
    called = {column for column, cost in columns_called(phrase, knowledge) if cost <= _EXACTLY}
    return called.pop() if len(called) == 1 else None


def _all_values(text: str, dataset: str, knowledge: Knowledge) -> tuple[Condition, ...] | None:
    """Read every word as a value or as the noun of the rows; None where one is neither."""
    found = []
    for word in words(text):
        value = value_of_rows(word, dataset, knowledge)
        rows = any(c.meaning == Thing(dataset) for c in knowledge.lexicon.names((word,)))
        if value is None and not rows and word not in _GLUE:
            return None
        found += [condition_of(value)] if value is not None else []
    return tuple(dict.fromkeys(found))

"""Arithmetic over the columns of one row: "quantity times price", "(price minus limit price of its order) / 100"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot import exp

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute
from ai_engine.semantics.hints import Formula, FormulaHint, Number, Operation, Phrase
from ai_engine.semantics.model import Dataset, Field, Metric
from ai_engine.semantics.words import words

_OPERATIONS = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}
_POINTING = re.compile(r"^(?:(?:that|this|its|their|the|same|each|an?)\s+)+", re.IGNORECASE)
_OWNER = re.compile(
    r"\s+(?:of|on|in|from)\s+(?:(?:the|an?|its|their|each|that|this)\s+)*(?P<noun>[\w ]+)$", re.IGNORECASE
)
_TAKEN = frozenset("sum total average avg mean number count highest lowest max min maximum minimum".split())
_HUNDRED = Number(Decimal(100))
_ALIKE = 0.05
_ELSEWHERE = 0.3


@dataclass(frozen=True)
class _Row:
    """An expression over the rows of `home`, its columns written `dataset.field`."""

    home: str
    expression: exp.Expr

    @property
    def datasets(self) -> set[str]:
        return {column.table for column in self.expression.find_all(exp.Column)}


def row_figure(hint: FormulaHint, name: str, knowledge: Knowledge) -> tuple[str, Field] | Metric | None:
    """Return the field of a dataset that a formula over columns of a row defines, a metric where tables are several.

    Without a noun that says what every row has one of, only a product of columns is meant row by row.
    """
    row = _row(hint.formula, knowledge, hint.each) if hint.each or _multiplies(hint.formula) else None
    if row is None or (hint.each and hint.each not in _nouns(knowledge.dataset(row.home))):
        return None
    averaged = row.expression.find(exp.Div) is not None
    unit = "percent" if is_percentage(hint.formula) else None
    label, synonyms = hint.names[-1], hint.names[:-1]
    if row.datasets == {row.home} and not knowledge.dataset(row.home).has(name):
        bare = row.expression.transform(lambda node: exp.column(node.name) if isinstance(node, exp.Column) else node)
        found = Field(
            name=name, expression=bare.sql(), type="float", role="measure", label=label, synonyms=synonyms, unit=unit,
            default_aggregate="avg" if averaged else "sum",
        )  # fmt: skip
        return row.home, found
    call = (exp.Avg if averaged else exp.Sum)(this=row.expression)
    time = knowledge.time_field(row.home)
    return Metric(
        name=name,
        expression=call.sql(),
        label=f"average {label}" if averaged else label,
        synonyms=(*synonyms, label) if averaged else synonyms,
        unit=unit,
        time_field=f"{time.dataset}.{time.field}" if time is not None else None,
    )


def with_field(datasets: Sequence[Dataset], name: str, added: Field) -> tuple[Dataset, ...]:
    """Return the datasets with one more field of one of them."""
    return tuple(replace(item, fields=(*item.fields, added)) if item.name == name else item for item in datasets)


def added_up(formula: Formula, knowledge: Knowledge) -> exp.Expr | None:
    """Return the sum over rows of a product of their columns."""
    row = _row(formula, knowledge, "")
    return exp.Sum(this=row.expression) if row is not None else None


def is_percentage(formula: Formula) -> bool:
    """Tell whether a formula ends in a factor of a hundred, after a division."""
    scaled = isinstance(formula, Operation) and formula.operator == "*" and _HUNDRED in (formula.left, formula.right)
    return scaled and any(part.operator == "/" for part in _operations(formula))


def _operations(formula: Formula) -> Iterator[Operation]:
    if isinstance(formula, Operation):
        yield formula
        yield from _operations(formula.left)
        yield from _operations(formula.right)


def _multiplies(formula: Formula) -> bool:
    """Tell whether the outermost operation, but for constants, is a product of columns."""
    if not isinstance(formula, Operation):
        return False
    sides = (formula.left, formula.right)
    if any(isinstance(side, Number) for side in sides):
        return any(_multiplies(side) for side in sides)
    return formula.operator == "*"


def _row(formula: Formula, knowledge: Knowledge, each: str) -> _Row | None:
    """Choose the rows whose columns, or those of what they belong to, the phrases name best."""
    phrases = dict.fromkeys(phrases_in(formula))
    if any(_TAKEN.intersection(words(phrase)) for phrase in phrases):
        return None
    named = {phrase: dict(columns_called(phrase, knowledge)) for phrase in phrases}
    homes = {column.dataset for columns in named.values() for column in columns}
    if each:
        homes = {home for home in homes if each in _nouns(knowledge.dataset(home))} or homes
    owners = {noun for phrase in phrases if (noun := _owner(phrase))}
    rated = sorted(
        (rating for home in homes if (rating := _rated(home, named, owners, knowledge)) is not None),
        key=lambda rating: rating[0],
    )
    if not rated or (len(rated) > 1 and rated[1][0] - rated[0][0] < _ALIKE):
        return None
    _, home, chosen = rated[0]
    return _Row(home, _written(formula, chosen))


def phrases_in(formula: Formula) -> Iterator[str]:
    """Yield the phrases of a formula from left to right."""
    if isinstance(formula, Operation):
        yield from phrases_in(formula.left)
        yield from phrases_in(formula.right)
    elif isinstance(formula, Phrase):
        yield formula.words


def columns_called(phrase: str, knowledge: Knowledge) -> Iterator[tuple[Attribute, float]]:
    """Yield the figures that a phrase names with their prices, of the things whose noun it ends in where it does."""
    core = _POINTING.sub("", phrase.lower())
    owner = _OWNER.search(core)
    candidates = [*knowledge.lexicon.names(words(core)), *knowledge.lexicon.spelled.get(core, ())]
    noun = ""
    if owner and not candidates:
        noun, core = owner["noun"].strip(), core[: owner.start()]
        candidates = [*knowledge.lexicon.names(words(core)), *knowledge.lexicon.spelled.get(core, ())]
    for candidate in candidates:
        meaning = candidate.meaning
        if not isinstance(meaning, Attribute) or knowledge.field(meaning).role != "measure" or meaning.grain:
            continue
        own = not noun or noun in _nouns(knowledge.dataset(meaning.dataset))
        if own or _owned(meaning.dataset, noun, knowledge):
            yield meaning, candidate.cost


def _owner(phrase: str) -> str:
    found = _OWNER.search(phrase.lower())
    return found["noun"].strip() if found else ""


def _owned(dataset: str, noun: str, knowledge: Knowledge) -> bool:
    """Whether rows belong to a thing of this noun: the price of a trade that the portfolio has."""
    return any(noun in _nouns(item) and knowledge.is_parent(dataset, item.name) for item in knowledge.model.datasets)


def _nouns(dataset: Dataset) -> set[str]:
    nouns = {dataset.label, *dataset.synonyms}
    return nouns | {" ".join((*noun.split()[:-1], _plural(noun.split()[-1]))) for noun in nouns}


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _rated(
    home: str, named: Mapping[str, Mapping[Attribute, float]], owners: Iterable[str], knowledge: Knowledge
) -> tuple[float, str, dict[str, Attribute]] | None:
    """Return what it costs to take all columns from one row, None where some phrase is no column of it."""
    chosen: dict[str, Attribute] = {}
    price = 0.0
    own = 0
    for phrase, columns in named.items():
        reached = [
            (cost + _ELSEWHERE * (column.dataset != home), column)
            for column, cost in columns.items()
            if column.dataset == home or knowledge.is_parent(home, column.dataset)
        ]
        if not reached:
            return None
        cost, chosen[phrase] = min(reached, key=lambda option: option[0])
        own += chosen[phrase].dataset == home
        price += cost
    if not own:
        return None
    if owners and not any(noun in _nouns(knowledge.dataset(home)) for noun in owners):
        price += _ELSEWHERE
    return price, home, chosen


def _written(formula: Formula, chosen: Mapping[str, Attribute]) -> exp.Expr:
    if isinstance(formula, Number):
        return exp.Literal.number(f"{formula.value:f}")
    if isinstance(formula, Phrase):
        place = chosen[formula.words]
        return exp.column(place.field, table=place.dataset)
    sides = (_written(side, chosen) for side in (formula.left, formula.right))
    left, right = (exp.Paren(this=side) if isinstance(side, exp.Binary) else side for side in sides)
    return _OPERATIONS[formula.operator](this=left, expression=right)

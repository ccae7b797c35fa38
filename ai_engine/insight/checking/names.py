"""Names that a text may repeat letter by letter although they hold a number: Fort 7, loans overdue over 90 days."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from ai_engine.insight.amounts import format_cell
from ai_engine.insight.checking.dates import KnownDates, is_an_amount
from ai_engine.insight.checking.digits import SCALE_WORDS, written_figures
from ai_engine.insight.checking.disguised import look_alikes
from ai_engine.insight.checking.spelling import blanked, plain_digits
from ai_engine.insight.checking.words import spelled_figures
from ai_engine.insight.dates import cycle_of
from ai_engine.insight.reading import Reading
from ai_engine.insight.wording import shorten
from ai_engine.semantics.vocabulary import Vocabulary

_DURATION = re.compile(
    r"\b(?:last|past|previous|prior|next|trailing|first|latest)\s+(?:\d{1,3}|[a-z]+)\s+"
    r"(?:days?|weeks?|months?|quarters?|years?|fiscal\s+years?)\b",
    re.IGNORECASE,
)
_LOOKED_BACK_CHARS = 60
_WHOLE_CHARS = 50  # a longer name may be told shortened
_NO_FIGURE_AFTER = rf"(?!\w)(?![^A-Za-z\d□]?\d)(?!\s?%)(?![\s-]?(?:{SCALE_WORDS})\b)"
_AMOUNT = re.compile(
    rf"(?:[₹$€£¥]|\b(?:rs|inr|usd|eur|gbp)\b\.?)\s*\d|\d\s*(?:%|per\s?cent\b|(?:{SCALE_WORDS})\b)", re.IGNORECASE
)
_LIKE_A_NAME = re.compile(
    r"(?!(?:over|above|under|below|top|bottom|first|last|next|past|than|more|less|at|between|exactly|about|rs|inr|usd)\b)"
    r"[A-Za-z][A-Za-z'.& ]*(?:[\s/-]?\d+[A-Za-z]?)+",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"[\s\d.,:+-]+")
_NAMED_BEFORE = r"(?:^|[.!?;(]\s*|,\s+|\b(?:and|or|for|in|from|only|both)\s+|\b(?:id|no\.?|#{})\s*)$"
_NAMED_AFTER = re.compile(
    r"(?:\s+(?:has|have|had|leads?|holds?|held|is|was|with|at|and|or|to|in|stands?|shows?|follows?|comes?|shares?)\b"
    r"|\s*[,.;:)(]|\s*$)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"'`“”„‘’«»].+[\"'`“”‘’«»]", re.DOTALL)
_NO_FIGURE_BEFORE = r"(?<!\w)(?<!\d[^A-Za-z\d□])(?<![₹$€£¥])(?<!Rs\.)(?<!Rs )"


def names_of(reading: Reading, vocabulary: Vocabulary, tree: exp.Expr | None, dates: KnownDates) -> Iterator[str]:
    """Gather cells that are no figures, the vocabulary's labels, stored values in the statement, the period.

    A label or a value that only the statement has is its writer's invention and none of them.
    """
    yield from _cell_names(reading)
    yield from vocabulary_labels(vocabulary)
    yield from _stored_values(reading.task.question, vocabulary, tree)
    scope = reading.task.scope
    for days in (scope.period, scope.compared):
        rest = _DURATION.sub(" □ ", dates.left_out_of(f"for {plain_digits(days)}"))
        if not holds_number(rest):
            yield days


def vocabulary_labels(vocabulary: Vocabulary) -> Iterator[str]:
    """Yield what the vocabulary calls its figures, things and fields."""
    model = vocabulary.model
    for metric in model.metrics:
        yield from (metric.label, *metric.synonyms)
    for dataset in model.datasets:
        yield from (dataset.label, *dataset.synonyms)
        for field in dataset.fields:
            yield from (field.label, *field.synonyms)


def catalogue_texts(vocabulary: Vocabulary) -> Iterator[str]:
    """Yield all that is said of the data, without its values."""
    model = vocabulary.model
    yield from (model.name, model.description, model.instructions, *model.glossary, *model.glossary.values())
    yield from (vocabulary.catalogue.dialect, model.currency or "")
    for table in vocabulary.catalogue.tables:
        yield from (table.name, table.comment)
        for column in vocabulary.told_columns(table):
            yield from (column.name, column.comment, column.native_type)
    for metric in model.metrics:
        yield from (metric.name, metric.label, metric.description, *metric.synonyms)
    for link in model.relationships:
        yield from (link.name, *link.synonyms)
    for dataset in model.datasets:
        yield from (dataset.name, dataset.label, dataset.description, *dataset.synonyms)
        for field in dataset.fields:
            yield from (field.name, field.label, field.description, field.unit or "", *field.synonyms)
            if not field.sensitive:
                yield from (word for synonyms in field.value_synonyms.values() for word in synonyms)


def _cell_names(reading: Reading) -> Iterator[str]:
    measures = frozenset(reading.shape.measures)
    for position, column in enumerate(reading.shape.columns):
        if position in measures:
            continue
        cells = reading.shape.cells(position)
        distinct = dict.fromkeys(cells)
        if cycle_of(column, cells):
            yield from (reading.written(cell, position) for cell in distinct)
        for cell in distinct:
            yield from (
                name
                for name in (str(cell), format_cell(cell, column, reading.formats))
                if not _NUMERAL.fullmatch(plain_digits(name))
            )


def _stored_values(asked: str, vocabulary: Vocabulary, tree: exp.Expr | None) -> Iterator[str]:
    for literal in tree.find_all(exp.Literal) if tree is not None else ():
        if literal.is_string and holds_number(plain_digits(literal.name)):
            name = literal.name
            if _is_asked_by_name(name, asked) or any(name in column.values for column in vocabulary.values.columns):
                yield name


def _is_asked_by_name(name: str, asked: str) -> bool:
    """Tell whether a question writes a literal as the name of something: "Fort 7", "B-12", and not "over 2500"."""
    if not _LIKE_A_NAME.fullmatch(name) or _AMOUNT.search(name):
        return False
    said = [one.group() for one in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", asked, re.IGNORECASE)]
    return any(not one.startswith(one[:1].lower()) for one in said)


def holds_number(text: str) -> bool:
    """Tell whether there is any number in a text, or a word that may hide one."""
    return any(any(figures(text)) for figures in (written_figures, spelled_figures, look_alikes))


def numerals_of(reading: Reading) -> dict[str, re.Pattern[str]]:
    """Return the cells that are names of nothing but digits (years, ids), and what stands before one that is told."""
    found: dict[str, re.Pattern[str]] = {}
    measures = frozenset(reading.shape.measures)
    for position, column in enumerate(reading.shape.columns):
        if position not in measures:
            label = "".join(f"|{re.escape(word)}" for word in plain_digits(column.label).split())
            before = re.compile(_NAMED_BEFORE.format(label), re.IGNORECASE)
            for cell in dict.fromkeys(reading.shape.cells(position)):
                written = {plain_digits(str(cell)), plain_digits(format_cell(cell, column, reading.formats))}
                found.update((one, before) for one in written if _NUMERAL.fullmatch(one))
    return found


def numerals_left_out_of(text: str, numerals: dict[str, re.Pattern[str]]) -> str:
    """Blank names of nothing but digits where a text tells them as names: "account 17", "17 has", not "17 accounts"."""
    for name in sorted(numerals, key=len, reverse=True):
        if name not in text:
            continue

        def told(match: re.Match[str], before: re.Pattern[str] = numerals[name]) -> str:
            stands_behind = before.search(match.string[max(match.start() - _LOOKED_BACK_CHARS, 0) : match.start()])
            is_name = stands_behind and _NAMED_AFTER.match(match.string, match.end())
            return blanked(match) if is_name and not is_an_amount(match) else match.group()

        text = re.sub(rf"{_NO_FIGURE_BEFORE}{re.escape(name)}{_NO_FIGURE_AFTER}", told, text)
    return text


def left_out_of(text: str, names: Iterable[str]) -> str:
    """Blank names that hold a number wherever the text has them whole, longest first.

    One with an amount or a percentage ("Deposits are Rs.5 crore") could be taken for what is told: it has to be quoted.
    """
    lowered = text.lower()
    present = {
        spelled
        for name in names
        if not name.isascii() or len(name) > _WHOLE_CHARS or " ".join(name.split()).lower() in lowered
        for spelled in (plain_digits(name), plain_digits(shorten(name)))
        if spelled and spelled.lower() in lowered
    }
    for name in sorted(present, key=len, reverse=True):
        if holds_number(name):
            before = _NO_FIGURE_BEFORE if name[0].isalnum() else ""
            after = _NO_FIGURE_AFTER if name[-1].isalnum() else ""
            whole = re.compile(f"{before}{re.escape(name)}{after}", re.IGNORECASE)
            text = whole.sub(lambda match: match.group() if _is_told(match) else blanked(match), text)
    return text


def _is_told(name: re.Match[str]) -> bool:
    """Tell whether a name is read as a figure that is told."""
    around = name.string[max(name.start() - 1, 0) : name.end() + 1]
    return is_an_amount(name) or (_AMOUNT.search(name.group()) is not None and not _QUOTED.fullmatch(around))

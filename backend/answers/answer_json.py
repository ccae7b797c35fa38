"""Answers as text that gives back exactly what it was made of: for conversations, dashboards, history and evidence.

Every value says what it is where JSON alone would not: {"@decimal": "12.50"}, {"@class": "OutputColumn", ...}. Fields
that this version does not know are left out when a text is read, and those that a text lacks have their defaults.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from ai_engine.errors import AnswerUnreadable
from ai_engine.model_use import ModelCall
from ai_engine.semantics.intent import Intent
from ai_engine.tie_out.finding import TiedFigure, TieOut, TieOutCause
from ai_engine.types import (
    Answer,
    FailedDraft,
    OtherReading,
    OutputColumn,
    QueryResult,
    Scalar,
    ScanEstimate,
    StepFinished,
    WordMeaning,
)
from ai_engine.verified import VerifiedAnswer, intent_from_text, intent_to_text

MAX_KB = 1_024
"""Of one answer's text, unless a setting says otherwise; more than a thousand rows of ten columns take."""
_SHORT_ROW_CHARS = 64
_CLASSES = {
    kind.__name__: kind
    for kind in (
        Answer, FailedDraft, ModelCall, OtherReading, OutputColumn, QueryResult, ScanEstimate, StepFinished, TieOut,
        TieOutCause, TiedFigure, VerifiedAnswer, WordMeaning,
    )
}  # fmt: skip
_READERS: Mapping[str, Callable[[Any], object]] = {
    "@decimal": Decimal,
    "@float": float,
    "@datetime": datetime.fromisoformat,
    "@date": date.fromisoformat,
    "@time": time.fromisoformat,
    "@timedelta": lambda parts: timedelta(*parts),
    "@bytes": base64.b64decode,
    "@intent": intent_from_text,
    "@map": dict,
}


def answer_to_json(answer: Answer, max_kb: int = MAX_KB) -> str:
    """Write an answer as ASCII text of at most `max_kb`, or little more where it is long even without its rows.

    What a language model was asked goes first, then the other reading; then of the result the first rows are written,
    and the answer that is read again says so in `QueryResult.unkept_rows`.
    """
    most = max_kb * 1_024
    steps = (_without_prompts, _without_other_reading, _without_rows_beyond(most))
    if _has_too_many_rows(answer, most):
        for lighter in steps:
            answer = lighter(answer)
    text = _written(answer)
    for lighter in steps:
        if len(text) <= most:
            break
        answer = lighter(answer)
        text = _written(answer)
    return text


def answer_from_json(text: str) -> Answer:
    """Read what `answer_to_json` wrote.

    Raises:
        AnswerUnreadable: the text is none of these, or damaged.
    """
    answer = _read(text)
    if not isinstance(answer, Answer):
        raise AnswerUnreadable("a kept text is no answer")
    return answer


def result_to_json(result: QueryResult) -> str:
    """Write a result as ASCII text."""
    return json.dumps(_plain(result), separators=(",", ":"), allow_nan=False)


def result_from_json(text: str) -> QueryResult:
    """Read what `result_to_json` wrote; raises AnswerUnreadable."""
    result = _read(text)
    if not isinstance(result, QueryResult):
        raise AnswerUnreadable("a kept text is no result")
    return result


def steps_to_json(steps: Sequence[StepFinished]) -> str:
    """Write the steps that led to an answer."""
    return json.dumps(_plain(tuple(steps)), separators=(",", ":"))


def steps_from_json(text: str) -> tuple[StepFinished, ...]:
    """Read what `steps_to_json` wrote; raises AnswerUnreadable."""
    steps = _read(text)
    if not isinstance(steps, tuple) or not all(isinstance(step, StepFinished) for step in steps):
        raise AnswerUnreadable("a kept text is no steps")
    return steps


def _read(text: str) -> object:
    try:
        return _in_tuples(json.loads(text, object_hook=_value))
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError) as fault:
        raise AnswerUnreadable(f"a kept answer cannot be read: {type(fault).__name__}") from None


def _written(answer: Answer) -> str:
    return json.dumps(_plain(answer), separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """Say a value in what JSON has."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Intent):
        return {"@intent": intent_to_text(value)}
    if is_dataclass(value):
        return {"@class": type(value).__name__, **_set_fields(value)}
    return _tagged(value)


def _set_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are not as they are by default."""
    given = {field: getattr(value, field.name) for field in fields(value)}
    return {
        field.name: _plain(held)
        for field, held in given.items()
        if field.default is MISSING or type(held) is not type(field.default) or held != field.default
    }


def _tagged(value: Any) -> Any:
    match value:
        case float():
            return value if value - value == 0 else {"@float": repr(value)}
        case Decimal():
            return {"@decimal": str(value)}
        case datetime():
            return {"@datetime": value.isoformat()}
        case date():
            return {"@date": value.isoformat()}
        case time():
            return {"@time": value.isoformat()}
        case timedelta():
            return {"@timedelta": [value.days, value.seconds, value.microseconds]}
        case bytes():
            return {"@bytes": base64.b64encode(value).decode()}
        case Mapping():
            return {"@map": [[_plain(key), _plain(item)] for key, item in value.items()]}
    raise TypeError(f"an answer has no {type(value).__name__}")


def _value(read: dict[str, Any]) -> object:
    name = read.pop("@class", None)
    if name is not None:
        kind = _CLASSES[name]
        known = {field.name for field in fields(kind)}
        return kind(**{key: _in_tuples(held) for key, held in read.items() if key in known})
    ((tag, held),) = read.items()
    return _READERS[tag](held)


def _in_tuples(value: Any) -> Any:
    return tuple(_in_tuples(item) for item in value) if isinstance(value, list) else value


def _without_prompts(answer: Answer) -> Answer:
    return replace(answer, model_calls=tuple(replace(call, prompt="", reply="") for call in answer.model_calls))


def _without_other_reading(answer: Answer) -> Answer:
    return replace(answer, other_reading=None)


def _has_too_many_rows(answer: Answer, most: int) -> bool:
    """Tell whether the rows alone take too much room: writing very many of them takes seconds."""
    rows = answer.result.rows if answer.result is not None else ()
    return len(rows) > most // _SHORT_ROW_CHARS and _fitting(rows, most) < len(rows)


def _fitting(rows: Sequence[tuple[Scalar, ...]], room: int) -> int:
    """Count the first rows that fit into so many characters."""
    for place, row in enumerate(rows):
        room -= len(json.dumps(_plain(row), separators=(",", ":"))) + 1
        if room < 0:
            return place
    return len(rows)


def _without_rows_beyond(most: int) -> Callable[[Answer], Answer]:
    """Keep as many of the first rows as there is room for beside the rest."""

    def without(answer: Answer) -> Answer:
        result = answer.result
        if result is None:
            return answer
        room = most - len(_written(replace(answer, result=replace(result, rows=())))) - 100
        kept = _fitting(result.rows, room)
        if kept == result.row_count:
            return answer
        total_rows = result.total_rows if result.truncated else result.row_count
        cut = replace(
            result,
            rows=result.rows[:kept],
            truncated=True,
            total_rows=total_rows,
            unkept_rows=result.unkept_rows + result.row_count - kept,
        )
        return replace(answer, result=cut)

    return without

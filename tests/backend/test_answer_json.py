from __future__ import annotations

import re
import sys
from dataclasses import is_dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ai_engine.types
from ai_engine.errors import AnswerUnreadable
from ai_engine.model_use import ModelCall
from ai_engine.semantics.intent import Condition, Intent
from ai_engine.tie_out.finding import TieOut
from ai_engine.types import (
    Answer,
    ChartKind,
    FailedDraft,
    OtherReading,
    OutputColumn,
    QueryResult,
    Status,
    StepFinished,
    Trust,
    WordMeaning,
)
from ai_engine.verified import VerifiedAnswer
from backend.answers.answer_json import _CLASSES, answer_from_json, answer_to_json
from tests.ai_engine.test_verified import BALANCE, EVERYTHING
from tests.backend.test_json_values import SCALARS

WORDS = st.text(max_size=20)
NUMBERS = st.integers(0, 10**6)
TIMES = st.floats(0, 1e6)
ZONES = st.one_of(st.none(), st.just(UTC), st.just(timezone(timedelta(hours=5, minutes=30))))
MOMENTS = st.datetimes(timezones=ZONES).map(lambda moment: moment.replace(fold=0))
CELLS = st.one_of(
    SCALARS.filter(lambda cell: getattr(cell, "fold", 0) == 0),
    MOMENTS,
    st.times(timezones=ZONES).map(lambda moment: moment.replace(fold=0)),
    st.just(Decimal("-0E-30")),
)
COLUMNS = st.builds(
    OutputColumn,
    WORDS,
    WORDS,
    st.none() | WORDS,
    st.sampled_from(["measure", "category", "time", "identifier", "text"]),
    st.booleans(),
    st.sampled_from([None, "earlier", "change"]),
    st.lists(st.tuples(CELLS, WORDS), max_size=2).map(tuple),
)


def several(of: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=most).map(tuple)


RESULTS = st.builds(
    QueryResult,
    several(WORDS),
    several(st.sampled_from(["integer", "decimal", "text", "other"])),
    several(several(CELLS)),
    st.booleans(),
    TIMES,
    st.none() | NUMBERS,
    NUMBERS,
    st.booleans(),
    NUMBERS,
)
VALUES = st.one_of(
    st.booleans(), st.integers(), st.decimals(-9, 9), WORDS, st.dates(date(1000, 1, 1), date(9998, 1, 1))
)
INTENTS = st.none() | st.builds(
    lambda values, limit: EVERYTHING.model_copy(
        update={"filters": (Condition(field=BALANCE, operator="in", values=values),), "limit": limit}
    ),
    several(VALUES),
    st.none() | st.integers(1, 100),
)
ANSWERS = st.builds(
    Answer,
    question=WORDS,
    status=st.sampled_from(get_args(Status)),
    model=WORDS,
    restatement=WORDS,
    sql=st.none() | WORDS,
    result=st.none() | RESULTS,
    columns=several(COLUMNS),
    summary=WORDS,
    chart=st.sampled_from(get_args(ChartKind)),
    chart_size=st.floats(0.1, 4),
    assumptions=several(WORDS),
    choices=several(WORDS),
    suggestions=several(WORDS),
    error=st.none() | WORDS,
    error_kind=st.none() | WORDS,
    intent=INTENTS,
    meanings=several(st.builds(WordMeaning, WORDS, WORDS)),
    failures=several(st.builds(FailedDraft, st.none() | WORDS, WORDS, WORDS)),
    timings_ms=st.dictionaries(WORDS, TIMES, max_size=3),
    question_id=WORDS,
    trust=st.sampled_from([None, *get_args(Trust)]),
    verified=st.none() | st.builds(VerifiedAnswer, WORDS, WORDS, WORDS, WORDS, INTENTS, st.dates(), WORDS, MOMENTS),
    other_reading=st.none() | st.builds(OtherReading, WORDS, WORDS, RESULTS, several(COLUMNS)),
    stands_alone=st.booleans(),
    model_calls=several(
        st.builds(ModelCall, WORDS, WORDS, NUMBERS, NUMBERS, TIMES, st.none() | st.decimals(0, 9), WORDS, WORDS)
    ),
)


def _told(answer: Answer) -> str:
    """Every value as it is written, UTC by one of the two names that it has."""
    return re.sub(r"TzInfo\((?:0|UTC)\)", "datetime.timezone.utc", repr(answer))


@settings(max_examples=25, deadline=None)
@given(ANSWERS)
def test_an_answer_comes_back_with_every_value_as_it_was(answer: Answer):
    text = answer_to_json(answer)
    read = answer_from_json(text)
    assert _told(read) == _told(answer)  # NaN equals itself nowhere else, and 1 is not True
    assert text.isascii()
    assert answer_to_json(read) == text


def list_of(rows: int, **more: Any) -> Answer:
    cells = tuple((place, "x" * 90, Decimal("1.50")) for place in range(rows))
    columns = tuple(OutputColumn(name, name) for name in ("n", "text", "amount"))
    result = QueryResult(("n", "text", "amount"), ("integer", "text", "decimal"), cells, **more)
    return Answer(question="List", status="answered", model="rules", result=result, columns=columns)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 300), st.integers(1, 20), st.booleans())
def test_of_a_large_result_as_many_of_the_first_rows_are_kept_as_there_is_room_for(rows, max_kb, truncated):
    whole = list_of(rows, truncated=truncated, total_rows=rows + 5 if truncated else None)
    text = answer_to_json(whole, max_kb)
    kept = answer_from_json(text).result
    assert len(text) <= max_kb * 1_024
    assert kept.rows == whole.result.rows[: kept.row_count]
    assert kept.row_count + kept.unkept_rows == rows
    if kept.unkept_rows:
        assert len(text) > max_kb * 1_024 - 400
        assert kept.truncated
        assert kept.total_rows == (rows + 5 if truncated else rows)
    else:
        assert kept == whole.result


def test_what_a_model_was_asked_goes_before_rows_do():
    calls = (ModelCall("m", "IntentReply", 5, 6, prompt="p" * 5_000, reply="r" * 5_000),)
    other = OtherReading("Another", "SELECT 1", list_of(50).result)
    answer = replace(list_of(50), model_calls=calls, other_reading=other)
    light = answer_from_json(answer_to_json(answer, 15))
    assert (light.model_calls[0].prompt, light.model_calls[0].input_tokens) == ("", 5)
    assert light.result.unkept_rows == 0
    assert light.other_reading == other
    lightest = answer_from_json(answer_to_json(answer, 4))
    assert lightest.other_reading is None
    assert 0 < lightest.result.row_count < 50


def test_a_text_of_another_version_keeps_what_is_known():
    text = answer_to_json(list_of(1)).replace('"status":', '"mood":"good","status":')
    assert answer_from_json(text) == list_of(1)
    without_model = text.replace('"model":"rules"', '"modell":"rules"')
    with pytest.raises(AnswerUnreadable):
        answer_from_json(without_model)


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", '{"@class":"Settings"}', '{"@decimal":"x"}', '{"a":1,"b":2}', "[" * 100_000, '"\\ud800"'],
)
def test_a_damaged_text_is_told_as_such(text: str):
    with pytest.raises(AnswerUnreadable):
        answer_from_json(text)


def test_every_kind_of_value_that_an_answer_can_hold_is_known():
    names = {**vars(ai_engine.types), "ModelCall": ModelCall, "VerifiedAnswer": VerifiedAnswer, "Intent": Intent}
    waiting, seen = [Answer, StepFinished], set()
    while waiting:
        kind = waiting.pop()
        if kind in seen:
            continue
        seen.add(kind)
        for held in get_type_hints(kind, {**vars(sys.modules[kind.__module__]), **names, "TieOut": TieOut}).values():
            parts = [held]
            while parts:
                part = parts.pop()
                parts += get_args(part)
                if is_dataclass(part):
                    waiting.append(part)
    assert {kind.__name__ for kind in seen} == set(_CLASSES)


def test_as_of_days_are_dates_and_no_text():
    kept = VerifiedAnswer("v", "q", "r", "SELECT 1", None, date(2026, 9, 30), "asha", datetime(2026, 9, 30, tzinfo=UTC))
    answer = Answer(question="q", status="answered", model="rules", verified=kept)
    assert answer_from_json(answer_to_json(answer)) == answer

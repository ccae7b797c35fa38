"""Every content word ends in the restatement, in an assumption or in the refusal: what edits of a question change.

The questions of all files of readings, on the schemas that they are about; a few of them in every run, all with `slow`.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.types import Interpretation
from tests.ai_engine.built_in.cases import reading_cases
from tests.ai_engine.built_in.test_reading import KNOWN

SAYING_MORE = (
    "going up", "going", "single", "by phone", "abroad", "without delay", "in winter", "for the first time",
    "more than once", "3 litres", "17 people", "before tax", "twice", "again", "moving out", "paid back", "worn out",
    "turned down", "expected", "planned", "nearly", "mostly", "jointly", "gross", "off", "online", "per person",
    "near the river", "successfully", "of 12", "left over", "handed over", "called off", "real",
)  # fmt: skip
SEEDS = [pytest.param(1, 3, id="few"), pytest.param(2, 15, id="many", marks=pytest.mark.slow)]
CASES = [(file, case.question) for file in KNOWN for case in reading_cases(file) if case.outcome == "query"]
WITH_NUMBERS = [(file, question) for file, question in CASES if re.search(r"\b\d+\b", question)]


@cache
def _knows(file: str) -> Knowledge:
    return KNOWN[file]()


@cache
def _read(file: str, question: str) -> Interpretation:
    return decide(question, (), _knows(file))


def _same(one: Interpretation, other: Interpretation) -> bool:
    """Whether both are answered alike, and nobody is told of a difference."""
    told = [(found.restatement, sorted(found.assumptions)) for found in (one, other)]
    return other.outcome == "query" and told[0] == told[1]


def _ends_of_words(question: str) -> list[int]:
    spaces = [found.start() for found in re.finditer(" ", question)]
    return [*(at for at in spaces if question[:at].count('"') % 2 == 0), len(question.rstrip("?. "))]


@pytest.mark.parametrize(("seed", "each"), SEEDS)
def test_whatever_says_more_changes_what_is_told_or_is_refused(seed: int, each: int):
    rng = Random(seed)
    swallowed = []
    for more in SAYING_MORE:
        for file, question in rng.sample(CASES, each):
            at = rng.choice(_ends_of_words(question))
            edited = f"{question[:at]} {more}{question[at:]}"
            if _read(file, question).outcome == "query" and _same(_read(file, question), _read(file, edited)):
                swallowed.append((file, edited))
    assert swallowed == []


@pytest.mark.parametrize(("seed", "each"), SEEDS)
def test_without_a_value_that_it_names_a_question_is_another(seed: int, each: int):
    rng = Random(seed)
    missed = []
    for file, question in rng.sample(CASES, 8 * each):
        found = _read(file, question)
        values = [meaning.words for meaning in found.meanings if " is " in meaning.meaning]
        for words in values:
            edited = " ".join(question.replace(words, "", 1).split())
            if question.count(words) == 1 and edited and _same(found, _read(file, edited)):
                missed.append((file, edited))
    assert missed == []


@pytest.mark.parametrize(("seed", "each"), SEEDS)
def test_another_number_arrives_in_the_question(seed: int, each: int):
    rng = Random(seed)
    missed = []
    for file, question in rng.sample(WITH_NUMBERS, min(8 * each, len(WITH_NUMBERS))):
        number = rng.choice(list(re.finditer(r"(?<![\w.,/-])\d+(?![\w.,/-]\w)", question)) or [None])
        if number is not None:
            other = str(int(number[0]) + (1 if len(number[0]) == len("2026") else 2))
            edited = question[: number.start()] + other + question[number.end() :]
            if _same(_read(file, question), _read(file, edited)):
                missed.append((file, edited))
    assert missed == []


@pytest.mark.parametrize(("seed", "each"), SEEDS)
def test_courtesy_changes_nothing(seed: int, each: int):
    rng = Random(seed)
    changed = []
    for file, question in rng.sample(CASES, 6 * each):
        if question.lower().startswith(("hi", "please", "thanks")):
            continue
        bare = question.rstrip("?. ")
        for edited in (f"please {bare}", f"{bare} please", f"{bare}, thanks", f"Hi, {bare}"):
            if _read(file, edited).restatement != _read(file, question).restatement:
                changed.append((file, edited))
    assert changed == []

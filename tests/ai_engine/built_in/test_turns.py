"""Conversations written down in files: each turn goes on from the answer before it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ai_engine.built_in.knowledge import Knowledge
from tests.ai_engine.built_in.card_house import card_house
from tests.ai_engine.built_in.cases import ReadingCase, check_reading, reading_cases
from tests.ai_engine.built_in.clinics import clinics
from tests.ai_engine.built_in.counting_house import counting_house
from tests.ai_engine.built_in.haulier import haulier
from tests.ai_engine.built_in.leasing_desk import leasing_desk
from tests.ai_engine.built_in.purse import purse
from tests.ai_engine.built_in.talking import last
from tests.ai_engine.built_in.thrift_society import thrift_society
from tests.ai_engine.built_in.tram_works import tram_works

KNOWN: dict[str, Callable[[], Knowledge]] = {
    "turns_card_house.txt": card_house,
    "turns_clinics.txt": clinics,
    "turns_counting_house.txt": counting_house,
    "turns_haulier.txt": haulier,
    "turns_leasing_desk.txt": leasing_desk,
    "turns_purse.txt": purse,
    "turns_thrift_society.txt": thrift_society,
    "turns_tram_works.txt": tram_works,
}


@pytest.mark.parametrize(
    ("file", "case"),
    [
        pytest.param(name, case, id=f"{name}, line {case.line}", marks=case.marks)
        for name in KNOWN
        for case in reading_cases(name)
    ],
)
def test_the_last_turn_of_each_conversation_comes_to_what_its_file_says(file: str, case: ReadingCase):
    check_reading(last(KNOWN[file](), *case.question.split(" | ")), case)

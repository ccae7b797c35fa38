"""Whatever a chip offers is a question of its own that runs, and what was added can be taken off again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from ai_engine import guard
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.edits.chips import chips_of, still_assumed
from ai_engine.semantics.edits.drill import drill_into
from ai_engine.semantics.edits.edit import Chip, Edit, chip_of
from ai_engine.semantics.edits.naming import question_of
from ai_engine.semantics.edits.next_questions import next_questions
from ai_engine.semantics.edits.periods import on_days
from ai_engine.semantics.edits.readings import other_readings
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, parts_of
from ai_engine.semantics.restatement import restate
from backend.service import Assistant


def edits_of(chips: tuple[Chip, ...]) -> list[Edit]:
    return [edit for chip in chips for edit in (*((chip.removal,) if chip.removal else ()), *chip.choices)]


def passes(intent: Intent, assistant: Assistant) -> bool:
    known = assistant.vocabulary
    draft = compile_intent(intent, known.model, known.catalogue.dialect, known.as_of)
    return bool(
        guard.check(draft.sql, known.catalogue, assistant.policy, for_answer=True, ranked_by=draft.ranked_by).run_sql
    )


def test_a_question_about_what_the_vocabulary_no_longer_has_gets_no_chips_and_leads_nowhere(
    assistant: Assistant, intents: list[Intent]
):
    known = assistant.vocabulary
    gone = replace(known.model, datasets=(), metrics=(), relationships=())
    for intent in intents:
        emptied = replace(known, model=gone)
        assert chips_of(intent, emptied) == ()
        assert other_readings(intent, emptied) == ()
        assert next_questions(intent, emptied) == ()
        assert drill_into(intent, ("x",) * 9, emptied) is None


def check(intents: list[Intent], assistant: Assistant) -> None:
    known = assistant.vocabulary
    for intent in intents:
        said = restate(intent, known.model, known.as_of)
        for edit in (*edits_of(chips_of(intent, known)), *other_readings(intent, known)):
            assert passes(edit.intent, assistant), (said, edit)
            assert restate(edit.intent, known.model, known.as_of) != said, (said, edit)
            assert edit.label
            assert edit.said


def test_every_offered_edit_compiles_passes_the_guard_and_reads_otherwise(intents: list[Intent], assistant: Assistant):
    check(intents[::2], assistant)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_so_does_every_edit_of_every_question(every_intent: list[Intent], assistant: Assistant):
    check(every_intent, assistant)


def test_each_part_of_a_question_has_a_chip(assistant: Assistant):
    asked = assistant.ask("deposits of savings accounts by branch, top 5")
    assert [chip.label for chip in chips_of(asked.intent, assistant.vocabulary) if not chip.adds] == [
        "account type is Savings", "by branch", "Top 5",
    ]  # fmt: skip


def test_what_may_stand_in_place_of_a_part_is_found_when_its_chip_is_opened(assistant: Assistant):
    known, asked, found = assistant.vocabulary, assistant.ask("deposits by branch").intent, []

    def others() -> Iterator[Edit]:
        for grouping in ("account_type", "status"):
            by = Dimension(field=FieldRef(dataset="accounts", field=grouping))
            found.append(grouping)
            yield Edit(grouping, grouping, asked.model_copy(update={"dimensions": (by,)}))

    part = chip_of("by branch", Edit("", "", asked.model_copy(update={"dimensions": ()})), others, asked, known)
    assert part.removal is not None
    assert found == []
    assert part.opens
    assert found == ["account_type"]
    assert len(part.choices) == 2


def chip(label: str, intent: Intent, assistant: Assistant) -> Chip:
    return next(one for one in chips_of(intent, assistant.vocabulary) if label in one.label)


def choice(label: str, of: Chip) -> Edit:
    return next(edit for edit in of.choices if label in edit.label)


def test_the_home_branch_stands_beside_the_branch_of_the_account(assistant: Assistant):
    asked = assistant.ask("deposits by branch").intent
    home = choice("home branch", chip("by branch", asked, assistant)).intent
    assert "home branch" in restate(home, assistant.vocabulary.model, assistant.vocabulary.as_of)
    back = next(one for one in chip("by home branch", home, assistant).choices if one.intent == asked)
    assert back.label == "By branch"


def test_the_fiscal_year_stands_beside_the_calendar_year(assistant: Assistant):
    asked = assistant.ask("customers joined by year").intent
    by_year = chip("by year", asked, assistant)
    fiscal = choice("fiscal year", by_year).intent
    assert [item.field.grain for item in fiscal.dimensions] == ["fiscal_year"]
    this_year = assistant.ask("new customers this year").intent
    assert choice("This fiscal year", chip("this year", this_year, assistant)).intent.period.start == date(2026, 4, 1)


def test_own_days_can_be_chosen_and_what_they_are_is_said(assistant: Assistant):
    asked = assistant.ask("number of transactions last month").intent
    edit = on_days(asked, date(2026, 3, 3), date(2026, 3, 9), assistant.vocabulary)
    assert edit is not None
    assert edit.said == "From 3 to 9 March 2026"
    assert (edit.intent.period.start, edit.intent.period.end) == (date(2026, 3, 3), date(2026, 3, 10))
    assert on_days(edit.intent, date(2026, 3, 3), date(2026, 3, 9), assistant.vocabulary) is None


def test_what_is_added_can_be_taken_off_again(intents: list[Intent], assistant: Assistant):
    """An added grouping takes the ranking of the groups before away, so only unranked questions come back whole."""
    known, tried = assistant.vocabulary, 0
    for intent in intents[::2]:
        if intent.limit is not None or intent.order or intent.having:
            continue
        for adding in (one for one in chips_of(intent, known) if one.adds):
            for edit in adding.choices[:1]:
                back = [one.removal.intent for one in chips_of(edit.intent, known) if one.removal is not None]
                assert intent in back, edit
                tried += 1
    assert tried > 10


def test_changed_answers_say_in_headline_and_scope_what_they_are_of(assistant: Assistant):
    asked = assistant.ask("total deposits of savings accounts")
    without = chip("account type", asked.intent, assistant).removal
    current = choice("Current", chip("account type", asked.intent, assistant))
    assert without is not None
    everything = assistant.run_again(without.intent, question=without.said)
    other = assistant.run_again(current.intent, question=current.said)
    assert "Savings" in asked.headline
    assert "Savings" not in everything.headline + everything.restatement
    assert "Current" in other.headline
    assert "Current" in other.restatement


def test_what_was_assumed_of_a_period_goes_with_the_period(assistant: Assistant):
    known = assistant.vocabulary
    asked = assistant.ask("new customers this year").intent
    off = chip("this year", asked, assistant).removal
    assert off is not None
    kept = ("“cust” was read as “customers”", "“this year” is of the calendar year: 2026.")
    assert still_assumed(kept, asked, off.intent, known) == kept[:1]
    assert still_assumed(kept, asked, asked, known) == kept


def test_what_was_said_of_statuses_goes_where_a_change_decides_them(assistant: Assistant):
    asked = assistant.ask("number of accounts by account type")
    every = "Accounts of every status count: Active, Closed, Dormant."
    assert every in asked.assumptions
    decided = asked.intent.model_copy(
        update={
            "filters": (
                Condition(field=FieldRef(dataset="accounts", field="status"), operator="=", values=("Active",)),
            )
        }
    )
    kept = still_assumed(asked.assumptions, asked.intent, decided, assistant.vocabulary)
    assert every not in assistant.run_again(decided, question="of active ones", assumptions=kept).assumptions
    same = still_assumed(asked.assumptions, asked.intent, asked.intent, assistant.vocabulary)
    assert every in assistant.run_again(asked.intent, question="again", assumptions=same).assumptions


@pytest.mark.parametrize(
    ("question", "label", "now", "given", "said"),
    [
        ("accounts with balance above 50,000", "balance", [50000], [75000.5], "balance is above 75000.5"),
        ("top 5 branches by deposits", "Top 5", [5], [7], "top 7"),
        ("number of accounts by branch having more than 100 accounts", "whose number", [101], [250], "at least 250"),
        ("customers older than 60", "age", [60], [65], "above 65"),
        ("accounts with balance between 10000 and 20000", "balance", [10000, 20000], [30000, 5000], "5000 and 30000"),
        ("customers with at least 2 loans", "loans", [2], [3], "with at least 3 loans"),
    ],
)  # fmt: skip
def test_a_number_is_changed_to_another(question, label, now, given, said, assistant: Assistant):
    asked = assistant.ask(question).intent
    numbers = next(one.numbers for one in chips_of(asked, assistant.vocabulary) if label in one.label)
    assert numbers is not None
    assert list(numbers.now) == now
    edit = numbers.put(given)
    assert edit is not None
    assert said in edit.said.lower()
    assert passes(edit.intent, assistant)
    assert numbers.put(now) is None


def test_codes_and_names_are_not_numbers_to_change(assistant: Assistant):
    asked = assistant.ask("deposits of savings accounts by branch").intent
    assert all(one.numbers is None for one in chips_of(asked, assistant.vocabulary))


@pytest.mark.parametrize(
    ("question", "other", "read", "back"),
    [
        ("deposits in Pune by branch", "The home branch", "city (of the home branch) is Pune", "The account's branch"),
        ("deposits in Pune by branch", "The home branch", "by home branch", "The account's branch"),
        ("new customers this year", "Fiscal year", "this fiscal year (April to", "Calendar year"),
        ("customers joined by year", "Fiscal year", "by fiscal year of joining date", "Calendar year"),
        ("disbursals by quarter", "Fiscal quarter", "by fiscal quarter of", "Calendar quarter"),
    ],
)  # fmt: skip
def test_what_was_assumed_is_switched_to_its_other_reading_and_back(question, other, read, back, assistant: Assistant):
    known, asked = assistant.vocabulary, assistant.ask(question).intent
    switched = next(edit.intent for edit in other_readings(asked, known) if edit.said == other)
    assert read in restate(switched, known.model, known.as_of)
    returned = next(edit.intent for edit in other_readings(switched, known) if edit.said == back)
    assert {part.grain for part in parts_of(returned, FieldRef)} == {part.grain for part in parts_of(asked, FieldRef)}
    if asked.period is None:
        assert returned == asked
    else:
        assert (returned.period.start, returned.period.end) == (asked.period.start, asked.period.end)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("accounts opened in 2025 by type", "Accounts opened by account type, 2025"),
        ("top 5 branches by deposits", "Total deposits by branch, top 5"),
        ("accounts with balance above 50,000", "Accounts where balance is above 50000"),
        ("how many branches have more than 100 accounts", "Number of branches with at least 101 accounts"),
    ],
)  # fmt: skip
def test_a_changed_question_is_called_as_a_person_would_ask_it(question: str, said: str, assistant: Assistant):
    assert question_of(assistant.ask(question).intent, assistant.vocabulary) == said

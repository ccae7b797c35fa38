"""Which readings of a question remain: complete, nearly the cheapest, compilable, and asking different things."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ai_engine.built_in.grammar.reader import readings
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import LEFT_OVER_COST, Reading
from ai_engine.built_in.outcomes.ways import by_each_way
from ai_engine.built_in.outcomes.whole_years import finer_than_kept
from ai_engine.built_in.rewording.asked_trends import as_trends
from ai_engine.built_in.rewording.average_numbers import as_average_numbers
from ai_engine.built_in.rewording.by_way_of import as_having
from ai_engine.built_in.rewording.glossary import WrittenOut, write_out
from ai_engine.built_in.rewording.parts_that_go import as_shares_of_groups
from ai_engine.built_in.rewording.presence import still_as_they_were_put, those_still_there
from ai_engine.built_in.rewording.reporting_lines import by_superiors
from ai_engine.built_in.rewording.shorthand import in_full, without_slashes
from ai_engine.built_in.rewording.trade_nouns import in_words_of_the_vocabulary
from ai_engine.built_in.rewording.trade_terms import in_terms_of_the_database
from ai_engine.built_in.rewording.turns_of_phrase import in_plain_words
from ai_engine.built_in.rewording.verbs_of_tables import in_names_of_tables
from ai_engine.errors import AmbiguousPath, IntentNotCovered
from ai_engine.preamble import without_preamble
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import FieldRef, Intent
from ai_engine.semantics.restatement import restate

_ALIAS = re.compile(r" AS (\w+),?$", re.MULTILINE)
_LAST_SELECT = "\n)\nSELECT\n"
_COUNTED_KEY = re.compile(r"COUNT\((?:\w+\.)?\w+_id\)", re.IGNORECASE)
_NEARLY_EQUAL = 0.04
_CLEARLY_CHEAPER = 1.0
_FAR_FETCHED = 0.5  # what costs this much more than a reading that cannot be answered is a makeshift
_SECOND_CHOICE = 0.5  # a reading that cannot be computed gives way to one that costs little more


@dataclass(frozen=True)
class Verdict:
    """What came of the readings of one question.

    Attributes:
        best: the cheapest reading, complete or not; None for a question without words.
        understood: every word found its place; `best` is then the cheapest complete reading that can be computed.
        distinct: readings that can be computed and are as good as the best; several mean a question back.
    """

    best: Reading | None
    understood: bool = False
    distinct: tuple[Reading, ...] = ()

    @property
    def is_answered(self) -> bool:
        """One reading is left, and it can be computed."""
        return len(self.distinct) == 1


def judge(found: Sequence[Reading], knowledge: Knowledge) -> Verdict:
    """Weigh readings that come cheapest first."""
    complete = _ranked_by_their_own([reading for reading in found if reading.complete], knowledge)
    if not complete or (found[0].unplaced and found[0].cost < complete[0].cost - _CLEARLY_CHEAPER):
        return Verdict(found[0] if found else None)
    natural = min((reading for reading in found if reading.is_objected_to), key=_cost_of_words, default=None)
    far = _CLEARLY_CHEAPER if natural is not None and _says_more(complete[0], natural) else _FAR_FETCHED
    if natural is not None and _cost_of_words(natural) < complete[0].cost - far:
        return Verdict(natural)
    for best in complete:
        if best.cost > complete[0].cost + _SECOND_CHOICE:
            break
        near = [reading for reading in complete if best.cost <= reading.cost <= best.cost + _NEARLY_EQUAL]
        distinct = _distinct(near, knowledge)
        if distinct:
            return Verdict(best, understood=True, distinct=distinct)
        if best.intent is not None and finer_than_kept(best.intent, knowledge):
            break  # another date would answer another question
    return Verdict(complete[0], understood=True)


def _says_more(reading: Reading, than: Reading) -> bool:
    """Tell whether the words that another reading loses are states in this one: "paid" of claims that are so."""
    told = {meaning.words for meaning in reading.meanings if meaning.meaning.lower().endswith(f" is {meaning.words}")}
    return told.issuperset(than.unplaced)


def _ranked_by_their_own(found: list[Reading], knowledge: Knowledge) -> list[Reading]:
    """ "top 5 accounts by balance": by that of each, where they keep one, and not by what their cards have."""
    listed = {
        reading.intent.columns[0].dataset
        for reading in found
        if reading.intent is not None and reading.intent.columns and reading.intent.limit is not None
        if any(order.field is not None and order.field.dataset == reading.intent.columns[0].dataset
               for order in reading.intent.order)
    }  # fmt: skip

    def by_others(intent: Intent) -> bool:
        things = {item.field.dataset for item in intent.dimensions}
        figures = {knowledge.base(measure) for measure in intent.measures}
        return bool(intent.limit is not None and things and things <= listed and not figures & things)

    return [reading for reading in found if reading.intent is None or not by_others(reading.intent)]


def _cost_of_words(reading: Reading) -> float:
    return reading.cost - LEFT_OVER_COST * len(reading.unplaced)


def judge_alone(question: str, knowledge: Knowledge) -> Verdict:
    """Read a question that nothing stands before."""
    said = said_in_known_words(question, knowledge)
    stated = (
        replace(reading, assumptions=(*said.assumptions, *reading.assumptions))
        for reading in readings(said.question, knowledge)
    )
    return judge(tuple(stated), knowledge)


def said_in_known_words(question: str, knowledge: Knowledge) -> WrittenOut:
    """A question in plain words, with its abbreviations and words of the trade as the vocabulary says them."""
    plain = in_plain_words(as_trends(without_preamble(question)), knowledge)
    shaped = as_having(as_average_numbers(as_shares_of_groups(plain.question)))
    there = those_still_there(shaped, knowledge)
    kept = still_as_they_were_put(there.question, knowledge)
    lines = by_superiors(kept.question, knowledge)
    named = in_names_of_tables(lines.question, knowledge)
    written = write_out(named.question, knowledge)
    full = in_full(written.question, knowledge)
    terms = in_terms_of_the_database(full.question, knowledge)
    listed = without_slashes(terms.question, knowledge)
    spelled = in_words_of_the_vocabulary(listed.question, knowledge)
    steps = (plain, there, kept, named, written, full, terms, listed, spelled)
    return WrittenOut(spelled.question, tuple(note for step in steps for note in step.assumptions))


def restated(reading: Reading, knowledge: Knowledge) -> str:
    """Say a complete reading back."""
    assert reading.intent is not None  # noqa: S101 - only complete readings come here
    return restate(reading.intent, knowledge.model, knowledge.as_of)


def _without_names(sql: str) -> str:
    """What a statement computes, whatever it calls its columns, within it and in its result."""
    sql = _COUNTED_KEY.sub("COUNT(*)", sql)
    before, select, shown = sql.rpartition(_LAST_SELECT)
    for number, alias in enumerate(dict.fromkeys(_ALIAS.findall(shown)) if before else ()):
        shown = re.sub(rf"(?<!\.)\b{re.escape(alias)}\b(?!\.)", f"shown_{number}", shown)
    sql = f"{before}{select}{shown}"
    for number, alias in enumerate(dict.fromkeys(_ALIAS.findall(sql))):
        sql = re.sub(rf"(?<!FROM )(?<!JOIN )\b{re.escape(alias)}\b(?!\.)", f"column_{number}", sql)
    return sql


def _by_one_of_each(intent: Intent, knowledge: Knowledge) -> set[Intent]:
    """The same question with things called by their names alone, and by their keys alone, where it has both."""
    grouping = (*(item.field for item in intent.dimensions), *intent.limit_within)
    named = {field.dataset for field in grouping if knowledge.field(field).role == "name"}
    keyed = {field.dataset for field in grouping if field == knowledge.key(field.dataset)}

    def is_beside_name(field: FieldRef) -> bool:
        return field.dataset in named and field == knowledge.key(field.dataset)

    def is_beside_key(field: FieldRef) -> bool:
        return field.dataset in keyed and knowledge.field(field).role == "name"

    return {_without(intent, is_beside_name, named), _without(intent, is_beside_key, keyed)}


def _without(intent: Intent, is_beside: Callable[[FieldRef], bool], called: set[str]) -> Intent:
    return intent.model_copy(
        update={
            "dimensions": tuple(item for item in intent.dimensions if not is_beside(item.field)),
            "columns": tuple(item for item in intent.columns if not is_beside(item)),
            "limit_within": tuple(item for item in intent.limit_within if not is_beside(item)),
            "subject": None if intent.subject in called else intent.subject,
        }
    )


def _distinct(near: Sequence[Reading], knowledge: Knowledge) -> tuple[Reading, ...]:
    """Those that can be compiled, and ask the database different things."""
    found: dict[str, Reading] = {}
    things: set[Intent] = set()
    for reading in near:
        assert reading.intent is not None  # noqa: S101 - only complete readings come here
        called = _by_one_of_each(reading.intent, knowledge)
        if called & things:
            continue  # "the branch", by its key and name or by one of them alone
        things |= called
        for computed, sql in _computed(reading, knowledge):
            found.setdefault(_without_names(sql), computed)
    return tuple({restated(reading, knowledge): reading for reading in found.values()}.values())


def _computed(reading: Reading, knowledge: Knowledge, *, by_ways: bool = True) -> list[tuple[Reading, str]]:
    """A reading with its statement, one for each way where several are as good; none where it cannot be compiled."""
    vocabulary = knowledge.vocabulary
    assert reading.intent is not None  # noqa: S101 - only complete readings come here
    try:
        draft = compile_intent(reading.intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    except AmbiguousPath as several:
        ways = by_each_way(reading.intent, several, knowledge) if by_ways else ()
        readings = (replace(reading, intent=intent) for intent in ways)
        return [found for each in readings for found in _computed(each, knowledge, by_ways=False)]
    except IntentNotCovered:
        return []
    return [(reading, draft.sql)]

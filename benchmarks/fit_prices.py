"""Fit what the constructions of the grammar cost to the project's own cases; rewrites their file of prices.

    python -m benchmarks.fit_prices

A structured perceptron that begins with the present prices. A case demands that its reading is cheaper, by a margin,
than the others that would be told instead. Where it is not, what only the wrong one pays becomes dearer and what only
the right one pays cheaper, by no more than is lacking and never below nothing; after each pass every price is drawn
a little back to where it began. So a price moves for a case, or not at all. Nothing is drawn by lot: the same
cases, constructions and present prices give the same file.

Readings are weighed as the reader does it, with its objections, from prices that remember what was added up:

- A question by itself, or a turn put together with the question before, must beat every reading that asks something
  else and can be computed.
- A refusal of a reading that has a place for every word must be cheaper than the answer that would be given instead.
- Choices of a question back must be about as good as each other, and better than the rest.

Left out, as no price decides them: refusals before a question is read (harm, other languages, what is kept back),
those of what cannot be computed, and of words that no reading has a place for, in turns too; choices between ways to
join tables; whether a turn leans on the question before at all. `tests/ai_engine/built_in` hold these to the outcome.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from ai_engine.built_in.follow_up.address import address, may_point_back
from ai_engine.built_in.follow_up.figures import base_of_intent
from ai_engine.built_in.follow_up.fragment import Words, first_name
from ai_engine.built_in.follow_up.meant import of_named_days
from ai_engine.built_in.follow_up.those_shown import said_of_those
from ai_engine.built_in.follow_up.together import together
from ai_engine.built_in.grammar.all_kinds import every_price, fingerprint
from ai_engine.built_in.grammar.prices import NOT_YET_FITTED, PRICES_FILE, fitted_prices, written
from ai_engine.built_in.grammar.reader import chart_of, readings, tokens_of
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.to_intent import said
from ai_engine.built_in.one_reading import LEFT_OVER_COST, Reading
from ai_engine.built_in.outcomes.rivals import judge, said_in_known_words
from ai_engine.built_in.tokens import tokenise
from ai_engine.semantics.restatement import plural
from benchmarks.reader_cases import BankCase, ReaderCase, bank_cases, reader_cases, turn_cases

Case: TypeAlias = ReaderCase | BankCase

_ROUNDS = 2  # readings are found anew in each
_PASSES = 12  # over the demands of one round
_STEP = 0.02  # at most, for one case
_PULL = 0.02  # of the way back to the present price, in each pass
_MARGIN = 0.08  # by which the right reading must be cheaper: twice what counts as equally good
_HAIR = 0.005  # enough against the same statement in other words
_ALIKE = 0.02  # choices of a question back: half of what counts as equally good
_NEAR = 0.3  # others are too dear to ask whether they can be computed
_FAR_FETCHED = 0.5  # by which an answer must be dearer than what is objected to, to be no answer
_CONSIDERED = 12
_DEAREST = 1.0


class Told(float):
    """A price that remembers what it was added up from."""

    parts: tuple[float | str, ...] = ()

    def __add__(self, other: float) -> Told:
        """Keep both."""
        total = Told(float(self) + float(other))
        total.parts = (self, other)
        return total

    __radd__ = __add__

    @staticmethod
    def of(name: str, price: float) -> Told:
        """The price that is called so."""
        told = Told(price)
        told.parts = (name,)
        return told

    def paid(self) -> Counter[str]:
        """How often each price is in it, by name."""
        found: Counter[str] = Counter()
        left: list[float | str] = [self]
        while left:
            part = left.pop()
            if isinstance(part, str):
                found[part] += 1
            elif isinstance(part, Told):
                left.extend(part.parts)
        return found


@dataclass(frozen=True)
class Candidate:
    """One reading: what it pays by name, and what its words cost."""

    paid: Counter[str]
    words: float

    def cost(self, prices: Mapping[str, float]) -> float:
        """The price of all."""
        return self.words + sum(prices[name] * times for name, times in self.paid.items())


@dataclass(frozen=True)
class Demand:
    """That one reading is cheaper than another by at least so much."""

    right: Candidate
    wrong: Candidate
    least: float

    @property
    def differing(self) -> dict[str, int]:
        """What the wrong one pays more often, or less; nothing where no price can tell them apart."""
        names = sorted(self.right.paid.keys() | self.wrong.paid.keys())
        return {name: times for name in names if (times := self.wrong.paid[name] - self.right.paid[name])}

    def lacking(self, prices: Mapping[str, float]) -> float:
        """By how much it is not."""
        return self.right.cost(prices) + self.least - self.wrong.cost(prices)

    def is_against(self, prices: Mapping[str, float]) -> bool:
        """Tell whether the wrong one is cheaper, or a choice no longer as good as another."""
        return self.lacking(prices) > abs(self.least)


def main() -> None:
    """Fit, write the file, and say how many cases come out right by price."""
    read_by = cast(dict[str, float], fitted_prices().by_name)  # whoever reads here reads by what is being fitted
    present = {name: read_by.get(name, NOT_YET_FITTED) for name in every_price()}
    cases = (*reader_cases(), *turn_cases(), *bank_cases())
    prices = dict(present)
    for number in range(_ROUNDS):
        demands = _demands_of_all(cases, prices, read_by)
        _tell(f"round {number}", demands, prices)
        for _ in range(_PASSES):
            for demand in (each for found in demands.values() for each in found):
                learn(demand, prices)
            for name, price in present.items():
                prices[name] += _PULL * (price - prices[name])
    demands = _demands_of_all(cases, prices, read_by)
    _tell("in the end", demands, prices, by_name=True)
    weighed = {name for found in demands.values() for demand in found for name in demand.differing}
    remark = (
        f"What each construction, and each reason against one, costs: fitted from {len(cases)} cases by `make fit`,\n"
        f"for {fingerprint()}\n"
        f"{len(prices) - len(weighed)} of {len(prices)} tell no two readings of these cases apart."
    )
    PRICES_FILE.write_text(written(prices, remark), encoding="utf-8")


def _demands_of_all(
    cases: Sequence[Case], prices: Mapping[str, float], read_by: dict[str, float]
) -> dict[str, tuple[Demand, ...]]:
    """What each case demands, by its place, as its question is read at these prices."""
    read_by.clear()
    read_by.update({name: Told.of(name, price) for name, price in prices.items()})
    return {
        case.place: demands
        for case in cases
        if (demands := tuple(each for each in _demands(case, prices) if each.differing))
    }


def _tell(
    when: str, demands: Mapping[str, Sequence[Demand]], prices: Mapping[str, float], *, by_name: bool = False
) -> None:
    wrong = [place for place, found in demands.items() if any(each.is_against(prices) for each in found)]
    near = sum(any(each.lacking(prices) > 0 for each in found) for found in demands.values()) - len(wrong)
    sys.stdout.write(f"{when}: of {len(demands)} cases {len(wrong)} wrong by price, {near} within the margin\n")
    sys.stdout.write("".join(f"  {place}\n" for place in wrong if by_name))
    sys.stdout.flush()


def _demands(case: Case, prices: Mapping[str, float]) -> Iterator[Demand]:
    """What a case demands of the readings of its question, where one of them is right."""
    found = _continued(case) if case.before else ()
    if not any(case.is_right(reading) for reading in found):
        found = _alone(case)
    weighed = [reading for reading in found if reading.complete or reading.is_objected_to]
    right = [reading for reading in weighed if case.is_right(reading)]
    if not right:
        return
    best = _candidate(right[0], prices)
    if case.outcome == "clarify":
        yield from (Demand(_candidate(reading, prices), best, -_ALIKE) for reading in right[1:])
    for reading in weighed:
        least = _MARGIN if reading.cost > right[0].cost + _NEAR else _least(reading, right[0], case)
        if reading not in right and least:
            yield Demand(best, _candidate(reading, prices), least)


def _least(rival: Reading, right: Reading, case: Case) -> float:
    """By how much a reading must be cheaper than another; 0 where the other would not be told."""
    if not (rival.complete and right.complete):
        return _MARGIN if rival.complete or right.complete else 0.0
    told = judge((replace(rival, cost=0.0), replace(right, cost=0.0)), case.knowledge).distinct
    if len(told) > 1:
        return _MARGIN
    in_other_words = bool(told) and told[0].intent == rival.intent
    return _HAIR if in_other_words and isinstance(case, ReaderCase) else 0.0  # rows are the same in any words


def _candidate(reading: Reading, prices: Mapping[str, float]) -> Candidate:
    """A reading with what it pays; what is objected to wins where an answer is dearer by far."""
    paid = reading.cost.paid() if isinstance(reading.cost, Told) else Counter[str]()
    words = float(reading.cost) - sum(prices[name] * times for name, times in paid.items())
    if reading.is_objected_to:
        words -= LEFT_OVER_COST * len(reading.unplaced) - _FAR_FETCHED
    return Candidate(paid, words)


def _alone(case: Case) -> tuple[Reading, ...]:
    """The readings of a question that nothing stands before."""
    words = said_in_known_words(case.question, case.knowledge).question
    found = readings(words, case.knowledge)
    if len(found) == 1 and found[0].is_objected_to and found[0].intent is None:
        return (*found, *_behind(words, case))
    return found


def _behind(words: str, case: Case) -> Iterator[Reading]:
    """Answers that are dearer than what can be said of no database, which alone is returned; so they must remain."""
    schema = Schema(case.knowledge)
    chart = chart_of(tokens_of(words, case.knowledge), schema, fitted_prices())
    phrases = chart.whole("Q")[:_CONSIDERED]
    if said(schema, phrases[0].value).is_beyond:
        for phrase in phrases:
            intent = said(schema, phrase.value).intent
            if intent is not None:
                yield Reading(intent, phrase.cost + _FAR_FETCHED, (), (), ())  # where no word is lost


def _continued(case: Case) -> Sequence[Reading]:
    """The readings of a turn put together with the last question that was answered."""
    question, before = of_named_days(case.question, case.before, case.knowledge)
    earlier = next((turn.intent for turn in reversed(before) if turn.intent is not None), None)
    about = base_of_intent(earlier, case.knowledge) if earlier is not None else None
    if earlier is None or about is None:
        return ()
    tokens = tokenise(said_in_known_words(said_of_those(question, case.knowledge), case.knowledge).question)
    start = first_name(tokens, case.knowledge) if may_point_back(tokens) else len(tokens)
    talk = address(tokens, start, plural(case.knowledge.dataset(about).label))
    return together(earlier, before, talk, Words(talk.rest, case.knowledge), case.knowledge)


def learn(demand: Demand, prices: dict[str, float]) -> None:
    """Step where a demand is not met, by no more than is lacking."""
    lacking = demand.lacking(prices)
    if lacking <= 0:
        return
    step = min(_STEP, lacking / sum(times * times for times in demand.differing.values()))
    for name, times in demand.differing.items():
        prices[name] = min(_DEAREST, max(0.0, prices[name] + step * times))


if __name__ == "__main__":
    main()

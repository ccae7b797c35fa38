"""Fit what the constructions of the grammar cost to the project's own cases; rewrites their file of prices.

    python -m benchmarks.fit_prices

A structured perceptron: where the cheapest reading of a question is not the one that its case wants, what only the
wrong one pays becomes dearer and what only the right one pays cheaper, never below nothing. The prices of the
last rounds are averaged. Nothing is drawn by lot, so that the same cases and constructions give the same file.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ai_engine.built_in.grammar.all_kinds import every_price, fingerprint
from ai_engine.built_in.grammar.prices import NOT_YET_FITTED, PRICES_FILE, Prices, parsed, written
from ai_engine.built_in.grammar.reader import chart_of, tokens_of
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.to_intent import said
from ai_engine.built_in.outcomes.rivals import said_in_known_words
from benchmarks.reader_cases import BankCase, ReaderCase, bank_cases, reader_cases

_ROUNDS = 6
_AVERAGED_FROM = 3  # the first rounds are far from where they end
_PASSES = 8  # over the readings of one round
_STEP = 0.01
_MARGIN = 0.08  # by which the right reading must be cheaper: twice what counts as equally good
_CONSIDERED = 24
_DEAREST = 1.0


@dataclass(frozen=True)
class Candidate:
    """One reading: what it pays by name, what its words cost, and whether it is the one that is wanted."""

    paid: Counter[str]
    words: float
    right: bool

    def cost(self, prices: Mapping[str, float]) -> float:
        """The price of all."""
        return self.words + sum(prices[name] * times for name, times in self.paid.items())


def main() -> None:
    """Fit, write the file, and say how many cases come out right by price."""
    names = tuple(every_price())
    known = parsed(PRICES_FILE.read_text(encoding="utf-8"))
    prices = {name: known.get(name, NOT_YET_FITTED) for name in names}
    cases = (*(case for case in reader_cases() if case.outcome != "clarify"), *bank_cases())
    total: Counter[str] = Counter()
    for number in range(_ROUNDS):
        found = [candidates for case in cases if (candidates := tuple(_candidates(case, Prices(prices))))]
        right = sum(_is_right(candidates, prices) for candidates in found)
        sys.stdout.write(f"round {number}: {right} right of {len(found)} that have the right one among them\n")
        sys.stdout.flush()
        for _ in range(_PASSES):
            for candidates in found:
                _learn(candidates, prices)
        if number >= _AVERAGED_FROM:
            total.update(prices)
    averaged = {name: total[name] / (_ROUNDS - _AVERAGED_FROM) for name in names}
    remark = (
        f"What each construction, and each reason against one, costs: fitted from {len(cases)} cases by `make fit`,\n"
        f"for {fingerprint()}"
    )
    PRICES_FILE.write_text(written(averaged, remark), encoding="utf-8")


def _candidates(case: ReaderCase | BankCase, prices: Prices) -> Iterator[Candidate]:
    """The cheapest readings of a question, where one of them is right."""
    schema = Schema(case.knowledge)
    words = said_in_known_words(case.question, case.knowledge).question
    tokens = tokens_of(words, case.knowledge)
    readings = []
    for phrase in chart_of(tokens, schema, prices).whole("Q")[:_CONSIDERED] if tokens else ():
        told = said(schema, phrase.value)
        if told.intent is not None or told.reason:
            paid = Counter(phrase.every_price())
            costs = phrase.cost - sum(prices.of(name) * times for name, times in paid.items())
            readings.append(Candidate(paid, costs, case.is_right(told.intent, told.reason)))
    if any(reading.right for reading in readings):
        yield from readings


def _ends(candidates: Sequence[Candidate], prices: Mapping[str, float]) -> tuple[Candidate, Candidate | None]:
    """The cheapest of the right readings, and of the others."""

    def cheapest(of: Iterable[Candidate]) -> Candidate | None:
        return min(of, key=lambda candidate: candidate.cost(prices), default=None)

    right = cheapest(candidate for candidate in candidates if candidate.right)
    assert right is not None
    return right, cheapest(candidate for candidate in candidates if not candidate.right)


def _is_right(candidates: Sequence[Candidate], prices: Mapping[str, float]) -> bool:
    right, wrong = _ends(candidates, prices)
    return wrong is None or right.cost(prices) < wrong.cost(prices)


def _learn(candidates: Sequence[Candidate], prices: dict[str, float]) -> None:
    right, wrong = _ends(candidates, prices)
    if wrong is None or right.cost(prices) + _MARGIN <= wrong.cost(prices):
        return
    for name in right.paid.keys() | wrong.paid.keys():
        step = _STEP * (wrong.paid[name] - right.paid[name])
        prices[name] = min(_DEAREST, max(0.0, prices[name] + step))


if __name__ == "__main__":
    main()

"""What a language model was asked for one question: how often, at what price, and how long it may still be asked.

Like the question's id it is a context variable, since models are shared by all questions and called from many places;
so is who asks, to whom every call of a model is counted, whatever it is for.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from ai_engine.semantics.words import stem, words

LOCAL = "local"
"""Everybody, where no proxy says who asks."""
_BUDGET = "Your budget for the language model is used up for today"
BUDGET_SPENT = f"{_BUDGET}, so rules went on without it."


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One reply that a service gave, good or bad.

    Attributes:
        model: the service's name for the model.
        shape: what was asked for, "IntentReply".
        input_tokens: of the request, as the service counts; 0 where it tells none. `output_tokens`: of the reply.
        elapsed_ms: until the reply was there, with all retries.
        cost_usd: by the price table; None where that has no price for the model.
        prompt: the messages of the request, word for word; empty unless that is kept. `reply` the same.
    """

    model: str
    shape: str
    input_tokens: int = 0
    output_tokens: int = 0
    elapsed_ms: float = 0.0
    cost_usd: Decimal | None = None
    prompt: str = ""
    reply: str = ""


class Allowance(Protocol):
    """What people may still use a language model for; safe to share between threads."""

    def check(self, person: str) -> None:
        """Raise ModelBudgetSpent where nothing is left."""
        ...

    def spend(self, person: str, tokens: int) -> None:
        """Note what a call took."""
        ...


class NoBound:
    """Where everybody may use it as much as they like."""

    def check(self, person: str) -> None:
        """Permit it."""

    def spend(self, person: str, tokens: int) -> None:
        """Forget it."""


@dataclass(slots=True)
class Asker:
    """Who asks; `refused` is set once a call was refused because the person's budget is spent.

    `typed` are the stems of all that the person typed, now and before; None where nobody says which words are theirs.
    """

    person: str = LOCAL
    refused: bool = False
    typed: frozenset[str] | None = None

    def also_typed(self, texts: Iterable[str]) -> None:
        """Add what the person typed."""
        self.typed = (self.typed or frozenset()).union(*map(_stems, texts))


_asker: ContextVar[Asker | None] = ContextVar("asker", default=None)


def begin_asking(person: str, typed: Iterable[str] | None = None) -> None:
    """Count all calls from here on for a person; in threads and tasks that are begun with this context too."""
    _asker.set(Asker(person))
    if typed is not None:
        asker().also_typed(typed)


def asker() -> Asker:
    """Return who asks; the one of this machine where no proxy says who."""
    return _asker.get() or Asker()


def is_typed(phrase: Iterable[str]) -> bool:
    """Tell whether the person who asks typed all these words, whoever put them into a question.

    What is stored is looked up for no others: a language model would learn from what comes of its own guesses.
    """
    known = asker().typed
    return known is None or known.issuperset(map(stem, phrase))


def typed_part(text: str, harmless: frozenset[str]) -> str:
    """Return the words of a text that the person typed, or whose stems are harmless; the whole where there is no other.

    Others leave a comma behind, so that what stood apart is not taken for one name.
    """
    if is_typed(words(text)):
        return text
    telling = ([word for word in words(one) if stem(word) not in harmless] for one in text.split())
    return " ".join(one if is_typed(left) else "," for one, left in zip(text.split(), telling, strict=True))


def said_of_budget(said: str = "") -> str:
    """Return the sentence that is due because a call was refused; empty where none was, or it has been said."""
    return BUDGET_SPENT if asker().refused and _BUDGET not in said else ""


class ModelUse:
    """The calls of one question; safe to share between threads.

    Args:
        timeout_s: for all calls together, the time between them not counted.
        keeps_texts: prompts and replies are kept word for word.
    """

    def __init__(self, timeout_s: float, *, keeps_texts: bool = False) -> None:
        self.timeout_s = timeout_s
        self.keeps_texts = keeps_texts
        self._lock = threading.Lock()
        self._spent_s = 0.0
        self._calls: list[ModelCall] = []

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """All calls so far that came to a reply, in order."""
        with self._lock:
            return tuple(self._calls)

    @property
    def left_s(self) -> float:
        """How long the model may still be waited for; not below 0."""
        with self._lock:
            return max(0.0, self.timeout_s - self._spent_s)

    def note(self, call: ModelCall) -> None:
        """Remember a reply."""
        with self._lock:
            self._calls.append(call)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time spent inside."""
        began = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._spent_s += time.monotonic() - began


model_use: ContextVar[ModelUse | None] = ContextVar("model_use", default=None)
"""Of the question that is being answered; None where nobody counts."""


def cost_usd(calls: tuple[ModelCall, ...]) -> Decimal | None:
    """Add up what calls cost; None where the price of one is not known, or nothing was asked."""
    costs = [call.cost_usd for call in calls]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(costs) else None


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words(text)))

"""The answer to a question back: which of the readings that were offered is meant."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.semantics.words import stem, words

_PLACES = {
    "first": 0, "1st": 0, "1": 0, "one": 0, "former": 0, "second": 1, "2nd": 1, "2": 1, "two": 1,
    "third": 2, "3rd": 2, "3": 2, "three": 2, "fourth": 3, "4th": 3, "4": 3, "four": 3, "last": -1, "latter": -1,
}  # fmt: skip
_AROUND = frozenset(
    "the one i mean meant want it is its option choice reading number no nr please let s us go with take pick choose"
    " use that this a an ok okay yes sorry of for about".split()
)


def place_named(question: str) -> int | None:
    """Which of several "the second one", "option 2" or "2" names, counted from 0; None where more or less is said.

    The last is -1.
    """
    said = words(question)
    left = [word for word in said if word not in _AROUND]
    if not left and said and set(said) & {"option", "choice", "number"}:
        left = [word for word in said if word == "one"]
    return _PLACES.get(left[0]) if len(left) == 1 else None


def chosen_place(question: str, choices: Sequence[str]) -> int | None:
    """The one of several choices that is meant: by its place, or because only it has all the words said.

    Args:
        question: what was answered.
        choices: the words of each choice, with what else it may be called by.
    """
    place = place_named(question)
    if place is not None:
        return place % len(choices) if place < len(choices) else None
    said = {stem(word) for word in words(question) if word not in _AROUND}
    having = [at for at, choice in enumerate(choices) if said <= {stem(word) for word in words(choice)}]
    return having[0] if said and len(having) == 1 else None

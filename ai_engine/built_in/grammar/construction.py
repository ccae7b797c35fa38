"""A construction: a way to say something, as data: the pattern of its words, what it means, and an example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

_Build = TypeVar("_Build", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Element:
    """One place of a pattern: what may stand there, and whether the meaning is given it."""

    accepts: tuple[str, ...]
    given: bool
    optional: bool = False
    tight: bool = False
    is_word: bool = False  # of the closed class or written out: nothing is ever made of it


@dataclass(frozen=True, slots=True)
class Construction:
    """One way to say something of a `category`.

    Attributes:
        pattern: places from left to right. `Cat|Cat` takes phrases of these categories, `:cue` and `:cue=value` a word
            of the closed class, lower-case words themselves. `?` behind a place: it may be missing. `-` before it: the
            meaning is not given what stands there. `+` before it: nothing may be skipped there.
        example: words that it takes, on the sample bank; a test reads them.
        name: what it is called where it has its price.
        build: from the schema and what stands in the given places to the meaning; None where they do not go together.
    """

    category: str
    pattern: str
    example: str
    build: Callable[..., Any]
    elements: tuple[Element, ...]
    name: str

    def variants(self) -> Iterator[tuple[Element, ...]]:
        """The places with every choice of the optional ones."""
        choices = [((place,), ()) if place.optional else ((place,),) for place in self.elements]
        for chosen in product(*choices):
            variant = tuple(place for part in chosen for place in part)
            if variant:
                yield variant


class Constructions(list[Construction]):
    """Those of one file, in its order; called above the function that is their meaning."""

    def __call__(self, category: str, pattern: str, example: str) -> Callable[[_Build], _Build]:
        """Note that `category` is said as `pattern`."""

        def noted(build: _Build) -> _Build:
            name = f"{category} ← {pattern}"
            self.append(Construction(category, pattern, example, build, elements_of(pattern), name))
            return build

        return noted


def elements_of(pattern: str) -> tuple[Element, ...]:
    """Read a pattern."""
    found = []
    for piece in pattern.split():
        marks, taken = piece[0], piece.lstrip("+-").removesuffix("?")
        accepts = tuple(part if part[0] == ":" or part[0].isupper() else f"={part}" for part in taken.split("|"))
        given = marks != "-" and not accepts[0].startswith("=")
        is_word = all(name[0] in "=:" for name in accepts)
        found.append(Element(accepts, given, optional=piece.endswith("?"), tight=marks == "+", is_word=is_word))
    return tuple(found)

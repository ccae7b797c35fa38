"""Okapi BM25 over a few short texts, with English stems.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, section 3.4; with the
positive inverse document frequency ln(1 + (N - n + 0.5) / (n + 0.5)).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ai_engine.semantics.words import stem, words

_K1 = 1.2
_B = 0.75
FUNCTION_WORDS = frozenset(
    "a about all also am an and any are as at be been but by can could did do does for from had has have he her "
    "here him his how i if in into is it its just let like may me might more most much must my no not now of on one "
    "only or our out per please s shall she should so some such t than that the their them then there these they this "
    "those to too up us very was we were what when where which who whom whose why will with would yes you your".split()
)


def terms(text: str) -> list[str]:
    """Cut a text into stems of its words, without those that carry the grammar alone."""
    return [stem(word) for word in words(text) if word not in FUNCTION_WORDS]


class Bm25:
    """An index of texts; read-only once built.

    Args:
        texts: in the order in which scores are given.
        cut: cuts a text into its terms.
    """

    def __init__(self, texts: Sequence[str], cut: Callable[[str], Sequence[str]] = terms) -> None:
        counted = [Counter(cut(text)) for text in texts]
        self._lengths = [sum(counts.values()) for counts in counted]
        self._mean_length = sum(self._lengths) / max(len(texts), 1) or 1.0
        self._found_in: dict[str, list[tuple[int, int]]] = {}
        for place, counts in enumerate(counted):
            for term, times in counts.items():
                self._found_in.setdefault(term, []).append((place, times))

    def weight(self, term: str) -> float:
        """Return how much a term tells: the rarer, the more; that of a term in one text for one in none."""
        found = max(len(self._found_in.get(term, ())), 1)
        return math.log(1 + (len(self._lengths) - found + 0.5) / (found + 0.5))

    def texts_with(self, term: str) -> int:
        """Return how many texts have a term."""
        return len(self._found_in.get(term, ()))

    def best_possible(self, asked: Iterable[str]) -> float:
        """Return what a text of mean length would score that has each of the terms once, those that no text has too."""
        return sum(self.weight(term) for term in dict.fromkeys(asked))

    def scores(self, asked: Iterable[str]) -> list[float]:
        """Return one score per text, 0 where none of the terms stands in it."""
        scores = [0.0] * len(self._lengths)
        for term in dict.fromkeys(asked):
            weight = self.weight(term)
            for place, times in self._found_in.get(term, ()):
                norm = _K1 * (1 - _B + _B * self._lengths[place] / self._mean_length)
                scores[place] += weight * times * (_K1 + 1) / (times + norm)
        return scores

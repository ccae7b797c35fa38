"""Words as both the vocabulary and the questions are cut into them."""

from __future__ import annotations

import re
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST_NOUN_OF_A_VERB = 8
_SHORTEST_INFLECTED = 3
_SHORT_PLURALS = {"ids": "id", "nos": "no", "yrs": "yr"}
# "personal" is no person, a rating no rate; some plurals have no "s", and some words are two for one thing in names
_OTHER_WORDS = {
    "personal": "personal", "men": "man", "women": "woman", "children": "child",
    "bought": "buy", "sold": "sell", "lent": "lend", "left": "leav", "yearly": "annual", "annually": "annual",
    "rated": "rating", "rating": "rating", "ratings": "rating",
} | dict.fromkeys(("percentage", "percentages"), "percent")  # fmt: skip
_VOWELS = frozenset("aeiouy")
_DOER = re.compile(r"(ant|(?<!m)ent|er|or|ist)s?$")

# Articles and the like carry no meaning inside a name: "date of birth" is the birth date.
NAME_GLUE = frozenset({"of", "the", "a", "an", "s", "is", "was", "were", "are", "been", "be", "it", "its"})


def words(text: str) -> tuple[str, ...]:
    """Cut a text into lower-case words and runs of digits; apostrophes, dots and underscores separate."""
    return tuple(_WORD.findall(text.lower()))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the English stem of one lower-case word ("branches" → "branch", "settlement" and "settled" → "settl")."""
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    if len(word) <= _SHORTEST_INFLECTED:
        return _SHORT_PLURALS.get(word, word)
    found = _snowball(word)
    if found == word and word.endswith("s") and not _VOWELS & set(word):
        return word[:-1]  # "txns", "a/cs": the stemmer leaves words without vowels alone
    if found.endswith("ement") and len(found) > _SHORTEST_NOUN_OF_A_VERB and found != "statement":
        return _snowball(found.removesuffix("ment"))
    doer = _DOER.search(word)
    if doer is not None and len(found) <= doer.start():
        return found + doer[1]  # the stemmer takes "accountant" for "account", "officer" for "office"
    return found


def _snowball(word: str) -> str:
    """Stem with a stemmer of this call's own: it keeps the word in itself, and two threads would mix theirs."""
    return str(snowballstemmer.stemmer("english").stemWord(word))


def name_key(name: tuple[str, ...]) -> tuple[str, ...]:
    """Return what two spellings of one name share, whatever their order, endings and articles."""
    return tuple(sorted(stem(word) for word in name if word not in NAME_GLUE))

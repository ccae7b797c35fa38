"""What a column is called by its description, which may be prose, or a list of what it holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ai_engine.semantics.clauses import code_meanings
from ai_engine.semantics.model import Field, FieldRole
from ai_engine.semantics.names import noun_phrase
from ai_engine.semantics.schema_words import word_set
from ai_engine.semantics.words import words
from ai_engine.types import Scalar

_LONGEST_PHRASE_WORDS = 5
_ALTERNATIVES = re.compile(r"\s+(?:or|and)\s+|\s*/\s*")
_NARROWED = r"\s+(?:which|that|whose|where|when)\b"
_OPEN_ENDS = word_set("of on per for in at by from with to under and or")
_OF_PROSE = _OPEN_ENDS | word_set("a an the it not so yet when while")


def described_name(description: str, samples: Sequence[Scalar], role: FieldRole) -> str:
    """Return the phrase by which a description names its column, "" where it names none.

    "Savings, current or fixed deposit" are values; "part that is interest" says of which part the figure is.
    """
    phrase = "" if code_meanings(description) else noun_phrase(description)
    said = words(phrase)
    if not said or len(phrase.split()) > _LONGEST_PHRASE_WORDS or said[-1] in _OPEN_ENDS:
        return ""
    stored = {str(value).strip().lower() for value in samples if value is not None}
    if all(_is_or_begins(part, stored) for part in _ALTERNATIVES.split(phrase)):
        return ""
    narrowed = role == "measure" and re.search(re.escape(phrase) + _NARROWED, description, re.IGNORECASE)
    return "" if narrowed else phrase


def is_prose(item: Field, name: str) -> bool:
    """Tell whether a name is the field's description in a sentence, whose last word is not what it is about.

    "Declared income per year" is no year, "limit of a credit card" no card.
    """
    spelled = words(name)
    return bool(_OF_PROSE.intersection(spelled[1:])) and spelled == words(noun_phrase(item.description))


def _is_or_begins(part: str, stored: set[str]) -> bool:
    """ "home" begins "home loan"."""
    return part in stored or any(value.startswith(f"{part} ") for value in stored)

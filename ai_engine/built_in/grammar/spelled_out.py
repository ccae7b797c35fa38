"""Words of the closed class that are stored as they stand, and may be meant as values."""

from __future__ import annotations

from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Stored
from ai_engine.built_in.tokens import Token

_WITHIN = frozenset("in of for at by on from to with out".split())


def spells_a_value(token: Token, lexicon: Lexicon) -> bool:
    """Capitals that spell a value are it, also where they spell a filler: "graded C or D", "users in the US"."""
    return token.text.isupper() and token.text != "I" and bool(lexicon.stored((token.text.lower(),)))


def may_be_a_value(token: Token, lexicon: Lexicon) -> bool:
    """ "passages going up", where the directions are up and down: it is stored just so, and is not dropped."""
    if spells_a_value(token, lexicon):
        return True
    found = (item.meaning for item in lexicon.stored((token.word,)) if token.word not in _WITHIN)
    return any(isinstance(meaning, Stored) and meaning.value == token.text for meaning in found)

"""Nouns that several words of a question share, said with each of them."""

from __future__ import annotations

from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Attribute
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.words import NAME_GLUE

_WHOLE_NAME = 0.1
_LIST_MARKS = {"and", "or", ",", "&"}
_LISTED = [[mark] for mark in _LIST_MARKS]


def share_head_noun(tokens: tuple[Token, ...], lexicon: Lexicon) -> tuple[Token, ...]:
    """Spell out a noun that two words share: "first and last name" → "first name and last name"."""
    tokens = _spell_first_and_last(tokens, lexicon)
    spelled: list[Token] = []
    for index, token in enumerate(tokens):
        if token.word == "full" and _is_split_name(tokens[index + 1 : index + 2], lexicon):
            spelled.extend((_said("first"), tokens[index + 1], _said("and"), _said("last")))
            continue
        if _shares_first_word(tokens, index, lexicon):
            spelled.append(tokens[index - 3])
        spelled.append(token)
        following = tokens[index + 1 : index + 4]
        if len(following) < 3 or following[0].word not in _LIST_MARKS:
            continue
        noun = following[2]
        if noun.kind != "word" or following[1].word in NAME_GLUE:
            continue  # a comma is no noun, and "the date" names one itself
        pairs = [(word.word, noun.word) for word in (token, following[1])]
        if all(_names_attribute(lexicon, pair) for pair in pairs) or all(_names_value(lexicon, pair) for pair in pairs):
            spelled.append(noun)
    return tuple(spelled)


def _spell_first_and_last(tokens: tuple[Token, ...], lexicon: Lexicon) -> tuple[Token, ...]:
    """ "names of the clients (first, last)": the noun was said before."""
    said = [token.word for token in tokens]
    for start, word in enumerate(said):
        end = start + 1 + (said[start + 1 : start + 2] in _LISTED)
        alone = said[end : end + 1] == ["last"] and not lexicon.names(tuple(said[end : end + 2]))
        if word == "first" and alone and {"name", "names"} & set(said[:start]) and _keeps_two_names(lexicon):
            return (*tokens[:start], *map(_said, "first name and last name".split()), *tokens[end + 1 :])
    return tokens


def _keeps_two_names(lexicon: Lexicon) -> bool:
    return all(_names_attribute(lexicon, (part, "name")) for part in ("first", "last"))


def _shares_first_word(tokens: tuple[Token, ...], index: int, lexicon: Lexicon) -> bool:
    """ "money in and out": the second name is short of the first's first word, and says nothing alone."""
    if index < 3 or tokens[index - 1].word not in _LIST_MARKS:
        return False
    first, second, last = tokens[index - 3].word, tokens[index - 2].word, tokens[index].word
    if {second, last} & NAME_GLUE or lexicon.names((last,)) or lexicon.names((second,)):
        return False
    return all(any(c.cost < _WHOLE_NAME for c in lexicon.names((first, word))) for word in (second, last))


def _names_value(lexicon: Lexicon, phrase: tuple[str, ...]) -> bool:
    """ "home and personal loans": both are values when the noun is said with them."""
    return bool(lexicon.stored(phrase))


def _is_split_name(following: tuple[Token, ...], lexicon: Lexicon) -> bool:
    """Whether "full name" is stored as a first and a last name."""
    if not following or following[0].word not in {"name", "names"}:
        return False
    return _keeps_two_names(lexicon)


def _said(word: str) -> Token:
    return Token(word, word, "word")


def _names_attribute(lexicon: Lexicon, phrase: tuple[str, ...]) -> bool:
    whole = {c.meaning for c in lexicon.names(phrase) if isinstance(c.meaning, Attribute) and c.cost < 0.2}
    first = {c.meaning for c in lexicon.names(phrase[:1]) if c.cost < 0.1}
    return bool(whole) and not first

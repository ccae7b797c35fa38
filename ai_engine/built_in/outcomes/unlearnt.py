"""Words of a question that may be values which were not learnt: names, codes, quoted texts, and what was left over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token, tokenise
from ai_engine.semantics.words import words

_MOST_TEXTS = 12
_LONGEST_NAME = 6
_FEWEST_DIGITS = 3
# Letters and digits in one word, with what banks put between them, or more digits than an amount has.
_CODE = re.compile(r"(?<![\w/.-])(?=[\w/-]*\d)(?:(?=[\w/-]*[A-Za-z])[\w/-]{5,40}|\d{9,24})(?![\w/-])")


def names_and_codes(question: str, knowledge: Knowledge) -> tuple[str, ...]:
    """Texts that look like values and are none that is known, whatever else a word in them may resemble."""
    lexicon, tokens = knowledge.lexicon, tokenise(question)
    quoted = (token.text for token in tokens if token.kind == "quoted" and not lexicon.stored(words(token.text)))
    said = _without_periods(tokens, knowledge)
    codes = (code for code in _CODE.findall(question) if _is_strange_code(code, lexicon))
    names = (_as_typed(question, name) for name in _names(said, lexicon))
    return _worthwhile((*quoted, *codes, *names))


def may_name_unlearnt(question: str, knowledge: Knowledge) -> bool:
    """Tell whether a text of a question may have to be sought, however it reads: a strange word, a code or a name."""
    lexicon = knowledge.lexicon
    for place, token in enumerate(_without_periods(tokenise(question), knowledge)):
        is_name = place > 0 and _is_capitalised(token) and not lexicon.stored((token.word,))
        if is_name or _means_nothing(token, lexicon):
            return True
    return bool(names_and_codes(question, knowledge))


def left_over(question: str, unplaced: Sequence[str]) -> tuple[str, ...]:
    """Words that found no place, first as they stand together, then in fewer and fewer words."""
    strange = {token.word for text in unplaced for token in tokenise(text)}
    tokens = tokenise(question)
    found = [_as_typed(question, part) for run in _runs(tokens, strange) for part in _shorter_and_shorter(run)]
    quoted = [token.text for token in tokens if token.kind == "quoted" and token.word in strange]
    return _worthwhile((*quoted, *found))


def _worthwhile(texts: Iterable[str]) -> tuple[str, ...]:
    """Each once, without single letters, and no more than one statement should compare with."""
    return tuple(islice((text for text in dict.fromkeys(texts) if len(text) > 1), _MOST_TEXTS))


def _without_periods(tokens: tuple[Token, ...], knowledge: Knowledge) -> Iterator[Token]:
    """What is left when "March 2025" and "Q1 FY27" are taken out."""
    periods = PeriodReader(knowledge.as_of, knowledge.model.fiscal_year_start_month)
    end = 0
    for place, token in enumerate(tokens):
        period = periods.read(tokens, place) if place >= end else None
        end = period[0] if period is not None else end
        yield token if place >= end else Token("", "", "mark")


def _is_strange_code(code: str, lexicon: Lexicon) -> bool:
    enough = sum(character.isdigit() for character in code) >= _FEWEST_DIGITS
    return enough and not lexicon.stored(words(code)) and not lexicon.names(words(code))


def _as_typed(question: str, tokens: Sequence[Token]) -> str:
    """What the question has between the first and the last token, with the marks that cutting it dropped: "O'Brien"."""
    typed = re.search(r"\W{0,2}".join(re.escape(token.text) for token in tokens), question)
    return typed.group() if typed else " ".join(token.text for token in tokens)


def _names(tokens: Iterable[Token], lexicon: Lexicon) -> Iterator[Sequence[Token]]:
    """Words in a row that are capitalised or would be respelt: all of them, and the strange among them."""
    runs = groupby(tokens, lambda token: _is_capitalised(token) or _means_nothing(token, lexicon))
    for name in (tuple(run) for may_name, run in runs if may_name):
        strange = [place for place, token in enumerate(name) if _means_nothing(token, lexicon)]
        if any(_is_capitalised(name[place]) or _is_respelt(name[place], lexicon) for place in strange):
            whole = name[strange[0] : strange[-1] + 1]
            if not lexicon.stored(tuple(token.word for token in whole)):
                yield from (part for part in (name, whole) if len(part) <= _LONGEST_NAME)


def _is_capitalised(token: Token) -> bool:
    return token.kind == "word" and token.text[:1].isupper()


def _is_respelt(token: Token, lexicon: Lexicon) -> bool:
    return not lexicon.knows(token.word) and bool(lexicon.corrections(token.word))


def _means_nothing(token: Token, lexicon: Lexicon) -> bool:
    if token.kind != "word" or token.word in cue_table().words:
        return False
    return not lexicon.names((token.word,)) and not lexicon.stored((token.word,))


def _runs(tokens: Iterable[Token], strange: set[str]) -> Iterator[list[Token]]:
    for is_strange, run in groupby(tokens, lambda token: token.kind in {"word", "number"} and token.word in strange):
        if is_strange:
            yield list(run)


def _shorter_and_shorter(run: Sequence[Token]) -> Iterator[Sequence[Token]]:
    for size in range(min(len(run), _LONGEST_NAME), 0, -1):
        for start in range(len(run) - size + 1):
            yield run[start : start + size]

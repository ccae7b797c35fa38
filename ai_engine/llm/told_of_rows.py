"""Does a text that comes without a statement say, in words, what only rows could tell: "all accounts are open"?"""

from __future__ import annotations

import re

from ai_engine.insight.checking.names import catalogue_texts
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.insight.retold import figures_of_text
from ai_engine.llm.told_of_data import unknown_figures
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_SENTENCES = re.compile(r"(?<=[.!?;])\s+")
_OFFERS = re.compile(
    r"\b(?:ask|asked|try|example|instance|such\s+as|e\.g|can|could|may|show|compare|list|want|which)\b", re.I
)
"""Speaks of what may be asked, not of what is."""
_ASKS_A_MEANING = re.compile(
    r"\b(?:mean(?:s|ing|t)?|defin\w+|stands?\s+for|calculat\w+|comput\w+|difference\s+between)\b", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:largest|biggest|highest|greatest|smallest|lowest|fewest|the\s+most(?!\s+recent)|the\s+least|best|worst|never|always)\b"
    r"|\b(?:ha(?:s|ve)|had)\s+(?:been\s+)?(?:grown|risen|fallen|dropped|declined|increased|decreased|shrunk|doubled|halved)\b"
    r"|\b(?:rose|grew|fell|dropped|declined|increased|decreased|shrank|doubled|halved)\b"
    r"|\b(?:are|is|keeps?)\s+(?:growing|rising|falling|declining|increasing|decreasing|shrinking)\b"
    r"|\b(?:exceeds?|outnumbers?|(?:more|fewer|less|higher|lower|larger|smaller)\b[^.;]*\bthan)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|each|no|none\s+of|most|only|some|many|few)\s+(?:of\s+)?(?:(?:the|our|these)\s+)?(?P<thing>[a-z]+)"
    r"(?:\s+[a-z]+)?\s+(?:is|are|was|were|has\s+been|have\s+been)\s+(?P<said>[a-z-]+)",
    re.IGNORECASE,
)
_NOT_THERE = re.compile(r"\b(?:cannot|can't|unable|not\s+(?:stored|kept|recorded|listed|known|available|in))\b", re.I)
_BOUND = re.compile(
    r"\b(?:over|above|under|below|than|least|most|beyond|within|between|last|past|next|top|bottom|first|per)\W*$", re.I
)
_OF_KEEPING = frozenset("in of at for per with from by to stored kept listed linked told given dated recorded".split())
_NO = re.compile(r"\b(?:hold|holds|have|has|had|with|is|are|exist)\s+no\s+(?P<thing>[a-z]+)", re.IGNORECASE)


def tells_of_rows(text: str, question: str, vocabulary: Vocabulary) -> bool:
    """Tell whether a text says of the bank's things how many or which they are, or where they went.

    What the catalogue or the vocabulary says word by word may be said; what may be asked, and what a word means where
    that was asked, is no such thing.
    """
    if not _ASKS_A_MEANING.search(question) and any(
        _repeats_a_figure(one, question, vocabulary) for one in _SENTENCES.split(text)
    ):
        return True
    meant = [said for one in _SENTENCES.split(text) if not _OFFERS.search(one) for said in _said(one, vocabulary)]
    if not meant or _ASKS_A_MEANING.search(question):
        return False
    known = " ".join(" ".join(part.lower().split()) for part in catalogue_texts(vocabulary))
    return any(said not in known for said in meant)


def _repeats_a_figure(sentence: str, question: str, vocabulary: Vocabulary) -> bool:
    """Tell whether a sentence has a figure that only the question has, and not as a bound or as what is missing."""
    if _OFFERS.search(sentence) or _NOT_THERE.search(sentence) or not _things(vocabulary) & _stems(sentence):
        return False
    told, asked = plain_digits(sentence), figures_of_text(question)
    unknown = unknown_figures(sentence, (), vocabulary) if asked & figures_of_text(sentence) else ()
    return any(one.text in unknown and not _BOUND.search(told[: one.start]) for one in figures_in(told))


def _said(sentence: str, vocabulary: Vocabulary) -> list[str]:
    things = _things(vocabulary)
    if things.isdisjoint(_stems(sentence)):
        return []
    found = [one.group() for one in _PLACE.finditer(sentence)]
    found += [
        one.group()
        for one in _ALL.finditer(sentence)
        if stem(one["thing"].lower()) in things and one["said"].lower() not in _OF_KEEPING
    ]
    found += [one.group() for one in _NO.finditer(sentence) if stem(one["thing"].lower()) in things]
    return [" ".join(one.lower().split()) for one in found]


def _things(vocabulary: Vocabulary) -> frozenset[str]:
    data = vocabulary.model.datasets
    names = [part for one in data for part in (one.label, *one.synonyms, *(field.label for field in one.fields))]
    names += [part for one in vocabulary.model.metrics for part in (one.label, *one.synonyms)]
    return frozenset().union(*map(_stems, names))


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words(text)))

"""Which endpoints and texts a question is about: by the words that they share with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ai_engine.semantics.words import stem
from ai_engine.specialists.api_docs.catalogue import ApiCatalogue, Endpoint, Parameter, Snippet

_WORDS = re.compile(r"[a-z][a-z0-9]*|\d+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d)")
_KEYWORD, _PATH, _SUMMARY, _REST, _METHOD, _VALUE = 4.0, 2.0, 2.0, 0.5, 0.5, 2.0
SILENT = frozenset(
    "s a an via the of for to in on at by with from and or is are was were be been do does did what which who "
    "how whats hows when where why can could would will shall may i me my we our us you your it its that this these "
    "those there please pls thanks tell show give gives giving check see also then out if tells get list find look up "
    "need know say says said have has had much many now right today current currently latest as per about into any "
    "all".split()
)
"""Words that say nothing of what is asked."""
_ARTICLES = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class Scored:
    """An endpoint with how well it fits, and the question's words that it has in common with it.

    `keyword` holds where one of its keywords is said, or a value that it needs and beside it a word of what it is.
    """

    endpoint: Endpoint
    score: float
    words: frozenset[str]
    keyword: bool


WRITTEN_PATH = re.compile(r"\b(?:(get|post|put|patch|delete|head)\s+)?(?<![\w:/])(/[\w/{}:.-]+)", re.IGNORECASE)
"""A path written out, with the method before it if there is one."""


def tokens(text: str) -> list[str]:
    """Return the stems of a text's words in order, those that say nothing left out."""
    return [stem(word) for word in _words(text) if word not in SILENT]


def _words(text: str) -> list[str]:
    """Every word in small letters; 2,500 is one."""
    return _WORDS.findall(_HUMPS.sub(" ", _THOUSANDS.sub("", text)).lower())


def _stems(text: str) -> list[str]:
    """Every word but articles: a keyword is said as it is written."""
    return [stem(word) for word in _words(text) if word not in _ARTICLES]


def ranked_endpoints(question: str, catalogue: ApiCatalogue) -> list[Scored]:
    """Return the endpoints that share a word with the question, the best first; equals in the catalogue's order."""
    asked, heard = tokens(question), _stems(question)
    scored = [_scored(asked, heard, endpoint) for endpoint in catalogue.endpoints]
    return sorted((item for item in scored if item.score > 0), key=lambda item: -item.score)


def chosen_snippets(question: str, snippets: Sequence[Snippet], count: int) -> tuple[Snippet, ...]:
    """Return the texts that share the most words with the question, best first."""
    asked = set(tokens(question))
    scores = [(len(asked & set(tokens(f"{item.title} {item.text}"))), item) for item in snippets]
    best = sorted((pair for pair in scores if pair[0]), key=lambda pair: -pair[0])
    return tuple(item for _, item in best[:count])


def _scored(asked: list[str], heard: list[str], endpoint: Endpoint) -> Scored:
    """Sum up what each word of the question is worth here, and what whole keywords are."""
    worth: dict[str, float] = {}
    values = [word for item in endpoint.parameters for value, more in item.values.items() for word in (value, *more)]
    names = [word for item in endpoint.parameters for word in (item.name, *item.words, item.description)]
    for value, texts in (
        (_REST, [endpoint.description, *names, *values]),
        (_METHOD, [endpoint.method]),
        (_PATH, [endpoint.path]),
        (_SUMMARY, [endpoint.summary]),
    ):
        worth |= dict.fromkeys(_all_tokens(texts), value)
    words = frozenset(word for word in asked if word in worth)
    score = sum(worth[word] for word in words)
    said = [wanted for phrase in endpoint.keywords if _contains(heard, wanted := _stems(phrase))]
    if said:  # the longest alone: "rate card" and "rate list" are not twice "rate"
        score += _KEYWORD * max(map(len, said))
        words |= frozenset(token for wanted in said for token in wanted)
    listed = [_listed_values(item) for item in endpoint.parameters if item.required and item.values]
    needed = [
        heard_values for values in listed if (heard_values := [value for value in values if _contains(heard, value)])
    ]
    score += _VALUE * sum(max(map(len, said_values)) if said else 1 for said_values in needed)
    of_values = {token for values in listed for value in values for token in value}
    named = any(worth.get(word, 0) >= _SUMMARY for word in words - of_values)
    return Scored(endpoint, score, words, keyword=bool(said) or (bool(needed) and len(needed) == len(listed) and named))


def _listed_values(parameter: Parameter) -> list[list[str]]:
    return [_stems(word) for value, more in parameter.values.items() for word in (value, *more)]


def _all_tokens(texts: Iterable[str]) -> list[str]:
    return [token for text in texts for token in tokens(text)]


def _contains(asked: list[str], wanted: list[str]) -> bool:
    return bool(wanted) and any(
        asked[start : start + len(wanted)] == wanted for start in range(len(asked) - len(wanted) + 1)
    )


SPEAKS_OF_APIS = frozenset(tokens("api endpoint route http service call"))
"""Words by which a question says that a service is to be asked, whichever."""

"""What a question asks for besides the call that is made: words and figures that neither endpoint nor values take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from ai_engine.bm25 import FUNCTION_WORDS
from ai_engine.preamble import without_preamble
from ai_engine.specialists.api_docs.catalogue import ApiCatalogue, Endpoint
from ai_engine.specialists.api_docs.planning import written_call
from ai_engine.specialists.api_docs.scoring import SPEAKS_OF_APIS, ranked_endpoints, tokens
from ai_engine.specialists.api_docs.values import read_values, said_again

_WORD = re.compile(r"[^\W_]+(?:[.,'’-]\d+|['’-][^\W\d_]+)*")

_SILENT = FUNCTION_WORDS | frozenset("between during over since through till under until using while within".split())


def undone(question: str, endpoint: Endpoint, catalogue: ApiCatalogue, context: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the stretches of a question with which the call of an endpoint does nothing, as they are written.

    A second value of a list ("gold loan rate minus home loan rate") is one too: a call takes one of each.
    """
    if written_call(question, catalogue) is not None:
        return ()
    values, left = read_values(without_preamble(question), endpoint, context)
    known = {word for one in ranked_endpoints(question, catalogue) if one.endpoint == endpoint for word in one.words}
    known |= SPEAKS_OF_APIS | {token for value in values.values() for token in tokens(str(value))}
    known -= {token for again in said_again(left, endpoint, values) for token in tokens(again)}

    def is_unknown(word: str) -> bool:
        return word.lower() not in _SILENT and not known.issuperset(tokens(word))

    runs = groupby(_WORD.findall(left), key=is_unknown)
    return tuple(" ".join(stretch) for unknown, stretch in runs if unknown)


def said_of_undone(stretches: tuple[str, ...]) -> str:
    """Name them in a sentence; empty where there are none."""
    named = " and ".join(f"“{one}”" for one in stretches)
    return f"Nothing was done about {named}." if named else ""

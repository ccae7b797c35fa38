"""What it costs to take words for a name: nothing for the whole of it, more the less of it was said."""

from __future__ import annotations

from ai_engine.built_in.units_of_measure import UNITS
from ai_engine.semantics.words import stem

Key = tuple[str, ...]
"""The stems of the words of a name, in order of the alphabet."""
EXACT, SYNONYM, WITHOUT_TABLE, GENERIC_HEAD, HEAD_NOUN, PART = 0.0, 0.04, 0.08, 0.16, 0.3, 0.55
CURRENCIES = frozenset("usd eur gbp inr".split())
_TIMES = "hr hrs mins minutes hours secs days weeks months years".split()
GENERIC_HEADS = UNITS.keys() | frozenset(
    map(stem, (*CURRENCIES, *_TIMES, *"amount name percent percentage pct value".split()))
)
"""Nouns at the end of a name that say nothing of what it is."""

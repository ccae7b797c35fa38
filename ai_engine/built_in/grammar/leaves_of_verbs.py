"""What verbs say of people and rows: the role that somebody plays, the rows that a deed leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.phrases import LeafReason, Rows
from ai_engine.built_in.grammar.prices import Prices
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.linking import called_by_verb
from ai_engine.built_in.meanings import Cue, Meaning, Span, Thing, Unknown
from ai_engine.built_in.role_verbs import is_stewardship
from ai_engine.semantics.people import PEOPLE

_VERB_COST = 0.12
_ORDERS = {
    ":in_time": frozenset(
        "newest latest recent youngest oldest earliest soonest date time chronologically chronological".split()
    ),
    ":by_count": frozenset("frequent common often frequently popular used rarest".split()),
    ":by_size": frozenset("highest largest biggest greatest lowest smallest cheapest expensive high low".split()),
}
# Verbs that say nothing of people without their object: whoever "lent" has lent something.
_DEALINGS = frozenset(
    """
    paid pay pays lent lend lends sold sell sells bought buy buys sent send sends receive received receives borrowed
    borrow borrows filed file files submitted requested request avail availed invested granted chose chosen selected
    """.split()
)
_LENDING = frozenset({"lent", "lend", "lends"})  # whoever lends is not the one who has the loan
# What is done with payments, claims and loans anyhow: it says nothing more of them.
_PARTICIPLES = frozenset("made done performed processed conducted taken placed recorded given held used".split())
_ENDINGS = ("ed", "ing")


def is_verb(said: str, meaning: Meaning, lexicon: Lexicon) -> bool:
    """Tell whether a word is the verb of what leaves such rows behind and not their noun: "traded"."""
    word = said.lower()
    return (
        isinstance(meaning, Thing)
        and not meaning.via
        and " " not in word
        and word.endswith(_ENDINGS)
        and not lexicon.is_noun(word, meaning)
    )


def names_a_doer(said: str, lexicon: Lexicon) -> bool:
    """Tell whether a verb, alone or with "by", says that somebody looks after something or plays a role in it."""
    verb = said.lower().removesuffix(" by")
    return is_stewardship(verb) or bool(lexicon.role_verbs.links(verb))


def says_a_deed(said: str, knows: Knowledge) -> bool:
    """Tell whether a verb says what somebody did, which is not left out of a question: "who have borrowed"."""
    word = said.lower()
    return names_a_doer(word, knows.lexicon) or word in _DEALINGS or bool(_left_by(word, knows))


def _left_by(word: str, knows: Knowledge) -> list[str]:
    return called_by_verb((word,), tuple(item.name for item in knows.model.datasets), knows) if " " not in word else []


def is_participle(said: str) -> bool:
    """Tell whether a verb can say what was done with what stands before it: "payments made"."""
    return said.lower() in _PARTICIPLES


def in_directions(span: Span) -> Iterator[Phrase]:
    """An order of dates, of sizes, or one that says only which end comes first."""
    for item in span.candidates:
        if isinstance(item.meaning, Cue) and item.meaning.kind == "direction":
            said = set(span.text.lower().split())
            kind = next((name for name, told in _ORDERS.items() if said & told), ":direction")
            yield Phrase(span.start, span.end, kind, item.meaning.value, item.cost)


def acting(span: Span, schema: Schema, prices: Prices) -> Iterator[Phrase]:
    """What the verbs of a span can say, and the noun for people whoever they are."""
    said, knows = span.text.lower(), schema.knows
    if said in PEOPLE and knows.people is not None:
        yield Phrase(span.start, span.end, "People", Rows(knows.people), span.candidates[0].cost)
    if not any(isinstance(item.meaning, Unknown) or item.meaning == Cue("have") for item in span.candidates):
        return
    if is_participle(said) and not knows.lexicon.stored((said,)):
        yield Phrase(span.start, span.end, "Done", True, _VERB_COST)
    links = knows.lexicon.role_verbs.links(said)
    if links:
        yield Phrase(span.start, span.end, "Does", links, _VERB_COST)
    if said in _LENDING:
        return
    reason: LeafReason = "a verb as its rows"
    for dataset in _left_by(said, knows):
        cost = _VERB_COST + prices.of(reason)
        yield Phrase(span.start, span.end, "Deed", Thing(dataset), cost, priced=(reason,))

"""What is spent leaves out what came in, where rows say which way they went; a balance is no spending."""

from __future__ import annotations

from dataclasses import dataclass

from ai_engine.built_in.grammar.accounts import leaves_of
from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.stocks import is_flow
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import Condition, Intent, parts_of
from ai_engine.semantics.words import words

_SPENDING = frozenset({"spend", "spending", "spent", "spends"})


@dataclass(frozen=True, slots=True)
class Spent:
    """A question about what went out, with what was assumed, or the word that could not be meant."""

    intent: Intent
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def only_what_went_out(phrase: Phrase, intent: Intent, tokens: tuple[Token, ...], s: Schema) -> Spent:
    """The question with what "spend" says of its amounts; as it is where the word is a figure of its own."""
    amounts = (leaf for leaf in leaves_of(phrase) if leaf.category == ":amount")
    texts = (" ".join(token.text for token in tokens[leaf.start : leaf.end]) for leaf in amounts)
    said = next((text for text in texts if not _SPENDING.isdisjoint(words(text))), "")
    if not said:
        return Spent(intent)
    fields = [measure.field for measure in intent.measures if measure.field and measure.aggregate != "count"]
    if not fields or not all(is_flow(field, s.knows) for field in fields):
        return Spent(intent, lost=(said,))
    for dataset in dict.fromkeys(field.dataset for field in fields):
        out = s.went_out(dataset)
        told = [item for item in parts_of(intent, Condition) if out is not None and item.field == out.field]
        if told and out not in told:
            return Spent(intent, lost=(said,))  # what came in was not spent
        if out is not None and not told:
            intent = intent.model_copy(update={"filters": (*intent.filters, out)})
            return Spent(intent, (f"“{said}” counts what went out: {out.values[0]}.",))
    return Spent(intent)

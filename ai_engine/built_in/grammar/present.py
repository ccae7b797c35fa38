"""Those of today, where a question says "currently" and rows keep the day on which they ended."""

from __future__ import annotations

from ai_engine.built_in.grammar.accounts import leaves_of
from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.phrases import Rows
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Stored
from ai_engine.built_in.states import of_now, only_day_of_ending
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import Condition, FieldRef, Intent, parts_of

_NOW = frozenset("currently now presently nowadays still moment employ employs employed payroll works working".split())


def only_those_of_now(
    phrase: Phrase, intent: Intent, tokens: tuple[Token, ...], s: Schema
) -> tuple[Intent, tuple[str, ...]]:
    """The question with what a silent word of time leaves out of the rows it asks for, and what was assumed.

    "How many tellers do we employ" counts no teller who has left; rows of which nothing says that they ended, or whose
    day of ending the question speaks of itself, stay as they are.
    """
    told = {place for leaf in leaves_of(phrase) for place in range(leaf.start, leaf.end)}
    said = [token.text for place, token in enumerate(tokens) if place not in told and token.word in _NOW]
    if not said or intent.period is not None:
        return intent, ()
    bases = [base for measure in intent.measures if (base := s.knows.base(measure)) is not None]
    asked = dict.fromkeys([*bases, *((intent.subject,) if intent.subject else ())])
    asked = asked or dict.fromkeys(place.dataset for place in intent.columns[:1])
    spoken = {(place.dataset, place.field) for place in parts_of(intent, FieldRef)}
    for base in asked if len(asked) == 1 else ():
        found = of_now(s.knows.dataset(base), s.knows)
        if found is not None and (base, found.field.field) not in spoken:
            return intent.model_copy(update={"filters": (*intent.filters, found)}), (_note(s, said[0], found),)
    return intent, ()


def state_of_now(s: Schema, rows: Rows, said: str) -> tuple[Condition, str] | None:
    """ "open complaints", "current staff", where no state is called so: what they have in common, and a note of it."""
    held = [item.meaning for item in s.knows.lexicon.stored((said,))]
    if rows.via or any(isinstance(item, Stored) and item.dataset == rows.dataset for item in held):
        return None
    if said == "open":
        ended = only_day_of_ending(rows.dataset, s.knows)
        found = Condition(field=ended, operator="is null") if ended else None
    else:
        found = of_now(s.knows.dataset(rows.dataset), s.knows)
    return (found, _note(s, said, found)) if found is not None else None


def _note(s: Schema, said: str, found: Condition) -> str:
    meant = "is missing" if found.operator == "is null" else "is set"
    return f"“{said}” was read as: {s.field(found.field).label} {meant}."

"""Those of today, where a question says "currently" and rows keep the day on which they ended."""

from __future__ import annotations

from ai_engine.built_in.grammar.accounts import leaves_of
from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.phrases import Rows
from ai_engine.built_in.grammar.schema import Schema, says_state
from ai_engine.built_in.meanings import Stored
from ai_engine.built_in.states import is_open_what_is_so_now, of_now, only_day_of_ending
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import Condition, FieldRef, Intent, parts_of

_NOW = frozenset(
    "currently now presently nowadays still moment books employ employs employed payroll works working".split()
)
_TIME = _NOW - frozenset("employ employs employed works working".split())


def only_those_of_now(
    phrase: Phrase, intent: Intent, tokens: tuple[Token, ...], s: Schema
) -> tuple[Intent, tuple[str, ...], tuple[str, ...]]:
    """The question with what a silent word of time leaves out of the rows it asks for, what was assumed, words lost.

    "How many tellers do we employ" counts no teller who has left; rows of which nothing says that they ended, or whose
    state or day of ending the question speaks of itself, stay as they are.
    """
    told = {place for leaf in leaves_of(phrase) for place in range(leaf.start, leaf.end)}
    silent = [(place, token) for place, token in enumerate(tokens) if place not in told and token.word in _NOW]
    said = [token.text for place, token in silent if place or token.word != "now"]  # "now the ratio by region"
    if not said or intent.period is not None:
        return intent, (), ()
    bases = [base for measure in intent.measures if (base := s.knows.base(measure)) is not None]
    asked = dict.fromkeys([*bases, *((intent.subject,) if intent.subject else ())])
    asked = asked or dict.fromkeys(place.dataset for place in intent.columns[:1])
    without_columns = intent.model_copy(update={"columns": ()})
    spoken = {(place.dataset, place.field) for place in parts_of(without_columns, FieldRef)}
    for base in asked if len(asked) == 1 else ():
        dataset = s.knows.dataset(base)
        found = of_now(dataset, s.knows)
        if found is not None and (base, found.field.field) not in spoken:
            return intent.model_copy(update={"filters": (*intent.filters, found)}), (_note(s, said[0], found),), ()
        states = {(base, item.name) for item in dataset.fields if says_state(item.label)}
        if states.isdisjoint(spoken) and is_open_what_is_so_now(dataset, s.knows):
            return intent, (), tuple(f"{word}: in which state" for word in said if word in _TIME)
    return intent, (), ()


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
    values = ", ".join(map(str, found.values))
    meant = {"is null": "is missing", "not in": f"is none of {values}"}.get(found.operator, f"is {values}")
    return f"“{said}” was read as: {s.field(found.field).label} {meant}."

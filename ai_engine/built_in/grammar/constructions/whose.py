"""What is shown in a sentence that names whose it is: columns and figures of each, and who did it."""

from __future__ import annotations

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.shown import show
from ai_engine.built_in.grammar.phrases import Ask
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing

says = Constructions()


@says("Ask", "Ask -And -:who -:have", "largest transaction and who made it")
def and_who(s: Schema, ask: Ask) -> Priced | None:
    """The people whose it is."""
    people = s.knows.people
    if people is None or ask.rows is None or ask.rows.dataset == people or s.up(ask.rows.dataset, people) is None:
        return None
    return show(s, ask, s.knows.naming_fields(Thing(people)), instead=False)

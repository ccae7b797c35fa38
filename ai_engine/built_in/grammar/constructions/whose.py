"""What is shown in a sentence that names whose it is: columns and figures of each, and who did it."""

from __future__ import annotations

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.constructions.items import Items
from ai_engine.built_in.grammar.constructions.shown import by_field, show, then, told_apart
from ai_engine.built_in.grammar.phrases import Ask, Group
from ai_engine.built_in.grammar.questions import by
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


@says("Ask", "Shown -In|By|:each -:each? Group", "city and number of accounts for each customer")
@says("Ask", "Shown -Has -:each Group", "fund name and number of people holding each fund")
@says("Ask", "Shown -That? -:have? -Deed -:each Group", "fund and number of people who traded each fund")
def of_groups(s: Schema, items: Items, group: Group) -> Priced | None:
    """Columns and figures of each: "segments and number of customers for each region" has two groups."""
    cols, figs = told_apart(s, group.thing or "", items)
    if not cols or not figs or any(isinstance(item, str) for item in items) or group.step:
        return None
    if group.field is not None and set(cols) <= {group.field}:
        return by(s, Ask(figs=figs), (group,))
    own = group.thing is not None and all(s.up(group.thing, ref.dataset) is not None for ref in cols)
    if not own and (group.thing is None or any(fig.implied for fig in figs)):
        return None
    found = by(s, Ask(figs=figs), (group,))
    if found is None:
        return None
    if own:
        return then(found, show(s, found.value, cols, instead=True))
    return then(found, by(s, found.value, tuple(map(by_field, cols))), "a group of other columns")

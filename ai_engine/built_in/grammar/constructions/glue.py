"""Words that hold phrases together and say little themselves: a category each, so that patterns need not list them."""

from __future__ import annotations

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.schema import Schema

says = Constructions()


@says("In", "of|in|at|for|from|to|on|among|within|with|across|over", "in")
@says("By", ":group|per|by", "by")
@says("And", ":and|:stop", "and")
@says("And", ":stop :and", ", and")
@says("That", ":relative", "that are")
@says("That", ":who", "who are")
@says("Has", ":have", "having")
@says("Has", "That :have", "who hold")
@says("Their", "their|its|his|her", "their")
@says("Their", "his|her :or his|her", "his or her")
@says("Show", ":list|:what", "show me")
@says("Show", "Show :list|:what", "tell me what is")
@says("EachOne", ":each|:group And?", "for each")
def nothing_of_its_own(s: Schema, *words: object) -> bool:
    return True

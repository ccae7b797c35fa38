"""Rule for "the most disputes", which is their number and no disputed amount."""

from __future__ import annotations

from ai_engine.built_in.meanings import Attribute, Thing
from ai_engine.built_in.sketch import Walk
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words


def is_noun_of_its_rows(walk: Walk, found: Attribute) -> bool:
    """Tell whether the word behind "most" is the plural noun of the rows that have the figure, and not its name."""
    best, said = walk.superlative, words(walk.text())
    if best is None or best.kind not in {"many", "few"} or walk.pending is not None or len(said) != 1:
        return False
    one, field = singular(said[0]), walk.knowledge.field(found)
    named = field.role != "measure" or one in {said[0], singular(field.label)}
    return not named and walk.knowledge.lexicon.is_noun(said[0], Thing(found.dataset))

"""What a changed question is called: as a person would have asked it."""

from __future__ import annotations

from ai_engine.semantics.intent import Intent
from ai_engine.semantics.restatement import measure_label, restate
from ai_engine.semantics.scope_words import scope_of, titled
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import Words, enumerated


def question_of(intent: Intent, vocabulary: Vocabulary) -> str:
    """Say a whole question briefly: "Total deposits by home branch where city is Pune, top 5, 2026"."""
    model, words = vocabulary.model, Words(vocabulary.model, spoken=True)
    scope = scope_of(intent, model)
    if intent.over_groups:
        return restate(intent, model, vocabulary.as_of)
    named = scope.things
    if intent.measures:
        first, *others = [measure_label(item, model) for item in intent.measures]
        named = enumerated([first, *(label[:1].lower() + label[1:] for label in others)])
        named += f" by {words.dimensions(intent.dimensions)}" if intent.dimensions else ""
    order = scope.order if intent.limit is None else ""
    return titled(", ".join(part for part in (named[:1].upper() + named[1:], order) if part), scope.heading)

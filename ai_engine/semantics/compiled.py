"""A structured question as one statement of this bank, with all that is assumed when it is written."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.every_status import every_status
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Draft


def compiled(intent: Intent, vocabulary: Vocabulary) -> Draft:
    """Write an intent as one statement; what it assumes is said anew each time, and of no other intent.

    Raises:
        IntentNotCovered: as `compile_intent` does.
    """
    draft = compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    return replace(draft, assumptions=(*draft.assumptions, *every_status(intent, vocabulary)))

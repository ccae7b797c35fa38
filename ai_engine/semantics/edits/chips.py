"""Every part of a question that may be taken off or changed by a click, in the order in which it is said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiled import compiled
from ai_engine.semantics.edits.edit import Chip, compiles
from ai_engine.semantics.edits.filters import filter_chips
from ai_engine.semantics.edits.groupings import grouping_chips
from ai_engine.semantics.edits.periods import period_chips
from ai_engine.semantics.edits.rankings import ranking_chips
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary

_OF_PERIODS = re.compile(
    r"The .* ends? on .*|“.*” (?:is of the (?:calendar|fiscal) year|are whole \w+): .*"
    r"|.* is no whole \w+ and left out\.|The period is about .*"
)
_OF_STEPS = re.compile(r"(?:Years|Quarters) are calendar (?:years|quarters)\.")


def chips_of(intent: Intent, vocabulary: Vocabulary) -> tuple[Chip, ...]:
    """Return the chips of a question; every edit that one offers can be compiled.

    A question that cannot be compiled itself gets none: the vocabulary may have changed since it was asked.
    """
    if not compiles(intent, vocabulary):
        return ()
    return (
        *filter_chips(intent, vocabulary),
        *grouping_chips(intent, vocabulary),
        *period_chips(intent, vocabulary),
        *ranking_chips(intent, vocabulary),
    )


def still_assumed(assumptions: Sequence[str], before: Intent, after: Intent, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return what was assumed with a question and still holds after an edit.

    What the compiler assumes it says anew, and what was said of a period or of the steps of time goes with them.
    """
    try:
        anew = compiled(before, vocabulary).assumptions
    except IntentNotCovered:
        anew = ()
    gone = [_OF_PERIODS] if before.period != after.period else []
    gone += [_OF_STEPS] if before.dimensions != after.dimensions else []
    return tuple(item for item in assumptions if item not in anew and not any(one.fullmatch(item) for one in gone))

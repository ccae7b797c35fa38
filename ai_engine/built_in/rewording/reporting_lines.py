"""Who reports to whom: the superior is asked for, or those who have one, where rows refer to others of their table."""

from __future__ import annotations

import re

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.built_in.role_verbs import is_steward
from ai_engine.semantics.restatement import plural

_NAME = r"(?!not\b)(?P<name>[^,.;?!]+?)"
_UPWARDS = re.compile(
    rf"\b(?:who(?:m)?\s+(?:do|does|did)\s+{_NAME}\s+report\s+to|to\s+whom\s+(?:do|does|did)\s+(?P<other>[^,.;?!]+?)\s+report)\b",
    re.IGNORECASE,
)
_WHO_REPORTS = re.compile(
    r"\bwho\s+(?:all\s+)?(?:reports?|reported|is\s+reporting|are\s+reporting)\s+to\b", re.IGNORECASE
)
_DOWNWARDS = re.compile(
    r"\b(?:(?:who|that|which)\s+)?(?:(?:is|are|do|does)(?P<denied>\s+not|n['’]t)?\s+)?(?:directly\s+)?"
    r"(?:report|reports|reporting)\s+(?:directly\s+)?to\b(?!\s+(?:me|us)\b)",
    re.IGNORECASE,
)


def by_superiors(question: str, knowledge: Knowledge) -> WrittenOut:
    """ "who does Ann Lee report to" asks who supervises her; "clerks reporting to Ann Lee" are supervised by her."""
    model = knowledge.model
    own = [
        link
        for link in model.relationships
        if link.from_dataset == link.to_dataset and link.synonyms and is_steward(link.synonyms[0])
    ]
    if len(own) != 1:
        return WrittenOut(question, ())
    people = plural(model.dataset(own[0].from_dataset).label)
    said = _UPWARDS.sub(lambda found: f"who supervises {found['name'] or found['other']}", question)
    if said == question and (first := _WHO_REPORTS.match(said.strip())) is not None:
        said = f"{people} supervised by{said.strip()[first.end() :]}"
    return WrittenOut(_DOWNWARDS.sub(lambda found: f"{'not ' if found['denied'] else ''}supervised by", said), ())

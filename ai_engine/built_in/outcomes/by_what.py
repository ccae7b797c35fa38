"""A ranking that does not say by what: the figures it could be by, each as a question of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.one_reading import Reading
from ai_engine.built_in.outcomes.rivals import Verdict, judge_alone
from ai_engine.built_in.scales import SUPERLATIVES, is_on
from ai_engine.semantics.intent import Intent, Membership
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import words

_OPEN = ": by what"
_COMMONNESS = frozenset({"common", "frequent", "frequently", "popular", "rarest", "busiest", "quietest"})
_MOST = 4
_SEVERAL = 2


def ranked_by_something(question: str, verdict: Verdict, knowledge: Knowledge) -> Verdict:
    """Return the ways to rank where that is all a question lacks; otherwise the verdict as it is."""
    best = verdict.best
    if verdict.understood or best is None or not best.unplaced or best.intent is None:
        return verdict
    if not all(said.endswith(_OPEN) for said in best.unplaced):
        return verdict
    found: dict[Intent, Reading] = {}
    asked = question.strip().rstrip("?.! ")
    common = not _COMMONNESS.isdisjoint(asked.lower().split())
    adjective = next((SUPERLATIVES[word] for word in asked.lower().split() if word in SUPERLATIVES), None)
    for figure in _rows(best.intent, knowledge) if common else _figures(best.intent, knowledge):
        if adjective is not None and not any(is_on(kind, words(figure)) for kind in adjective.scale.split()):
            continue
        ranked = judge_alone(f"{asked} by {figure}", knowledge)
        if ranked.is_answered and ranked.distinct[0].intent is not None:
            found.setdefault(ranked.distinct[0].intent, ranked.distinct[0])
        if len(found) == _MOST:
            break
    readings = tuple(found.values())
    if len(readings) == 1 and (common or _played(best.intent)):
        said = f"The ranking is by {next((_rows if common else _figures)(best.intent, knowledge))}."
        readings = (replace(readings[0], assumptions=(*readings[0].assumptions, said)),)
    elif len(readings) < _SEVERAL:
        return verdict
    return Verdict(readings[0], understood=True, distinct=readings)


def _subject(intent: Intent) -> str | None:
    return intent.subject or next((item.dataset for item in intent.measures if item.dataset), None)


def _rows(intent: Intent, knowledge: Knowledge) -> Iterator[str]:
    """Rows that refer to the things that are ranked by how common they are."""
    subject = _subject(intent)
    for dataset in knowledge.referring(subject) if subject is not None else ():
        yield f"number of {plural(knowledge.dataset(dataset).label)}"


def _played(intent: Intent) -> frozenset[str]:
    """Rows in which those who are ranked play their role: borrowers are ranked by their loans."""
    return frozenset(item.dataset for item in intent.filters if isinstance(item, Membership) and item.via)


def _figures(intent: Intent, knowledge: Knowledge) -> Iterator[str]:
    """Figures of the things that are ranked: the main one of each table that belongs to them, then their own."""
    subject = _subject(intent)
    if subject is None:
        return
    played = _played(intent)
    for dataset in knowledge.model.datasets:
        main = knowledge.main_measure(dataset.name)
        if (
            main is not None
            and knowledge.is_parent(dataset.name, subject)
            and dataset.name in (played or {dataset.name})
        ):
            yield f"total {knowledge.field(main).label}"
    if played:
        return
    for item in knowledge.dataset(subject).fields:
        if item.role == "measure" and not item.sensitive:
            yield item.label

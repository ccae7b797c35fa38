"""People named by what they do: "loan officers" are the staff with that job title."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Cue, Stored, Thing
from ai_engine.built_in.sketch import Item
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.words import words

_JOBS = frozenset({"job", "title", "designation", "role", "position", "post", "profession"})


def people_by_their_jobs(items: list[Item], knowledge: Knowledge) -> list[Item]:
    """Put the people beside the job that stands for them, unless they are named themselves."""
    named = {item.meaning.dataset for item in items if isinstance(item.meaning, Thing)}
    found: list[Item] = []
    for item in items:
        job = item.meaning
        if not isinstance(job, Stored) or item.with_field or job.dataset in named or not _is_a_job(job, knowledge):
            found.append(item)
            continue
        people = replace(item, meaning=Thing(job.dataset, job.via))
        grouped = bool(found) and isinstance(found[-1].meaning, Cue) and found[-1].meaning.kind in {"group", "each"}
        found += [people, replace(item, apart=True)] if grouped else [item, replace(people, apart=False)]
    return found


def _is_a_job(job: Stored, knowledge: Knowledge) -> bool:
    dataset = knowledge.dataset(job.dataset)
    field = dataset.field(job.field)
    return field.role == "category" and calls_people(dataset) and bool(_JOBS.intersection(words(field.label)))

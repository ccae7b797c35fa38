"""Verified questions in the file: what a person has checked travels with the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from ai_engine.semantics.model import VerifiedQuestion
from ai_engine.semantics.osi.document import Part

_TEXTS = ("restatement", "intent")


def read_verified(extra: Mapping[str, Part]) -> tuple[VerifiedQuestion, ...]:
    """Read the list of the extension; BadVocabulary where it is malformed."""
    if "verified_questions" not in extra:
        return ()
    asked = []
    for part in extra["verified_questions"].items():
        entry = part.only(("question", "sql", *_TEXTS, "as_of"), ("question", "sql"))
        texts = {name: entry[name].text() for name in _TEXTS if name in entry}
        as_of = _day(entry["as_of"]) if "as_of" in entry else None
        asked.append(VerifiedQuestion(entry["question"].name(), entry["sql"].name(), **texts, as_of=as_of))
    return tuple(asked)


def write_verified(one: VerifiedQuestion) -> dict[str, Any]:
    """Write one question; what nobody said is left out."""
    said = {
        "question": one.question,
        "sql": one.sql,
        "restatement": one.restatement,
        "intent": one.intent,
        "as_of": one.as_of.isoformat() if one.as_of else "",
    }
    return {name: text for name, text in said.items() if text or name in ("question", "sql")}


def _day(part: Part) -> date:
    try:
        return date.fromisoformat(part.text())
    except ValueError:
        part.fail("a day is written as 2026-09-30")

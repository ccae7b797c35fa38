"""What a run writes into the log: the question's id on every line, and nothing of the question or the data.

Texts are written only where `Services.log_texts` permits them. The id is a context variable, so that whatever logs
while a question is answered can be told apart by it; `backend/logs.py` writes it.
"""

from __future__ import annotations

import logging
import re
from contextvars import ContextVar
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from ai_engine.types import Answer, FailedDraft, StepName

question_id: ContextVar[str] = ContextVar("question_id", default="")

_log = logging.getLogger(__name__)
_ID_CHARS = 12
_VALUES = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|`[^`]*`|[^\W\d_]*\d[\w.,:/-]*""")
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]""")
_WORD = re.compile(r"\w+")
_LONGEST_REASON_CHARS = 300


def new_question_id() -> str:
    """Return an id that no other question has."""
    return uuid4().hex[:_ID_CHARS]


def log_step(step: StepName, elapsed_ms: float) -> None:
    """Note that a step came to its end."""
    _log.info("%s took %.0f ms", step, elapsed_ms)


def log_retry(retry_count: int, failure: FailedDraft, *, texts: bool) -> None:
    """Note that a statement was refused or failed; what is quoted or has digits may be a value, and is left out."""
    reason = failure.reason if texts else without_values(failure.reason, failure.sql or "")
    _log.warning(
        "retry %d after %s in %s: %s", retry_count, failure.error_kind, failure.stage, reason[:_LONGEST_REASON_CHARS]
    )


def log_answer(answer: Answer, *, texts: bool) -> None:
    """Note how a question ended, and what it was where that is permitted."""
    kind = f" ({answer.error_kind})" if answer.error_kind else ""
    asked = f": {answer.question}" if texts else ""
    _log.info("%s%s by %s in %.0f ms%s", answer.status, kind, answer.model, answer.timings_ms.get("total", 0.0), asked)


def without_values(reason: str, sql: str = "") -> str:
    """Blank whatever in a reason may be a value: what stands in quotes, there or in the statement, or has a digit."""
    quoted = {word.lower() for text in _QUOTED.findall(sql) for word in _WORD.findall(text)}
    said = _VALUES.sub("…", " ".join(reason.split()))
    return _WORD.sub(lambda word: "…" if word[0].lower() in quoted else word[0], said)

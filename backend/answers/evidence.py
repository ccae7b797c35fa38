"""The evidence of one answer as a ZIP: what was asked, what ran where, what came back, and hashes over all of it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from ai_engine.errors import SqlRejected
from ai_engine.prompts.loader import prompt_versions
from ai_engine.result_hash import has_total_order, result_hash
from ai_engine.types import Answer
from ai_engine.verified import fingerprint, intent_to_text
from backend import VERSION
from backend.answers.answer_json import answer_to_json
from backend.answers.exports import to_csv
from backend.service import Assistant
from backend.sources.source import name_in

FACTS, ANSWER, ROWS, SEAL, ABOUT = "evidence.json", "answer.json", "result.csv", "seal.json", "README.txt"
MEMBERS = (ABOUT, ANSWER, FACTS, ROWS)
"""What the seal is over."""
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_TEXT = """\
Evidence of one answer of the Banking Assistant.

evidence.json  question, statement, who asked and who took it away, time, source and versions
answer.json    the whole answer, every cell exact
result.csv     the rows, for people and spreadsheets
seal.json      SHA-256 of each of these files, and of all together

Check it with: python -m backend.cli verify-evidence FILE
With --database URL the statement runs again, and its rows are compared with these.
"""


def evidence_pack(answer: Answer, assistant: Assistant, asked_by: str, exported_by: str) -> bytes:
    """Write the evidence of an answer that has rows; the same answer and persons give the same bytes.

    Args:
        answer: with a result and a statement.
        assistant: which gave it: its database, vocabulary and guard.
        asked_by: who asked.
        exported_by: who takes it away, as others may whom the answer is shared with.
    """
    assert answer.result is not None, "there are rows to give evidence of"  # noqa: S101
    kept = _without_prompts(answer)
    members = {
        ABOUT: _TEXT.encode(),
        ANSWER: answer_to_json(kept, max_kb=_room_kb(assistant)).encode(),
        FACTS: _json(_facts(answer, assistant) | {"asked_by": asked_by, "exported_by": exported_by}),
        ROWS: b"".join(to_csv(answer.result, bom=True)),
    }
    members[SEAL] = _json(seal_of(members))
    return _zipped(members)


def seal_of(members: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the hash of each file, and one over all of them."""
    hashes = {name: hashlib.sha256(members[name]).hexdigest() for name in MEMBERS if name in members}
    return {"sha256": hashes, "seal": hashlib.sha256(_json(hashes)).hexdigest()}


def facts_of_answer(answer: Answer, dialect: str) -> dict[str, Any]:
    """Return what the answer itself says, which a check computes again."""
    result = answer.result
    assert result is not None, "there are rows to give evidence of"  # noqa: S101
    return {
        "question": answer.question,
        "restatement": answer.restatement,
        "assumptions": list(answer.assumptions),
        "answer": answer.summary,
        "sql": answer.sql,
        "intent": json.loads(intent_to_text(answer.intent) or "null"),
        "answered_at": answer.answered_at.isoformat() if answer.answered_at else None,
        "question_id": answer.question_id,
        "model": answer.model,
        "models_asked": sorted({call.model for call in answer.model_calls}),
        "trust": answer.trust,
        "row_count": result.row_count,
        "total_rows": result.total_rows,
        "truncated": result.truncated,
        "rows_left_out": result.unkept_rows,
        "rows_as_of": result.ran_at.isoformat() if result.ran_at else None,
        "expected_scan": asdict(result.expected) if result.expected else None,
        "order_counts": has_total_order(result, answer.sql or "", dialect),
        "result_hash": result_hash(result, answer.sql or "", dialect),
    }


def _facts(answer: Answer, assistant: Assistant) -> dict[str, Any]:
    catalogue = assistant.vocabulary.catalogue
    return {
        "format": 2,
        **facts_of_answer(answer, catalogue.dialect),
        "source": name_in(assistant.kept_as),
        "dialect": catalogue.dialect,
        "as_of": answer.as_of.isoformat() if answer.as_of else None,
        "limits": asdict(assistant.limits),
        "schema_fingerprint": fingerprint(answer.sql or "", catalogue),
        "guard": _verdict(answer.sql or "", assistant),
        "versions": {"app": VERSION, "prompts": prompt_versions()},
    }


def _verdict(sql: str, assistant: Assistant) -> dict[str, Any]:
    """Have the guard judge the statement that ran once more, as it has no notes of it here."""
    try:
        return {"verdict": "let through", "notes": list(assistant.check(sql).notes)}
    except SqlRejected as refusal:
        return {"verdict": "refused", "notes": [str(refusal)]}


def _without_prompts(answer: Answer) -> Answer:
    """Leave out what a model was asked and replied, which only some may read, and the reading that was not taken."""
    calls = tuple(replace(call, prompt="", reply="") for call in answer.model_calls)
    return replace(answer, model_calls=calls, other_reading=None)


def _room_kb(assistant: Assistant) -> int:
    """A cell takes several times its bytes as text; nothing of the rows may be left out here."""
    return 16 * 1_024 * assistant.settings.max_result_mb


def _json(said: object) -> bytes:
    return (json.dumps(said, indent=1, sort_keys=True) + "\n").encode()


def _zipped(members: Mapping[str, bytes]) -> bytes:
    """Write the files by name, with no time and no rights in it that differ from one machine to the next."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, members[name])
    return file.getvalue()

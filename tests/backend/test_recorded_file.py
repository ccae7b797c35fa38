from __future__ import annotations

import os
from pathlib import Path

from ai_engine.llm.recorded import RecordedReply
from backend.recorded_replies import ReplyFile, read_replies

ONE = RecordedReply("IntentReply", "How many customers are there?", "{}")


def test_the_file_of_recorded_replies_can_be_read_by_its_owner_alone_also_where_it_is_made_anew(tmp_path: Path):
    file = tmp_path / "replies.jsonl"
    before = os.umask(0o022)
    try:
        recorded = ReplyFile(file)
        assert file.stat().st_mode & 0o777 == 0o600
        recorded.add(ONE)
        file.rename(tmp_path / "yesterday.jsonl")
        recorded.add(ONE)
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_replies(file) == read_replies(tmp_path / "yesterday.jsonl") == (ONE,)

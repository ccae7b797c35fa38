"""`python -m backend.cli chat` on the small sample bank, without a language model."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from backend import cli
from backend.command_line.chat_command import Talk, step_line
from tests.pages.scripted_talk import SCRIPTS, scripted_chats


def test_a_message_is_answered_and_its_steps_are_told_beside_it(small_bank: Path, capsys):
    status = cli.main(["chat", "How many customers do we have?", "--database", str(small_bank)])
    told = capsys.readouterr()
    assert status == 0
    assert "There are 600 customers." in told.out
    assert "call_tool: " in told.err
    assert "sql: done" in told.err


def test_what_is_typed_line_by_line_is_one_conversation(small_bank: Path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("How many customers do we have?\n\nand by state?\n"))
    assert cli.main(["chat", "--database", str(small_bank), "--conversation", "typed"]) == 0
    told = capsys.readouterr().out
    assert "There are 600 customers." in told
    assert len(told.splitlines()) > 1


def test_a_batch_answers_conversations_in_order_and_a_bad_line_alone_fails(small_bank: Path, tmp_path: Path):
    messages = [
        {"id": 1, "conversation": "a", "message": "How many customers do we have?"},
        {"id": 2, "conversation": "b", "message": "Hello"},
        {"id": 3, "conversation": "a", "message": "and by state?"},
        {"id": 4, "conversation": "b"},
    ]
    batch, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    batch.write_text("\n".join(map(json.dumps, messages)) + "\nno json\n")
    given = ["chat", "--batch", str(batch), "--out", str(out), "--database", str(small_bank), "--jobs", "2"]
    assert cli.main(given) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in lines] == [1, 2, 3, 4, None]
    assert all(set(line) == {"id", "action", "tools", "answer", "citations", "status", "events"} for line in lines)
    assert lines[0]["tools"] == ["sql"]
    assert lines[0]["answer"] == "There are 600 customers."
    assert lines[2]["tools"] == ["sql"]
    assert [line["status"] for line in lines[3:]] == ["failed", "failed"]
    assert lines[0]["events"][-1]["type"] == "response.done"
    assert not [one for one in lines[0]["events"] if one["type"] == "response.chunk"]


@pytest.mark.parametrize(("typed", "told"), [("Pune\n", "{'branch': 'Pune'}"), ("", "None")])
def test_a_question_back_is_asked_in_the_terminal(typed, told, capsys, monkeypatch):
    import asyncio

    thread = scripted_chats()
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    status = Talk(thread, "terminal").say("Which?")
    asyncio.run(thread.close())
    assert status == "answered"
    written = capsys.readouterr().out
    assert "The program notes, which is not part of this assistant, asks through its tool find." in written
    assert "Which branch is meant?\nbranch: " in written
    assert told in written


def test_no_step_moves_the_cursor_of_the_terminal(capsys):
    import asyncio

    thread = scripted_chats()
    Talk(thread, "terminal").say("Prepare the branch review for Pune")
    asyncio.run(thread.close())
    told = capsys.readouterr()
    assert "4 steps: Branch review of Pune" in told.err
    assert "! The policy note could not be read." in told.out
    assert "\x1b" not in told.err + told.out
    assert len(SCRIPTS) > 1
    assert step_line({"type": "tool.progress", "tool": "t", "progress": 0.5, "message": "m"}) == "t ... 50% m"

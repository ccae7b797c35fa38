"""The lines that the README gives for a desktop client, started as they stand there."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.backend.mcp.connected import from_command, structured
from tests.conftest import PROJECT_ROOT


def test_the_two_lines_of_the_readme_start_the_server_from_any_folder(small_bank: Path, tmp_path: Path):
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    [block] = [found for found in re.findall(r"```json\n(.*?)```", readme, re.DOTALL) if "mcpServers" in found]
    entry = json.loads(block.replace("/path/to/banking-assistant", str(PROJECT_ROOT)))["mcpServers"]["bank"]
    assert set(entry) == {"command", "args"}
    given = {"BANK_DATABASE_URL": str(small_bank)}
    with from_command(entry["command"], entry["args"], tmp_path, given) as bank:
        answer = structured(bank.call("ask", question="How many customers are there?"))
        assert answer["summary"] == "There are 600 customers."

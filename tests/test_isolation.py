from __future__ import annotations

import os
import re
import socket
import subprocess
import sys

import pytest

from tests.conftest import MARIADB, POSTGRES, PROJECT_ROOT, REDIS


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.org", 443)])
def test_no_test_can_leave_the_machine(address):
    with socket.socket() as connection, pytest.raises(PermissionError, match="may not connect"):
        connection.connect(address)


def test_a_loopback_server_can_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as connection:
        connection.connect(server.getsockname())


def test_the_developers_own_settings_are_hidden():
    assert {name for name in os.environ if name.startswith(("BANK_", "OPENAI_"))} == {
        "BANK_CACHE_DIR", "BANK_STORE_URL",
    }  # fmt: skip


MARKED = "import pytest\n@pytest.mark.server\ndef test_it():\n    pytest.skip('PostgreSQL does not answer')\n"
FIXTURE = """
import pytest
@pytest.fixture
def server():
    pytest.skip('PostgreSQL does not answer')
def test_it(server): pass
"""


@pytest.mark.parametrize("content", [MARKED, FIXTURE], ids=["a marked test", "what a test is given"])
@pytest.mark.parametrize(("in_ci", "status"), [("", 0), ("true", 1)])
def test_a_missing_server_is_named_at_the_end_and_fails_in_ci(tmp_path, content, in_ci, status):
    test = tmp_path / "test_missing.py"
    test.write_text(content)
    plugins = ["-p", "tests.conftest", "-p", "pytest_timeout"]
    command = [sys.executable, "-m", "pytest", *plugins, "-c", PROJECT_ROOT / "pyproject.toml", test]
    environment = {
        **os.environ, "CI": in_ci, "PYTHONPATH": str(PROJECT_ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }  # fmt: skip
    ended = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert ended.returncode == status, ended.stdout
    wanted = "with CI=true this test must run" if in_ci else "1 skipped: PostgreSQL does not answer ("
    assert wanted in ended.stdout


@pytest.mark.parametrize("server", [POSTGRES, MARIADB, REDIS])
def test_ci_starts_every_server_that_tests_ask_for(server):
    script = (PROJECT_ROOT / ".ci" / "run").read_text(encoding="utf-8")
    [name] = re.findall(rf"^readonly (\w+_PORT)={server[1]}$", script, re.MULTILINE)
    assert f'answers "${name}" && return' in script
    assert re.search(rf"^start_{name.removesuffix('_PORT').lower()}$", script, re.MULTILINE)

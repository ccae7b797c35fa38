"""The example services as `make app` starts them, and what they have in common with the sample bank."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import duckdb
import yaml

from ai_engine.specialists.api_docs.catalogue import PLACEHOLDER, read_catalogue
from data.example_services import EMAIL, PASSWORD, PORT, build_app
from tests.conftest import PROJECT_ROOT

DESCRIPTION = PROJECT_ROOT / "data" / "api_docs.yaml"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/diagnostics/health", timeout=5):
        return True
    return False


def eventually(wanted: bool, port: int, within_s: float = 30) -> bool:
    end = time.monotonic() + within_s
    while answers(port) is not wanted and time.monotonic() < end:
        time.sleep(0.1)
    return answers(port) is wanted


def test_the_services_end_with_the_program_that_started_them():
    port = free_port()
    command = f"{sys.executable} -m data.example_services --while-parent-runs --port {port} & exec sleep 60"
    parent = subprocess.Popen(["sh", "-c", command], cwd=PROJECT_ROOT)
    try:
        assert eventually(True, port)
    finally:
        parent.kill()
        parent.wait()
    assert eventually(False, port)


def test_make_app_starts_them_on_a_machine_without_settings_alone():
    said = subprocess.run(["make", "--dry-run", "app"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True)
    assert "data.example_services --while-parent-runs &" in said.stdout
    assert re.search(
        r'if \[ -z "\$\{BANK_DATABASE_URL:-\}\$\{BANK_MCP_DATABASE_URL:-\}\$\{BANK_SERVICES_FILE:-\}', said.stdout
    )


def test_every_endpoint_is_described_and_every_description_is_served():
    described = read_catalogue(DESCRIPTION.read_text(), DESCRIPTION.name)
    served = {
        (method.upper(), path)
        for path, operations in build_app().openapi()["paths"].items()
        for method in operations
        if "identity" not in path
    }
    assert {(item.method, PLACEHOLDER.sub(r"{\2}", item.path)) for item in described.endpoints} == served
    assert len(served) >= 12
    assert described.identity is not None
    assert (described.identity.email, described.identity.password) == (EMAIL, PASSWORD)
    assert f":{PORT}" in str(described.base_url)


def test_every_needed_value_and_every_sentence_of_a_description_is_there():
    for endpoint in yaml.safe_load(DESCRIPTION.read_text())["endpoints"]:
        sentence = endpoint.get("returns", {}).get("sentence", "")
        assert all(re.fullmatch(r"\w+", name) for name in re.findall(r"\{([^}]*)\}", sentence))


def test_branches_and_rates_are_those_of_the_sample_bank(small_bank: Path):
    from fastapi.testclient import TestClient

    with TestClient(build_app(bank=small_bank)) as client, duckdb.connect(small_bank, read_only=True) as bank:
        for ifsc, name, city, state in bank.execute(
            "SELECT ifsc_code, branch_name, city, state FROM branches"
        ).fetchall():
            found = client.get(f"/ifsc/{ifsc}").json()
            assert (found["branch"], found["city"], found["state"]) == (name, city, state)
        lowest = dict(bank.execute("SELECT loan_type, MIN(interest_rate) FROM loans GROUP BY 1").fetchall())
        quoted = {row["name"]: row["rate_percent"] for row in client.get("/rates").json()["rates"]}
        assert all(quoted[name] <= float(rate) for name, rate in lowest.items())

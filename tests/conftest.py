"""What all tests share: no network, one small sample bank, and closing lines that name what could not be tested."""

from __future__ import annotations

import gc
import ipaddress
import os
import shutil
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from ai_engine.model_use import LOCAL, begin_asking
from tests.spark_server import SparkServer, what_is_missing

PROJECT_ROOT = Path(__file__).resolve().parent.parent
AS_OF = "2026-09-30"
AS_OF_QUESTIONS = "2026-11-21"
"""The day from which the golds of tests/questions and the kept replies count."""
POSTGRES = ("127.0.0.1", 5432)
MARIADB = ("127.0.0.1", 3306)
REDIS = ("127.0.0.1", 6379)
_MAY_BE_MISSING = ("browser", "server")

# How long one example takes says more of who else uses the machine than of the code; CI has no such bound anyway.
settings.register_profile("shared machine", settings.default, deadline=None)
settings.load_profile("shared machine")


def pytest_collection_finish() -> None:
    """Have every later collection pass over what was gathered: it takes seconds, and stays to the end anyway."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def loopback_only() -> Iterator[None]:
    """Refuse every connection that leaves the machine, so that no test depends on one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _only_loopback(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", _only_loopback(socket.socket.connect_ex))
        yield


def _only_loopback(connect: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
            raise PermissionError(f"tests may not connect to {address[0]}")
        return connect(self, address)

    return guarded


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the developer's own BANK_* and OPENAI_* variables; what is learnt or stored stays out of the project."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("BANK_", "OPENAI_"))]:
            patch.delenv(name)
        patch.setenv("BANK_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("BANK_STORE_URL", f"sqlite:///{tmp_path_factory.mktemp('store') / 'store.sqlite'}")
        yield


@pytest.fixture(autouse=True)
def nobody_asks() -> None:
    """Who asked in a test before, and what they typed, stays with this thread."""
    begin_asking(LOCAL)


@pytest.fixture(autouse=True)
def own_main_module() -> Iterator[None]:
    """A page that is drawn without a browser leaves its script as `__main__`, which new processes would run again."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def small_bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DuckDB file with a twentieth of the sample bank, as of 30 September 2026, its vocabulary beside it."""
    return _built(tmp_path_factory.mktemp("bank"), AS_OF, "--scale", "0.05")


@pytest.fixture(scope="session")
def whole_bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample bank at full size: in a smaller one some thresholds of the questions leave no rows."""
    return _built(tmp_path_factory.mktemp("whole_bank"), AS_OF_QUESTIONS)


def _built(folder: Path, as_of: str, *options: str) -> Path:
    file = folder / "sample_bank.duckdb"
    command = [sys.executable, "-m", "data.build_sample_bank", "--out", str(file), "--as-of", as_of, *options]
    subprocess.run(command, cwd=PROJECT_ROOT, check=True, capture_output=True, timeout=300)
    shutil.copy(PROJECT_ROOT / "data" / "sample_bank.yaml", file.with_suffix(".yaml"))
    return file


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """The PostgreSQL server on loopback, without a database name."""
    return _url_of("PostgreSQL", POSTGRES, "postgresql+psycopg://postgres@{}:{}")


@pytest.fixture(scope="session")
def mariadb_url() -> str:
    """The MariaDB server on loopback, without a database name."""
    return _url_of("MariaDB", MARIADB, "mysql+pymysql://root@{}:{}")


@pytest.fixture(scope="session")
def redis_url() -> str:
    """The Redis on loopback, a database in it that nothing else should use."""
    return _url_of("Redis", REDIS, "redis://{}:{}/13")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkServer]:
    """A Spark Thrift server of this run's own, started when it is first needed."""
    missing = what_is_missing()
    if missing:
        pytest.skip(missing)
    server = SparkServer(tmp_path_factory.mktemp("spark"))
    yield server
    server.kill()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The system's Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is not installed")
    return path


def _url_of(name: str, address: tuple[str, int], template: str) -> str:
    try:
        socket.create_connection(address, timeout=2).close()
    except OSError:
        pytest.skip(f"{name} does not answer on {address[0]}:{address[1]}")
    return template.format(*address)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Let nothing be skipped in CI for want of what a test is given; a `skipif` or `live` is a choice, not a lack.

    Where a test fails that asks Spark, what its server complained of last stands below: pages and errors keep it back.
    """
    report = yield
    server = getattr(item, "funcargs", {}).get("spark")
    if report.failed and isinstance(server, SparkServer):
        report.sections.append(("what Spark complained of last", server.last_complaints()))
    in_ci = os.environ.get("CI", "").lower() in {"1", "true"}
    needs = report.when == "setup" or any(item.get_closest_marker(name) for name in _MAY_BE_MISSING)
    chosen = any(item.get_closest_marker(name) for name in ("skipif", "live"))
    if in_ci and report.skipped and needs and not chosen:
        report.outcome = "failed"
        report.longrepr = f"{_reason(report)}; with CI=true this test must run"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were skipped and why, one line per reason."""
    tests_by_reason: dict[str, list[str]] = defaultdict(list)
    for report in terminalreporter.stats.get("skipped", ()):
        tests_by_reason[_reason(report)].append(report.nodeid)
    if not tests_by_reason:
        return
    terminalreporter.section("not tested here")
    for reason, tests in sorted(tests_by_reason.items()):
        files = sorted({test.split("::")[0] for test in tests})
        terminalreporter.write_line(f"{len(tests)} skipped: {reason} ({', '.join(files)})")


def _reason(report: Any) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")

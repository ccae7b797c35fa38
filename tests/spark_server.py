"""A Spark Thrift server of this machine's own, in a process group that ends with the tests whatever happens."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

_START_LIMIT_S = 150.0
_MEMORY_MB = 2_048  # all slow tests of a worker ask the same server, one after the other
_STATUS_LIMIT_S = 60.0
_SHOWN_ERRORS = 4
_SHOWN_CHARS = 3_000
_SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
# Ends the server as soon as the pipe from the tests is closed, which also happens when they are killed.
_GUARDIAN = """
import os, signal, subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
def end_with_owner():
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=end_with_owner, daemon=True).start()
sys.exit(server.wait())
"""


def what_is_missing() -> str:
    """Say why no Spark can be started here; "" when one can."""
    for package in ("pyspark", "pyhive", "thrift_sasl"):
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed (make install-engines)"
    return "" if shutil.which("java") else "no Java runtime is installed"


class SparkServer:
    """One server on free loopback ports with 2 GB and two cores; all it writes lies in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, self._status_port = _free_ports()
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.kill)
        self.start()

    @property
    def url(self) -> str:
        """The address of its default database."""
        return f"spark://analyst@127.0.0.1:{self.port}/default"

    def start(self) -> None:
        """Start it, on the same ports each time, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _GUARDIAN, *self._command()],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"},
            )
        deadline = time.monotonic() + _START_LIMIT_S
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.1)
        self.kill()
        raise RuntimeError(f"Spark does not start: {(self.folder / 'log').read_text(errors='replace')[-2_000:]}")

    def _command(self) -> list[str]:
        import pyspark

        home = Path(pyspark.__file__).parent
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.maxResultSize": "256m",
            "spark.ui.enabled": "true",  # tells which jobs run
            "spark.ui.port": self._status_port,
            "spark.ui.showConsoleProgress": "false",
            "spark.port.maxRetries": "0",
            "spark.local.dir": self.folder / "local",
            "spark.sql.warehouse.dir": self.folder / "warehouse",
            "spark.sql.shuffle.partitions": "2",
            "spark.hadoop.javax.jdo.option.ConnectionURL": f"jdbc:derby:{self.folder / 'metastore'};create=true",
            "spark.hadoop.hive.exec.scratchdir": self.folder / "scratch",
            "spark.hadoop.hive.server2.logging.operation.log.location": self.folder / "operations",
            "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
            "spark.hadoop.hive.server2.thrift.port": self.port,
        }
        # The quick compiler alone: no test runs long enough for the other to be worth its time.
        java = (
            f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.io.tmpdir={self.folder} -Dderby.system.home={self.folder}"
        )
        return [
            *(str(home / "bin" / "spark-submit"), "--class", _SERVER, "--master", "local[2]"),
            *("--driver-memory", f"{_MEMORY_MB}m", "--driver-java-options", java),
            *(part for name, value in settings.items() for part in ("--conf", f"{name}={value}")),
            "spark-internal",
        ]

    def jobs_done(self) -> int:
        """How many jobs have come to their end."""
        [application] = self._status("")
        return len(self._status(f"{application['id']}/jobs?status=succeeded"))

    def running_jobs(self) -> list[int]:
        """Ask Spark which jobs it still computes, or has tasks of."""
        [application] = self._status("")
        jobs = self._status(f"{application['id']}/jobs?status=running")
        busy = sum(one["activeTasks"] for one in self._status(f"{application['id']}/executors"))
        return [job["jobId"] for job in jobs] or [-1] * busy

    def _status(self, path: str) -> Any:
        address = f"http://127.0.0.1:{self._status_port}/api/v1/applications/{path}"
        with urllib.request.urlopen(address, timeout=_STATUS_LIMIT_S) as answer:
            return json.load(answer)

    def last_complaints(self) -> str:
        """Return the last errors in its log, each with the lines behind it."""
        said = (self.folder / "log").read_text(errors="replace")
        entries = re.split(r"^(?=\d\d/\d\d/\d\d )", said, flags=re.MULTILINE)
        errors = [entry for entry in entries if " ERROR " in entry[:40]]
        return "\n".join(entry[:_SHOWN_CHARS] for entry in errors[-_SHOWN_ERRORS:])

    def administer(self, *statements: str) -> None:
        """Run statements that the assistant itself may never run."""
        from pyhive import hive

        with hive.connect(host="127.0.0.1", port=self.port, username="owner") as session:
            for statement in statements:
                session.cursor().execute(statement)

    def kill(self) -> None:
        """End it at once, with everything that it started; harmless when repeated."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdin:
            process.stdin.close()


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]

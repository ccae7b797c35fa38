"""Has one task of the upload worker done, within its time, in a process that knows nothing of the app's secrets."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ai_engine.errors import UploadRefused
from backend.uploads.plan import UploadLimits

_PROJECT = Path(__file__).resolve().parents[2]
_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT")


def done_by_worker(task: str, limits: UploadLimits, **given: Any) -> Any:
    """Return what the worker says of a task.

    Raises:
        UploadRefused: the file cannot be read, or not within the limits; says why.
    """
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "backend.uploads.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env={
            **{name: os.environ[name] for name in _INHERITED if name in os.environ},
            "PYTHONPATH": str(_PROJECT),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    )
    told = json.dumps({"task": task, "limits": asdict(limits), **given}).encode()
    try:
        said, _ = worker.communicate(told, timeout=limits.timeout_s)
    except subprocess.TimeoutExpired:
        raise UploadRefused(f"Reading it took longer than {limits.timeout_s:g} s (BANK_UPLOAD_TIMEOUT_S).") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
    try:
        reply = json.loads(said)
    except ValueError:
        raise UploadRefused("Reading it needs more memory than it may use (BANK_UPLOAD_MEMORY_MB).") from None
    if "fault" in reply:
        raise UploadRefused(reply["fault"])
    return reply["done"]

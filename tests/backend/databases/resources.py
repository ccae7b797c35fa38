"""Counts what a test may leave behind."""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Resources:
    """Threads, child processes and open descriptors of this process."""

    threads: int
    children: int
    descriptors: int


def count_resources() -> Resources:
    gc.collect()
    return Resources(threading.active_count(), len(child_processes()), len(list(Path("/proc/self/fd").iterdir())))


def child_processes() -> set[int]:
    """Every process started by this one that has not been waited for, zombies included."""
    found: set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        found.update(map(int, listed.read_text().split()))
    return found

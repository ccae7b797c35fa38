"""Tells what a test leaves behind."""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Resources:
    """Threads, child processes and the number of open descriptors of this process."""

    threads: frozenset[threading.Thread]
    children: frozenset[int]
    descriptors: int


def count_resources() -> Resources:
    gc.collect()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    return Resources(frozenset(threading.enumerate()), frozenset(child_processes()), descriptors)


def left_since(before: Resources) -> list[str]:
    """What is there now and was not before; what earlier tests of this process had and has ended since is no matter."""
    now = count_resources()
    threads = [thread.name for thread in now.threads - before.threads]
    children = [f"process {child}" for child in now.children - before.children]
    more = now.descriptors - before.descriptors
    return [*threads, *children, *([f"{more} descriptors"] if more > 0 else [])]


def child_processes() -> set[int]:
    """Every process started by this one that has not been waited for, zombies included."""
    found: set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        found.update(map(int, listed.read_text().split()))
    return found

"""How long a test waits on a machine that others use too."""

from __future__ import annotations

import os

_MOST_TIMES = 4.0
"""At most, so that what was to be stopped and runs on is still told from what is slow."""


def allowed_s(quiet_s: float) -> float:
    """The seconds that something may take now, when it may take `quiet_s` with the processors to itself."""
    waiting_each = os.getloadavg()[0] / (os.cpu_count() or 1)
    return quiet_s * min(max(1.0, waiting_each), _MOST_TIMES)

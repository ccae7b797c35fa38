"""May this statement run? Pure functions over a syntax tree, in the order `check.py` lists."""

from __future__ import annotations

from ai_engine.guard.allowed_functions import GUARDED_DIALECTS
from ai_engine.guard.check import check, names_written_out
from ai_engine.guard.policy import Policy, policy_from_json
from ai_engine.guard.row_limit import count_of

__all__ = ["GUARDED_DIALECTS", "Policy", "check", "count_of", "names_written_out", "policy_from_json"]

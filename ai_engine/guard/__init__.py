"""May this statement run? Pure functions over a syntax tree, in the order `check.py` lists."""

from __future__ import annotations

from ai_engine.guard.check import check
from ai_engine.guard.policy import Policy, policy_from_json

__all__ = ["Policy", "check", "policy_from_json"]

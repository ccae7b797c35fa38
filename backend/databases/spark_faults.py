"""What a Spark Thrift server says against a statement, by its error class and SQLSTATE."""

from __future__ import annotations

import re

from backend.databases.engine import EngineFault
from backend.databases.statement_faults import Trouble, statement_fault

_CLASS = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
_TOLD_STATE = re.compile(r"\bSQLSTATE: ([0-9A-Z]{5})\b")
_SPOKEN_NAMES = re.compile(r"`([^`]+)`")
_BY_CLASS: tuple[tuple[str, Trouble], ...] = (
    ("AMBIGUOUS_", "ambiguous_name"),
    ("INVALID_PARAMETER_VALUE.PATTERN", "invalid_pattern"),
    ("INVALID_REGEXP", "invalid_pattern"),
    ("DATATYPE_MISMATCH", "wrong_type"),
    ("INSUFFICIENT_PERMISSIONS", "permission"),
    ("UNABLE_TO_ACQUIRE_MEMORY", "memory"),
)
_BY_STATE: dict[str, Trouble] = {
    "42P01": "unknown_table",
    "42703": "unknown_column",
    "42883": "unknown_function",
    **dict.fromkeys(("42605", "42846", "42K09", "42818", "42825"), "wrong_type"),
    "42702": "ambiguous_name",
    **dict.fromkeys(("42803", "42903", "42K0E"), "misused_aggregate"),
    **dict.fromkeys(("22007", "22018", "22023"), "conversion"),
    "22012": "division_by_zero",
    **dict.fromkeys(("22003", "22008"), "out_of_range"),
    "21000": "several_rows",
    "42601": "syntax",
    **dict.fromkeys(("42501", "28000"), "permission"),
    "53200": "memory",
    "53100": "space",
}
_BY_WORDS: tuple[tuple[str, Trouble], ...] = (
    ("OutOfMemoryError", "memory"),
    ("No space left on device", "space"),
    ("AccessControlException", "permission"),
    ("does not have", "permission"),
)
_STOPPED = ("SPARK_JOB_CANCELLED", "OPERATION_CANCELED")
_TOO_LARGE = "spark.driver.maxResultSize"
_SUGGESTING = "Did you mean"


class Refused(Exception):
    """The server's refusal, in its own words, which may quote data; `state` is the SQLSTATE, where it tells one."""

    def __init__(self, said: str, state: str = "") -> None:
        super().__init__(said)
        self.said = said
        self.state = state


def fault_of(refusal: Refused) -> EngineFault:
    """Tell a cancellation and a result that is too large from a wrong statement, and what is wrong with that one."""
    named = _CLASS.findall(refusal.said)
    found = named[0] if named else ""
    if found in _STOPPED:
        return EngineFault("interrupted", "the statement was interrupted")
    if _TOO_LARGE in refusal.said:
        return EngineFault("too_large", "more than the server hands out at once")
    said = refusal.said.rpartition(f"[{found}]")[2] if found else refusal.said
    return statement_fault(_trouble(found, refusal), said.partition(_SUGGESTING)[0].strip(), _SPOKEN_NAMES)


def _trouble(found: str, refusal: Refused) -> Trouble:
    by_class = next((trouble for start, trouble in _BY_CLASS if found.startswith(start)), None)
    by_words = next((trouble for words, trouble in _BY_WORDS if words in refusal.said), None)
    told = _TOLD_STATE.search(refusal.said)  # where rows are fetched the state stands in the words alone
    state = refusal.state or (told.group(1) if told else "")
    return by_class or _BY_STATE.get(state) or (None if found else by_words) or "other"

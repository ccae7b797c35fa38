"""Signs and clipped turns of shorthand, with what they stand for."""

from __future__ import annotations

import re

SIGNS = (
    (re.compile(r"\bw/o\b", re.I), "without"),
    (re.compile(r"\bw/\s*(?=\w)", re.I), "with "),
    (re.compile(r"\bb/w\b", re.I), "between"),
    (re.compile(r"\bo/s\b", re.I), "outstanding"),
    (re.compile(r"\(\s*(?:by|on|as per|based on)\s+(?=(?:\w+\s){1,3}d(?:a?te?|ay)\s*\))", re.I), "(dated by "),
    (
        re.compile(
            r"\b(?:do|does|did)(?: not|n['’]?t) have (?:an? |any )?(?!\d|both\b|all\b|at\b|more\b|enough\b|to\b)",
            re.I,
        ),
        "have no ",
    ),
    (re.compile(r"  +"), " "),
    (re.compile(r"\b(more than|at least|over|exactly) twice\b(?! (?:the|as|their|its))", re.I), r"\1 2 times"),
    (re.compile(r"(?:, ?)?\b(?!side )(\w{4,}) by \1\b(?=\s*(?:[,.;?]|$))", re.I), r" by \1"),  # "hotel by hotel"
    (re.compile(r"\bmore than once\b", re.I), "more than 1 times"),
    (re.compile(r"\b(min|max|avg|median|sum|total)(?= (?:min|max|avg|median|sum|total|count)\b)", re.I), r"\1,"),
    (re.compile(r"\b(rates?|ratio|share)\s+%(?!\w)", re.I), r"\1"),
    (re.compile(r"\b(?:calendar|cy) (?=(?:19|20)\d\d\b)", re.I), ""),
    (re.compile(r"(?<![\w/-])amt(s?)(?![\w/-])", re.I), r"amount\1"),
)
CONTRACTED = re.compile(r"\b(what|who|where|when|how|that|there|(?<!\S)(?<!\S\s)it)s\b(?!')", re.I)
QUESTION_WORDS = (
    "how",
    "many",
    "much",
    "what",
    "which",
    "show",
    "list",
    "give",
    "total",
    "number",
    "average",
    "where",
)

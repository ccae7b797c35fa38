"""The finance library that programs in the sandbox may call.

Its modules are run twice: by Python, where tests hold them against published examples, and as source inside the
sandbox, so that they stand under the same bounds on time and memory as the program that calls them. They keep to what
both understand: no import beyond each other, `decimal`, `datetime` and `math`, and no generators.
"""

from __future__ import annotations

from importlib.resources import files

_MODULES = ("exact", "loans", "returns", "day_count", "series", "tables")


def library_sources() -> tuple[str, ...]:
    """The text of every module, in the order in which the sandbox reads them; there they share one namespace."""
    folder = files(__name__)
    texts = [(folder / f"{name}.py").read_text(encoding="utf-8") for name in _MODULES]
    return tuple("\n".join(line for line in text.splitlines() if f"from {__name__}" not in line) for text in texts)

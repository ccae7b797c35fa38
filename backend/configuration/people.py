"""Who stands in a setting that lists people."""

from __future__ import annotations

EVERYBODY = "*"


def people_in(listed: str | None) -> frozenset[str]:
    """Read names by comma; nobody where the setting is unset, and no empty name, which is that of who has none."""
    return frozenset(name.strip() for name in (listed or "").split(",")) - {""}


def is_among(people: frozenset[str], who: str) -> bool:
    """Tell whether a person is one of them, or everybody is."""
    return not people.isdisjoint({EVERYBODY, who})

"""The settings that count until the app is started anew, as people may see them: never a secret."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from backend.configuration.changed_settings import CHANGEABLE
from backend.settings import Settings, variable_of

_SET = "set, not shown"
_PRIVATE = "shown to administrators"


@dataclass(frozen=True, slots=True)
class FixedSetting:
    """One setting; `value` is as people may see it, empty where it is unset."""

    variable: str
    value: str
    meaning: str


def fixed_settings(settings: Settings, search: str = "", *, may_see_places: bool) -> tuple[FixedSetting, ...]:
    """Return what cannot be changed on the page, in the README's order.

    Args:
        settings: as the environment has them.
        search: words that all stand in the variable, the value or the meaning; empty for every setting.
        may_see_places: texts name folders, servers and people, which are for administrators.
    """
    listed = (
        FixedSetting(variable_of(name), _shown(settings, name, may_see_places=may_see_places), str(field.description))
        for name, field in Settings.model_fields.items()
        if name not in CHANGEABLE
    )
    words = search.lower().split()
    return tuple(
        one for one in listed if all(word in f"{one.variable} {one.value} {one.meaning}".lower() for word in words)
    )


def _shown(settings: Settings, name: str, *, may_see_places: bool) -> str:
    value = getattr(settings, name)
    if value is None:
        return ""
    if isinstance(value, SecretStr) or not Settings.model_fields[name].repr:
        return _SET
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if not may_see_places:
        return _PRIVATE
    address = urlsplit(str(value))
    has_secret = address.netloc and ("@" in address.netloc or address.query)
    return _SET if has_secret else str(value)

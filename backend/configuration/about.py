"""What this installation is made of: the licences of its packages, and where it keeps what people leave with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata

from ai_engine.errors import AssistantError
from backend.databases.address import parse_address, without_person
from backend.settings import Settings
from backend.store.opening import store_address

_LONGEST = 60
_LICENCE = re.compile(r"License :: (?:OSI Approved :: )?(.+)")


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package; `licence` is what it says itself, empty where it says nothing."""

    name: str
    version: str
    licence: str


@lru_cache(maxsize=1)
def packages() -> tuple[Package, ...]:
    """Return what is installed, by name."""
    found = {str(one.metadata["Name"]).lower(): one for one in metadata.distributions() if one.metadata["Name"]}
    return tuple(Package(name, one.version, _licence(one)) for name, one in sorted(found.items()))


def kept_where(settings: Settings) -> dict[str, str]:
    """Return where data is kept, without roles and passwords: what it is, to its place."""
    return {
        "Conversations, verified answers, audit": without_person(str(store_address(settings).set(query={}))),
        "Data that people bring": str(settings.uploads_dir),
        "Names and codes learnt by heart": str(settings.cache_dir),
    }


def shown_address(url: str) -> str:
    """Return a database's address without its role and password; empty where it is none."""
    try:
        return without_person(parse_address(url).shown)
    except AssistantError:
        return ""


def _licence(one: metadata.Distribution) -> str:
    said = _first(one, "License-Expression")
    listed = [match[1] for line in one.metadata.get_all("Classifier") or () if (match := _LICENCE.fullmatch(line))]
    said = said or ", ".join(listed) or _first(one, "License").strip().partition("\n")[0]
    return str(said)[:_LONGEST]


def _first(one: metadata.Distribution, heading: str) -> str:
    return next(map(str, one.metadata.get_all(heading) or ()), "")

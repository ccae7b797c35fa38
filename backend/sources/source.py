"""One database that may be asked, by a name that can stand in an address."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from backend.configuration.people import EVERYBODY, is_among
from backend.databases.address import parse_address

OWN = "own"
"""Name under which everybody finds what they have uploaded, and nobody else's: it says nothing of whose it is."""


@dataclass(frozen=True)
class Source:
    """A database with its meaning, and who may ask it.

    Attributes:
        name: in addresses, on the command line and in what is kept; small letters, digits, `_` and `-`.
        title: for people.
        url: as `BANK_DATABASE_URL`; may hold a password.
        vocabulary_file: None for the `.yaml` beside a database file, else inferred.
        people: names of those who may ask it, `*` for everybody.
        folder: of a private source, where everything that is kept of it lies; None for all others.
    """

    name: str
    title: str
    url: str = field(repr=False)
    vocabulary_file: Path | None = None
    people: frozenset[str] = frozenset({EVERYBODY})
    folder: Path | None = None

    @property
    def kept_as(self) -> str:
        """See `kept_as`; BadConfiguration where the address is wrong."""
        return kept_as(self.name, parse_address(self.url).identity)

    def allows(self, who: str) -> bool:
        """Tell whether this person may ask it."""
        return is_among(self.people, who)


def kept_as(name: str, identity: str) -> str:
    """Return the name under which the store keeps what people say and check of a source.

    Two sources of one database may tell it by other vocabularies, and to other people: they have nothing in common. One
    that is called as its address says is the database itself.
    """
    return identity if name == name_of(identity) else f"{identity} as {name}"


def name_in(kept: str) -> str:
    """Return the name of a source that is kept under this one; an address says where the bank's file lies."""
    identity, _, name = kept.rpartition(" as ")
    return name if identity else name_of(kept)


def name_of(database_url: str) -> str:
    """Return what a database is called by its address: `sample_bank` for a file, the database's name on a server."""
    place = urlsplit(database_url).path if "://" in database_url else database_url
    stem = Path(place).stem.lower()
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in stem).strip("_") or "bank"

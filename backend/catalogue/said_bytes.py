"""Bytes as the text that they may be: a CAST or a function of the engine shows it to whoever asks."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.types import Scalar

_SHOWN = re.compile(r"0x((?:[0-9a-f]{2})+)(… \([\d,]+ bytes\))?")
_DIGITS = re.compile(r"(?:[0-9A-Fa-f]{2})+")


@dataclass(frozen=True)
class SeenBytes:
    """Cells with bytes read as text.

    Attributes:
        texts: the cells, with what short bytes say in their place.
        are_longer: some say more, of which only the beginning is there.
    """

    texts: list[Scalar]
    are_longer: bool


def seen_bytes(cells: Iterable[Scalar]) -> SeenBytes:
    """Read those cells that are bytes as `backend.databases.cells.preview_bytes` shows them."""
    texts: list[Scalar] = []
    are_longer = False
    for cell in cells:
        shown = _SHOWN.fullmatch(cell) if isinstance(cell, str) and cell.startswith("0x") else None
        said = _said(shown[1]) if shown is not None else None
        are_longer |= shown is not None and said is not None and shown[2] is not None
        texts.append(cell if said is None else said)
    return SeenBytes(texts, are_longer)


def as_digits(column: exp.Column, dialect: str) -> exp.Expr:
    """The digits of bytes, of which a part can be taken everywhere; on SQLite of no other value of the column."""
    if dialect == "postgres":
        return exp.Anonymous(this="ENCODE", expressions=[column, exp.Literal.string("hex")])
    digits = exp.Hex(this=column)
    if dialect != "sqlite":
        return digits
    return exp.Case(ifs=[exp.If(this=exp.Typeof(this=column.copy()).eq("blob"), true=digits)])


def bytes_in_digits(digits: str) -> str | None:
    """The text that digits of bytes say, None where they are no such digits."""
    return bytes.fromhex(digits).decode("utf-8", "replace") if _DIGITS.fullmatch(digits) else None


def _said(digits: str) -> str | None:
    """What the beginning of bytes says; None where it is no text."""
    try:
        said = codecs.getincrementaldecoder("utf-8")().decode(bytes.fromhex(digits))
    except UnicodeDecodeError:
        return None
    return said if all(letter.isprintable() or letter.isspace() or letter == "\ufeff" for letter in said) else None

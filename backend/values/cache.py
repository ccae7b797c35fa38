"""Keeps collected values on disk, found again by the content they were collected from."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from ai_engine.semantics.values import ColumnValues
from ai_engine.types import Scalar

_FORMAT = 4


class ValueCache:
    """One file per content, which any database of that content finds; an earlier one of the same database makes way.

    Args:
        kind: what is kept, "values"; each kind of one database has a file of its own.
        folder: created when missing, readable by its owner only, since the values are the bank's.
        database: names the database, as shown to people.
        content: everything that the values depend on.
        max_age_h: an older collection is not read: a server's fingerprint knows nothing of its rows.
    """

    def __init__(
        self, folder: Path, database: str, content: object, max_age_h: float = 24.0, *, kind: str = "values"
    ) -> None:
        self._kind = kind
        self._max_age_s = max_age_h * 3600
        self._folder = folder
        self._database = _digest(database)
        self._content = _digest(repr((_FORMAT, content)))

    def read(self) -> tuple[ColumnValues, ...] | None:
        """Return an earlier collection; None when there is none, or it is too old or damaged."""
        kept = map(self._read, self._folder.glob(f"{self._kind}-*-{self._content}.json"))
        return next((columns for columns in kept if columns is not None), None)

    def _read(self, path: Path) -> tuple[ColumnValues, ...] | None:
        try:
            if time.time() - path.stat().st_mtime > self._max_age_s:
                return None
            columns = json.loads(path.read_text("utf-8"), object_hook=_restore)
            return tuple(
                ColumnValues(dataset, name, tuple(values), complete=complete is True)
                for dataset, name, values, complete in columns
            )
        except (OSError, ValueError, TypeError, ArithmeticError):
            return None

    def write(self, columns: tuple[ColumnValues, ...]) -> None:
        """Keep a collection; readers see the old one or the new one, never a part. A full disk is no reason to fail."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self._folder / f"{self._kind}-{self._database}-{self._content}.json"
            text = json.dumps([(c.dataset, c.field, c.values, c.complete) for c in columns], default=_tag)
            descriptor, building = tempfile.mkstemp(dir=self._folder, prefix=f".{self._kind}-")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
                    opened.write(text)
                Path(building).replace(path)
            except BaseException:
                Path(building).unlink(missing_ok=True)
                raise
            for old in self._folder.glob(f"{self._kind}-{self._database}-*.json"):
                if old != path:
                    old.unlink(missing_ok=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _tag(value: object) -> dict[str, str]:
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    return {"text": str(value)}


def _restore(tagged: dict[str, Any]) -> Scalar:
    ((tag, text),) = tagged.items()
    read: dict[str, Any] = {
        "decimal": Decimal,
        "timestamp": datetime.fromisoformat,
        "date": date.fromisoformat,
        "text": str,
    }
    if tag not in read:
        raise ValueError(tag)
    value: Scalar = read[tag](text)
    return value

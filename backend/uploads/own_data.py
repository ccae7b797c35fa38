"""What one person has brought: files looked at, a private database made of them, all of it removed on request."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ai_engine.errors import NotPermitted, UploadRefused
from backend.configuration.people import is_among, people_in
from backend.settings import Settings
from backend.sources.source import OWN, Source
from backend.uploads.plan import ENDINGS, TablePlan, UploadLimits, from_plain, to_plain
from backend.uploads.process import done_by_worker

_DATABASE = "data.duckdb"
_INCOMING = "incoming"
_FORGOTTEN_AFTER_S = 3_600.0
_MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Looked:
    """A file that was looked at, and waits for what is to be made of it.

    Attributes:
        id: by which it is built or dropped; means nothing to anybody else.
        file_name: as the person calls it.
    """

    id: str
    file_name: str
    tables: tuple[TablePlan, ...]


class OwnData:
    """The folder of one person. Nothing here takes a path or a person's name from outside but `who` itself.

    Args:
        settings: who may upload, where it is kept, and how much.
        who: whose it is; nobody without a name has any.

    Raises:
        NotPermitted: this person may not bring data.
    """

    def __init__(self, settings: Settings, who: str) -> None:
        if not who or not is_among(people_in(settings.uploaders), who):
            raise NotPermitted(f"{who!r} may not bring data of their own")
        self.limits = limits_of(settings)
        self.folder = settings.uploads_dir / hashlib.sha256(who.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def source(self) -> Source | None:
        """The private database, None where there is none."""
        file = self.folder / _DATABASE
        if not file.is_file():
            return None
        return Source(OWN, "Your own data", f"duckdb:///{file}", folder=self.folder)

    @property
    def used_mb(self) -> float:
        """What all of it takes on disk."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file()) / _MEGABYTE

    def look(self, file_name: str, raw: bytes) -> Looked:
        """Say what a file holds; it waits for an hour to be built.

        Raises:
            UploadRefused: it cannot be read, or is beyond the limits; says why.
        """
        ending = Path(file_name).suffix.lower().lstrip(".")
        if ending not in ENDINGS:
            raise UploadRefused(f"Files that can be read end in {', '.join(ENDINGS)}.")
        if len(raw) > self.limits.max_file_mb * _MEGABYTE:
            raise UploadRefused(f"The file has more than {self.limits.max_file_mb:,} MB (BANK_UPLOAD_MAX_FILE_MB).")
        with self._alone():
            self._forget_old()
            if self.used_mb + len(raw) / _MEGABYTE > self.limits.max_total_mb:
                raise UploadRefused(
                    f"Your data may take {self.limits.max_total_mb:,} MB (BANK_UPLOAD_MAX_TOTAL_MB). Remove some."
                )
            waiting = self._waiting(f"{secrets.token_hex(16)}.{ending}")
            _write(waiting, raw)
        try:
            plans = done_by_worker(
                "inspect", self.limits, file=str(waiting), ending=ending, name=Path(file_name).stem[:80]
            )
        except BaseException:
            waiting.unlink(missing_ok=True)
            raise
        return Looked(waiting.name, Path(file_name).name[:120], tuple(map(from_plain, plans)))

    def build(self, looked: Looked, plans: Sequence[TablePlan], today: str) -> None:
        """Add tables to the private database, all of them or none; the file itself is not kept.

        Args:
            plans: those of `looked` that are wanted, with other names and kinds where the person says so.
            today: told in the comment of each table.

        Raises:
            UploadRefused: a name is none, or stands twice; cells that are not of their column's kind; no room.
        """
        _check_names(plans)
        waiting = self._waiting(looked.id)
        if not waiting.is_file():
            raise UploadRefused("The file was not kept so long. Drop it once more.")
        said = f"From {looked.file_name}, brought on {today}."
        plain = [to_plain(plan) for plan in plans]
        self._rebuild(None, file=str(waiting), ending=waiting.suffix[1:], plans=plain, said=said)
        waiting.unlink(missing_ok=True)

    def drop(self, looked: Looked) -> None:
        """Forget a file that was looked at."""
        self._waiting(looked.id).unlink(missing_ok=True)

    def remove(self, table: str, tables: Sequence[str]) -> None:
        """Remove one of the tables; the database is written anew, so that nothing of it stays on disk."""
        kept = [name for name in tables if name != table]
        if not kept:
            self.remove_all()
            return
        self._rebuild(kept, file="", ending="", plans=[], said="")
        shutil.rmtree(self.folder / "cache", ignore_errors=True)  # values of it were learnt

    def remove_all(self) -> None:
        """Remove everything: database, waiting files and what was learnt of them."""
        with self._alone():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _rebuild(self, keep: list[str] | None, **given: object) -> None:
        database = self.folder / _DATABASE
        with self._alone():
            newer = self.folder / f"newer-{secrets.token_hex(8)}.duckdb"
            try:
                old = str(database) if database.is_file() else ""
                done_by_worker("build", self.limits, old=old, keep=keep, new=str(newer), **given)
                if newer.stat().st_size > self.limits.max_total_mb * _MEGABYTE:
                    raise UploadRefused(f"Your data may take {self.limits.max_total_mb:,} MB in all.")
                newer.chmod(0o600)
                newer.replace(database)
            finally:
                newer.unlink(missing_ok=True)
                newer.with_name(f"{newer.name}.wal").unlink(missing_ok=True)

    def _waiting(self, name: str) -> Path:
        if not re.fullmatch(r"[0-9a-f]{32}\.[a-z]{2,7}", name):
            raise UploadRefused("There is no such file.")
        return self.folder / _INCOMING / name

    def _forget_old(self) -> None:
        for file in (self.folder / _INCOMING).glob("*"):
            with contextlib.suppress(OSError):
                if time.time() - file.stat().st_mtime > _FORGOTTEN_AFTER_S:
                    file.unlink()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other tabs and processes of the same person waiting."""
        try:
            self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.folder.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                (self.folder / _INCOMING).mkdir(mode=0o700, parents=True, exist_ok=True)
                yield
        except OSError as fault:
            raise UploadRefused(f"It cannot be kept: {fault.strerror} (BANK_UPLOADS_DIR).") from None


def limits_of(settings: Settings) -> UploadLimits:
    """Return the bounds that the settings have."""
    return UploadLimits(
        settings.upload_max_file_mb, settings.upload_max_tables, settings.upload_max_rows, settings.upload_max_columns,
        settings.upload_max_total_mb, memory_mb=settings.upload_memory_mb, timeout_s=settings.upload_timeout_s,
    )  # fmt: skip


def own_source(settings: Settings, who: str) -> Source | None:
    """Return the private database of a person, None where there is none or they may have none."""
    try:
        return OwnData(settings, who).source
    except NotPermitted:
        return None


def _check_names(plans: Sequence[TablePlan]) -> None:
    for names, of in (([plan.name for plan in plans], "tables"), *(
        ([column.name for column in plan.columns], f"columns of {plan.name}") for plan in plans
    )):  # fmt: skip
        wrong = next((name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name)), None)
        if wrong is not None:
            raise UploadRefused(f"“{wrong[:60]}” is no name: use small letters, digits and _, a letter first.")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UploadRefused(f"Two {of} are called {twice[0]}. Give one another name.")


def _write(file: Path, raw: bytes) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(raw)

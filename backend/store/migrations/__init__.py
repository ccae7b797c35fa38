"""How the store's tables came to be: one linear chain of revisions, each made on top of the one before it.

A new table, column or index is a file `versions/rNNNN_what.py` on top of the newest one; a test compares what the chain
makes with the tables of today's code. What a revision says is never changed once people have it.
"""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from ai_engine.errors import BadConfiguration

VERSION_TABLE = "store_version"
_FOLDER = Path(__file__).parent
_NO_TABLE = re.compile(rf"no such table: {VERSION_TABLE}|relation .{VERSION_TABLE}. does not exist")
_AT = text(f"SELECT version_num FROM {VERSION_TABLE}")


def is_up_to_date(connection: Connection) -> bool:
    """Tell, with one SELECT and without Alembic, whether a store has the newest revision.

    The connection's transaction is of no further use where the store has none at all.
    """
    try:
        return connection.execute(_AT).scalars().all() == [head()]
    except (OperationalError, ProgrammingError) as fault:
        if _NO_TABLE.search(str(fault.orig)):
            return False
        raise


def head() -> str:
    """Return the newest revision, as the files' names tell it."""
    newest = max(file.name for file in (_FOLDER / "versions").glob("r*.py"))
    return newest[1:].partition("_")[0]


def bring_up_to_date(connection: Connection) -> tuple[str, ...]:
    """Make every missing revision within the caller's transaction, which no other process may share.

    Returns:
        What the revisions say that were made, the oldest first.

    Raises:
        BadConfiguration: the store was changed by a newer version of the app.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    revisions = list(ScriptDirectory.from_config(config).walk_revisions())
    at = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
    known = [revision.revision for revision in revisions]
    if at is not None and at not in known:
        raise BadConfiguration(
            f"the store at BANK_STORE_URL was changed by a newer version of the app ({at}): update this one"
        )
    command.upgrade(config, "head")
    missing = revisions[: known.index(at)] if at is not None else revisions
    return tuple(revision.doc for revision in reversed(missing))

"""Runs revisions for Alembic on the connection that `bring_up_to_date` was given, inside its transaction."""

from alembic import context

from backend.store.migrations import VERSION_TABLE
from backend.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,  # for the names of keys and indexes
    version_table=VERSION_TABLE,
)
context.run_migrations()

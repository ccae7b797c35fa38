"""proposed and published changes of the vocabulary, and words that were not understood"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "vocabulary_changes",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("database", sa.Text, nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("edits", sa.Text, nullable=False),
        sa.Column("published_edits", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("author", sa.String(200), nullable=False),
        sa.Column("saved_at", _TIME, nullable=False),
        sa.Column("ended_by", sa.String(200), nullable=False),
        sa.Column("ended_at", _TIME),
        sa.UniqueConstraint("database", "number"),
    )
    op.create_index("ix_vocabulary_changes_database", "vocabulary_changes", ["database"])
    op.create_table(
        "unknown_words",
        sa.Column("database", sa.Text, primary_key=True),
        sa.Column("word", sa.String(60), primary_key=True),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("last_at", _TIME, nullable=False),
    )

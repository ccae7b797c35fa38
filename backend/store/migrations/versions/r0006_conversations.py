"""conversations of the Ask page"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("used_at", _TIME, nullable=False),
        sa.Column("deleted_at", _TIME),
        sa.Index("ix_conversations_of_person", "person", "used_at"),
    )
    op.create_table(
        "conversation_turns",
        sa.Column("number", _NUMBER, primary_key=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("conversation", sa.String(32), sa.ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("as_of", sa.Date),
        sa.Column("answered_at", _TIME, nullable=False),
        sa.Column("is_shared", sa.Boolean, nullable=False),
        sa.Column("dropped_at", _TIME),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("steps", sa.Text, nullable=False),
        sa.Index("ix_conversation_turns_of_conversation", "conversation", "number"),
    )

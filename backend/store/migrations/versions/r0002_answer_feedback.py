"""what people say of answers: right or wrong, and why"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "answer_feedback",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("database", sa.Text, nullable=False),
        sa.Column("question_id", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(5), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("restatement", sa.Text, nullable=False),
        sa.Column("sql", sa.Text, nullable=False),
        sa.Column("said_by", sa.String(200), nullable=False),
        sa.Column("said_at", _TIME, nullable=False),
        sa.Column("settled_by", sa.String(200), nullable=False),
        sa.Column("settled_at", _TIME),
    )
    op.create_index("ix_answer_feedback_of_database", "answer_feedback", ["database", "said_at"])

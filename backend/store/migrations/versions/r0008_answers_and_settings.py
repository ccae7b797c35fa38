"""what people say of columns, and settings that were changed while the app ran"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "column_answers",
        sa.Column("database", sa.Text, primary_key=True),
        sa.Column("dataset", sa.String(200), primary_key=True),
        sa.Column("field", sa.String(200), primary_key=True),
        sa.Column("asked", sa.String(20), primary_key=True),
        sa.Column("answer", sa.String(200), nullable=False),
        sa.Column("said_by", sa.String(200), nullable=False),
        sa.Column("said_at", _TIME, nullable=False),
    )
    op.create_table(
        "setting_changes",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("changed_by", sa.String(200), nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
    )

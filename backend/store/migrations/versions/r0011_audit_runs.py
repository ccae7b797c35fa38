"""which processes have begun to write the audit trail and not ended"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "audit_runs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("process", sa.Integer, nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
    )

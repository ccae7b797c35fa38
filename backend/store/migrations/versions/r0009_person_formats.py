"""how each person wants figures and days written"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "person_formats",
        sa.Column("person", sa.String(200), primary_key=True),
        sa.Column("grouping", sa.String(20)),
        sa.Column("dates", sa.String(20)),
        sa.Column("chosen_at", sa.DateTime(timezone=True), nullable=False),
    )

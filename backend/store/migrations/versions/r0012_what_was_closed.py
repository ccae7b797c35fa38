"""what might not be read when an entry of the audit trail was written, by which is judged whether it is shown whole"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the column; of entries that are there nobody knows."""
    op.add_column("audit_entries", sa.Column("closed", sa.String(20), nullable=False, server_default=""))

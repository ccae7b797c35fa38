"""until when a verified answer is used, and the hash of the rows that were checked"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add two columns; what was verified before has no last day, and no hash."""
    op.add_column("verified_answers", sa.Column("expires_on", sa.Date))
    op.add_column("verified_answers", sa.Column("result_hash", sa.String(64), nullable=False, server_default=""))

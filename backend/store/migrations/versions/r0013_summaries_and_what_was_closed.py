"""what might not be read when a chat's running summary was made, by which is judged whether it is told on"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column; of summaries that are there nobody knows, so that they are made anew."""
    op.add_column("chat_conversations", sa.Column("summary_closed", sa.String(20), nullable=False, server_default=""))

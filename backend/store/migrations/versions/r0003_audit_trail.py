"""the audit trail: who asked what, and what came of it"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "audit_entries",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("person", sa.String(200), nullable=False),
        sa.Column("door", sa.String(20), nullable=False),
        sa.Column("database", sa.Text, nullable=False),
        sa.Column("question_id", sa.String(32), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("restatement", sa.Text, nullable=False),
        sa.Column("sql", sa.Text, nullable=False),
        sa.Column("decision", sa.String(12), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("error_kind", sa.String(60), nullable=False),
        sa.Column("row_count", _NUMBER),
        sa.Column("elapsed_ms", sa.Integer, nullable=False),
        sa.Column("timings_ms", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("result_hash", sa.String(64), nullable=False),
        sa.Column("missed", sa.Integer, nullable=False),
        sa.Column("previous_hash", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index("ix_audit_entries_person", "audit_entries", ["person", "number"])
    op.create_index("ix_audit_entries_status", "audit_entries", ["status", "number"])
    op.create_index("ix_audit_entries_at", "audit_entries", ["at"])
    op.create_index("ix_audit_entries_question_id", "audit_entries", ["question_id"])

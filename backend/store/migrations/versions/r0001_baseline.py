"""tables of the time before revisions

A store of that time may lack tables of parts that came late, and two columns of chat_messages.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TIME = sa.DateTime(timezone=True)
_CHANGES = sa.table("store_changes", sa.column("name", sa.String()), sa.column("made_at", _TIME))


def upgrade() -> None:
    """Make what is missing."""
    there = set(sa.inspect(op.get_bind()).get_table_names())
    for name, parts in _tables().items():
        if name not in there:
            op.create_table(name, *parts)
    if "chat_messages" in there:
        columns = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("chat_messages")}
        for name, unset in (("decisions", "[]"), ("workflow", "null")):
            if name not in columns:
                op.add_column("chat_messages", sa.Column(name, sa.Text, nullable=False, server_default=unset))
    if "store_changes" in there:  # so that an app of that time says that it is too old, and changes nothing
        op.execute(sa.insert(_CHANGES).values(name="revisions, from 0001 on", made_at=datetime.now(UTC)))


def _tables() -> dict[str, tuple[sa.schema.SchemaItem, ...]]:
    return {
        "reader_agreement": (
            sa.Column("database", sa.Text, primary_key=True),
            sa.Column("tables", sa.String(32), primary_key=True),
            sa.Column("agreed", sa.Integer, nullable=False),
            sa.Column("compared", sa.Integer, nullable=False),
            sa.Column("since", _TIME, nullable=False),
        ),
        "chat_leases": (
            sa.Column("conversation_id", sa.Text, primary_key=True),
            sa.Column("holder", sa.String(64), nullable=False),
            sa.Column("until_ms", _NUMBER, nullable=False),
        ),
        "chat_conversations": (
            sa.Column("id", _NUMBER, primary_key=True),
            sa.Column("conversation_id", sa.Text, nullable=False, unique=True),
            sa.Column("summary", sa.Text, nullable=False, server_default=""),
            sa.Column("summarised_messages", sa.Integer, nullable=False, server_default="0"),
        ),
        "chat_messages": (
            sa.Column("id", _NUMBER, primary_key=True),
            sa.Column(
                "conversation", _NUMBER, sa.ForeignKey("chat_conversations.id", ondelete="CASCADE"), nullable=False
            ),
            sa.Column("role", sa.String(16), nullable=False),
            sa.Column("content", sa.Text, nullable=False),
            sa.Column("request_id", sa.Text, nullable=False),
            sa.Column("status", sa.String(16), nullable=False),
            sa.Column("action", sa.String(32), nullable=False),
            sa.Column("tools", sa.Text, nullable=False, server_default="[]"),
            sa.Column("citations", sa.Text, nullable=False, server_default="[]"),
            sa.Column("contents", sa.Text, nullable=False, server_default="[]"),
            sa.Column("missing", sa.Text, nullable=False, server_default="[]"),
            sa.Column("decisions", sa.Text, nullable=False, server_default="[]"),
            sa.Column("workflow", sa.Text, nullable=False, server_default="null"),
            sa.Column("made_at", _TIME, nullable=False),
            sa.Index(None, "conversation", "id"),
        ),
        "desk_conversations": (
            sa.Column("id", _NUMBER, primary_key=True),
            sa.Column("user_id", sa.Text, nullable=False),
            sa.Column("session_id", sa.Text, nullable=False),
            sa.Column("agent_id", sa.Text, nullable=False),
            sa.Column("saved_ms", _NUMBER, nullable=False),
            sa.UniqueConstraint("user_id", "session_id", "agent_id"),
        ),
        "desk_messages": (
            sa.Column("id", _NUMBER, primary_key=True),
            sa.Column(
                "conversation_id", _NUMBER, sa.ForeignKey("desk_conversations.id", ondelete="CASCADE"), nullable=False
            ),
            sa.Column("role", sa.String(16), nullable=False),
            sa.Column("content", sa.Text, nullable=False),
            sa.Column("timestamp_ms", _NUMBER, nullable=False),
            sa.Index(None, "conversation_id", "id"),
        ),
        "model_spending": (
            sa.Column("person", sa.String(200), primary_key=True),
            sa.Column("day", sa.String(10), primary_key=True),
            sa.Column("tokens", sa.BigInteger, nullable=False),
        ),
        "verified_answers": (
            sa.Column("id", sa.String(32), primary_key=True),
            sa.Column("database", sa.Text, nullable=False),
            sa.Column("state", sa.String(12), nullable=False),
            sa.Column("question", sa.Text, nullable=False),
            sa.Column("question_key", sa.Text, nullable=False),
            sa.Column("restatement", sa.Text, nullable=False),
            sa.Column("reading_key", sa.Text, nullable=False),
            sa.Column("intent", sa.Text),
            sa.Column("sql", sa.Text, nullable=False),
            sa.Column("as_of", sa.Date, nullable=False),
            sa.Column("fingerprint", sa.String(32), nullable=False),
            sa.Column("saved_by", sa.String(200), nullable=False),
            sa.Column("saved_at", _TIME, nullable=False),
            sa.Column("confirmed_by", sa.String(200), nullable=False),
            sa.Column("confirmed_at", _TIME),
            sa.Column("ended_by", sa.String(200), nullable=False),
            sa.Column("ended_at", _TIME),
            sa.Column("reason", sa.Text, nullable=False),
            sa.Index("ix_verified_answers_of_database", "database", "state"),
        ),
        "workflow_templates": (
            sa.Column("person", sa.Text, primary_key=True),
            sa.Column("name", sa.String(64), primary_key=True),
            sa.Column("template", sa.Text, nullable=False),
            sa.Column("kept_at", _TIME, nullable=False),
        ),
    }

"""dashboards with their tiles, schedules and evaluations"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "dashboards",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("is_shared", sa.Boolean, nullable=False),
        sa.Column("refresh_minutes", sa.Integer, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("made_at", _TIME, nullable=False),
    )
    op.create_index("ix_dashboards_of_owner", "dashboards", ["owner"])
    op.create_table(
        "dashboard_tiles",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("dashboard_id", sa.String(32), sa.ForeignKey("dashboards.id", ondelete="CASCADE"), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("columns", sa.Integer, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("intent", sa.Text),
        sa.Column("sql", sa.Text, nullable=False),
        sa.Column("chart", sa.String(20), nullable=False),
        sa.Column("chart_size", sa.Float, nullable=False),
        sa.Column("assumptions", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("moves_on", sa.Boolean, nullable=False),
        sa.Column("pinned_on", sa.Date, nullable=False),
    )
    op.create_index("ix_dashboard_tiles_of_dashboard", "dashboard_tiles", ["dashboard_id"])
    op.create_table(
        "dashboard_results",
        sa.Column("tile_id", sa.String(32), sa.ForeignKey("dashboard_tiles.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("reading_key", sa.String(64), nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("as_of", sa.Date, nullable=False),
        sa.Column("made_at", _TIME, nullable=False),
    )
    op.create_table(
        "schedules",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("dashboard_id", sa.String(32), sa.ForeignKey("dashboards.id", ondelete="CASCADE"), nullable=False),
        sa.Column("tile_id", sa.String(32), nullable=False),
        sa.Column("cron", sa.String(120), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("recipients", sa.Text, nullable=False),
        sa.Column("is_on", sa.Boolean, nullable=False),
        sa.Column("next_at", _TIME, nullable=False),
        sa.Column("last_at", _TIME),
        sa.Column("last_said", sa.Text, nullable=False),
        sa.Column("last_failed", sa.Boolean, nullable=False),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("held_until", _TIME),
    )
    op.create_index("ix_schedules_due", "schedules", ["is_on", "next_at"])
    op.create_table(
        "question_sets",
        sa.Column("name", sa.String(120), primary_key=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("made_at", _TIME, nullable=False),
    )
    op.create_table(
        "evaluation_runs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("set_name", sa.Text, nullable=False),
        sa.Column("database", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("questions", sa.Integer, nullable=False),
        sa.Column("report", sa.Text, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
        sa.Column("started_at", _TIME, nullable=False),
        sa.Column("heard_at", _TIME, nullable=False),
    )
    op.create_index("ix_evaluation_runs_started", "evaluation_runs", ["database", "started_at"])

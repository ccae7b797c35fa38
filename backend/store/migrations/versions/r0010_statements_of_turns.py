"""the statement of each turn, by which is judged whether its words may be shown still"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column, and fill it from the answers that are there; of one that cannot be read, nothing is shown."""
    op.add_column("conversation_turns", sa.Column("sql", sa.Text))
    turns = sa.table(
        "conversation_turns", sa.column("number"), sa.column("answer"), sa.column("sql"), sa.column("words")
    )
    store = op.get_bind()
    for number in store.scalars(sa.select(turns.c.number)).all():
        mine = turns.c.number == number
        try:
            filled = {"sql": json.loads(store.execute(sa.select(turns.c.answer).where(mine)).scalar_one()).get("sql")}
        except (ValueError, AttributeError):
            filled = {"words": ""}
        store.execute(sa.update(turns).where(mine).values(filled))

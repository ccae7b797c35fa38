"""What the policy comes to on one database: who runs its statements, and which rights of its role go beyond asking."""

from __future__ import annotations

import logging

from ai_engine.errors import QueryFailed
from ai_engine.guard.policy import Policy
from ai_engine.ports import QueryRunner
from backend.databases import Database, excess_rights
from backend.databases.hidden_columns import hidden_columns

_log = logging.getLogger(__name__)


def told_excess_rights(database: Database, policy: Policy, timeout_s: float) -> tuple[str, ...]:
    """Look what a server's role may do beyond asking questions, and say it in the log as well."""
    try:
        found = excess_rights(database, policy.hidden_tables, policy.restricted_columns, timeout_s=timeout_s)
    except QueryFailed as fault:
        found = (f"the rights of the database role could not be read: {fault}",)
    for right in found:
        _log.warning("%s", right)
    return found


def runner_under(database: Database, policy: Policy) -> QueryRunner:
    """What runs statements, kept from everything that the policy withholds."""
    hidden = hidden_columns(
        database.catalogue,
        allowed_tables=policy.allowed_tables,
        hidden_tables=policy.hidden_tables,
        restricted_columns=policy.restricted_columns,
    )
    return database.without(hidden)

"""What the policy comes to on one database: who runs its statements, and which rights of its role go beyond asking."""

from __future__ import annotations

import logging
from pathlib import Path

from ai_engine.catalogue import Catalogue
from ai_engine.errors import QueryFailed
from ai_engine.guard.policy import Policy
from ai_engine.ports import EstimatesCost, QueryRunner
from backend.databases import Database, excess_rights
from backend.databases.hidden_columns import hidden_columns
from backend.databases.permitted_estimates import PermittedEstimates
from backend.databases.scan_bound import ScanBound
from backend.kept_results.folder import ResultFolder
from backend.kept_results.runner import KeptResults, scope_of
from backend.settings import Settings

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


def told_left_out(catalogue: Catalogue, policy: Policy) -> tuple[str, ...]:
    """Say, in the log as well, which tables and views the engine cannot read itself, save what the policy hides."""
    found = tuple(
        f"{name} cannot be read and is left out: {reason}"
        for name, reason in catalogue.left_out
        if name.lower() not in policy.hidden_tables
        and (policy.allowed_tables is None or name.lower() in policy.allowed_tables)
    )
    for one in found:
        _log.warning("%s", one)
    return found


def runner_under(database: Database, policy: Policy, settings: Settings) -> QueryRunner:
    """What runs statements, kept from everything that the policy withholds, and from reading more than one may.

    Made once for a policy, as it knows what it keeps.
    """
    hidden = hidden_columns(
        database.catalogue,
        allowed_tables=policy.allowed_tables,
        hidden_tables=policy.hidden_tables,
        restricted_columns=policy.restricted_columns,
    )
    runner = database.without(hidden)
    withholds = hidden or any(table.unreadable for table in database.catalogue.tables)
    if withholds and isinstance(runner, EstimatesCost):
        runner = PermittedEstimates(runner, runner, database.catalogue, hidden)
    if settings.max_scan_gb is not None and isinstance(runner, EstimatesCost):
        runner = ScanBound(runner, runner, settings.max_scan_gb)
    if not settings.result_cache_mb:
        return runner
    folder = ResultFolder(
        results_folder(settings), database.identity, settings.result_cache_mb, settings.result_cache_ttl_s
    )
    scope = scope_of(
        database.identity, database.dialect, database.catalogue, policy, hidden, settings.max_cell_kb,
        settings.max_result_mb,
    )  # fmt: skip
    return KeptResults(
        runner, folder, lambda: database.data_version, scope, of_any_version=settings.result_cache_ttl_s is not None
    )


def results_folder(settings: Settings) -> Path:
    """Where results of all sources are kept."""
    return settings.cache_dir / "results"

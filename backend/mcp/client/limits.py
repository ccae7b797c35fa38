"""How much of other programs' servers is borne."""

from __future__ import annotations

from dataclasses import dataclass

from backend.settings import Settings


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """The settings of the same names."""

    cache_s: float
    sessions: int
    processes: int
    attempts: int
    retry_delay_s: float
    connect_timeout_s: float
    call_timeout_s: float
    elicitation_timeout_s: float
    max_elicitations: int
    idle_close_s: float
    recovery_s: float
    max_tools: int
    max_description_chars: int
    max_schema_kb: int
    max_reply_kb: int
    max_item_kb: int
    max_result_kb: int
    max_items: int


def limits_of(settings: Settings) -> ClientLimits:
    """Read them."""
    return ClientLimits(
        cache_s=settings.mcp_cache_s,
        sessions=settings.mcp_server_calls,
        processes=settings.mcp_processes,
        attempts=settings.mcp_attempts,
        retry_delay_s=settings.mcp_retry_delay_s,
        connect_timeout_s=settings.mcp_connect_timeout_s,
        call_timeout_s=settings.mcp_call_timeout_s,
        elicitation_timeout_s=settings.mcp_elicitation_timeout_s,
        max_elicitations=settings.mcp_max_elicitations,
        idle_close_s=settings.mcp_idle_close_s,
        recovery_s=settings.mcp_recovery_s,
        max_tools=settings.mcp_max_tools,
        max_description_chars=settings.mcp_max_description_chars,
        max_schema_kb=settings.mcp_max_schema_kb,
        max_reply_kb=settings.mcp_max_reply_kb,
        max_item_kb=settings.mcp_max_item_kb,
        max_result_kb=settings.mcp_max_result_kb,
        max_items=settings.mcp_max_items,
    )

"""Keeps what a graph handles in this process."""

from __future__ import annotations

from contextlib import AbstractContextManager

from langsmith import tracing_context


def untraced() -> AbstractContextManager[None]:
    """Run a graph inside: else LangGraph sends rows wherever LANGSMITH_* variables point."""
    return tracing_context(enabled=False)

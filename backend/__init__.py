"""Connects the engine: settings, databases, the HTTP API, the command line."""

VERSION = "0.1.0"
"""Of this app; `pyproject.toml` has the same."""

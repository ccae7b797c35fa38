"""Calls to HTTP services: which may be made, with which tokens, and how."""

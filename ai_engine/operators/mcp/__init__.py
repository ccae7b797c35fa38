"""Operators that only call tools of other programs."""

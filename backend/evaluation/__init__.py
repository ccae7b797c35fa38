"""Measures answers against statements that are known to be right."""

"""Operators that reason with a model and act with a tool, or with what this app has itself."""

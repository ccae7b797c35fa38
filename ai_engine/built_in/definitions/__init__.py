"""Figures that hints define by arithmetic, made metrics of the vocabulary."""

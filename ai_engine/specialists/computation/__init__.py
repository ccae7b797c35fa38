"""Calculations: formulas with their numbers, operations on a table, and programs that run in a sandbox."""

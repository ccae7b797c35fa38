"""Operators that only ask the language model, each with a rule for where there is none."""

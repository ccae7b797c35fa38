"""The catalogue: tables, columns, metrics, words and relationships, and their changes."""

"""Puts the sample bank's rows into a database, one module per engine."""

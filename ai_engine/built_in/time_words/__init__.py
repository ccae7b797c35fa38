"""Stretches of time as analysts write them, resolved against the as-of day."""

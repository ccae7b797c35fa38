"""Dashboards: whose they are, their tiles asked again, and their files."""

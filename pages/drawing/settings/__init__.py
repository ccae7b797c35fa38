"""The parts of the page of settings."""

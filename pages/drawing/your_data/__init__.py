"""The parts of the page of your own data."""

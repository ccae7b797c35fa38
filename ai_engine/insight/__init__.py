"""What a result shows: its summary, the charts that fit it, and how its cells are written."""

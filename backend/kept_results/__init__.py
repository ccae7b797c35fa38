"""Results of statements kept on disk, for the next who asks the same of the same data."""

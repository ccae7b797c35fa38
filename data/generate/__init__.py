"""Makes the sample bank's rows, one module per subject."""

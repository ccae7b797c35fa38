"""What tables mean: read from files, inferred, asked about, taught and edited."""

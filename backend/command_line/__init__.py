"""The commands of `python -m backend.cli`, one file each."""

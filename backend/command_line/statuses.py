"""Exit statuses of every command."""

ANSWERED = 0
NOT_ANSWERED = 1
WRONG_USE = 2
CHANGED = 3
"""The figure of an evidence pack is another one today."""
NOT_RUN = 4
"""Its statement cannot be run again."""
INTERRUPTED = 130

"""Exit statuses of every command."""

ANSWERED = 0
NOT_ANSWERED = 1
WRONG_USE = 2
INTERRUPTED = 130

"""The command line: python -m backend.cli COMMAND.

The commands are ask, sql, check, vocabulary, verified, verify-audit, verify-evidence, orchestrate, route,
chat, templates, sandbox and evaluate.

Exit status: 0 answered (a batch: every line was written), 1 not answered, 2 the call itself is wrong; those of
verify-evidence are told by its --help.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from ai_engine.errors import AssistantError, BadConfiguration, BadQuestion
from backend.command_line.arguments import read_arguments
from backend.command_line.statuses import INTERRUPTED, NOT_ANSWERED, WRONG_USE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; wrong arguments end in SystemExit(2), as argparse has it."""
    arguments = read_arguments(argv)
    command = import_module(f"backend.command_line.{arguments.command.replace('-', '_')}_command")
    try:
        status: int = command.run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (BadConfiguration, BadQuestion) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return WRONG_USE
    except AssistantError as fault:
        print(f"error: {fault.user_message} ({fault})", file=sys.stderr)
        return NOT_ANSWERED
    return status


if __name__ == "__main__":
    sys.exit(main())

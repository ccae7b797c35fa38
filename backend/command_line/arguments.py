"""The flags of every command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ai_engine.catalogue import Dialect
from backend.command_line.argument_types import a_count, a_date, a_names, a_pair, a_seconds

BUILT_IN = "built-in"
DIALECTS: dict[str, Dialect] = {
    "duckdb": "duckdb",
    "sqlite": "sqlite",
    "postgres": "postgres",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
}


_BATCHED = ("ask", "sql", "check", "orchestrate", "route", "chat")
_NAMED_ACTIONS = ("add", "confirm", "retract")
_CHECK_EXAMPLE = """\
Status 0: accepted (a batch: every line has its verdict), 1: refused, 2: the call itself is wrong.

  policy.json       {"hidden_tables": ["staff_logins"], "restricted_columns": {"customers": ["phone"]}}
  statements.jsonl  {"id": 1, "sql": "SELECT COUNT(*) FROM customers"}
                    {"id": 2, "sql": "SELECT phone FROM customers"}

  python -m backend.cli check --schema schema.sql --dialect postgres --policy policy.json \\
      --batch statements.jsonl --out verdicts.jsonl
"""


def build_parser() -> argparse.ArgumentParser:
    """Describe every command and flag."""
    parser = argparse.ArgumentParser(
        prog="python -m backend.cli", description="Ask a bank's database, from a terminal or a program."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        _add_ask,
        _add_sql,
        _add_check,
        _add_vocabulary,
        _add_verified,
        _add_verify_audit,
        _add_verify_evidence,
        _add_orchestrate,
        _add_route,
        _add_chat,
        _add_templates,
        _add_sandbox,
        _add_evaluate,
    ):
        add(commands)
    return parser


def read_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse a command line (`sys.argv` when None); wrong flags end in SystemExit(2) with a sentence on stderr."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    _check_batch(parser, arguments)
    if arguments.command == "verified" and (arguments.text is not None) != (arguments.action in _NAMED_ACTIONS):
        parser.error(f"`verified {arguments.action}` takes {'one' if arguments.text is None else 'no'} QUESTION or ID")
    if arguments.command == "templates" and (arguments.text is None) != (arguments.action == "list"):
        parser.error(f"`templates {arguments.action}` takes {'no' if arguments.text else 'one'} TITLE or NAME")
    if arguments.command == "check" and arguments.schema and not arguments.dialect:
        parser.error("--schema needs --dialect, which says in which SQL the file is written")
    return arguments


def _check_batch(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Either one text, or a file in and a file out."""
    if arguments.command not in _BATCHED:
        return
    given = arguments.text is not None or (arguments.command == "chat" and arguments.batch is None)
    if given == (arguments.batch is not None):
        parser.error(f"give either {arguments.text_name} or --batch IN.jsonl --out OUT.jsonl")
    if (arguments.batch is None) != (arguments.out is None):
        parser.error("--batch and --out go together")


def _add_ask(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("ask", help="answer a question in plain English")
    _add_message(parser, "QUESTION")
    _add_bank(parser)
    _add_json(parser)
    _add_batch(parser, "objects with `question`; those with the same `conversation` are asked in order")
    _add_jobs(parser, "questions")
    parser.set_defaults(text_name="a question")


def _add_sql(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("sql", help="run your own statement under the same guard and limits")
    parser.add_argument("text", nargs="?", metavar="SQL", help="one SELECT")
    _add_database(parser)
    _add_policy(parser)
    parser.add_argument("--timeout-s", type=a_seconds, metavar="N", help="stop the statement after so many seconds")
    _add_json(parser)
    _add_batch(parser, "objects with `id` and `sql`")
    parser.set_defaults(text_name="a statement")


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check",
        help="tell whether a statement would be allowed to run, without running it",
        description="Tell whether a statement would be allowed to run, without running it.",
        epilog=_CHECK_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("text", nargs="?", metavar="SQL", help="one SELECT")
    source = parser.add_mutually_exclusive_group()
    _add_database(source)
    source.add_argument("--schema", type=Path, metavar="FILE", help="CREATE TABLE statements instead of a database")
    parser.add_argument("--dialect", type=str.lower, choices=sorted(DIALECTS), help="the SQL of --schema")
    _add_policy(parser)
    _add_json(parser)
    _add_batch(parser, "objects with `id` and `sql`")
    parser.set_defaults(text_name="a statement")


def _add_vocabulary(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("vocabulary", help="write the vocabulary inferred from a database, to be edited")
    _add_bank(parser)
    parser.add_argument(
        "--dictionary",
        type=Path,
        metavar="FILE",
        help="infer with a data dictionary: a table of what tables and columns mean as CSV, Excel or YAML",
    )
    parser.add_argument(
        "--from-notes",
        type=Path,
        metavar="FILE",
        help="have a language model read Markdown, text or PDF, and write what that would change as a diff",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to (default: standard output)")


def _add_verified(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("verified", help="answers that people have checked")
    actions = ("list", "add", "confirm", "retract", "export", "import")
    parser.add_argument("action", choices=actions, help="`export` and `import` go with the vocabulary file")
    parser.add_argument("text", nargs="?", metavar="QUESTION|ID", help="for `add` a question, else the answer's id")
    _add_bank(parser)
    parser.add_argument("--who", metavar="NAME", help="who you are (default: your login)")
    parser.add_argument("--sql", metavar="SQL", help="for `add`: the right statement, instead of the assistant's")
    parser.add_argument("--reason", default="", metavar="TEXT", help="for `retract`: why")
    parser.add_argument("--file", type=Path, metavar="FILE", help="for `import`: the vocabulary file")
    parser.add_argument("--out", type=Path, metavar="FILE", help="for `export`: where to (default: standard output)")
    _add_json(parser)


def _add_verify_audit(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("verify-audit", help="tell whether and where the chain of the audit trail is broken")
    parser.add_argument(
        "--head", metavar="NUMBER:HASH", help="an entry noted earlier, which must still be there as it was"
    )
    _add_json(parser)


def _add_verify_evidence(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify-evidence",
        help="tell whether an evidence pack is as it was sealed, and whether the figure has changed since",
        description="Status 0: as it was sealed, 1: not, 3: the figure has changed since, 4: it cannot be run again.",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the ZIP that the page gave")
    _add_database(parser)
    _add_json(parser)


def _add_orchestrate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("orchestrate", help="ask several specialists: database, calculations, services")
    _add_message(parser, "QUESTION")
    _add_bank(parser)
    parser.add_argument("--prefer", type=a_names, default=(), metavar="AGENTS", help="work first: sql,api_docs")
    parser.add_argument("--disable", type=a_names, default=(), metavar="AGENTS", help="do not work: computation")
    parser.add_argument(
        "--context",
        type=a_pair,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="told to every agent; repeatable",
    )
    _add_services(parser)
    parser.add_argument("--trace", action="store_true", help="tell everything that happened")
    _add_json(parser)
    _add_batch(parser, "objects with `id`, `question` and any field of a request")
    _add_jobs(parser, "questions")
    parser.set_defaults(text_name="a question")


def _add_route(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("route", help="send a message to the desk that answers it; each remembers its own")
    _add_message(parser, "MESSAGE")
    parser.add_argument("--user", default="me", metavar="U", help="whose conversation (default me)")
    parser.add_argument("--session", default="default", metavar="S", help="which conversation (default default)")
    parser.add_argument("--assistant", metavar="ID", help="one desk directly, such as policy")
    parser.add_argument("--classify-only", action="store_true", help="choose a desk, and ask nobody")
    _add_bank(parser)
    _add_services(parser)
    _add_json(parser)
    _add_batch(parser, "objects with `id`, `user_id`, `session_id` and `user_input`; those of a session in order")
    _add_jobs(parser, "sessions")
    parser.set_defaults(text_name="a message")


def _add_chat(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("chat", help="talk with the supervisor, which calls tools and runs workflows")
    _add_message(parser, "MESSAGE")
    parser.add_argument("--conversation", metavar="ID", help="go on with this conversation (default: a new one)")
    _add_bank(parser)
    _add_batch(parser, "objects with `id`, `conversation` and `message`; those of a conversation in order")
    _add_jobs(parser, "conversations")
    parser.set_defaults(text_name="a message")


def _add_templates(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("templates", help="workflow templates of the chat, and your own among them")
    parser.add_argument("action", choices=("list", "keep", "drop"), help="`keep` makes one of a workflow that ran")
    parser.add_argument("text", nargs="?", metavar="TITLE|NAME", help="for `keep` how it is asked for, else its name")
    parser.add_argument("--conversation", metavar="ID", help="for `keep`: where it ran; its newest workflow is taken")
    parser.add_argument(
        "--parameter",
        type=a_pair,
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="for `keep`: a text of its steps that is asked for the next time; repeatable",
    )
    _add_bank(parser)
    _add_json(parser)


def _add_sandbox(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("sandbox", help="run calculation programs alone, under the bounds of the sandbox")
    parser.add_argument(
        "--batch", type=Path, required=True, metavar="IN.jsonl", help="objects with `id`, `code` and, if any, `inputs`"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.jsonl", help="one object per line, in order")


def _add_evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("evaluate", help="ask a file of questions and compare the answers with the right ones")
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.jsonl", help="one object per line, with `gold_sql`")
    _add_bank(parser)
    parser.add_argument("--db-dir", type=Path, metavar="DIR", help="ask each question on its `db`: DIR/<db>.sqlite")
    parser.add_argument("--hints", type=Path, metavar="FILE", help="notes for the language model, in sentences")
    parser.add_argument("--baseline", type=Path, metavar="LAST.json", help="earlier report; status 1 if it was better")
    parser.add_argument("--out", type=Path, metavar="REPORT.json", help="write figures and every outcome")


def _add_database(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--database",
        metavar="URL",
        help="SQLAlchemy URL, or path of a DuckDB or SQLite file (default: BANK_DATABASE_URL)",
    )
    parser.add_argument("--source", metavar="NAME", help="a data source of BANK_SOURCES_FILE instead")


def _add_bank(parser: argparse.ArgumentParser) -> None:
    """Which database is asked, what its words mean, and who reads questions."""
    _add_database(parser)
    parser.add_argument("--vocabulary", type=Path, metavar="FILE", help="vocabulary file (default: see README)")
    parser.add_argument(
        "--model", metavar="NAME", help=f'"{BUILT_IN}", or the name of a language model (needs its key or address)'
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="recorded replies in place of the language model")
    parser.add_argument("--record", type=Path, metavar="FILE", help="add each reply of the language model to this file")
    parser.add_argument(
        "--as-of", type=a_date, metavar="DATE", help='day from which "last month" counts, such as 2026-09-30'
    )


def _add_services(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--api-docs", type=Path, metavar="FILE", help="your services: our YAML format or OpenAPI 3")
    parser.add_argument("--api-base-url", metavar="URL", help="where these services live; else what the file says")


def _add_message(parser: argparse.ArgumentParser, metavar: str) -> None:
    parser.add_argument("text", nargs="?", metavar=metavar, help="at most BANK_MAX_QUESTION_CHARS characters")


def _add_jobs(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--jobs", type=a_count, default=1, metavar="N", help=f"{what} at the same time (default 1)")


def _add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--policy", type=Path, metavar="FILE", help="JSON object: tables, columns and limits allowed")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_batch(parser: argparse.ArgumentParser, objects: str) -> None:
    parser.add_argument("--batch", type=Path, metavar="IN.jsonl", help=f"one object per line: {objects}")
    parser.add_argument("--out", type=Path, metavar="OUT.jsonl", help="one object per line, in the order of --batch")

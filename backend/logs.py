"""How the servers write their log: one line per record, with the id of the question that it belongs to."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from types import TracebackType

from ai_engine.run_log import question_id
from backend.settings import Settings

_Fault = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class TextLines(logging.Formatter):
    """Lines for people; an exception is told by its class and where it was raised, as its text may quote data."""

    def __init__(self, process: int | None = None) -> None:
        told = "" if process is None else f" process {process}"
        super().__init__(f"%(asctime)s{told} %(levelname)s [%(question_id)s] %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Add the id; line breaks that came from outside begin no line of their own."""
        record.question_id = question_id.get() or "-"
        record.exc_text = None  # another handler may have kept the whole text there
        head, *trace = super().format(record).split("\nTraceback ")
        return "\nTraceback ".join([head.replace("\r", " ").replace("\n", " "), *trace])

    def formatException(self, ei: _Fault) -> str:  # noqa: N802 - the base class calls it so
        """Tell where it was raised, and its class."""
        return where_raised(ei)


class JsonLines(logging.Formatter):
    """One JSON object per line, for programs."""

    def __init__(self, process: int | None = None) -> None:
        super().__init__()
        self._told = {} if process is None else {"process": process}

    def format(self, record: logging.LogRecord) -> str:
        """Write time, level, logger, message, the question's id, and where an exception was raised."""
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "question_id": question_id.get() or None,
            **self._told,
        }
        if record.exc_info:
            line["raised"] = where_raised(record.exc_info)
        return json.dumps(line)


def where_raised(fault: _Fault) -> str:
    """Return an exception's traceback without its text."""
    kind, _, trace = fault
    lines = traceback.format_tb(trace)
    return "".join(["Traceback (most recent call last):\n", *lines, kind.__name__ if kind else ""])


def set_up_logging(settings: Settings, process: int | None = None) -> None:
    """Send everything from INFO on to standard error, in the form that `log_format` asks for.

    Args:
        settings: `log_format`.
        process: which of several processes this is, told in every line.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(process) if settings.log_format == "json" else TextLines(process))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for chatty in ("httpx", "httpx2", "openai"):  # they tell every request's address
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.getLogger("mcp").setLevel(logging.ERROR)  # it tells ids of sessions, and what strangers send

"""How long a question takes with a language model, and how many calls: one on loopback needs 800 ms for a reply.

    python -m benchmarks.model_path

The replies are those of tests/recorded, on the sample bank. Rewrites the table in benchmarks/model_path.md.
"""

from __future__ import annotations

import json
import os
import statistics
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ai_engine.llm.recorded import question_of
from ai_engine.types import Answer, StepFinished
from backend.opening import open_assistant
from backend.recorded_replies import read_replies
from backend.service import Assistant
from backend.settings import PROJECT_ROOT, SAMPLE_BANK_FILE, read_settings

REPORT = Path(__file__).with_suffix(".md")
RECORDED = PROJECT_ROOT / "tests" / "recorded" / "sample_bank.jsonl"
CALL_S = 0.8
ASKED = 30
SUMMARY = json.dumps({"summary": "These are the figures that were asked for.", "chart": "table"})
REPLIES = {one.question: one.reply for one in read_replies(RECORDED) if '"outcome": "query"' in one.reply}
CALLS: Counter[str] = Counter()


class Model(BaseHTTPRequestHandler):
    """Replies as recorded, after a while; counts the calls before the summary by question."""

    def do_POST(self) -> None:
        """Reply to one request."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        time.sleep(CALL_S)
        is_summary = "insight" in asked["response_format"]["json_schema"]["name"].lower()
        question = question_of(asked["messages"])
        CALLS[question] += not is_summary
        message = {"role": "assistant", "content": SUMMARY if is_summary else REPLIES[question]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        kind = {"id": "1", "object": "chat.completion", "created": 1, "model": "simulated"}
        body = json.dumps({**kind, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def main() -> None:
    """Ask, and write the table."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    assistant = open_assistant(
        read_settings(
            database_url=str(SAMPLE_BANK_FILE),
            openai_api_key=None,
            openai_base_url=f"http://127.0.0.1:{server.server_address[1]}/v1",
        )
    )
    try:
        questions = list(REPLIES)[: ASKED + 2]
        timed = [measure(assistant, question) for question in questions][2:]  # the first two warm up
    finally:
        assistant.close()
        server.shutdown()
    REPORT.write_text(report(timed, [CALLS[question] for question in questions[2:]]), encoding="utf-8")


def measure(assistant: Assistant, question: str) -> float:
    """Return the seconds until the rows are there."""
    started = time.perf_counter()
    rows_s = 0.0
    for event in assistant.stream(question):
        if isinstance(event, StepFinished) and event.step == "execution_tool":
            rows_s = time.perf_counter() - started
        if isinstance(event, Answer) and event.status != "answered":
            raise SystemExit(f"{question}: {event.status} {event.error}")
    return rows_s


def report(timed: list[float], calls: list[int]) -> str:
    """Write the table."""
    p50, p95 = statistics.median(timed), sorted(timed)[len(timed) * 95 // 100]
    return (
        "# With a language model\n\n"
        f"`python -m benchmarks.model_path`: {len(timed)} questions of the sample bank, a model "
        f"on loopback that\nneeds {CALL_S * 1_000:.0f} ms for each reply; {os.cpu_count()} cores with "
        f"{os.getloadavg()[0]:.1f} programs at work on them meanwhile.\n\n"
        "| what | measured | wanted |\n|---|---|---|\n"
        f"| rows are there, p50 | {p50:.3f} s, {p50 / CALL_S:.2f} × one call | at most 1.05 × |\n"
        f"| rows are there, p95 | {p95:.3f} s, {p95 / CALL_S:.2f} × one call | |\n"
        f"| calls before the summary, p50 | {statistics.median(calls):g} | at most 1.1 |\n"
        f"| calls before the summary, mean | {statistics.mean(calls):.2f} | |\n"
    )


if __name__ == "__main__":
    main()

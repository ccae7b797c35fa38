"""Counts for whoever operates the assistant, as Prometheus reads them; no text of a question, no value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ai_engine.errors import AssistantError, QueryTimedOut
from ai_engine.types import Answer
from backend.databases.runner import Load

_STEP_S = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_STEPS = ("intent", "sql", "validation", "execution", "insight", "total")


class Metrics:
    """The counters of one assistant, in a registry of their own."""

    def __init__(self, load: Callable[[], Load]) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_DatabaseLoad(load))
        self._questions = Counter(
            "bank_questions", "Questions by how they ended", ["status", "model"], registry=self._registry
        )
        self._steps = Histogram(
            "bank_step_seconds", "Time of each step of a question", ["step"], buckets=_STEP_S, registry=self._registry
        )
        self._orchestrations = Counter(
            "bank_orchestrations", "Questions to several agents by how they ended", ["status"], registry=self._registry
        )
        self._orchestration_s = Histogram(
            "bank_orchestration_seconds",
            "Time of questions to several agents",
            buckets=_STEP_S,
            registry=self._registry,
        )
        self._retries = Counter(
            "bank_retries", "Statements that were refused or failed", ["stage"], registry=self._registry
        )
        self._timeouts = Counter("bank_timeouts", "Statements ended at their deadline", registry=self._registry)
        self._tokens = Counter("bank_model_tokens", "Tokens of the language model", ["kind"], registry=self._registry)
        self._let_in = Gauge(
            "bank_questions_let_in", "Questions that the API works on or keeps waiting", registry=self._registry
        )
        self._turned_away = Gauge(
            "bank_questions_turned_away", "Questions that the API was too busy for", registry=self._registry
        )

    def count_answer(self, answer: Answer) -> None:
        """Count one question that has come to its end."""
        self._questions.labels(answer.status, answer.model).inc()
        for step in _STEPS:
            if answer.timings_ms.get(step):
                self._steps.labels(step).observe(answer.timings_ms[step] / 1_000)
        kinds = [failure.error_kind for failure in answer.failures]
        for failure in answer.failures:
            self._retries.labels(failure.stage).inc()
        if answer.error_kind and answer.error_kind not in kinds:
            kinds.append(answer.error_kind)
        self._timeouts.inc(kinds.count(QueryTimedOut.__name__))

    def count_orchestration(self, status: str, elapsed_s: float) -> None:
        """Count one question to several agents that has come to its end."""
        self._orchestrations.labels(status).inc()
        self._orchestration_s.observe(elapsed_s)

    def count_tokens(self, prompt: int, completion: int) -> None:
        """Count what one reply of the language model took."""
        self._tokens.labels("prompt").inc(prompt)
        self._tokens.labels("completion").inc(completion)

    def set_crowd(self, let_in: int, turned_away: int) -> None:
        """Note how many questions the API works on or keeps waiting, and how many it has refused since its start."""
        self._let_in.set(let_in)
        self._turned_away.set(turned_away)

    def text(self) -> bytes:
        """Return all counts in Prometheus' text format."""
        return generate_latest(self._registry)


class _DatabaseLoad(Collector):
    """Asks the database's workers when it is asked."""

    def __init__(self, load: Callable[[], Load]) -> None:
        self._load = load

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        load = self._load()
        yield GaugeMetricFamily("bank_queue_length", "Statements that wait for a worker", value=load.waiting)
        yield CounterMetricFamily("bank_workers_replaced", "Workers that had to be replaced", value=load.replaced)


def metrics_endpoint(metrics: Callable[[], Metrics]) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers /metrics; 503 while the assistant cannot be opened."""

    async def answer(_: Request) -> Response:
        try:
            text = (await run_in_threadpool(metrics)).text()
        except AssistantError as fault:
            return PlainTextResponse(type(fault).user_message, status_code=503)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    return answer

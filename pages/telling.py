"""What follows rows that are shown already, while the page goes on working: a model's summary, the tie-out."""

from __future__ import annotations

import threading
from collections.abc import Generator

from ai_engine.types import Answer, Event, ResultReady, StepFinished, StillWorking, SummaryGrew


class Telling:
    """What is on its way; several runs of the page may listen, one of them winding up while the next begins.

    Args:
        events: what is left of the question's run.
        ready: what is shown, told by rule; its answer stands when the rest is stopped.
        steps: given each finished step.
    """

    def __init__(self, events: Generator[Event], ready: ResultReady, steps: list[StepFinished]) -> None:
        self._events = events
        self.summary_follows = ready.summary_follows
        self._ready = ready.answer
        self._steps = steps
        self._lock = threading.Lock()
        self.text = ""
        self.answer: Answer | None = None

    def listen(self) -> None:
        """Take what has come, until nothing more comes for a moment; `answer` is there once it has ended."""
        with self._lock:
            if self.answer is not None:
                return
            for event in self._events:
                if isinstance(event, StillWorking):
                    return
                if isinstance(event, SummaryGrew):
                    self.text = event.text
                elif isinstance(event, StepFinished):
                    self._steps.append(event)
                elif isinstance(event, Answer):
                    self.answer = event
            self.answer = self.answer or self._ready

    def stop(self) -> None:
        """End it; the rule-made summary stands, unless the other was there already."""
        with self._lock:
            self._events.close()
            self.answer = self.answer or self._ready

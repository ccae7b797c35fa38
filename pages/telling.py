"""A language model's summary of rows that are shown already: it comes while the page goes on working."""

from __future__ import annotations

import threading
from collections.abc import Generator

from ai_engine.types import Answer, Event, StepFinished, StillWorking, SummaryGrew


class Telling:
    """A summary on its way; several runs of the page may listen, one of them winding up while the next begins.

    Args:
        events: what is left of the question's run.
        ready: the answer as it is shown, told by rule; it stands when the summary is stopped.
        steps: given each finished step.
    """

    def __init__(self, events: Generator[Event], ready: Answer, steps: list[StepFinished]) -> None:
        self._events = events
        self._ready = ready
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

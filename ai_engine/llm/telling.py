"""A result told by a language model, of which only what the result bears out is shown."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from ai_engine.errors import ModelFailed
from ai_engine.insight import explain, fitting_chart, possible_charts, suggest_chart, unfounded_figures
from ai_engine.llm.checked_reading import one_line
from ai_engine.llm.client import ChatClient
from ai_engine.llm.disclosure import disclosed_rows, kept_back
from ai_engine.llm.recorded import ReplayedModel
from ai_engine.llm.replies import InsightReply
from ai_engine.ports import InsightTask
from ai_engine.prompts.loader import Messages, load_prompt
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Insight, SendRows

_LONGEST_SUMMARY_CHARS = 1_000
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_SUMMARY = re.compile(r"[\"']summary[\"']\s*:\s*\"(?P<told>(?:[^\"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)(?P<end>\")?")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z]|[\"“‘(])")


@dataclass(frozen=True, slots=True)
class Teller:
    """Has a language model tell results.

    Attributes:
        client: the model.
        shown_rows: how many rows of a result it is shown at most.
        send_rows: which cells of them.
    """

    client: ChatClient | ReplayedModel
    shown_rows: int
    send_rows: SendRows

    def tell(
        self,
        task: InsightTask,
        vocabulary: Vocabulary,
        heard: Callable[[str], None] | None,
        stop: threading.Event,
    ) -> Insight:
        """Tell a result; by rule when the model is away or says a number that the result does not bear out.

        Raises:
            QueryStopped: `stop` was set.
        """
        by_rule = explain(task, vocabulary, suggest_chart(task.result, task.columns))
        hidden = kept_back(task, vocabulary, self.send_rows)
        if task.result.row_count == 0 or len(hidden) == len(task.columns):
            return by_rule
        messages = _messages(task, vocabulary, self.shown_rows, hidden)
        checked = None if heard is None else _Sentences(task, vocabulary, heard).hear
        try:
            reply = self.client.ask(messages, InsightReply, lambda reply: reply, stop=stop, heard=checked)
        except (ModelFailed, _UnfoundedFigureError):
            return by_rule
        chart = fitting_chart(reply.chart, task.result, task.columns)
        summary = one_line(reply.summary)[:_LONGEST_SUMMARY_CHARS]
        if not summary or unfounded_figures(summary, task, vocabulary):
            return Insight(by_rule.summary, chart, by_rule.headline)
        return Insight(summary, chart)


class _UnfoundedFigureError(Exception):
    """A sentence says what the result does not bear out: the rest need not be waited for."""


@dataclass(slots=True)
class _Sentences:
    """Passes on a summary that grows, whole sentences at a time, each checked with those before it."""

    task: InsightTask
    vocabulary: Vocabulary
    heard: Callable[[str], None]
    told: str = field(default="", init=False)

    def hear(self, reply: str) -> None:
        """Take the reply so far.

        Raises:
            _UnfoundedFigureError: a sentence has a figure that the result does not bear out.
        """
        told = whole_sentences(reply)[:_LONGEST_SUMMARY_CHARS]
        if told == self.told:
            return
        if unfounded_figures(told, self.task, self.vocabulary):
            raise _UnfoundedFigureError
        self.told = told
        self.heard(told)


def whole_sentences(reply: str) -> str:
    """Return the sentences that the summary of a growing reply has so far; one on its way is none yet."""
    found = _SUMMARY.search(_THOUGHTS.sub("", reply))
    if found is None:
        return ""
    told = str(json.loads(f'"{found["told"]}"', strict=False)).encode("utf-8", "ignore").decode()
    sentences = _BETWEEN_SENTENCES.split(told)
    return one_line(" ".join(sentences if found["end"] else sentences[:-1]))


def _messages(task: InsightTask, vocabulary: Vocabulary, most_rows: int, hidden: frozenset[int]) -> Messages:
    shown, kept = min(most_rows, task.result.row_count), task.result.row_count
    more = "; the database has more rows than were fetched" if task.result.truncated else ""
    return load_prompt("insight").fill(
        question=task.question,
        restatement=task.restatement,
        period=task.scope.period or "(none)",
        sql=task.sql,
        charts=", ".join(possible_charts(task.result, task.columns)),
        extent=f"{shown} of {kept} fetched rows are shown{more}",
        rows=disclosed_rows(task, vocabulary, most_rows, hidden),
    )

"""A result told by a language model, of which only what the result bears out is shown."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.insight import (
    Judge,
    explain,
    fitting_chart,
    possible_charts,
    suggest_chart,
)
from ai_engine.insight.checking.dates import dates_in
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.llm.calls import unless_stopped
from ai_engine.llm.checked_reading import one_line
from ai_engine.llm.client import ChatClient
from ai_engine.llm.disclosure import disclosed_rows, kept_back
from ai_engine.llm.free_text import leads_away
from ai_engine.llm.recorded import ReplayedModel
from ai_engine.llm.replies import InsightReply
from ai_engine.ports import InsightTask
from ai_engine.prompts.loader import Messages, load_prompt
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words
from ai_engine.types import ChartKind, Insight, SendRows

_log = logging.getLogger(__name__)
_LONGEST_SUMMARY_CHARS = 1_000
_JUDGING_S = 1.0
"""So long a summary is judged while it grows, anew for each sentence; then it is told when it is whole."""
_TELLING_CHARS = 4  # shorter words say nothing of the data
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
        """Tell a result; by rule when the model is away, or says nothing of it or what it does not bear out.

        Raises:
            QueryStopped: `stop` was set.
        """
        by_rule = explain(task, vocabulary, suggest_chart(task.result, task.columns))
        hidden = kept_back(task, vocabulary, self.send_rows)
        if task.result.row_count == 0 or len(hidden) == len(task.columns):
            return by_rule
        try:
            return self._told(task, vocabulary, heard, stop, by_rule, hidden)
        except ModelFailed:
            return by_rule
        except QueryStopped:
            raise
        except Exception as fault:  # noqa: BLE001 - the rows are there, whatever a model says of them
            _log.warning("a summary of the model could not be judged: %s", type(fault).__name__)
            return by_rule

    def _told(
        self,
        task: InsightTask,
        vocabulary: Vocabulary,
        heard: Callable[[str], None] | None,
        stop: threading.Event,
        by_rule: Insight,
        hidden: frozenset[int],
    ) -> Insight:
        messages = _messages(task, vocabulary, self.shown_rows, hidden)
        gate = _Gate(task, vocabulary)
        checked = None if heard is None else _Sentences(gate, heard, stop).hear
        reply = self.client.ask(messages, InsightReply, lambda reply: reply, stop=stop, heard=checked)
        return unless_stopped(lambda: self._judged(reply, gate, by_rule), stop)

    def _judged(self, reply: InsightReply, gate: _Gate, by_rule: Insight) -> Insight:
        chart = fitting_chart(reply.chart, gate.task.result, gate.task.columns)
        told = one_line(reply.summary)[:_LONGEST_SUMMARY_CHARS]
        summary = gate.passed(told)
        return Insight(summary, chart) if summary else Insight(by_rule.summary, chart, by_rule.headline)


@dataclass(frozen=True)
class _Gate:
    """Lets through what of a text tells of a result, where all of that is borne out."""

    task: InsightTask
    vocabulary: Vocabulary

    def passed(self, told: str) -> str | None:
        """Return the sentences of a text that tell of the result; None where the text is unfit."""
        kept = _of_the_result(told, self.task)
        return None if leads_away(told) or self._judge.not_borne_out(kept) else kept

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.task, self.vocabulary)


def _of_the_result(told: str, task: InsightTask) -> str:
    """Keep the sentences that tell a figure, a day or a name of the result, or speak of what its columns are."""
    names = {cell.casefold() for row in task.result.rows for cell in row if isinstance(cell, str) and cell.strip()}
    labels = _telling_stems(" ".join(column.label for column in task.columns))

    def tells(sentence: str) -> bool:
        plain, folded = plain_digits(sentence), sentence.casefold()
        if [*figures_in(plain), *dates_in(plain)] or any(name in folded for name in names):
            return True
        return not labels.isdisjoint(_telling_stems(sentence))

    return " ".join(filter(tells, _BETWEEN_SENTENCES.split(told)))


def _telling_stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if len(word) >= _TELLING_CHARS)


@dataclass(slots=True)
class _Sentences:
    """Passes on a summary that grows, whole sentences at a time, each checked with those before it.

    Behind a sentence that is unfit nothing is passed on, and the stream is read to its end: when it is left would tell
    the service whether a guess of a withheld cell holds.
    """

    gate: _Gate
    heard: Callable[[str], None]
    stop: threading.Event
    told: str = field(default="", init=False)
    is_unfit: bool = field(default=False, init=False)
    judged_s: float = field(default=0.0, init=False)

    def hear(self, reply: str) -> None:
        """Take the reply so far.

        Raises:
            QueryStopped: the person wants no more.
        """
        if self.is_unfit or self.judged_s > _JUDGING_S:
            return
        told = whole_sentences(reply)[:_LONGEST_SUMMARY_CHARS]
        if told == self.told:
            return
        began = time.monotonic()
        kept = unless_stopped(lambda: self.gate.passed(told), self.stop)
        self.judged_s += time.monotonic() - began
        self.told, self.is_unfit = told, kept is None
        if kept:
            self.heard(kept)


def whole_sentences(reply: str) -> str:
    """Return the sentences that the summary of a growing reply has so far; one on its way is none yet."""
    found = _SUMMARY.search(_THOUGHTS.sub("", reply))
    if found is None:
        return ""
    try:
        told = str(json.loads(f'"{found["told"]}"', strict=False)).encode("utf-8", "ignore").decode()
    except ValueError:  # an escape that JSON does not have
        return ""
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
        charts=", ".join(_charts_of_shown(task, hidden)),
        extent=f"{shown} of {kept} fetched rows are shown{more}",
        rows=disclosed_rows(task, vocabulary, most_rows, hidden),
    )


def _charts_of_shown(task: InsightTask, hidden: frozenset[int]) -> tuple[ChartKind, ...]:
    """List the charts that fit what is shown: what else fits would tell of hidden cells, be they alike or missing."""
    shown = [place for place in range(len(task.columns)) if place not in hidden]
    result = replace(
        task.result,
        columns=tuple(task.result.columns[place] for place in shown),
        types=tuple(task.result.types[place] for place in shown),
        rows=tuple(tuple(row[place] for place in shown) for row in task.result.rows),
    )
    return possible_charts(result, [task.columns[place] for place in shown])

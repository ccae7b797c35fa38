"""The model behind an OpenAI-compatible service."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ai_engine.conversation import LanguageModel
from ai_engine.errors import ModelFailed, NoFurtherDraft
from ai_engine.insight import fitting_chart, possible_charts, suggest_chart, summarise, unfounded_figures
from ai_engine.llm import context
from ai_engine.llm.client import ChatClient
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.disclosure import disclosed_rows
from ai_engine.llm.intent_check import settle_intent
from ai_engine.llm.replies import InsightReply, IntentReply, SqlReply
from ai_engine.llm.told_of_data import unknown_figures, unknown_names
from ai_engine.ports import InsightTask, NamedValues, SqlTask
from ai_engine.prompts.loader import Messages, load_prompt
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.values import FoundValues
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Draft, Insight, Interpretation, Turn

_VOCABULARY_CHARS = 24_000
_NOTES_CHARS = 6_000
_LONGEST_SUMMARY_CHARS = 1_000
_REPLY_CHARS = 1_000
_LISTED = 6
_INVENTED = (
    "The answer told something that the catalogue does not say. Ask for the figure itself, or about tables and columns."
)
_NOT_IN_DATA = "This cannot be answered from the data."
_WHICH = "Which of these do you mean?"
_UNFINISHED = "The data could not be searched to the end for the names and codes of the question."


class OpenAICompatibleModel:
    """Reads, writes SQL and explains through a language model; what it replies is checked before it is believed.

    Its structured questions use only names of the vocabulary, its summaries only numbers of the result. Nothing that
    came from outside stands in a system message, and no value of a sensitive field leaves.

    Args:
        config: how to reach the service.
        named_values: finds the values that questions name and no prompt lists; None when all are learnt.
        count_tokens: told after each reply how many the request and the reply had.
    """

    def __init__(
        self,
        config: LlmConfig,
        named_values: NamedValues | None = None,
        count_tokens: Callable[[int, int], None] | None = None,
    ) -> None:
        self._name = config.model
        self._shown_rows = config.shown_rows
        self._client = ChatClient(config, count_tokens)
        self._named_values = named_values

    @property
    def name(self) -> str:
        """The service's name for the model."""
        return self._name

    @property
    def chat(self) -> LanguageModel:
        """The same model, asked for anything else."""
        return self._client

    def interpret(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, *, stop: threading.Event
    ) -> Interpretation:
        """Read a question; one whose structure stays wrong after a repair goes on without, to be written as SQL."""
        found = self._found(question, history, vocabulary, stop)
        asked = "\n".join([question, *(turn.restatement for turn in history[-1:]), *_places(found)])
        messages = load_prompt("intent").fill(
            as_of=vocabulary.as_of.isoformat(),
            vocabulary=context.describe_vocabulary(vocabulary, asked, _VOCABULARY_CHARS),
            notes=vocabulary.model.instructions[:_NOTES_CHARS] or "(none)",
            found=context.describe_found(found, vocabulary, in_sql=False),
            history=context.describe_history(history),
            question=question,
        )
        latest: list[IntentReply] = []

        def make(reply: IntentReply) -> Interpretation:
            latest[:] = [reply]
            read = _interpretation(reply, _settled(reply, vocabulary, found), found)
            return _without_inventions(read, (question, *(turn.restatement for turn in history)), vocabulary)

        try:
            return self._client.ask(messages, IntentReply, make, stop=stop)
        except ModelFailed as fault:
            if type(fault) is ModelFailed and latest and latest[0].outcome == "query" and latest[0].restatement.strip():
                return _interpretation(latest[0], None, found)
            raise

    def write_sql(self, task: SqlTask, vocabulary: Vocabulary, *, stop: threading.Event) -> Draft:
        """Write one statement, told of the failures so far; NoFurtherDraft when the model says it cannot."""
        found = self._found(task.restatement or task.question, (), vocabulary, stop)
        text = "\n".join([task.question, task.restatement, *_places(found)])
        messages = load_prompt("sql").fill(
            dialect=vocabulary.catalogue.dialect,
            as_of=vocabulary.as_of.isoformat(),
            tables=context.describe_tables(vocabulary, text, _VOCABULARY_CHARS),
            notes=context.describe_notes(vocabulary, _NOTES_CHARS),
            found=context.describe_found(found, vocabulary, in_sql=True),
            failures=context.describe_failures(task.failures),
            question=task.question,
            restatement=task.restatement,
        )
        failed = {failure.sql.strip() for failure in task.failures if failure.sql}

        def make(reply: SqlReply) -> SqlReply:
            if not (reply.sql or "").strip() and not (reply.reason or "").strip():
                raise ValueError("give a statement in sql, or say in reason why there is none")
            if reply.sql and _bare(reply.sql) in failed:
                raise ValueError("this statement failed before; write a different one")
            return reply

        reply = self._client.ask(messages, SqlReply, make, stop=stop)
        sql = _bare(reply.sql or "")
        if not sql:
            reason = _one_line(reply.reason or "")
            raise NoFurtherDraft(f"the model wrote no statement: {reason}", f"This cannot be answered here: {reason}")
        return Draft(sql, assumptions=_sentences(reply.assumptions))

    def explain(self, task: InsightTask, vocabulary: Vocabulary, *, stop: threading.Event) -> Insight:
        """Tell the result; by rule when the model is away or says a number that the result does not bear out."""
        by_rule = Insight(summarise(task, vocabulary), suggest_chart(task.result, task.columns))
        if task.result.row_count == 0:
            return by_rule
        try:
            messages = _insight_messages(task, vocabulary, self._shown_rows)
            reply = self._client.ask(messages, InsightReply, lambda reply: reply, stop=stop)
        except ModelFailed:
            return by_rule
        summary = _one_line(reply.summary)[:_LONGEST_SUMMARY_CHARS]
        if not summary or unfounded_figures(summary, task, vocabulary):
            summary = by_rule.summary
        return Insight(summary, fitting_chart(reply.chart, task.result, task.columns))

    def _found(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, stop: threading.Event
    ) -> FoundValues:
        if self._named_values is None:
            return FoundValues()
        return self._named_values.find(question, history, vocabulary, stop=stop)


def _places(found: FoundValues) -> list[str]:
    """Name the datasets of what was found, which are to be among those that are told."""
    return [one.dataset for one in found.values]


def _settled(reply: IntentReply, vocabulary: Vocabulary, found: FoundValues) -> Intent | None:
    if reply.outcome != "query" or reply.intent is None:
        return None
    return settle_intent(reply.intent.to_intent(), vocabulary, found.values)


def _interpretation(reply: IntentReply, intent: Intent | None, found: FoundValues) -> Interpretation:
    """Check that the outcome brings what it promises, and bring it into the engine's form."""
    restatement, told = _one_line(reply.restatement), _one_line(reply.reply or "")[:_REPLY_CHARS]
    choices = _sentences(reply.choices)
    if reply.outcome == "query" and not restatement:
        raise ValueError("restatement is empty")
    if reply.outcome == "clarify" and len(choices) < 2:
        raise ValueError("clarify needs at least two choices")
    if reply.outcome in {"refused", "about"} and not told:
        raise ValueError(f"{reply.outcome} needs a text in reply")
    return Interpretation(
        outcome=reply.outcome,
        restatement=restatement,
        intent=intent,
        assumptions=(*_sentences(reply.assumptions), *(() if found.complete else (_UNFINISHED,))),
        choices=choices if reply.outcome == "clarify" else (),
        unplaced=_sentences(reply.unplaced) if reply.outcome == "refused" else (),
        suggestions=_sentences(reply.suggestions),
        reply="" if reply.outcome == "query" else told or _WHICH,
    )


def _without_inventions(read: Interpretation, said: Sequence[str], vocabulary: Vocabulary) -> Interpretation:
    """Refuse an answer about the data that tells a figure or a name that nothing has; drop figures of other replies."""
    if read.outcome == "about":
        unknown = (*unknown_figures(read.reply, said, vocabulary), *unknown_names(read.reply, said, vocabulary))
        return replace(read, outcome="refused", reply=_INVENTED) if unknown else read
    if read.outcome != "query" and unknown_figures(read.reply, said, vocabulary):
        return replace(read, reply=_WHICH if read.outcome == "clarify" else _NOT_IN_DATA)
    return read


def _insight_messages(task: InsightTask, vocabulary: Vocabulary, most_rows: int) -> Messages:
    shown, kept = min(most_rows, task.result.row_count), task.result.row_count
    more = "; the database has more rows than were fetched" if task.result.truncated else ""
    return load_prompt("insight").fill(
        question=task.question,
        restatement=task.restatement,
        period=task.scope.period or "(none)",
        sql=task.sql,
        charts=", ".join(possible_charts(task.result, task.columns)),
        extent=f"{shown} of {kept} fetched rows are shown{more}",
        rows=disclosed_rows(task, vocabulary, most_rows),
    )


def _bare(sql: str) -> str:
    """Take a statement out of a Markdown fence, which models add in spite of themselves."""
    text = sql.strip()
    if text.startswith("```"):
        text = text.removeprefix("```").removesuffix("```").strip()
        first, _, rest = text.partition("\n")
        text = rest if first.strip().isalpha() and rest and " " not in first.strip() else text
    return text.strip()


def _sentences(texts: Iterable[str] | None) -> tuple[str, ...]:
    lines = (_one_line(text) for text in texts or ())
    return tuple(dict.fromkeys(line for line in lines if line))[:_LISTED]


def _one_line(text: str) -> str:
    return " ".join(text.split())

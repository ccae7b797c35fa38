"""The model behind an OpenAI-compatible service."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

from ai_engine.conversation import LanguageModel
from ai_engine.dialect_names import told_dialect
from ai_engine.errors import ModelFailed, NoFurtherDraft
from ai_engine.llm import context
from ai_engine.llm.checked_reading import CheckedReading, one_line, sentences
from ai_engine.llm.client import ChatClient
from ai_engine.llm.computed_outputs import not_computed
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.free_text import free_text
from ai_engine.llm.recorded import RecordedReply, ReplayedModel
from ai_engine.llm.replies import IntentReply, SqlReply
from ai_engine.llm.said_values import left_out_of_sql, schema_stems
from ai_engine.llm.telling import Teller
from ai_engine.llm.told_history import describe_history, turns_told
from ai_engine.llm.told_vocabulary import ToldVocabulary
from ai_engine.model_use import Allowance, typed_part
from ai_engine.ports import InsightTask, NamedValues, SqlTask
from ai_engine.prompts.loader import load_prompt
from ai_engine.semantics.values import FoundValues
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Draft, Insight, Interpretation, Turn
from ai_engine.verified import NoVerifiedAnswers, VerifiedAnswers

_VOCABULARY_CHARS = 11_000
_TABLES_CHARS = 24_000
_NOTES_CHARS = 6_000
_LISTED = 6
_LOST = "the statement has nothing for {} of the question; add it, or quote the word in `assumptions` and say why not"
_WRITTEN = (
    "the statement writes {} into its result; compute what it gives out from columns, and name it without figures"
)


class OpenAICompatibleModel:
    """Reads, writes SQL and explains through a language model; what it replies is checked before it is believed.

    Its structured questions use only names of the vocabulary, its summaries only numbers of the result. Nothing that
    came from outside stands in a system message, and no value of a sensitive field leaves.

    Args:
        config: how to reach the service.
        named_values: finds the values that questions name and no prompt lists; None when all are learnt.
        count_tokens: told after each reply how many the request and the reply had.
        verified: what a person has checked, near questions of which are shown as examples.
        client: replies instead of a service.
        on_reply: given each reply of the service, to be kept.
        allowance: what people may use the service for.
    """

    def __init__(
        self,
        config: LlmConfig,
        named_values: NamedValues | None = None,
        count_tokens: Callable[[int, int], None] | None = None,
        verified: VerifiedAnswers | None = None,
        client: ReplayedModel | None = None,
        on_reply: Callable[[RecordedReply], None] = lambda _: None,
        allowance: Allowance | None = None,
    ) -> None:
        self._name = config.model
        self._client: ChatClient | ReplayedModel = client or ChatClient(config, count_tokens, on_reply, allowance)
        self._teller = Teller(self._client, config.shown_rows, config.send_rows)
        self._named_values = named_values
        self._verified = verified or NoVerifiedAnswers()
        self._told: ToldVocabulary | None = None

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
        history, typed = turns_told(history, vocabulary), _typed(vocabulary)
        found = self._found(typed(question), history, vocabulary, stop)
        asked = "\n".join([*map(typed, [question, *(turn.restatement for turn in history[-1:])]), *_places(found)])
        told = self._told_of(vocabulary)
        described = told.words.describe(question, found)
        messages = load_prompt("intent").fill(
            vocabulary=told.datasets(asked, _VOCABULARY_CHARS),
            metrics=told.metrics(asked),
            notes=vocabulary.model.instructions[:_NOTES_CHARS] or "(none)",
            as_of=vocabulary.as_of.isoformat(),
            examples=context.describe_examples(self._verified.near(question), in_sql=False),
            found=described,
            history=describe_history(history),
            question=question,
        )
        reading = CheckedReading(question, history, vocabulary, found, described)
        try:
            return self._client.ask(messages, IntentReply, reading.make, stop=stop)
        except ModelFailed as fault:
            if type(fault) is not ModelFailed:
                raise
            instead = reading.instead()
            if instead is None:
                raise
            return instead

    def write_sql(self, task: SqlTask, vocabulary: Vocabulary, *, stop: threading.Event) -> Draft:
        """Write one statement, told of the failures so far; NoFurtherDraft when the model says it cannot."""
        typed = _typed(vocabulary)
        found = self._found(typed(task.restatement or task.question), (), vocabulary, stop)
        text = "\n".join([typed(task.question), typed(task.restatement), *_places(found)])
        described = self._told_of(vocabulary).words.describe(task.restatement or task.question, found)
        messages = load_prompt("sql").fill(
            dialect=told_dialect(vocabulary.catalogue.dialect),
            as_of=vocabulary.as_of.isoformat(),
            tables=context.describe_tables(vocabulary, text, _TABLES_CHARS),
            notes=context.describe_notes(vocabulary, _NOTES_CHARS),
            found=described,
            examples=context.describe_examples(self._verified.near(text), in_sql=True),
            failures=context.describe_failures(task.failures),
            assumptions="\n".join(task.assumptions) or "(none)",
            question=task.question,
            restatement=task.restatement,
        )
        failed = {failure.sql.strip() for failure in task.failures if failure.sql}

        said = free_text(task.question, (Turn(task.question, task.restatement),), vocabulary, described)

        def make(reply: SqlReply) -> SqlReply:
            if not (reply.sql or "").strip() and not (reply.reason or "").strip():
                raise ValueError("give a statement in sql, or say in reason why there is none")
            if reply.sql and _bare(reply.sql) in failed:
                raise ValueError("this statement failed before; write a different one")
            written = not_computed(reply.sql or "", vocabulary.catalogue, f"{task.question}\n{task.restatement}")
            if written:
                raise ValueError(_WRITTEN.format(", ".join(map(repr, written[:_LISTED]))))
            lost = left_out_of_sql(task.question, reply.sql or "", vocabulary) if reply.sql else ()
            lost = tuple(word for word in lost if not _is_explained(word, said.assumptions(reply.assumptions or ())))
            if lost:
                raise ValueError(_LOST.format(", ".join(map(repr, lost[:_LISTED]))))
            return reply

        reply = self._client.ask(messages, SqlReply, make, stop=stop, strong=True)
        sql = _bare(reply.sql or "")
        if not sql:
            reason = said.sentences_of(one_line(reply.reason or ""))
            told = f"This cannot be answered here: {reason}" if reason else "This cannot be answered here."
            raise NoFurtherDraft(f"the model wrote no statement: {reason or '(none that may be told)'}", told)
        return Draft(sql, assumptions=said.assumptions(sentences(reply.assumptions)))

    def explain(
        self,
        task: InsightTask,
        vocabulary: Vocabulary,
        *,
        stop: threading.Event,
        heard: Callable[[str], None] | None = None,
    ) -> Insight:
        """Tell the result; by rule when the model is away or says a number that the result does not bear out."""
        return self._teller.tell(task, vocabulary, heard, stop)

    def _told_of(self, vocabulary: Vocabulary) -> ToldVocabulary:
        """Return what is told of a vocabulary, kept for the next question on the same."""
        told = self._told
        if told is None or told.vocabulary is not vocabulary:
            told = self._told = ToldVocabulary(vocabulary)
        return told

    def _found(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, stop: threading.Event
    ) -> FoundValues:
        if self._named_values is None:
            return FoundValues()
        return self._named_values.find(question, history, vocabulary, stop=stop)


def _typed(vocabulary: Vocabulary) -> Callable[[str], str]:
    """Return what leaves out of a text the words that only a model wrote, and that call no part of the data."""
    return partial(typed_part, harmless=schema_stems(vocabulary))


def _places(found: FoundValues) -> list[str]:
    """Name the datasets of what was found, which are to be among those that are told."""
    return [one.dataset for one in found.values]


def _is_explained(word: str, assumptions: Sequence[str] | None) -> bool:
    return any(word.lower() in said.lower() for said in assumptions or ())


def _bare(sql: str) -> str:
    """Take a statement out of a Markdown fence, which models add in spite of themselves."""
    text = sql.strip()
    if text.startswith("```"):
        text = text.removeprefix("```").removesuffix("```").strip()
        first, _, rest = text.partition("\n")
        text = rest if first.strip().isalpha() and rest and " " not in first.strip() else text
    return text.strip()

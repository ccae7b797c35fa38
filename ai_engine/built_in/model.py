"""The model that needs no key and no network: it reads English against a vocabulary and writes the summary by rule."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from weakref import WeakKeyDictionary

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.built_in.outcomes.refusals import decline
from ai_engine.built_in.outcomes.searching import FirstLook, look
from ai_engine.built_in.outcomes.suggestions import example_questions
from ai_engine.built_in.outcomes.unlearnt import may_name_unlearnt
from ai_engine.built_in.tokens import tokenise
from ai_engine.errors import NoFurtherDraft
from ai_engine.insight import explain, suggest_chart
from ai_engine.ports import InsightTask, SqlTask, ValueSearch
from ai_engine.semantics.values import FoundValues
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Draft, Insight, Interpretation, Turn

_MOST_VOCABULARIES = 8
_MOST_WORDS = 100
_TOO_LONG = "The question has {words} words and signs, and the rules read {most}; ask it in fewer."


class BuiltInModel:
    """Implements AssistantModel and Declines, and NamedValues for another model.

    What it learns of a vocabulary is kept for the next question about it.

    Args:
        value_search: finds the values that a vocabulary has not learnt; None when it knows them all.
        most_words: words and signs of a question that is read; what it takes grows by their square.
    """

    name = "built-in"

    def __init__(self, value_search: ValueSearch | None = None, most_words: int = _MOST_WORDS) -> None:
        self._value_search = value_search
        self._most_words = most_words
        self._known: OrderedDict[int, Knowledge] = OrderedDict()
        self._seen: WeakKeyDictionary[threading.Event, FirstLook] = WeakKeyDictionary()
        self._looking: WeakKeyDictionary[threading.Event, threading.Lock] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def prepare(self, vocabulary: Vocabulary) -> None:
        """Learn a vocabulary ahead of its first question."""
        self._knowledge(vocabulary).lexicon.prepare()

    def interpret(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, *, stop: threading.Event
    ) -> Interpretation:
        """Read a question and say what could not be placed; it only raises what its search of the data raises."""
        length = len(tokenise(question))
        if length > self._most_words:
            too_long = _TOO_LONG.format(words=length, most=self._most_words)
            return Interpretation(outcome="refused", restatement="", reply=too_long)
        if self._value_search is None:
            return decide(question, history, self._knowledge(vocabulary))
        return self._look(question, history, vocabulary, self._value_search, stop).decide()

    def decline(self, text: str, vocabulary: Vocabulary, *, may_edit: bool) -> str | None:
        """See Declines."""
        return decline(text, self._knowledge(vocabulary), may_edit=may_edit)

    def examples(self, vocabulary: Vocabulary) -> tuple[str, ...]:
        """Questions for an empty page, each of which gets an answer."""
        return example_questions(self._knowledge(vocabulary))

    def find(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, *, stop: threading.Event
    ) -> FoundValues:
        """Return what the search finds of a question's names, codes and words that have no other meaning.

        The rules need not read a question first whose every word is known.
        """
        if (
            self._value_search is None
            or len(tokenise(question)) > self._most_words
            or not may_name_unlearnt(question, self._knowledge(vocabulary))
        ):
            return FoundValues()
        return self._look(question, history, vocabulary, self._value_search, stop).found

    def write_sql(self, task: SqlTask, vocabulary: Vocabulary, *, stop: threading.Event) -> Draft:  # noqa: ARG002
        """Refuse: what the vocabulary covers is compiled, and there is no second way of writing it.

        Raises:
            NoFurtherDraft: always, with the message of the last failure.
        """
        if task.failures:
            last = task.failures[-1]
            raise NoFurtherDraft(last.reason, last.user_message)
        raise NoFurtherDraft("the built-in model writes no SQL of its own")

    def explain(
        self,
        task: InsightTask,
        vocabulary: Vocabulary,
        *,
        stop: threading.Event,  # noqa: ARG002 - it takes milliseconds
        heard: Callable[[str], None] | None = None,  # noqa: ARG002
    ) -> Insight:
        """Summarise by rule."""
        return explain(task, vocabulary, suggest_chart(task.result, task.columns))

    def _look(
        self, question: str, history: Sequence[Turn], vocabulary: Vocabulary, search: ValueSearch, stop: threading.Event
    ) -> FirstLook:
        """Look at a question, or return what the same run has just seen of it; `stop` stands for the run.

        Both readers of a run may look at a time: the data is searched once.
        """
        knowledge = self._knowledge(vocabulary)
        with self._lock:
            looking = self._looking.setdefault(stop, threading.Lock())
        with looking:
            seen = self._seen.get(stop)
            if seen is None or not seen.is_of(question, history, knowledge):
                seen = look(question, history, knowledge, partial(search.find, vocabulary=vocabulary, stop=stop))
                self._seen[stop] = seen
            return seen

    def _knowledge(self, vocabulary: Vocabulary) -> Knowledge:
        with self._lock:
            known = self._known.get(id(vocabulary))
            if known is None or known.vocabulary is not vocabulary:
                known = self._known[id(vocabulary)] = Knowledge(vocabulary)
                while len(self._known) > _MOST_VOCABULARIES:
                    self._known.popitem(last=False)
            return known

"""Labels that a language model gives figures and periods, where they say what these are; else ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import tokenise
from ai_engine.conversions import CURRENCIES
from ai_engine.insight.checking.figure import scale_of
from ai_engine.llm.free_text import FreeText
from ai_engine.semantics.intent import FieldRef, Intent, Measure, Period, parts_of
from ai_engine.semantics.period_words import said_days
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import Words, scale_words
from ai_engine.semantics.words import NAME_GLUE, stem, words

_PERCENTS = frozenset({"share_of_total", "change_percent"})
_PERCENT_WORDS = frozenset(map(stem, ("percent", "percentage", "pct", "bps")))
_NEUTRAL = frozenset(
    map(stem, ("and", "by", "for", "in", "on", "at", "from", "to", "per", "with", "all", "this", "each"))
)
_LEADING = frozenset({"in", "during", "for", "the"})
_Node = TypeVar("_Node", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class OwnLabels:
    """Keeps of a model's labels those that are true.

    Attributes:
        said: what a model may say at all.
    """

    said: FreeText
    vocabulary: Vocabulary

    def of(self, intent: Intent) -> Intent:
        """Return an intent whose labels say what its parts are; the compiler names what has none."""
        return self._settled(intent)

    def _settled(self, node: _Node) -> _Node:
        changed: dict[str, Any] = {}
        for name in type(node).model_fields:
            value = getattr(node, name)
            if isinstance(value, BaseModel):
                changed[name] = self._settled(value)
            elif isinstance(value, tuple):
                changed[name] = tuple(self._settled(one) if isinstance(one, BaseModel) else one for one in value)
        if isinstance(node, Measure) and node.label and not self._names(node.label, node):
            changed["label"] = None
        if isinstance(node, Period) and not self._means(node.label, node):
            changed["label"] = self._days_of(node)
        return node.model_copy(update=changed)

    def _names(self, label: str, measure: Measure) -> bool:
        """Tell whether each word of a label is said of the figure or by the person, and each unit is its own."""
        if not self.said.allows(label):
            return False
        own = {word for text in self._words_of(measure) for word in words(text)}
        asked = {stem(word) for text in (*self.said.said, *own) for word in words(text)}
        for word in words(label):
            if scale_of(word) is not None and len(word) > 1:
                if measure.shown_in is None or scale_of(word) != scale_of(scale_words(measure.shown_in)):
                    return False
            elif stem(word) in _PERCENT_WORDS:
                if not (self._is_percent(measure) or "percent" in own):
                    return False
            elif word in CURRENCIES:
                if CURRENCIES[word] != self.vocabulary.model.currency:
                    return False
            elif word not in NAME_GLUE and stem(word) not in asked | _NEUTRAL:
                return False
        return True

    def _is_percent(self, measure: Measure) -> bool:
        units = {self.vocabulary.model.metric(measure.metric).unit} if measure.metric else set()
        return measure.percent or measure.transform in _PERCENTS or "percent" in units

    def _words_of(self, measure: Measure) -> list[str]:
        """Return all that the figure is called: as it is restated, and by the names of its parts."""
        model = self.vocabulary.model
        texts = [Words(model).measure(measure.model_copy(update={"label": None}))]
        for part in parts_of(measure, Measure):
            if part.metric is not None:
                texts += [*model.metric(part.metric).synonyms, model.metric(part.metric).label]
            if part.dataset is not None:
                texts += [model.dataset(part.dataset).label, *model.dataset(part.dataset).synonyms]
        for ref in parts_of(measure, FieldRef):
            texts += model.dataset(ref.dataset).field(ref.field).synonyms
        return texts

    def _means(self, label: str, period: Period) -> bool:
        """Tell whether the words of a label come to the days of the period."""
        if not self.said.allows(label):
            return False
        tokens = tokenise(label)
        while tokens and tokens[0].word in _LEADING:
            tokens = tokens[1:]
        read = PeriodReader(self.vocabulary.as_of, self.vocabulary.model.fiscal_year_start_month).read(tokens, 0)
        return (
            read is not None and read[0] == len(tokens) and (read[1].start, read[1].end) == (period.start, period.end)
        )

    def _days_of(self, period: Period) -> str:
        days = said_days(period.start, period.end, self.vocabulary.model.fiscal_year_start_month)
        return days or "all time"

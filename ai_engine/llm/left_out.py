"""Has each telling word of a question a counterpart in the structured question that a model made of it?

A word is taken to be kept when anything of the intent could be its counterpart: what is said here is then worth a
second look, and an analyst who is shown the model's reason can judge it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ai_engine.llm.said_values import quoted_left_out, values_left_out
from ai_engine.semantics.intent import Condition, FieldRef, Having, Intent, Measure, Membership, parts_of
from ai_engine.semantics.model import Field, Metric
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_HIGH = r"(?:top|highest|largest|biggest|most|greatest)"
_LOW = r"(?:bottom|lowest|smallest|fewest|least)"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A word of the question without counterpart, and what the intent would have for it."""

    word: str
    remedy: str


@dataclass(frozen=True)
class _Facts:
    """What an intent is made of, looked up once."""

    intent: Intent
    vocabulary: Vocabulary

    @property
    def measures(self) -> list[Measure]:
        return parts_of(self.intent, Measure)

    @property
    def metrics(self) -> list[Metric]:
        return [self.vocabulary.model.metric(one.metric) for one in self.measures if one.metric]

    @property
    def fields(self) -> list[Field]:
        refs = parts_of(self.intent, FieldRef)
        return [self.vocabulary.model.dataset(ref.dataset).field(ref.field) for ref in refs]

    def named(self, word: str) -> bool:
        """Tell whether a metric or field is called so, or its expression says so."""
        named: list[Metric | Field] = [*self.metrics, *self.fields]
        texts = [f"{one.name} {one.label} {one.description} {one.expression}" for one in named]
        return any(word in text.lower() for text in texts)

    def transformed(self, *kinds: str) -> bool:
        return any(one.transform in kinds for one in self.measures)

    def aggregated(self, *kinds: str) -> bool:
        return any(one.aggregate in kinds for one in self.measures) or self.intent.over_groups in kinds

    @property
    def has_ratio(self) -> bool:
        return any(one.denominator for one in self.measures) or any("/" in one.expression for one in self.metrics)

    @property
    def sorts(self) -> bool:
        return bool(self.intent.order) or self.aggregated("max", "min") or self.transformed("rank")

    @property
    def narrows(self) -> bool:
        intent = self.intent
        whole = bool(intent.filters or intent.having or intent.period or intent.limit)
        return whole or any(one.filters or one.metric for one in self.measures)


_Kept = Callable[[_Facts], bool]


def _percent(facts: _Facts) -> bool:
    units = {one.unit for one in facts.metrics} | {one.unit for one in facts.fields}
    return (
        bool(units & {"percent", "fraction"})
        or any(one.percent for one in facts.measures)
        or facts.transformed("share_of_total", "change_percent")
    )


def _average(facts: _Facts) -> bool:
    told = facts.aggregated("avg", "median") or facts.transformed("rolling_average") or facts.has_ratio
    return told or facts.named("average") or facts.named("avg(") or facts.named("mean")


def _grouped(facts: _Facts) -> bool:
    intent = facts.intent
    listed = bool(intent.columns) and not intent.measures
    return bool(intent.dimensions or intent.limit_within or listed) or facts.has_ratio or _said_per(facts)


def _said_per(facts: _Facts) -> bool:
    """A metric is called "per customer"; that a rate is in per cent a year groups nothing."""
    return any(" per " in f" {one.label} " for one in facts.metrics)


def _denied(facts: _Facts) -> bool:
    conditions = parts_of(facts.intent, Condition)
    if any(one.negated or one.at_most is not None for one in parts_of(facts.intent, Membership)):
        return True
    # The rest of the values, listed, says "not" as well; a membership alone does not.
    return bool(conditions or facts.intent.having) or any(one.minus or one.metric for one in facts.measures)


def _falling(facts: _Facts) -> bool:
    by_figure = [one for one in facts.intent.order if one.measure is not None]
    return facts.sorts and (not by_figure or any(one.descending for one in by_figure))


def _rising(facts: _Facts) -> bool:
    by_figure = [one for one in facts.intent.order if one.measure is not None]
    return facts.sorts and (not by_figure or not all(one.descending for one in by_figure))


def _changing(facts: _Facts) -> bool:
    told = facts.intent.compare is not None or any(one.minus for one in facts.measures)
    return told or facts.transformed("change", "change_percent") or facts.named("change")


def _compared(facts: _Facts) -> bool:
    versus = any(one.versus for one in parts_of(facts.intent, Having))
    versus = versus or any(one.versus for one in parts_of(facts.intent, Condition))
    beside = len(facts.intent.measures) > 1 or bool(facts.intent.dimensions)
    return _changing(facts) or versus or beside or facts.has_ratio


def _exactly(facts: _Facts) -> bool:
    bounded = any(one.at_most is not None for one in parts_of(facts.intent, Membership))
    having, conditions = parts_of(facts.intent, Having), parts_of(facts.intent, Condition)
    operators = {*(one.operator for one in having), *(one.operator for one in conditions)}
    return bounded or "=" in operators or facts.intent.limit is not None


def _top_of_each(facts: _Facts) -> bool:
    return facts.intent.limit is None or bool(facts.intent.limit_within)


def _one_of_all(facts: _Facts) -> bool:
    intent = facts.intent
    return intent.limit is not None or intent.over_groups is not None or not (intent.dimensions or intent.columns)


def _counted_groups(facts: _Facts) -> bool:
    intent = facts.intent
    return not (intent.having and intent.dimensions) or intent.over_groups is not None


_WORDS: tuple[tuple[str, _Kept, str], ...] = (
    (r"percent(?:age)?s?\b|%|share\b|proportion\b", _percent, "`percent` with `denominator`, or share_of_total"),
    (r"average\b|avg\b|mean\b", _average, "aggregate avg"),
    (r"median\b|percentile\b", lambda facts: facts.aggregated("median"), "aggregate median, with `quantile`"),
    (r"per(?!\s+(?:cent|annum|year|month))\b|each\b|(?:\w+-)?wise\b", _grouped, "`dimensions`"),
    (rf"(?<!at ){_HIGH}\b", _falling, "`order` by the measure, descending true"),
    (rf"(?<!at ){_LOW}\b", _rising, "`order` by the measure, ascending"),
    (r"(?:top|bottom)\s+\w+\b(?=.*\b(?:each|every|per)\b)", _top_of_each, "`limit_within`"),
    (rf"\w*[^\Ws]\s+with\s+the\s+{_HIGH}|\w*[^\Ws]\s+with\s+the\s+{_LOW}", _one_of_all, "`limit` 1"),
    (
        r"(?:distinct|different|unique)\b(?!\s+(?:from|than)\b)",
        lambda facts: facts.intent.distinct or bool(facts.measures or facts.intent.dimensions),
        "`distinct`",
    ),
    (r"exactly\s+\w+", _exactly, "`at_most` beside `at_least`, or ="),
    (r"only\b", lambda facts: facts.narrows, "`filters`"),
    (
        r"not\b|never\b|without\b|except\b|excluding\b|no\b(?!\s*(?:\.|of\b))",
        _denied,
        "`negated`, or a condition that denies",
    ),
    (r"growth\b|grew\b|grown\b|change[ds]?\b", _changing, "`compare`, or a change transform"),
    (r"compared\b|versus\b|vs\b", _compared, "`compare`, or a figure beside the other"),
    (r"cumulative\b|running\s+total\b", lambda facts: facts.transformed("running_total"), "running_total"),
    (r"(?:moving|rolling)\b", lambda f: f.transformed("rolling_average", "rolling_sum"), "rolling_average, `window`"),
    (r"how\s+many\b(?=.*\b(?:more|less|fewer|over|above)\b)", _counted_groups, '`over_groups` "count"'),
    (
        r"by\s+(?:month|quarter|year|week|day)\b|monthly\b|quarterly\b|daily\b|weekly\b",
        lambda facts: any(ref.grain for ref in parts_of(facts.intent, FieldRef)) or facts.named("monthly"),
        "a time dimension with its grain",
    ),
)
_PATTERNS = tuple((re.compile(rf"(?<!\w){pattern}", re.IGNORECASE), kept, remedy) for pattern, kept, remedy in _WORDS)
_BY_NO_GROUP = frozenset(map(stem, "how what who number count value amount default date".split()))
_GROUPED_BY = frozenset({"category", "name", "flag"})
_BY = re.compile(r"(?<!\w)(?<!-)by\s+(?:the\s+)?(\w+(?:\s+\w+)?)", re.IGNORECASE)


def left_out(question: str, intent: Intent, vocabulary: Vocabulary) -> tuple[LeftOut, ...]:
    """Return what of a question an intent seems to lack, in no more than a few entries.

    Args:
        question: as it was typed.
        intent: names and values settled.
        vocabulary: what the names mean.
    """
    facts = _Facts(intent, vocabulary)
    found = [*_words_left_out(question, facts), *_groups_left_out(question, facts)]
    found += _columns_left_out(question, facts)
    found += [LeftOut(word, remedy) for word, remedy in values_left_out(question, intent, vocabulary)]
    found += [LeftOut(word, "a condition with this value") for word in quoted_left_out(question, intent)]
    return tuple({one.word.lower(): one for one in found}.values())


def _words_left_out(question: str, facts: _Facts) -> Iterator[LeftOut]:
    for pattern, kept, remedy in _PATTERNS:
        said = pattern.search(question)
        if said is not None and not kept(facts):
            yield LeftOut(" ".join(said.group().split()), remedy)


def _columns_left_out(question: str, facts: _Facts) -> Iterator[LeftOut]:
    """Find columns of a list that are called in full, of several words, and stand nowhere."""
    intent = facts.intent
    if intent.subject is None or intent.measures or intent.dimensions:
        return
    asked = f" {' '.join(stem(word) for word in words(question))} "
    used = {(ref.dataset, ref.field) for ref in parts_of(intent, FieldRef)}
    for item in facts.vocabulary.model.dataset(intent.subject).fields:
        label = [stem(word) for word in words(item.label)]
        if len(label) > 1 and f" {' '.join(label)} " in asked and (intent.subject, item.name) not in used:
            yield LeftOut(item.label, "`columns`")


def _groups_left_out(question: str, facts: _Facts) -> Iterator[LeftOut]:
    """Find "by city" where nothing is grouped and nothing listed."""
    if _grouped(facts) or facts.intent.order or facts.intent.having:
        return
    model = facts.vocabulary.model
    kinds = [item for one in model.datasets for item in one.fields if item.role in _GROUPED_BY]
    names = [name for one in model.datasets for name in (one.label, *one.synonyms)]
    names += [name for item in kinds for name in (item.label, *item.synonyms)]
    known = {stem(word) for name in names for word in words(name)}
    narrowing = [one.dataset for one in parts_of(facts.intent, Membership)]
    narrowing += [str(value) for one in parts_of(facts.intent, Condition) for value in one.values]
    for said in _BY.finditer(question):
        spelled = [stem(word) for word in words(said[1])]
        told = any(word in text.lower() for text in narrowing for word in spelled[:1])
        if not told and spelled[0] not in _BY_NO_GROUP and not known.isdisjoint(spelled):
            yield LeftOut(said.group(), "`dimensions`")

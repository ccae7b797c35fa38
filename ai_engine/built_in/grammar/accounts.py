"""What became of each word: its meaning for the person, and whether it stands in the structured question."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.moments import FROM_SNAPSHOTS
from ai_engine.built_in.grammar.phrases import Fig
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Number, Stored, Thing
from ai_engine.built_in.spelled_dates import EVENTS
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure, Membership, parts_of
from ai_engine.semantics.stored_counts import rows_kept_count_of
from ai_engine.semantics.wording import plural
from ai_engine.semantics.words import stem, words
from ai_engine.types import WordMeaning

_LEAVING_NOTHING_OUT = ":whatever"
_OF_EACH = frozenset({"a", "an", "by", "per", "each", "every"})  # "value held by fund"
_JOBS = frozenset({"job", "title", "designation", "position"})
_PAYING = frozenset({"paid", "collected", "sent", "sold", "bought", "received"})
_KNOWN = frozenset({"is null", "is not null"})
_SAYING_DEEDS = frozenset({":have", "Event"})
_DEEDS = ("ed", "sold", "paid", "sent")
_DID = frozenset({"did", "do", "does"})
_GRANTED = frozenset({"granted", "awarded"})
_PASSIVE = frozenset({"was", "were", "been", "be"})


def leaves_of(phrase: Phrase) -> Iterator[Phrase]:
    """The words of a phrase with what they were taken for, from left to right."""
    if not phrase.parts:
        yield phrase
    for part in phrase.parts:
        yield from leaves_of(part)


def meanings_of(phrase: Phrase, tokens: tuple[Token, ...], s: Schema) -> tuple[WordMeaning, ...]:
    """The words that became something, each with that."""
    found = []
    for leaf in leaves_of(phrase):
        told = _label(leaf.value, s)
        if told:
            found.append(WordMeaning(" ".join(token.text for token in tokens[leaf.start : leaf.end]), told))
    return tuple(dict.fromkeys(found))


def _label(value: object, s: Schema) -> str:
    match value:
        case Stored():
            place = FieldRef(dataset=value.dataset, field=value.field)
            return f"{s.field(place).label} is {value.value!s}"
        case FieldRef():
            return s.field(value).label
        case Thing():
            return plural(s.knows.dataset(value.dataset).label)
        case Fig(core=Measure(metric=str(name))):
            return s.knows.model.metric(name).label
        case Days(label=label):
            return label
        case Number():
            return f"{value.value:f}"
    return ""


def taken_from_snapshots(phrase: Phrase, tokens: tuple[Token, ...], s: Schema) -> tuple[str, ...]:
    """What to say of "the balance as on 31 March", of which monthly balances keep the closing one."""
    found = []
    for leaf in leaves_of(phrase):
        if not isinstance(leaf.value, FieldRef) or s.field(leaf.value).role != "measure":
            continue
        dataset, label = s.knows.dataset(leaf.value.dataset), s.field(leaf.value).label
        said = words(" ".join(token.text for token in tokens[leaf.start : leaf.end]))
        if dataset.snapshot_time and len(said) < len(words(label)):
            found.append(f"{FROM_SNAPSHOTS} {label} of {plural(dataset.label)}.")
    return tuple(found)


def lost_words(
    phrase: Phrase,
    intent: Intent,
    tokens: tuple[Token, ...],
    s: Schema,
    *,
    strict: bool = False,
    besides: Collection[object] = (),
) -> tuple[list[str], list[str]]:
    """Names and values that stand nowhere in the structured question.

    Args:
        strict: each must stand there, also what leaves nothing out.
        besides: what need not, as something else was taken for it.

    Returns:
        Words whose loss makes it another question, and assumptions about those that narrow nothing.
    """
    lost, notes = [], []
    known = _Known(intent, s)
    idle = any(leaf.category == _LEAVING_NOTHING_OUT for leaf in leaves_of(phrase))
    leaves = tuple(leaves_of(phrase))
    for place, leaf in enumerate(leaves):
        if idle or known.has(leaf.value) or leaf.value in besides:
            continue
        text = " ".join(token.text for token in tokens[leaf.start : leaf.end])
        several = isinstance(leaf.value, Thing) and leaf.value.plural
        owner = any(isinstance(other.value, FieldRef) for other in leaves[place + 1 :][:1])  # "by customer city"
        single = not several and not owner and {token.word for token in tokens[: leaf.start][-1:]} & _OF_EACH
        if strict or single or _is_what_is_counted(leaves, place):
            lost.append(text)
        elif isinstance(leaf.value, Thing) and (owned := known.belonging_to(leaf.value)):
            label = s.knows.dataset(leaf.value.dataset).label
            notes.append(f"“{text}” leaves nothing out: each {s.knows.dataset(owned).label} belongs to one {label}.")
        else:
            lost.append(text)
    lost += [text for leaf in leaves if (text := _lost_deed(leaf, tokens, intent, s))]
    lost += _days_of_deeds(leaves, tokens, known, s)
    lost += _what_they_did(leaves, tokens, intent)
    return lost, list(dict.fromkeys(notes))


def _days_of_deeds(leaves: tuple[Phrase, ...], tokens: tuple[Token, ...], known: _Known, s: Schema) -> list[str]:
    """Verbs that became nothing, though rows have a day called so: "invoices assigned last month".

    Where only others have it, they are meant: the stems that somebody "sold" in May are no stems that he offered.
    """
    silent_kinds = _SAYING_DEEDS if known.is_dated else _SAYING_DEEDS - {"Event"}
    telling = (leaf for leaf in leaves if leaf.value is not None and leaf.category not in silent_kinds)
    meant = {place for leaf in telling for place in range(leaf.start, leaf.end)}
    silent = [token.word for place, token in enumerate(tokens) if place not in meant and token.kind == "word"]
    lost = []
    for verb in silent:
        days = s.knows.lexicon.dates_of_verbs.get(verb, ())
        own = [FieldRef(dataset=day.dataset, field=day.field) for day in days if known.speaks_of(day.dataset)]
        begins = stem(verb) in EVENTS  # customers "opened" this month may be those who joined
        elsewhere = days and not own and known.is_dated and verb.endswith(("ed", "sold")) and not begins
        kinds = {value.dataset for value in s.knows.lexicon.values.exactly((verb,))} if verb.endswith(_DEEDS) else ()
        decided = verb in _GRANTED and not days and bool(_undated_decisions(s))
        if elsewhere or decided or (own and not any(map(known.is_dated_by, own))) or any(map(known.speaks_of, kinds)):
            lost.append(verb)
    return lost


def _undated_decisions(s: Schema) -> set[str]:
    """Datasets whose rows are approved or declined by their state, where no day is called so: not all were granted."""
    lexicon = s.knows.lexicon
    held = {value.dataset for state in ("approved", "declined") for value in lexicon.values.exactly((state,))}
    return held - {day.dataset for verb in ("approved", "granted") for day in lexicon.dates_of_verbs.get(verb, ())}


def _what_they_did(leaves: tuple[Phrase, ...], tokens: tuple[Token, ...], intent: Intent) -> list[str]:
    """ "what did haulage clients pay" is not answered by a list of these clients."""
    asked = [
        place for place, token in enumerate(tokens) if place and token.word in _DID and tokens[place - 1].word == "what"
    ]
    doers = {
        leaf.value.dataset for leaf in leaves if isinstance(leaf.value, Thing) and leaf.start > min(asked, default=0)
    }
    return ["what"] if asked and not intent.measures and intent.subject in doers else []


def _lost_deed(leaf: Phrase, tokens: tuple[Token, ...], intent: Intent, s: Schema) -> str:
    """A verb or a noun of a role where nobody plays it, or "was paid", of which it stands open who paid."""
    said = tokens[leaf.start : leaf.end]
    text = " ".join(token.text for token in said)
    model = s.knows.model
    if leaf.category.startswith("=") and any(leaf.category[1:] == metric.label for metric in model.metrics):
        return "" if any(measure.metric for measure in intent.measures) else text  # "spend", where that is defined
    if isinstance(leaf.value, Thing) and len(leaf.value.via) == 1:
        links = [model.relationship(leaf.value.via[0])]
    elif isinstance(leaf.value, Stored) and leaf.category.startswith("Val"):
        return text if _is_group_of_a_job(leaf.value, leaf.start, tokens, said[-1].word, intent, s) else ""
    elif leaf.category == ":have" and said[-1].word == "by":
        links = list(s.knows.lexicon.role_verbs.links(said[0].word))
    else:
        before = tokens[leaf.start - 1].word if leaf.start else ""
        counted = not intent.filters and all(str(m.aggregate).startswith("count") for m in intent.measures)
        paid = counted and leaf.category == ":have" and text.lower() in _PAYING
        shared = any(measure.transform == "share_of_total" for measure in intent.measures)
        done = leaf.category == "Amt" and text.endswith(("ed", "paid")) and shared
        return text if before in _PASSIVE and (paid or done) else ""
    known = _Known(intent, s)
    return (
        text if links and not any(known.speaks_of(link.from_dataset) or known.goes(link.name) for link in links) else ""
    )


def _is_what_is_counted(leaves: tuple[Phrase, ...], place: int) -> bool:
    """ "how many customers were lost" are no accounts, where "the number of customer accounts" are."""
    before, behind = leaves[:place][-1:], leaves[place + 1 :][:1]
    counted = any(leaf.category == ":aggregate=count" for leaf in before)
    return counted and not any(isinstance(leaf.value, Thing) for leaf in behind)


def _is_group_of_a_job(
    job: Stored, start: int, tokens: tuple[Token, ...], last: str, intent: Intent, s: Schema
) -> bool:
    """ "loans by credit officer" are those of each, and not of all who are one."""
    label = s.field(FieldRef(dataset=job.dataset, field=job.field)).label
    single = start and tokens[start - 1].word == "by" and not last.endswith("s")
    return bool(single and not _JOBS.isdisjoint(words(label)) and not intent.dimensions)


class _Known:
    """What a structured question speaks of."""

    def __init__(self, intent: Intent, s: Schema) -> None:
        self._s = s
        self._intent = intent
        refs = parts_of(intent, FieldRef)
        measures = parts_of(intent, Measure)
        self._fields = {(ref.dataset, ref.field) for ref in refs}
        summed = [measure.field for measure in measures if measure.field and measure.aggregate != "count"]
        self._summed = {word for ref in summed for word in words(s.field(ref).label)}
        self._metrics = {measure.metric for measure in measures if measure.metric}
        self._values = {
            (item.field.dataset, item.field.field, str(value))
            for item in parts_of(intent, Condition)
            for value in item.values
        }
        kept = {ref for ref in refs if s.field(ref).role == "measure"}
        counted = (rows_kept_count_of(s.knows.model, s.knows.dataset(r.dataset), s.field(r)) for r in kept)
        bases = {base for measure in measures if (base := s.knows.base(measure))}
        self._datasets = {dataset for dataset, _ in self._fields} | bases
        self._datasets |= {item.dataset for item in parts_of(intent, Membership)}
        self._datasets |= {dataset for dataset in counted if dataset}
        self._datasets |= {intent.subject} if intent.subject else set()
        told = " ".join(s.knows.model.metric(name).expression for name in self._metrics)
        self._expressions = told

    def goes(self, link: str) -> bool:
        """Tell whether something is reached by a link."""
        fields, memberships = parts_of(self._intent, FieldRef), parts_of(self._intent, Membership)
        return any(link in place.via for place in fields) or any(link in item.via for item in memberships)

    def speaks_of(self, dataset: str) -> bool:
        """Tell whether such rows are counted, shown or looked at."""
        return dataset in self._datasets or f"{dataset}." in self._expressions

    @property
    def is_dated(self) -> bool:
        """Whether a period is asked for."""
        return self._intent.period is not None

    def is_dated_by(self, day: FieldRef) -> bool:
        """Tell whether the question goes by this day of its rows, or needs not: it has no period, and they have it."""
        period = self._intent.period
        if period is None:
            bases = {base for measure in self._intent.measures if (base := self._s.knows.base(measure))}
            asked = day.dataset in {*bases, self._intent.subject}
            return self._has_field(day) or not (asked and self._s.knows.may_lack(day))
        dated: list[FieldRef | None] = [item.field for item in self._intent.dimensions if item.field.grain]
        dated += [item.field for item in parts_of(self._intent, Condition) if item.operator not in _KNOWN]
        dated += [period.field or self._s.knows.time_field(day.dataset)]
        return any(place is not None and (place.dataset, place.field) == (day.dataset, day.field) for place in dated)

    def has(self, value: object) -> bool:
        """Tell whether the meaning of a word stands in the question."""
        match value:
            case Stored():
                held = (value.dataset, value.field, str(value.value)) in self._values
                return held or set(words(str(value.value))) <= self._summed
            case Thing():
                return self.speaks_of(value.dataset)
            case Fig(core=Measure(metric=str(name))):
                return name in self._metrics or self._s.knows.plain_figure(value.core) is not None
            case FieldRef():
                return self._has_field(value)
            case Days():
                return self._has_days(value)
        return True

    def _has_field(self, ref: FieldRef) -> bool:
        if (ref.dataset, ref.field) in self._fields or f"{ref.dataset}.{ref.field}" in self._expressions:
            return True
        if self._s.field(ref).role != "time":
            return any(item.other is not None for item in parts_of(self._intent, Condition))  # "in the same town"
        own = self._s.knows.time_field(ref.dataset) == ref.model_copy(update={"grain": None, "via": (), "since": None})
        dated = self._intent.period is not None or any(place.grain for place in parts_of(self._intent, FieldRef))
        return own and dated

    def _has_days(self, days: Days) -> bool:
        if self._intent.period is not None or self._intent.compare or days.moment:
            return True
        conditions = [value for item in parts_of(self._intent, Condition) for value in item.values]
        return days.start in conditions or days.end in conditions

    def belonging_to(self, thing: Thing) -> str:
        """The rows in question of which each belongs to just one such thing; "" where there are none."""
        for dataset in sorted(self._datasets):
            if (self._s.up(dataset, thing.dataset) or 0) > 0:
                return dataset
        return ""

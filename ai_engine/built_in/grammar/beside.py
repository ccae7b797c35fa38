"""What a span does not mean beside its neighbours."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    Days,
    Figure,
    Meaning,
    Number,
    Span,
    Stored,
    Thing,
)  # fmt: skip
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import Measure
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words

_PAID = frozenset("paid credited earned received charged".split())


def _named_datasets(meanings: list[Meaning], knows: Knowledge) -> frozenset[str]:
    """The datasets that are spoken of by more than a value of theirs."""
    things = [meaning for meaning in meanings if isinstance(meaning, Thing)]
    played = (knows.model.relationship(thing.via[0]).from_dataset for thing in things if thing.via)
    fields = (meaning.dataset for meaning in meanings if isinstance(meaning, Attribute))
    figures = (knows.base(Measure(metric=meaning.metric)) for meaning in meanings if isinstance(meaning, Figure))
    return frozenset((*(thing.dataset for thing in things), *played, *fields, *(base for base in figures if base)))


class Beside:
    """What a span does not mean beside its neighbours."""

    def __init__(self, tokens: tuple[Token, ...], spans: tuple[Span, ...], knows: Knowledge) -> None:
        self._tokens, self._spans, self._knows = tokens, spans, knows
        self._meanings = [candidate.meaning for span in spans for candidate in span.candidates]
        self._named = _named_datasets(self._meanings, knows)

    def excludes(self, span: Span, meaning: Meaning) -> bool:
        """Tell whether it cannot be meant here."""
        before = [token.word for token in self._tokens[: span.start][-1:]]
        said = span.text.lower()
        match meaning:
            case Stored(by_part=True):  # "opened at the counter" is of no channel where no payments were named
                return meaning.dataset not in self._named
            case Stored():
                return self._tears_a_value(span, meaning)
            case Cue(kind="superlative", value="many" | "few"):  # "the most active accounts" of a customer
                last = [other for other in self._spans if (other.start + 1, other.end) == (span.end, span.end)]
                states = [candidate.meaning for other in last for candidate in other.candidates]
                of = {state.dataset for state in states if isinstance(state, Stored)}
                return " " in said and not of.isdisjoint(self._things(span.end, begins=True))
            case Cue(kind="aggregate" | "weak") if said in {"number", "numbers", "numbers of"}:  # "its account number"
                behind = [token.word for token in self._tokens[span.end :][:1]]
                listed = said != "number" and before in (["their"], ["its"], ["the"])
                return listed or (behind != ["of"] and bool(self._things(span.start, begins=False)))
            case Cue(kind="amount") if said in {"size", "sizes", "size of", "sizes of"}:  # of each, or of all together
                return not any(isinstance(m, Cue) and m.kind in {"aggregate", "superlative"} for m in self._meanings)
            case Figure():  # "list loans disbursed" asks for loans
                return before == ["list"] and bool(self._things(span.start, begins=True))
            case Cue(kind="list"):
                return said == "compare"
            case Cue(kind="not") if said == "not":  # "the descriptions, not the codes"
                return before == [","] and [token.word for token in self._tokens[span.end :][:1]] == ["the"]
            case Days() if said.startswith("starting "):  # "licences starting this year" are not those since then
                days = self._knows.lexicon.days_of_deeds.get("starting", ())
                return any(day.dataset in self._named for day, _ in days)
            case Number():
                return said == "one" and before == ["no"]
            case Attribute():
                behind = [token.word for token in self._tokens[span.end :][:1]]
                rate = self._knows.field(meaning).unit in {"percent", "fraction"}  # which nobody pays
                unpaid = rate and not _PAID.isdisjoint(behind)
                composed = self._is_of_a_kind(span, meaning) or self._ends_in_a_period(span)
                return unpaid or composed or self._is_counted(span, meaning) or self._ends_in_its_rows(span, meaning)
        return False

    def _tears_a_value(self, span: Span, meaning: Stored) -> bool:
        """ "credit card" is a kind of cards, and no credit that came by the channel "card"."""
        place = (meaning.dataset, meaning.field)
        if self._knows.field(Attribute(*place)).role == "name":
            return False  # first and last names may stand in one column elsewhere
        for whole in self._spans:
            inside = whole.start <= span.start and span.end <= whole.end and len(span.text) < len(whole.text)
            values = [c.meaning for c in whole.candidates if isinstance(c.meaning, Stored) and not c.meaning.by_part]
            if not inside or not values or place in {(value.dataset, value.field) for value in values}:
                continue
            rest = [o for o in self._spans if (o.start, o.end) in {(whole.start, span.start), (span.end, whole.end)}]
            told = (c.meaning for other in rest for c in other.candidates if isinstance(c.meaning, Stored))
            if any(value.dataset == meaning.dataset and value.field != meaning.field for value in told):
                return True
        return False

    def _things(self, place: int, *, begins: bool) -> set[str]:
        beside = (span for span in self._spans if (span.start if begins else span.end) == place)
        meanings = (candidate.meaning for span in beside for candidate in span.candidates)
        return {meaning.dataset for meaning in meanings if isinstance(meaning, Thing)}

    def _is_of_a_kind(self, span: Span, meaning: Attribute) -> bool:
        """ "balance of current accounts" is the balance of accounts of a kind, also where it is called so."""
        inner = range(span.start + 1, span.end - 1)
        begins = {place + 1 for place in inner if self._tokens[place].word == "of"}
        kinds = (other for other in self._spans if other.start in begins and other.end == span.end)
        values = (candidate.meaning for other in kinds for candidate in other.candidates)
        return any(isinstance(value, Stored) and value.dataset == meaning.dataset for value in values)

    def _ends_in_its_rows(self, span: Span, meaning: Attribute) -> bool:
        """ "narrow beam boats" are boats, and no beam of a boat."""
        *before, last = (token.word for token in self._tokens[span.start : span.end])
        field = self._knows.field(meaning)
        several = before and "of" not in before and singular(last) != last and field.role == "measure"
        rows = several and self._knows.lexicon.is_noun(last, Thing(meaning.dataset))
        return bool(rows) and singular(last) != singular(words(field.label)[-1])

    def _ends_in_a_period(self, span: Span) -> bool:
        """ "by hospital this year" is no year in which a hospital was opened."""
        inner = [other for other in self._spans if other.start < span.end <= other.end and other.end > other.start + 1]
        return any(isinstance(candidate.meaning, Days) for other in inner for candidate in other.candidates)

    def _is_counted(self, span: Span, meaning: Attribute) -> bool:
        """ "3 EMIs", "more than 3 balances" are so many, where "top 3 balances" are of the highest."""
        label = self._knows.field(meaning)
        several = span.text.lower().endswith("s") and not label.label.lower().endswith("s")
        if label.role != "measure" or not several or not self._tokens[: span.start][-1:]:
            return False
        ends = {"limit", "superlative"}
        kinds = {
            c.meaning.kind
            for s in self._spans
            if s.end == span.start - 1
            for c in s.candidates
            if isinstance(c.meaning, Cue)
        }
        return self._tokens[span.start - 1].kind == "number" and kinds.isdisjoint(ends)

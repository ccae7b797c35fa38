"""What a few words say when the question before supplies the rest: the grammar's phrases, seen from that subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from ai_engine.built_in.cover import covers
from ai_engine.built_in.grammar.accounts import leaves_of
from ai_engine.built_in.grammar.all_kinds import in_conversation
from ai_engine.built_in.grammar.chart import Phrase
from ai_engine.built_in.grammar.left_over import left_over
from ai_engine.built_in.grammar.narrowing import narrow
from ai_engine.built_in.grammar.phrases import Amount, Best, Bound, Cmp, Fig, Group, Mod, Part, Rows, When
from ai_engine.built_in.grammar.prices import fitted_prices
from ai_engine.built_in.grammar.reader import chart_of
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.turn import Turn, Wish
from ai_engine.built_in.grammar.units import bounds_of, compared
from ai_engine.built_in.head_nouns import share_head_noun
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Days, Figure, Stored, Thing
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.intent import FieldRef, Filter, Having, Measure

_MOST_WAYS = 8
_DISTANCE_COST = 0.1
_LAKH = 100_000
_OF = frozenset({"of", "for", "among", "from", "in", "at", "on", "against", "under", "across", "to"})
_ROWS = frozenset({"these", "those", "them", "their", "that"})
_DO = frozenset({"do", "did"})
_RELATIVE = frozenset({"who", "whose", "that", "which"})


@dataclass
class Fragment:
    """One way to understand a few words, as the question before is changed by them; what was applied is taken out.

    Attributes:
        turn: what was said, as it was said.
        cost: price of the phrases, with their distance from what the conversation is about.
        fields: columns that were named and nothing more; amounts among them that nobody aggregated.
        stretches: all the days that were said, where `period` is the last.
        denied: what was named is taken off.
        off: what is taken off before anything else.
        unplaced: words that found no place.
    """

    turn: Turn = field(default_factory=Turn)
    phrase: Phrase | None = None
    tokens: tuple[Token, ...] = ()
    cost: float = 0.0
    notes: tuple[str, ...] = ()
    things: list[Thing] = field(default_factory=list)
    fields: list[FieldRef] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    havings: list[Having] = field(default_factory=list)
    period: Days | None = None
    stretches: tuple[Days, ...] = ()
    dated: FieldRef | None = None
    measures: list[Measure] = field(default_factory=list)
    aggregates: tuple[str, ...] = ()
    groups: list[Group] = field(default_factory=list)
    best: Best | None = None
    wishes: list[Wish] = field(default_factory=list)
    limit: int | None = None
    share: bool = False
    denied: bool = False
    off: tuple[Fragment, ...] = ()
    unplaced: tuple[str, ...] = ()

    @property
    def is_of_values(self) -> bool:
        """Whether values of one word stand for the rows that have them, which have no noun of their own."""
        leaves = leaves_of(self.phrase) if self.phrase else ()
        return bool(self.turn.rows) and not any(
            isinstance(leaf.value, Thing) or (leaf.category == "ValN" and leaf.end - leaf.start > 1) for leaf in leaves
        )


@dataclass(frozen=True)
class Setting:
    """What the conversation is about while a fragment is read.

    Attributes:
        subject: dataset the earlier question is about, None when nothing stands before.
        datasets: everything it names; what lies near is likelier meant.
        grouped_figure: figure that "over 10 crore" is about when the earlier answer had one per group.
        compared: number that "above 750" is about when the conversation was about it.
        shown: what the earlier answer is grouped by: "only states above 5%" are its groups.
    """

    subject: str | None = None
    datasets: frozenset[str] = frozenset()
    grouped_figure: Measure | None = None
    compared: FieldRef | None = None
    shown: frozenset[tuple[str, str]] = frozenset()


class Words:
    """A few words, read once, whatever they may refer to."""

    def __init__(self, tokens: tuple[Token, ...], knowledge: Knowledge) -> None:
        self._schema = Schema(knowledge)
        self._tokens = share_head_noun(tokens, knowledge.lexicon)
        self._phrases: Sequence[Phrase] = ()
        self._left: tuple[str, ...] = ()
        if not tokens:
            return
        chart = chart_of(self._tokens, self._schema, fitted_prices(), in_conversation())
        self._phrases = chart.whole("Turn")[:_MOST_WAYS]
        if not self._phrases and 0 not in chart.back[chart.size]:
            self._left = left_over(chart, self._tokens)

    def fragments(self, setting: Setting) -> Iterator[Fragment]:
        """The ways to understand them, the cheapest first; one with what is left over where there is none."""
        found = False
        for phrase in self._phrases:
            try:
                fragment = _Seen(self._schema, setting, phrase).fragment
                off = (replace(phrase, value=turn) for turn in phrase.value.off)
                fragment.off = tuple(_Seen(self._schema, setting, turn).fragment for turn in off)
            except ValidationError:
                continue  # a number that nothing can be: the question by itself says so
            fragment.phrase, fragment.tokens = phrase, self._tokens
            found = True
            yield fragment
        if not found:
            yield Fragment(unplaced=self._left)


class _Seen:
    """A turn as seen from what the question before is about."""

    def __init__(self, s: Schema, setting: Setting, phrase: Phrase) -> None:
        turn: Turn = phrase.value
        self._s, self._setting = s, setting
        self._notes = list(phrase.notes)
        self._cost = phrase.cost
        self.fragment = Fragment(
            turn, aggregates=turn.aggregates, groups=list(turn.groups), wishes=list(turn.wishes),
            fields=list(turn.fields), best=turn.best[0] if turn.best else None, share=turn.share, denied=turn.denied,
            limit=turn.limit[0] if turn.limit else None,
        )  # fmt: skip
        for rows in turn.rows:
            self._name(rows)
        self._figures(turn.figs)
        self._narrow(turn.mods)
        days = (part.days for mod in turn.mods for part in mod.parts if isinstance(part, When))
        self.fragment.stretches = tuple(dict.fromkeys(days))
        for group in turn.groups:
            self._narrow((Mod(group.mods),))
        self.fragment.notes = tuple(dict.fromkeys(self._notes))
        self.fragment.cost = self._cost + self._distance()

    def _name(self, rows: Rows) -> None:
        said = self.fragment
        said.filters += rows.filters
        said.period, said.dated = rows.period or said.period, rows.dated or said.dated
        self._bound(rows.bounds)
        if rows.named:
            said.things.append(Thing(rows.dataset, rows.via))

    def _figures(self, figs: tuple[Fig, ...]) -> None:
        """Conditions that all figures have are said of the question."""
        said = self.fragment
        bare = [fig for fig in figs if fig.implied and fig.core.field and not fig.rows.narrowed]
        said.fields += [fig.core.field for fig in bare if fig.core.field]
        figs = tuple(fig for fig in figs if fig not in bare)
        if not figs:
            return
        common = tuple(item for item in figs[0].rows.filters if all(item in fig.rows.filters for fig in figs))
        periods = {(fig.rows.period, fig.rows.dated) for fig in figs}
        said.filters += common
        if len(periods) == 1:
            period, dated = periods.pop()
            said.period, said.dated = period or said.period, (dated if period else None) or said.dated
        for given in figs:
            fig, notes = self._s.with_its_amount(given)
            self._notes += notes
            rows = fig.rows if periods else Rows(fig.rows.dataset, fig.rows.via, fig.rows.filters)
            only = Fig(fig.core, rows, fig.over, fig.less, fig.percent, fig.part)
            said.measures.append(self._s.measure(only, dropping=common))
            self._bound(fig.rows.bounds)

    def _narrow(self, mods: tuple[Mod, ...]) -> None:
        said, subject = self.fragment, self._setting.subject
        for mod in mods:
            left = tuple(part for part in mod.parts if not self._taken_as_bound(part))
            if subject is None:  # nothing stands before: only whether anything is named counts
                said.filters += [part.filter for part in left if hasattr(part, "filter")]
                continue
            found = narrow(self._s, Rows(subject), Mod(left))
            if found is None or found.value.beyond:
                said.unplaced = (*said.unplaced, found.value.beyond if found else "what is said of them")
                continue
            rows: Rows = found.value
            said.filters += rows.filters
            said.period, said.dated = rows.period or said.period, rows.dated or said.dated
            self._bound(rows.bounds)
            self._notes += found.notes

    def _taken_as_bound(self, part: Part) -> bool:
        """ "only those above 10 crore" keeps groups whose figure is so, or is about the number compared before."""
        if not isinstance(part, Amount):
            return False
        figure, said = self._setting.grouped_figure, self.fragment
        if figure is not None and not self._in_lakhs(figure, part.cmp):
            bounds = bounds_of(self._s, Fig(figure, Rows("")), part.cmp)
            said.havings += [Having(measure=figure, operator=b.operator, value=b.value) for b in bounds if b.value]
            shown = self._setting.shown
            said.fields = [place for place in said.fields if (place.dataset, place.field) not in shown]
            said.things = [thing for thing in said.things if thing.dataset not in {dataset for dataset, _ in shown}]
            return bool(bounds)
        field_ = self._setting.compared if not said.fields and not said.things else None
        condition = compared(self._s, field_, part.cmp) if field_ is not None else None
        if condition is not None:
            said.filters.append(condition)
        return condition is not None

    @staticmethod
    def _in_lakhs(figure: Measure, cmp: Cmp) -> bool:
        """Nobody counts rows in lakhs."""
        return figure.aggregate == "count" and any(number.value >= _LAKH for number in cmp.numbers)

    def _bound(self, bounds: tuple[Bound, ...]) -> None:
        for bound in bounds:
            versus = self._s.measure(bound.versus) if bound.versus else None
            measure = self._s.measure(bound.fig)
            limit = {"value": bound.value, "versus": versus, "times": bound.times}
            told = Having(measure=measure, operator=bound.operator, **limit)
            self.fragment.havings.append(told)

    def _distance(self) -> float:
        said, near = self.fragment, self._setting.datasets
        if not near:
            return 0.0
        places = [thing.dataset for thing in said.things] + [ref.dataset for ref in said.fields]
        places += [base for measure in said.measures if (base := self._s.knows.base(measure))]
        places += [item.field.dataset for item in said.filters if item.kind == "condition"]
        places += [item.dataset for item in said.filters if item.kind == "membership"]
        places += [group.field.dataset if group.field else str(group.thing) for group in said.groups if not group.step]
        knows = self._s.knows
        return _DISTANCE_COST * sum(min(knows.distance(one, place) for one in near) for place in places)


def first_name(tokens: tuple[Token, ...], knowledge: Knowledge) -> int:
    """Index of the first token that names a thing, a field or a figure; the number of tokens when none does.

    "Balance of these customers" and "loans of those" point to rows that were named before, and not to what is theirs.
    """
    found = covers(tokens, knowledge.lexicon, PeriodReader(knowledge.as_of, knowledge.model.fiscal_year_start_month))
    theirs = _end_of_what_is_theirs(tokens)
    spans, own = found[0].spans if found else (), theirs  # what is theirs, with what narrows it, ends there
    for span in reversed(spans):
        own = span.start if span.end == own else own
    for span in spans:
        meant = span.candidates[0].meaning
        named = isinstance(meant, Thing | Attribute | Figure | Stored)
        if named and not (theirs and (own <= span.start < theirs or _is_figure(meant, knowledge))):
            return span.start
    return len(tokens)


def _end_of_what_is_theirs(tokens: tuple[Token, ...]) -> int:
    """ "balance of those", "how many loans do they have": where the words for what belongs to them end, 0 for none."""
    said = [token.word for token in tokens]
    for place, (link, it, after) in enumerate(zip(said, said[1:], [*said[2:], ""], strict=False)):
        if (link in _OF and it in _ROWS and after not in _RELATIVE) or (link in _DO and it == "they"):
            return place
    return 0


def _is_figure(meant: object, knowledge: Knowledge) -> bool:
    return isinstance(meant, Figure) or (isinstance(meant, Attribute) and knowledge.lexicon.is_figure(meant))

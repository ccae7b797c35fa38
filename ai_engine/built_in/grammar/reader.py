"""Readings of a question by the grammar: leaves of its words, a chart, and the structured questions on top."""

from __future__ import annotations

from ai_engine.built_in.grammar.accounts import leaves_of, lost_words, meanings_of, taken_from_snapshots
from ai_engine.built_in.grammar.all_kinds import english
from ai_engine.built_in.grammar.chart import Chart, Grammar, Phrase
from ai_engine.built_in.grammar.leaves import leaves_of as leaves_of_words
from ai_engine.built_in.grammar.leaves_of_verbs import past_after_did, with_names_that_we_part
from ai_engine.built_in.grammar.left_over import left_open
from ai_engine.built_in.grammar.misplaced import misplaced
from ai_engine.built_in.grammar.moments import FROM_SNAPSHOTS
from ai_engine.built_in.grammar.phrases import Fig
from ai_engine.built_in.grammar.present import only_those_of_now
from ai_engine.built_in.grammar.prices import Prices, fitted_prices
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.spent import only_what_went_out
from ai_engine.built_in.grammar.to_intent import said
from ai_engine.built_in.head_nouns import share_head_noun
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Days, Stored, Thing
from ai_engine.built_in.one_reading import LEFT_OVER_COST, Reading, beyond_bounds
from ai_engine.built_in.plausible import RANKING, strange
from ai_engine.built_in.stocks import is_state
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token, tokenise
from ai_engine.semantics.intent import FieldRef, Intent

_CLOSING_MARKS = " \t\n.?!"
_MOST_READINGS = 12
_EACH = frozenset({"each", "every"})
_WITHIN = frozenset("of in for at by on within from".split())
_RANKS = frozenset({":limit", ":superlative", "Adj"})
_IDLE_COST = 0.15  # of a thing that was named and leaves nothing out


def readings(question: str, knowledge: Knowledge, prices: Prices | None = None) -> tuple[Reading, ...]:
    """The readings worth considering, cheapest first; one with the words left over where nothing covers them all."""
    tokens = tokens_of(question, knowledge)
    if not tokens:
        return ()
    schema = Schema(knowledge)
    chart = chart_of(tokens, schema, prices or fitted_prices())
    found: dict[str, Reading] = {}
    objected: Reading | None = None
    for phrase in chart.whole("Q")[:_MOST_READINGS]:
        told = said(schema, phrase.value)
        if told.is_beyond and not found:
            return (Reading(None, phrase.cost + LEFT_OVER_COST, (told.reason,), (), (), is_objected_to=True),)
        if told.reason:
            cost = phrase.cost + LEFT_OVER_COST
            objected = objected or Reading(None, cost, (told.reason,), (), (), is_objected_to=True)
        if told.intent is None or (same := in_order(told.intent)) in found:
            continue
        spent = only_what_went_out(phrase, told.intent, tokens, schema)
        lost, idle = lost_words(phrase, told.intent, tokens, schema, besides=_told_of(phrase, told.notes, schema))
        named = frozenset(leaf.value.dataset for leaf in leaves_of(phrase) if isinstance(leaf.value, Thing))
        asked, assumed, open_now = only_those_of_now(phrase, spent.intent, tokens, schema)
        against = (
            *lost,
            *misplaced(phrase, told.intent, tokens, schema),
            *spent.lost,
            *open_now,
            *strange(told.intent, named, knowledge),
        )
        against = tuple(_by_what(phrase, tokens) if reason == RANKING else reason for reason in against)
        kept = taken_from_snapshots(phrase, tokens, schema)
        notes = tuple(dict.fromkeys((*phrase.notes, *told.notes, *spent.notes, *assumed, *kept, *idle)))
        meanings = meanings_of(phrase, tokens, schema)
        if against:
            cost = phrase.cost + LEFT_OVER_COST * len(against)
            objected = objected or Reading(told.intent, cost, against, notes, meanings, is_objected_to=True)
            continue
        found[same] = Reading(asked, phrase.cost + _IDLE_COST * len(idle), (), notes, meanings)
    if found or objected:
        every = (*found.values(), *((objected,) if objected else ()))
        return tuple(sorted(every, key=lambda reading: reading.cost))
    if chart.fault is not None:
        return (Reading(None, LEFT_OVER_COST, beyond_bounds(chart.fault), (), (), is_objected_to=True),)
    open_ranking = _ranked_by_nothing(chart, tokens, schema, prices or fitted_prices())
    if open_ranking is not None:
        return (open_ranking,)
    left = left_open(chart, tokens, schema)
    return (Reading(None, LEFT_OVER_COST * len(left), left, (), ()),)


def _ranked_by_nothing(chart: Chart, tokens: tuple[Token, ...], s: Schema, prices: Prices) -> Reading | None:
    """ "top 3 customers" lack a figure to be ranked by, and nothing else: the list that they are without the words."""
    within = {place for days in _days(chart) for place in range(*days)}  # "last month"
    said = [span for span, cell in sorted(chart.cells.items()) if not _RANKS.isdisjoint(cell)]
    ranks = [span for span in said if span[0] not in within]
    for start, end in ranks if len(ranks) == 1 else ():
        first = start - 1 if start and "Num" in chart.cells.get((start - 1, start), ()) else start
        last = end + 1 if "Num" in chart.cells.get((end, end + 1), ()) else end
        rest = (*tokens[:first], *tokens[last:])
        dated = [place - (last - first) for days in _days(chart) for place in range(*days) if days[0] >= last]
        undated = tuple(token for place, token in enumerate(rest) if place not in dated)
        found = _listed(rest, s, prices) or (_listed(undated, s, prices) if dated else None)  # dated by what ranks them
        if found is not None:
            words = " ".join(token.text for token in tokens[start:end])
            return Reading(found, LEFT_OVER_COST, (f"{words}: by what",), (), ())
    return None


def _days(chart: Chart) -> list[tuple[int, int]]:
    return [span for span, cell in chart.cells.items() if cell.get("Days")]


def _listed(tokens: tuple[Token, ...], s: Schema, prices: Prices) -> Intent | None:
    """What the rest asks for; of "branches in each region" the branches."""
    places = [
        place
        for place, token in enumerate(tokens)
        if token.word in _EACH and place > 1 and tokens[place - 1].word in _WITHIN
    ]
    within = [place - 1 for place in places if chart_of(tokens[place:], s, prices).whole("Groups")]
    for end in (len(tokens), *within[:1]):
        rest = chart_of(tokens[:end], s, prices).whole("Q")
        found = said(s, rest[0].value).intent if rest else None
        if found is not None and not found.measures and not found.order:
            return found
    return None


def _told_of(phrase: Phrase, notes: tuple[str, ...], s: Schema) -> tuple[object, ...]:
    """What an assumption tells of: the state of this month is today's, a balance of another day a closing balance."""
    said = [leaf.value for leaf in leaves_of(phrase)]
    days = [value for value in said if isinstance(value, Days) and any(f"“{value.label}”" in note for note in notes)]
    kept = any(note.startswith(FROM_SNAPSHOTS) for note in notes)
    amounts = [
        value
        for value in said
        if kept and (is_state(value.core, s.knows) if isinstance(value, Fig) else _is_amount(value, s))
    ]
    named = [
        value for value in said if isinstance(value, Stored) and any(f"“{value.value!s}”" in note for note in notes)
    ]
    return (*days, *amounts, *named)


def _is_amount(value: object, s: Schema) -> bool:
    return isinstance(value, FieldRef) and s.field(value).role == "measure"


def _by_what(phrase: Phrase, tokens: tuple[Token, ...]) -> str:
    """ "most popular: by what", in the words that rank."""
    said = [leaf for leaf in leaves_of(phrase) if leaf.category.startswith((":superlative", "Adj"))]
    return f"{' '.join(token.text for token in tokens[said[0].start : said[0].end])}: by what" if said else RANKING


def tokens_of(question: str, knowledge: Knowledge) -> tuple[Token, ...]:
    """The words of a question without what ends it."""
    tokens = tokenise(question.rstrip(_CLOSING_MARKS), knowledge.lexicon.spelled)
    tokens = with_names_that_we_part(share_head_noun(tokens, knowledge.lexicon), knowledge)
    return past_after_did(tokens, knowledge)


def chart_of(tokens: tuple[Token, ...], schema: Schema, prices: Prices, grammar: Grammar | None = None) -> Chart:
    """Fill a chart with everything that the words can be together."""
    knows = schema.knows
    periods = PeriodReader(knows.as_of, knows.model.fiscal_year_start_month)
    leaves, skipped = leaves_of_words(tokens, schema, periods, prices)
    return Chart(len(tokens), leaves, skipped, grammar or english(), prices, schema)


def in_order(intent: Intent) -> str:
    """The same text for questions that differ in the order of their conditions and columns only."""

    def told(value: object, name: str = "") -> str:
        if isinstance(value, tuple):
            parts = [told(part) for part in value]
            return f"({', '.join(parts if name in {'order', 'via', 'edges'} else sorted(parts))})"
        if hasattr(value, "model_fields_set"):
            named = (f"{name}={told(part, name)}" for name, part in vars(value).items() if part)
            return f"{type(value).__name__}({', '.join(named)})"
        return repr(value)

    return told(intent)

"""Cut the question into spans with meanings: the cheapest ways to cover every word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import product
from math import inf

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import (
    Attribute,
    Candidate,
    Cue,
    Figure,
    Quote,
    Span,
    Step,
    Stored,
    Thing,
    Unknown,
    dataset_of,
)
from ai_engine.built_in.numbers import number_at
from ai_engine.built_in.time_words.periods import PeriodReader
from ai_engine.built_in.tokens import Token
from ai_engine.built_in.whole_names import halves_of_names_dearer, without_small_words, without_verbs_in_names
from ai_engine.built_in.word_classes import (
    NAME_COST,
    UNKNOWN_COST,
    behind_their_number,
    in_their_place,
    is_the_house,
    spelled_with_its_kind,
)
from ai_engine.semantics.join_paths import distances
from ai_engine.semantics.words import NAME_GLUE, words

_CUE_COST = 0.12
_FILLER_COST = 0.08
_WEAK_COST = 0.35
WHOLE_NAME = 0.1
_BY_STEM = 0.08  # "salary" is a column's name rather than the value "salaried"
_FIGURE_BONUS = 0.1  # a metric was defined with care; the bare column of the same name was not
_TYPO_COST = 0.5
_COMMON_WORD_COST = 0.5
_VALUE_FOR_A_THING_COST = 0.15
_COLUMN_FOR_A_FIGURE_COST = 0.05
_CUE_FOR_A_FIGURE_COST = 1.0  # "spend" is the figure of that name where there is one
_LONGEST_NAME = 6
_KEPT_CANDIDATES = 60
_DISTANCE_COST = 0.1
_FAR = 9
_EDGES = NAME_GLUE | {"and", "or"}
_SILENT_MARKS = {".", ":", "₹", "$", "€", "£", "+"}
_BEFORE_PERIODS = [["in"], ["on"], ["during"], ["before"], ["after"], ["by"], ["at"], ["over"], ["within"]]


@dataclass(frozen=True)
class Cover:
    """Spans that follow each other without gap or overlap over the whole question."""

    spans: tuple[Span, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class _Spelling:
    """One way of reading one token's letters."""

    word: str
    cost: float = 0.0
    note: str = ""
    of_a_name: bool = False


def covers(tokens: tuple[Token, ...], lexicon: Lexicon, periods: PeriodReader, *, keep: int = 4) -> tuple[Cover, ...]:
    """Return the cheapest covers, best first; a word without meaning is covered by Unknown at a high price."""
    ending: dict[int, list[Span]] = defaultdict(list)
    whole = NAME_COST + WHOLE_NAME
    spans = without_verbs_in_names(tuple(spans_of(tokens, lexicon, periods)), whole, lexicon.is_figure)
    for span in nearest(halves_of_names_dearer(spans, whole), lexicon):
        ending[span.end].append(span)
    best: list[list[Cover]] = [[Cover((), 0.0)]]
    for end in range(1, len(tokens) + 1):
        found = [
            Cover((*before.spans, span), before.cost + span.candidates[0].cost)
            for span in ending[end]
            for before in best[span.start]
        ]
        best.append(sorted(found, key=lambda cover: cover.cost)[:keep])
    return tuple(best[-1])


def spans_of(tokens: tuple[Token, ...], lexicon: Lexicon, periods: PeriodReader) -> Iterator[Span]:
    """Every stretch of words that means something, with all it can mean."""
    spellings = tuple(_spellings(token, lexicon) for token in tokens)
    for start in range(len(tokens)):
        moment = periods.moment_at(tokens, start)
        if moment is not None:  # "as on 31 March" is not said of what is "on 31 March"
            yield _span(tokens, start, moment[0], [Candidate(moment[1], NAME_COST)])
            continue
        for end in range(start + 1, min(start + max(_LONGEST_NAME, cue_table().longest), len(tokens)) + 1):
            candidates = list(_phrase_candidates(tokens[start:end], spellings[start:end], lexicon))
            candidates = without_small_words(tokens, start, end, candidates, lexicon.is_time)
            candidates = behind_their_number(tokens, start, end, candidates)
            if end == start + 1:
                candidates += _single_candidates(tokens[start], lexicon, known=bool(candidates))
                candidates = in_their_place(tokens, start, candidates, lexicon)
            if candidates:
                yield _span(tokens, start, end, candidates)
        yield from _measured_spans(tokens, start, lexicon, periods)
        yield from _dated_verb(tokens, start, lexicon, periods)


def _span(tokens: tuple[Token, ...], start: int, end: int, candidates: list[Candidate]) -> Span:
    best: dict[object, Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: c.cost):
        best.setdefault(candidate.meaning, candidate)
    text = " ".join(token.text for token in tokens[start:end])
    return Span(start, end, text, tuple(best.values()))


def nearest(spans: tuple[Span, ...], lexicon: Lexicon) -> Iterator[Span]:
    """Keep few meanings of each span: a word that hundreds of tables know is meant of those that are named."""
    if all(len(span.candidates) <= _KEPT_CANDIDATES for span in spans):
        yield from spans
        return
    datasets = [{dataset_of(candidate) for candidate in span.candidates} for span in spans]
    told = [names for names in datasets if None not in names]
    fewest = min(map(len, told), default=0)
    named = sorted({name for names in told if len(names) == fewest for name in names if name is not None})
    steps = distances(lexicon.model, *named)

    def distant(candidate: Candidate) -> float:
        dataset = dataset_of(candidate)
        return candidate.cost + (_DISTANCE_COST * steps.get(dataset, _FAR) if dataset is not None else 0.0)

    for span in spans:
        kept = nsmallest(_KEPT_CANDIDATES, span.candidates, key=distant)
        yield replace(span, candidates=tuple(sorted(kept, key=lambda candidate: candidate.cost)))


def _spellings(token: Token, lexicon: Lexicon) -> tuple[_Spelling, ...]:
    """A word as it stands or, when it is unknown, as the known words it resembles or is short for."""
    plain = (_Spelling(token.word),)
    if token.kind != "word" or lexicon.means_by_itself(token.word):
        return plain
    within_values = lexicon.knows(token.word)  # "blood" of a "blood count" may be of a `bld_grp` too
    corrected = () if within_values else lexicon.corrections(token.word)
    meant = corrected or lexicon.short_forms.in_names(token.word)
    others = tuple(_Spelling(word, _TYPO_COST, f"“{token.text}” was read as “{word}”", not corrected) for word in meant)
    return (*plain, *others) if within_values else others or plain


def _phrase_candidates(
    tokens: tuple[Token, ...], spellings: tuple[tuple[_Spelling, ...], ...], lexicon: Lexicon
) -> Iterator[Candidate]:
    if tokens[0].kind == "name":
        yield from spelled_with_its_kind(tokens, lexicon)
    if any(token.kind in {"quoted", "name"} for token in tokens):
        return
    cues = cue_table().by_phrase
    for variant in product(*spellings):
        phrase = tuple(spelling.word for spelling in variant)
        typo_cost = sum(spelling.cost for spelling in variant)
        note = "; ".join(spelling.note for spelling in variant if spelling.note)
        said = () if any(spelling.of_a_name for spelling in variant) else cues.get(phrase, ())  # an owner of "own"
        if is_the_house(phrase, lexicon):
            yield Candidate(Cue("filler"), typo_cost + _FILLER_COST, note)
        named = any(isinstance(c.meaning, Figure) and c.cost < WHOLE_NAME for c in lexicon.names(phrase))
        for cue in said:
            as_figure = _CUE_FOR_A_FIGURE_COST * (named and isinstance(cue, Cue) and cue.kind == "amount")
            yield Candidate(cue, typo_cost + _cue_cost(cue) + as_figure, note)
        if _may_be_name(tokens):
            plain = any(isinstance(cue, Cue) for cue in said)
            common = plain or (phrase not in cues and len(phrase) == 1 and phrase[0] in cue_table().words)
            verbs = bool(said) and all(isinstance(c, Cue) and c.kind == "have" for c in said)
            is_cue = _VALUE_FOR_A_THING_COST if verbs else _COMMON_WORD_COST if common else 0.0
            in_full = len(variant) == 1 and variant[0].of_a_name
            names = lexicon.names_in_full(phrase) if in_full else lexicon.names(phrase)
            is_step = _VALUE_FOR_A_THING_COST * any(isinstance(cue, Step) for cue in said)
            is_thing = _VALUE_FOR_A_THING_COST * any(isinstance(found.meaning, Thing) for found in names)
            is_named = _VALUE_FOR_A_THING_COST * any(found.cost < WHOLE_NAME for found in names)
            is_figure = _COLUMN_FOR_A_FIGURE_COST * any(isinstance(found.meaning, Figure) for found in names)
            for found in names:
                whole = isinstance(found.meaning, Figure) and found.cost < WHOLE_NAME
                preferred = _FIGURE_BONUS * max(1, len(phrase) - 1) if whole else 0.0
                as_value = is_cue * lexicon.is_flag(found.meaning)  # as dear as a value of the same word
                cost = found.cost + NAME_COST + typo_cost + is_step + is_figure + as_value - preferred
                yield Candidate(found.meaning, min(cost, _cost_of_silence(phrase)) if whole else cost, note)
            for found in lexicon.stored(phrase):
                short = _COMMON_WORD_COST if len(phrase) == 1 and len(phrase[0]) == 1 else 0.0
                other = max(is_cue, is_step, short, is_thing, is_named if found.cost >= _BY_STEM else 0.0)
                yield Candidate(found.meaning, found.cost + NAME_COST + typo_cost + other, note)
        elif len(tokens) > 1 and tokens[-1].text == "A":  # "Fund A" ends in no article
            for found in lexicon.stored(phrase):
                yield Candidate(found.meaning, found.cost + NAME_COST + typo_cost, note)
        elif [token.word for token in tokens[1:-1]].count(",") == 1:  # "Rao, Asha", where names are kept so
            for found in lexicon.stored(tuple(word for word in phrase if word != ",")):
                if isinstance(found.meaning, Stored) and "," in str(found.meaning.value):
                    yield replace(found, cost=found.cost + NAME_COST)


def _cost_of_silence(phrase: tuple[str, ...]) -> float:
    """What it costs to read every word as saying nothing: "money in" as a name is worth more than that."""
    cues = cue_table().by_phrase
    silent = len(phrase) > 1 and all(Cue("filler") in cues.get((word,), ()) for word in phrase)
    return _FILLER_COST / 2 if silent else inf


def _may_be_name(tokens: tuple[Token, ...]) -> bool:
    """A name begins and ends with a word of its own, not with an article or a mark."""
    edges = (tokens[0], tokens[-1])
    return all(token.kind in {"word", "number"} for token in tokens) and not any(
        token.word in _EDGES and len(tokens) > 1 for token in edges
    )


def _cue_cost(cue: Cue | Step) -> float:
    if isinstance(cue, Step):
        return NAME_COST
    if cue.kind == "weak":
        return _WEAK_COST
    return _FILLER_COST if cue.kind in {"filler", "stop"} else _CUE_COST


def _single_candidates(token: Token, lexicon: Lexicon, *, known: bool) -> Iterator[Candidate]:
    if token.kind == "quoted":
        for found in lexicon.stored(words(token.text)):
            yield replace(found, cost=found.cost + NAME_COST)
        yield Candidate(Quote(token.text), NAME_COST + 0.1)
    elif token.kind == "name":
        yield from (replace(found, cost=found.cost + NAME_COST) for found in lexicon.spelled[token.word])
    elif not known and token.kind == "word":
        if lexicon.role_verbs.knows(token.word):
            yield Candidate(Cue("have"), _CUE_COST)
            return
        parts = lexicon.stored_by_part(token.word) or lexicon.stored_short(token.word)
        yield from (replace(found, cost=found.cost + NAME_COST) for found in parts)
        if not parts:
            yield Candidate(Unknown(token.text), UNKNOWN_COST)
    elif not known and token.kind == "mark" and token.word in _SILENT_MARKS:
        yield Candidate(Cue("filler"), _FILLER_COST)
    elif not known and token.kind == "mark":
        yield Candidate(Unknown(token.text), UNKNOWN_COST)


def _percentile(tokens: tuple[Token, ...], start: int) -> Candidate | None:
    """ "90th percentile of"."""
    digits = tokens[start].word.removesuffix("th").removesuffix("st").removesuffix("nd").removesuffix("rd")
    following = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if not digits.isdigit() or following != "percentile" or not 0 < int(digits) < 100:
        return None
    return Candidate(Cue("percentile", str(int(digits) / 100)), _CUE_COST)


def _dated_verb(tokens: tuple[Token, ...], start: int, lexicon: Lexicon, periods: PeriodReader) -> Iterator[Span]:
    """ "approved in May 2024", "opened before 2020": a verb that says which date the period after it is about."""
    after = start + 2 if [token.word for token in tokens[start + 1 : start + 2]] in _BEFORE_PERIODS else start + 1
    word = tokens[start].word
    named = lexicon.names((word,))
    fields = [c.meaning for c in named if isinstance(c.meaning, Attribute)]
    plain = len(fields) == len(named) and any(map(lexicon.is_figure, fields))
    found = lexicon.names((word, "date")) if plain and not word.endswith("ed") else ()
    found = tuple(
        c for c in found if c.cost < WHOLE_NAME and isinstance(c.meaning, Attribute) and lexicon.is_time(c.meaning)
    )  # "instalments due next month"
    found = found if named else lexicon.date_of(word)
    if found and after < len(tokens) and periods.read(tokens, after) is not None:
        yield _span(tokens, start, start + 1, [replace(item, cost=item.cost + NAME_COST) for item in found])


def _begins_a_name(tokens: tuple[Token, ...], start: int, lexicon: Lexicon) -> bool:
    """Tell whether a unit is the first word of a field that is named in full."""
    for end in range(start + 2, min(start + _LONGEST_NAME, len(tokens)) + 1):
        found = lexicon.names(tuple(token.word for token in tokens[start:end]))
        if any(isinstance(c.meaning, Attribute) and c.cost < WHOLE_NAME for c in found):
            return True
    return False


def _measured_spans(tokens: tuple[Token, ...], start: int, lexicon: Lexicon, periods: PeriodReader) -> Iterator[Span]:
    number = number_at(tokens, start)
    if number is not None and tokens[start].word != ".":
        end, value = number
        if value.unit is not None and _begins_a_name(tokens, end - 1, lexicon):
            end, value = end - 1, replace(value, unit=None)  # "90 days past due", where that is a column
        yield _span(tokens, start, end, [Candidate(value, NAME_COST + 0.05)])
    percentile = _percentile(tokens, start)
    if percentile is not None:
        yield _span(tokens, start, start + 2, [percentile])
    period = periods.read(tokens, start)
    if period is not None:
        end, days = period
        yield _span(tokens, start, end, [Candidate(days, NAME_COST)])

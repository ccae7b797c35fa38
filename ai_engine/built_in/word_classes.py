"""What one word cannot be where it stands: a noun after its subject, a verb after an article, a ranking after "at"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf

from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Attribute, Candidate, Cue, CueKind, Stored, Thing, Unknown
from ai_engine.built_in.tokens import Token
from ai_engine.semantics.words import stem, words

UNKNOWN_COST = 4.0
_ARTICLES = {"a", "an", "the", "any", "each", "every"}
_DOING = frozenset({"do", "does", "did"})
_ASKED = frozenset("i you we they it me us".split())
_ENDS = frozenset({",", ".", ";", ":", "?", "and", "or"})
_ENTERING = frozenset({"log", "logs", "logged", "logging", "sign", "signs", "signed", "signing"})
_MOVING = frozenset(
    """paid pay pays paying payment payments money went go goes going gone sent send sends transferred moved moving
    transfers transactions amount amounts flowed flowing""".split()
)
_HOW_MUCH = ("how", "much")
_WAS = frozenset({"was", "were", "is", "has", "got"})
_BEFORE_VERBS = frozenset("who that which we they i you to do does did can could will would must".split())
_WHOSE = {"the", "our", "this", "my", "your"}
_HOUSES = {
    *((word,) for word in "bank company institution organisation organization firm insurer business".split()),
    *((word,) for word in "cooperative society lender brokerage corporation enterprise".split()),
    *(("credit", "union"), ("building", "society"), ("co", "op"), ("co", "operative")),
}
NAME_COST = 0.25
_KINDS_OF_TIMES = {"date", "dates", "time", "day", "year"}
_KINDS_OF_NAMES = _KINDS_OF_TIMES | {"column", "field", "value", "values", "table"}


def in_their_place(
    tokens: tuple[Token, ...], start: int, candidates: list[Candidate], lexicon: Lexicon
) -> list[Candidate]:
    """Leave out what the word at `start` cannot mean there; one that means nothing else is unknown."""
    kept = _requests(tokens, start, _entering(tokens, start, candidates))
    kept = _bounds(tokens, start, _nouns(tokens, start, _verbs(tokens[start], kept, lexicon)))
    kept = _counts(tokens, start, _comparisons(tokens, start, kept))
    kept = _amounts(tokens, start, _ways(tokens, start, _beginnings(tokens, start, kept, lexicon)), lexicon)
    kept = _grouped(tokens, start, _kinds(tokens, start, kept, lexicon), lexicon)
    return kept or [Candidate(Unknown(tokens[start].text), UNKNOWN_COST)] * bool(candidates)


def behind_their_number(
    tokens: tuple[Token, ...], start: int, end: int, candidates: list[Candidate]
) -> list[Candidate]:
    """ "20 employees or over 2 million" are two bounds; "2 million or over" is one."""
    if tokens[start].word != "or" or end == len(tokens) or tokens[end].kind != "number":
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "compare")]


def _requests(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "who does Ann report to", "clerks who report to Ann": a verb of the sentence, and no wish of who asks."""
    clause = [token.word for token in tokens[:start]]
    clause = clause[max((at + 1 for at, word in enumerate(clause) if word in _ENDS), default=0) :]
    done = any(word in _DOING and clause[at + 1] not in _ASKED for at, word in enumerate(clause[:-1]))
    to_whom = [token.word for token in tokens[start + 1 : start + 3]]
    told = bool(clause) and tokens[start].word == "report" and to_whom[:1] == ["to"] and not _ASKED & {*to_whom}
    return _without(candidates, "list") if done or told else candidates


def _entering(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "logged in to the app": who does that has lodged nothing in it."""
    following = [token.word for token in tokens[start + 1 : start + 3]]
    enters = following[:1] in (["into"], ["onto"]) or following in (["in", "to"], ["on", "to"])
    return _without(candidates, "have") if enters and tokens[start].word in _ENTERING else candidates


def _without(candidates: list[Candidate], kind: CueKind) -> list[Candidate]:
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == kind)]


def _verbs(token: Token, candidates: list[Candidate], lexicon: Lexicon) -> list[Candidate]:
    """ "who hold X": a verb that shares no more than its stem with a noun is no "holding"."""
    if not any(isinstance(c.meaning, Cue) and c.meaning.kind == "have" for c in candidates):
        return candidates
    return [c for c in candidates if not isinstance(c.meaning, Thing) or lexicon.is_noun(token.word, c.meaning)]


def _nouns(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "had an offer": after an article the word is the thing, not the verb."""
    things = [found for found in candidates if isinstance(found.meaning, Thing)]
    if not start or tokens[start - 1].word not in _ARTICLES or not things:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind in {"have", "list"})]


def _bounds(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "at least one", "at most 3": a bound, and no ranking."""
    word, before = tokens[start].word, tokens[start - 1].word if start else ""
    if before != "at" or word not in {"least", "most"}:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "superlative")]


def _comparisons(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "is different from": what differs is compared, and not counted once."""
    following = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if tokens[start].word != "different" or following not in {"from", "to", "than"}:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "distinct")]


def _counts(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "number of accounts" counts them: before "of" the word does not merely name a number."""
    following = [token.word for token in tokens[start + 1 : start + 3]]
    if tokens[start].word not in {"number", "count"} or following[:1] != ["of"] or len(following) == 1:
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "weak")]


def _beginnings(
    tokens: tuple[Token, ...], start: int, candidates: list[Candidate], lexicon: Lexicon
) -> list[Candidate]:
    """ "no payment since May" begins a period; the day "customer since" is said behind its noun."""
    before = stem(tokens[start - 1].word) if start else ""
    if tokens[start].word != "since":
        return candidates
    return [
        c
        for c in candidates
        if not isinstance(c.meaning, Attribute)
        or len(label := words(lexicon.model.dataset(c.meaning.dataset).field(c.meaning.field).label)) == 1
        or before in map(stem, label)
    ]


def _ways(tokens: tuple[Token, ...], start: int, candidates: list[Candidate]) -> list[Candidate]:
    """ "payments IN", "paid out", where a direction is stored so, and not "payments in May"."""
    token, before = tokens[start], tokens[start - 1].word if start else ""
    if token.word not in {"in", "out"} or not any(isinstance(c.meaning, Stored) for c in candidates):
        return candidates
    if token.text.isupper() or (token.word == "out" and before in _MOVING):
        return [c for c in candidates if isinstance(c.meaning, Stored)]
    ends = start + 1 == len(tokens) or tokens[start + 1].word in _ENDS
    return candidates if ends else [c for c in candidates if not isinstance(c.meaning, Stored)]


def _amounts(tokens: tuple[Token, ...], start: int, candidates: list[Candidate], lexicon: Lexicon) -> list[Candidate]:
    """ "how much was paid": the paid amount, where one is kept beside a state that is called so."""
    before = [token.word for token in tokens[max(start - len(_HOW_MUCH) - 1, 0) : start]]
    if tuple(before[:-1]) != _HOW_MUCH or before[-1] not in _WAS:
        return candidates
    told = {c.meaning.dataset for c in candidates if isinstance(c.meaning, Attribute) and lexicon.is_figure(c.meaning)}
    return [c for c in candidates if not (isinstance(c.meaning, Stored) and c.meaning.dataset in told)]


def _kinds(tokens: tuple[Token, ...], start: int, candidates: list[Candidate], lexicon: Lexicon) -> list[Candidate]:
    """ "the most sell orders": right before the noun of its rows a value is their kind, and no verb."""
    before = tokens[start - 1].word if start else ""
    held = {c.meaning.dataset for c in candidates if isinstance(c.meaning, Stored)}
    if not held or before in _BEFORE_VERBS or start + 1 == len(tokens):
        return candidates
    noun = tokens[start + 1].word
    named = (c.meaning for c in lexicon.names((noun,)) if isinstance(c.meaning, Thing))
    if not any(thing.dataset in held and lexicon.is_noun(noun, thing) for thing in named):
        return candidates
    return [c for c in candidates if not (isinstance(c.meaning, Cue) and c.meaning.kind == "have")]


def _grouped(tokens: tuple[Token, ...], start: int, candidates: list[Candidate], lexicon: Lexicon) -> list[Candidate]:
    """ "spending by branch" goes by branches, and not through the channel that is called so."""
    before, word = tokens[start - 1].word if start else "", tokens[start].word
    if before not in {"by", "per"}:
        return _values(candidates)
    things = (c.meaning for c in candidates if isinstance(c.meaning, Thing))
    if not any(lexicon.is_noun(word, thing) for thing in things):
        return candidates
    return [found for found in candidates if not isinstance(found.meaning, Stored)]


def _values(candidates: list[Candidate]) -> list[Candidate]:
    """ "NPA by branch", where the NPA status may be NPA: the value, and no half of its column's name."""
    held = {(c.meaning.dataset, c.meaning.field): c.cost for c in candidates if isinstance(c.meaning, Stored)}

    def is_half_a_name(found: Candidate) -> bool:
        meant = found.meaning
        if not isinstance(meant, Attribute) or meant.grain is not None:
            return False
        return found.cost > held.get((meant.dataset, meant.field), inf)

    return [found for found in candidates if not is_half_a_name(found)]


def is_the_house(phrase: tuple[str, ...], lexicon: Lexicon) -> bool:
    """ "the bank", where nothing is called so: whose data this is, which narrows nothing."""
    whose, house = phrase[:1], phrase[1:]
    if not (_WHOSE.issuperset(whose) and house in _HOUSES):
        return False
    return not (lexicon.names(house) or lexicon.stored(house) or lexicon.values.by_part(house[0]))


def spelled_with_its_kind(tokens: tuple[Token, ...], lexicon: Lexicon) -> Iterator[Candidate]:
    """ "Valid_To date", "the column Valid_To"."""
    kind = tokens[1].word if len(tokens) == 2 else ""
    for found in lexicon.spelled[tokens[0].word] if kind in _KINDS_OF_NAMES else ():
        is_time = isinstance(found.meaning, Attribute) and lexicon.is_time(found.meaning)
        if is_time or kind not in _KINDS_OF_TIMES:
            yield replace(found, cost=found.cost + NAME_COST)

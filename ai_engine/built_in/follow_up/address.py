"""How a question leans on the one before: the words of talk are taken off, and what they ask for is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Literal, TypeAlias

import yaml

from ai_engine.built_in.tokens import Token, tokenise

Lean: TypeAlias = Literal[
    "strong",  # "what about", "same for", "instead": never a question of its own
    "soft",  # "and", "also", "now": may begin a new question
    "pronoun",  # "them", "those", "it"
    "add",  # "too", "as well", "also by": beside what is there
    "beside",  # "add the buyer", "also show the buyer": never a question of its own
    "again",  # "with the failed ones again"
    "of_each",  # "what percentage is that of their loans": of the loans of each that is shown
    "latest",  # "sort by that": by the figure that came last
    "only",
    "deeper",  # "break it down": one more grouping
    "exclude",
    "unfilter",  # "without the filter"
    "everything",  # "all cities", "regardless of status"
    "unlimited",  # "show all", "the rest": of the rows shown before
    "all_time",
    "compare",
    "reverse",
    "rows",  # "the list", "the details"
    "people",  # "who are they"
    "back",  # to what was asked before the last question
    "month_before",  # "the month before": counted from the period of the question before
    "quarter_before",
    "year_before",
    "period_before",
    "same_days",  # "in the same months of 2025": the stretch of the question before, in another year
    "those_days",  # "for that quarter": those of the question before, whatever else changes
    "earlier_days",  # "for that earlier quarter": the earlier of the two that were asked about last
    "of_a_month",
    "of_a_quarter",
    "of_a_year",
    "altogether",  # over all the groups that were shown
    "both",  # this and what was asked before it
]
Phrases: TypeAlias = Mapping[str, tuple[Lean, ...]]
_FILE = Path(__file__).with_name("address.yaml")
# Those that may as well point back to a name in the same question: "customers and their loans".
_POINTING = frozenset("they them those these it that their its".split())
_KEPT_IN_TEXT = frozenset({"exclude", "excluding", "compared", "versus", "vs", "against"})
_NEGATING: frozenset[Lean] = frozenset({"exclude"})
_QUANTIFIERS = frozenset({"all", "any", "both", "every", "each"})
_DO = frozenset({"do", "did"})
_HOLDING = frozenset({"have", "has", "had", "hold", "own", "with", "without"})
_SHARES = frozenset({"share", "shares", "percentage", "percentages", "percent", "%", "proportion"})
_WHOLE = tuple(tuple(end.split()) for end in ("of the total", "of total", "of the whole", "of the grand total"))
_ALL_OF_THEM = re.compile(
    r"(?:(?:can you |could you |please |now )?(?:show|list|give|see|display|get)(?: me| us)? )?"
    r"(?:all|everything|them all|all of (?:them|those|these)|(?:all )?the rest(?: of (?:them|those|these|it))?"
    r"|(?:all )?the others?|(?:all|all the|the other|the remaining) (?:rows|results|records|entries)"
    r"|all of them again"
    r"|the (?:whole|full|complete|entire) (?:list|table|result)|more(?: rows| results| of (?:them|those|these))?)"
)
_WITHOUT = frozenset({"without", "no", "exclude"})
_LONGEST = 6
_BEHIND_BOTH = frozenset("for by per in at of together split as side broken over with".split())
_ASKING = frozenset({"which", "what"})
_PLEASE = frozenset({"please", "pls", "plz"})
_ASKED_OF = (("how", "many"), ("how", "much"), ("which",))
_AFTER_UNSAID = frozenset("are is was were have has had of in by via from for with on at".split())
_OPENERS = frozenset(
    "how what which who whom whose where when show list give get find tell display count is are do does".split()
)


@cache
def _phrases() -> Mapping[Literal["at_the_start", "anywhere", "around"], Phrases]:
    """The talk by where it stands, read on first use."""
    read = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {
        where: {
            phrase: tuple(lean for lean in leans.split(", ") if lean != "nothing")
            for leans, phrases in found.items()
            for written in phrases.split(" | ")
            for phrase in _ways_to_say(written)
        }
        for where, found in read.items()
    }


def _ways_to_say(written: str) -> list[str]:
    """Every phrase that one with choices in brackets stands for."""
    parts = re.split(r"\[(.*?)\]", written)
    choices = [[part] if place % 2 == 0 else part.split("/") for place, part in enumerate(parts)]
    optional = [[*found, ""] if any(one != one.strip() for one in found) else found for found in choices[1::2]]
    choices[1::2] = optional
    return ["".join(chosen) for chosen in product(*choices)]


@dataclass(frozen=True)
class Address:
    """What is left of a question when the talk is taken off.

    Attributes:
        leans: what the talk asked for.
        rest: the words that remain, in order.
        opens_itself: what remains begins like a question of its own ("how many ...", "show ...").
    """

    leans: frozenset[Lean]
    rest: tuple[Token, ...]
    opens_itself: bool

    def has(self, *leans: Lean) -> bool:
        """Tell whether any of these was said."""
        return not self.leans.isdisjoint(leans)

    @property
    def leaves_noun_out(self) -> bool:
        """ "how many are blocked", "which has the most loans": what they are was said before."""
        words = [token.word for token in self.rest]
        start = next((len(asked) for asked in _ASKED_OF if tuple(words[: len(asked)]) == asked), 0)
        return bool(start) and start < len(words) and words[start] in _AFTER_UNSAID

    @property
    def names_all(self) -> bool:
        """ "back to all cities": of what is shown now, and not of what was asked before."""
        return len(self.rest) > 1 and self.rest[0].word == "all"

    @property
    def text(self) -> str:
        """The remaining words as a question for the reader."""
        return " ".join(f'"{token.text}"' if token.kind == "quoted" else token.text for token in self.rest)


def may_point_back(tokens: tuple[Token, ...]) -> bool:
    """Tell whether a word stands there that may point back to a name in the same question."""
    return any(token.word in _POINTING for token in tokens)


def address(tokens: tuple[Token, ...], first_name: int, noun: str = "") -> Address:
    """Take the talk off a question.

    Args:
        tokens: the question.
        first_name: index of the first token that names something; a pronoun after it points back to that name.
            Without a pronoun it is not looked at.
        noun: what the question before was about, said where a pronoun has something: "how many of them have a loan".
    """
    tokens = _without_whole(_without_please(tokens))
    if _ALL_OF_THEM.fullmatch(" ".join(token.word for token in tokens if token.kind != "mark")):
        return Address(frozenset({"strong", "unlimited"}), (), opens_itself=False)
    leans: set[Lean] = set()
    rest: list[Token] = []
    tokens, place = _without_start(tokens, leans, rest), 0
    opens_itself = bool(tokens) and tokens[0].word in _OPENERS
    while place < len(tokens):
        length, found = _talk_at(tokens, place)
        if found == ("strong",) and tokens[place + 1 : place + 2] and tokens[place + 1].word == "of":
            leans.update(found)  # what stands behind it is what goes
            rest.append(tokens[place])
            place += 1
            continue
        points_inside = "pronoun" in found and place > first_name
        points_inside &= not _POINTING.isdisjoint(token.word for token in tokens[place : place + length])
        if length and not points_inside:
            leans.update(found)
            if not _NEGATING.isdisjoint(found):
                rest.append(Token("exclude", "exclude", "word"))
            elif "pronoun" in found and place + length < len(tokens) and tokens[place + length].word in _HOLDING:
                if len(rest) > 1 and rest[-1].word in _DO:  # "how many cards do they hold": the cards of those
                    rest.pop()
                    place += 1
                else:
                    rest.extend(tokenise(noun))
            elif tokens[place].word in _KEPT_IN_TEXT:
                rest.extend(tokens[place : place + length])
            place += length
            continue
        if tokens[place].word == "one" and place == len(tokens) - 1 and place:
            leans.add("pronoun")
            place += 1
            continue
        if tokens[place].word == "then" and place and _ends_here(tokens, place + 1):
            leans.add("strong")  # "which city then, for the south"
            rest.extend(tokens[place : place + 1] if rest and rest[0].word in _ASKING else ())
            place += 1
            continue
        if tokens[place].word in _QUANTIFIERS:
            leans.add("everything")
        if tokens[place].word == "only":
            behind = place == len(tokens) - 1 and not opens_itself  # "active policies only"
            leans.update(("only", "soft") if behind else ("only",))
        rest.append(tokens[place])
        place += 1
    if "unfilter" in leans:
        rest = [token for token in rest if token.word not in _WITHOUT]
    told = _said_alone(tuple(rest), leans)
    return Address(frozenset(leans), told, opens_itself)


def _said_alone(rest: tuple[Token, ...], leans: set[Lean]) -> tuple[Token, ...]:
    """ "as a percentage of all loans" says of the question before; "and May?" is a month, where nothing may be done."""
    said = [token.word for token in rest]
    if said[:1] == ["as"] and not _SHARES.isdisjoint(said[1:3]):
        leans.add("strong")
    return (Token("in", "in", "word"), *rest) if said == ["may"] else rest


def _without_please(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    while len(tokens) > 1 and (tokens[-1].word in _PLEASE or tokens[-1].kind == "mark"):
        tokens = tokens[:-1]
    return tokens


def _taken_from_around(tokens: tuple[Token, ...], leans: set[Lean], rest: list[Token]) -> tuple[Token, ...]:
    """ "leave the cancelled ones out", "how does 2024 look": talk before and behind what it is about."""
    said = [token.word for token in tokens]
    for phrase, found in _phrases()["around"].items():
        before, behind = (part.split() for part in phrase.split("..."))
        stops = [at for at, token in enumerate(tokens) if token.kind == "mark" and len(tokens) > at + 1] + [len(said)]
        end = next((at for at in stops if said[at - len(behind) : at] == behind), 0)
        plain = bool(before) or ("only" not in leans and end <= stops[0])  # not "only those excluded"
        if end > len(before) + len(behind) and said[: len(before)] == before and plain:
            leans.update(found)
            if not _NEGATING.isdisjoint(found):
                rest.append(Token("exclude", "exclude", "word"))
            return (*tokens[len(before) : end - len(behind)], *tokens[end:])
    return tokens


def _without_whole(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "as a share of the total": a share is of the total anyway."""
    said = tuple(token.word for token in tokens)
    ending = next((end for end in _WHOLE if said[-len(end) :] == end), ())
    return tokens[: len(tokens) - len(ending)] if ending and not _SHARES.isdisjoint(said) else tokens


def _without_start(tokens: tuple[Token, ...], leans: set[Lean], rest: list[Token]) -> tuple[Token, ...]:
    place = 0
    while place < len(tokens):
        within = _taken_from_around(tokens[place:], leans, rest)
        if len(within) < len(tokens) - place:
            tokens, place = within, 0
            continue
        if tokens[place].kind == "mark":
            place += 1
            continue
        anywhere, _ = _longest(tokens, place, _phrases()["anywhere"])
        length, found = _longest(tokens, place, _phrases()["at_the_start"])
        if tokens[place].word == "both" and (_ends_here(tokens, place + 1) or tokens[place + 1].word in _BEHIND_BOTH):
            leans.update(("strong", "both"))
            place += 1 + (tokens[place + 1 : place + 2] != () and tokens[place + 1].word == "together")
            continue
        if not length or anywhere > length or tokens[place].word in _OPENERS & {"show"}:
            break
        leans.update(found)
        place += length
        if not _NEGATING.isdisjoint(found):
            rest.append(Token("exclude", "exclude", "word"))
    return tokens[place:]


def _talk_at(tokens: tuple[Token, ...], place: int) -> tuple[int, tuple[Lean, ...]]:
    length, found = _longest(tokens, place, _phrases()["anywhere"])
    if "altogether" in found and not (_ends_here(tokens, place + length) or tokens[place + length].word == "instead"):
        return 0, ()  # "in all cities", "above the overall average"
    return length, found


def _ends_here(tokens: tuple[Token, ...], place: int) -> bool:
    return place >= len(tokens) or tokens[place].kind == "mark"


def _longest(tokens: tuple[Token, ...], place: int, phrases: Phrases) -> tuple[int, tuple[Lean, ...]]:
    for length in range(min(_LONGEST, len(tokens) - place), 0, -1):
        window = tokens[place : place + length]
        if all(token.kind == "word" for token in window):
            phrase = " ".join(token.word for token in window)
            if phrase in phrases:
                return length, phrases[phrase]
    return 0, ()

"""How a question leans on the one before: the words of talk are taken off, and what they ask for is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ai_engine.built_in.tokens import Token, tokenise

Lean: TypeAlias = Literal[
    "strong",  # "what about", "same for", "instead": never a question of its own
    "soft",  # "and", "also", "now": may begin a new question
    "pronoun",  # "them", "those", "it"
    "add",  # "too", "as well", "also by": beside what is there
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
    "month_before",  # "the month before": counted from the period of the question before
    "quarter_before",
    "year_before",
    "period_before",
]
_AT_THE_START: dict[str, tuple[Lean, ...]] = {
    "and": ("soft",), "also": ("soft", "add"), "now": ("soft",), "then": ("soft",), "but": ("soft",), "so": (),
    "ok": (), "okay": (), "well": (), "please": (), "actually": ("soft",), "no": ("soft",), "next": ("soft",),
    "and then": ("soft",), "and now": ("soft",), "and also": ("soft", "add"), "just": ("soft", "only"),
    "only": ("soft", "only"), "and only": ("soft", "only"), "again": ("strong",), "sorry": (), "i meant": ("strong",),
    "i mean": ("strong",), "what about": ("strong",), "how about": ("strong",), "and what about": ("strong",),
    "and how about": ("strong",), "what about for": ("strong",), "same": ("strong",), "the same": ("strong",),
    "same thing": ("strong",), "the same thing": ("strong",), "do the same": ("strong",), "make it": ("strong",),
    "make that": ("strong",), "change it to": ("strong",), "change that to": ("strong",), "change to": ("strong",),
    "switch to": ("strong",), "switch it to": ("strong",), "can you": (), "could you": (), "can we": (), "let s": (),
    "let us": (), "add": ("soft", "add"), "include": ("soft", "add"), "and for": ("strong",), "limit to": ("only",),
    "limit it to": ("strong", "only"), "restrict to": ("strong", "only"), "restrict it to": ("strong", "only"),
    "narrow to": ("strong", "only"), "narrow it down to": ("strong", "only"), "narrow down to": ("strong", "only"),
    "filter by": ("strong",), "filter to": ("strong",), "filter for": ("strong",), "filter on": ("strong",),
    "keep only": ("strong", "only"), "keep": ("strong", "only"), "show only": ("soft", "only"), "group": (),
    "group it": ("strong",), "group them": ("strong",), "show": (), "instead show": ("strong",), "see": (),
    "remove": ("strong", "exclude"), "drop": ("strong", "exclude"), "leave out": ("strong", "exclude"),
    "take out": ("strong", "exclude"), "hide": ("strong", "exclude"), "omit": ("strong", "exclude"),
    "get rid of": ("strong", "exclude"), "ignore": ("strong", "exclude"), "forget": ("strong", "exclude"),
    "clear": ("strong", "exclude"),
    "skip": ("strong", "exclude"), "discard": ("strong", "exclude"), "break down": ("soft", "deeper"),
    "broken down": ("soft", "deeper"), "split": ("soft", "deeper"), "reverse": ("strong", "reverse"),
    "reverse the order": ("strong", "reverse"),
}  # fmt: skip
_ANYWHERE: dict[str, tuple[Lean, ...]] = {
    "the month before": ("month_before",), "the previous month": ("month_before",),
    "the prior month": ("month_before",), "the quarter before": ("quarter_before",),
    "the previous quarter": ("quarter_before",), "the prior quarter": ("quarter_before",),
    "the year before": ("year_before",), "the previous year": ("year_before",), "the prior year": ("year_before",),
    "a year earlier": ("year_before",), "the same period last year": ("year_before",),
    "the period before": ("period_before",), "the previous period": ("period_before",),
    "instead": ("strong",), "too": ("add",), "as well": ("add",), "in addition": ("add",),
    "instead of that": ("strong",),  "break it down": ("strong", "deeper"),
    "break that down": ("strong", "deeper"), "break this down": ("strong", "deeper"),
    "break them down": ("strong", "deeper"), "drill down": ("strong", "deeper"),
    "split it": ("strong", "deeper"), "split that": ("strong", "deeper"),
    "split this": ("strong", "deeper"), "split them": ("strong", "deeper"), "further": ("deeper",),
    "additionally": ("add",),
    "of them": ("pronoun",), "of those": ("pronoun",), "of these": ("pronoun",), "among them": ("pronoun",),
    "among those": ("pronoun",), "among these": ("pronoun",), "from those": ("pronoun",), "for those": ("pronoun",),
    "on those": ("pronoun",), "on these": ("pronoun",), "on them": ("pronoun",), "in those": ("pronoun",),
    "in these": ("pronoun",), "in them": ("pronoun",), "to them": ("pronoun",), "for these": ("pronoun",),
    "for them": ("pronoun",), "for that": ("pronoun",), "for it": ("pronoun",), "of that": ("pronoun",),
    "of it": ("pronoun",), "they": ("pronoun",), "them": ("pronoun",), "those": ("pronoun",), "these": ("pronoun",),
    "it": ("pronoun",), "that": ("pronoun",), "ones": ("pronoun",), "their": ("pronoun",),
    "its": ("pronoun",), "the ones": ("pronoun",), "the result": ("pronoun",), "the results": ("pronoun",),
    "exclude": ("exclude",), "excluding": ("exclude",),



    "filter": ("unfilter",), "filters": ("unfilter",), "condition": ("unfilter",), "conditions": ("unfilter",),
    "restriction": ("unfilter",), "restrictions": ("unfilter",),
    "regardless of": ("strong", "everything"), "irrespective of": ("strong", "everything"),
    "all time": ("all_time",), "any time": ("all_time",), "all periods": ("all_time",), "all dates": ("all_time",),
    "all years": ("all_time",), "all months": ("all_time",), "the whole period": ("all_time",),
    "since the beginning": ("all_time",), "from the beginning": ("all_time",), "any period": ("all_time",),
    "compare": ("compare",), "compare it": ("strong", "compare"), "compare that": ("strong", "compare"),
    "compare them": ("strong", "compare"), "compare this": ("strong", "compare"), "compared": ("compare",),
    "versus": ("compare",), "vs": ("compare",), "against": ("compare",),

    "the other way round": ("strong", "reverse"), "the details": ("rows",), "details": ("rows",), "the rows": ("rows",),
    "the list": ("rows",), "the records": ("rows",), "the full list": ("rows",), "individual rows": ("rows",),
    "as a list": ("strong", "rows"), "as list": ("strong", "rows"), "who are they": ("pronoun", "rows", "people"),
    "which are they": ("pronoun", "rows"), "which ones": ("pronoun", "rows"), "list them": ("pronoun", "rows"),
    "which ones are they": ("pronoun", "rows"), "what are they": ("pronoun", "rows"),
    "show them": ("pronoun", "rows"), "show me them": ("pronoun", "rows"), "name them": ("pronoun", "rows"),
    "who are those": ("pronoun", "rows", "people"), "show those": ("pronoun", "rows"),
}  # fmt: skip
# Those that may as well point back to a name in the same question: "customers and their loans".
_POINTING = frozenset("they them those these it that their its".split())
_KEPT_IN_TEXT = frozenset({"exclude", "excluding", "compared", "versus", "vs", "against"})
_NEGATING: frozenset[Lean] = frozenset({"exclude"})
_QUANTIFIERS = frozenset({"all", "any", "every", "each"})
_DO = frozenset({"do", "did"})
_HOLDING = frozenset({"have", "has", "had", "hold", "own", "with", "without"})
_SHARES = frozenset({"share", "shares", "percentage", "percentages", "percent", "%", "proportion"})
_WHOLE = tuple(tuple(end.split()) for end in ("of the total", "of total", "of the whole", "of the grand total"))
_ALL_OF_THEM = re.compile(
    r"(?:(?:can you |could you |please |now )?(?:show|list|give|see|display|get)(?: me| us)? )?"
    r"(?:all|everything|them all|all of (?:them|those|these)|(?:all )?the rest(?: of (?:them|those|these|it))?"
    r"|(?:all )?the others?|(?:all|all the|the other|the remaining) (?:rows|results|records|entries)"
    r"|the (?:whole|full|complete|entire) (?:list|table|result)|more(?: rows| results| of (?:them|those|these))?)"
)
_LONGEST = 5
_ASKED_OF = (("how", "many"), ("how", "much"), ("which",))
_AFTER_UNSAID = frozenset("are is was were have has had of in by via from for with on at".split())
_OPENERS = frozenset(
    "how what which who whom whose where when show list give get find tell display count is are do does".split()
)


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
    tokens = _without_whole(tokens)
    if _ALL_OF_THEM.fullmatch(" ".join(token.word for token in tokens if token.kind != "mark")):
        return Address(frozenset({"strong", "unlimited"}), (), opens_itself=False)
    leans: set[Lean] = set()
    rest: list[Token] = []
    place = _strip_start(tokens, leans, rest)
    opens_itself = place < len(tokens) and tokens[place].word in _OPENERS
    while place < len(tokens):
        length, found = _longest(tokens, place, _ANYWHERE)
        points_inside = place > first_name and not _POINTING.isdisjoint(t.word for t in tokens[place : place + length])
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
        if tokens[place].word in _QUANTIFIERS:
            leans.add("everything")
        if tokens[place].word == "only":
            leans.add("only")
        rest.append(tokens[place])
        place += 1
    return Address(frozenset(leans), tuple(rest), opens_itself)


def _without_whole(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """ "as a share of the total": a share is of the total anyway."""
    said = tuple(token.word for token in tokens)
    ending = next((end for end in _WHOLE if said[-len(end) :] == end), ())
    return tokens[: len(tokens) - len(ending)] if ending and not _SHARES.isdisjoint(said) else tokens


def _strip_start(tokens: tuple[Token, ...], leans: set[Lean], rest: list[Token]) -> int:
    place = 0
    while place < len(tokens):
        if tokens[place].kind == "mark":
            place += 1
            continue
        anywhere, _ = _longest(tokens, place, _ANYWHERE)
        length, found = _longest(tokens, place, _AT_THE_START)
        if not length or anywhere > length or tokens[place].word in _OPENERS & {"show"}:
            break
        leans.update(found)
        place += length
        if not _NEGATING.isdisjoint(found):
            rest.append(Token("exclude", "exclude", "word"))
    return place


def _longest(
    tokens: tuple[Token, ...], place: int, phrases: dict[str, tuple[Lean, ...]]
) -> tuple[int, tuple[Lean, ...]]:
    for length in range(min(_LONGEST, len(tokens) - place), 0, -1):
        window = tokens[place : place + length]
        if all(token.kind == "word" for token in window):
            phrase = " ".join(token.word for token in window)
            if phrase in phrases:
                return length, phrases[phrase]
    return 0, ()

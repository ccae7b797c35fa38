"""Numbers written in words: two million, three quarters, a third, half, dozen, ninety-nine point five per cent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ai_engine.insight.checking.figure import LARGEST_ROUNDING, SCALES, Figure, Kind, Reading, scale_of

_UNITS = {
    word: Decimal(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
} | dict.fromkeys(("nil", "nought", "naught"), Decimal(0))
_TENS = {
    word: Decimal(10 * value)
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
} | {"fourty": Decimal(40)}
DIGIT_WORDS = "|".join(("oh", *_UNITS, *_TENS))
"""What stands for digits behind a spoken point."""
_LONG_SCALES = frozenset(name for name in SCALES if len(name) > 3 or name == "lac")
_IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
} | {"twelve": "twelfth"}
_ORDINALS = {
    _IRREGULAR.get(word, f"{word.removesuffix('y')}ieth" if word.endswith("y") else f"{word}th"): value
    for word, value in (_UNITS | _TENS | {name: SCALES[name] for name in _LONG_SCALES}).items()
    if value > 1
}
_PARTS = {word: value for word, value in _ORDINALS.items() if value > 2} | {"half": Decimal(2), "quarter": Decimal(4)}
PARTS_OF_ONE = frozenset({*_PARTS} - {"half", "quarter"})
"""What a number in digits before it is no number of: "1 billionth"."""
_DECADES = frozenset(f"{word.removesuffix('y')}ies" for word in _TENS)
_TIMES: dict[str, Decimal | int] = {
    f"{start}up{end}": times
    for times, start in enumerate("quadr quint sext sept oct non dec".split(), 4)
    for end in ("le", "led", "les", "ling")
}
_TIMES |= {
    "twice": 2, "double": 2, "doubled": 2, "doubles": 2, "doubling": 2, "thrice": 3, "triple": 3, "tripled": 3,
    "triples": 3, "tripling": 3, "treble": 3, "trebled": 3,
    "halved": Decimal("0.5"), "halves": Decimal("0.5"), "halving": Decimal("0.5"),
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+")
_PERCENT = re.compile(r"\s*(?:%|-?per\s?cent\b|-?percentage\s+points?\b|-?pct\b)", re.IGNORECASE)
_MONEY_BEFORE = re.compile(r"(?:[(₹$€£]|Rs\.)\s*$")
_NO_NUMBER_BEFORE_ONE = frozenset("no each every any the this that which another".split())
_NO_NUMBER_AFTER_ONE = frozenset("of another or by can".split())
_UNITS_OF_AMOUNTS = frozenset("in rs inr per of".split())
_TIME_UNITS = frozenset("half quarter week month day year quarters months weeks days years".split())
_AFTER_A_QUARTER = frozenset("of are were have had hold default defaulted remain remained left".split())
"""What is said of a fourth part; of three months it is hardly."""
_PART_SLACK = Decimal("0.01")
_THING = (
    r"(?!other|more|further|figure|value|row|data|gap|change|table|column|field|name|word|date|period|question|answer"
    r"|trend|pattern|clear|single|longer|such|way|one\b)[a-z]+"
)
"""What a bank has some of; that there is no table, value or trend is no number."""
_NONE = re.compile(
    rf"\bthere\s+(?:are|were)\s+(?:no|not\s+any)\s+{_THING}|\bno\s+[a-z]+s\s+(?:exist|were\s+found|are\s+there)\b"
    r"|\bno\s+[a-z]+s\s+(?:have|had|hold|held)\b|\bnone\s+of\s+(?:the|our|them)\b|\bnot\s+(?:a\s+single|one)\b|\bnobody\b"
    rf"|:\s*none\b|\bwithout\s+any\s+{_THING}|\b(?:we\s+have|we\s+had|we\s+found|found|shows?|showed)\s+no\s+{_THING}"
    rf"|\b(?:is|are|was|were|has|have|had)(?:\s+not|n't)\s+(?:a|any)\s+{_THING}|(?:^|[.!?]\s+)no\s+{_THING}s(?=[.!?]|$)"
    r"|\bthere\s+(?:is|are|was|were)\s+(?:none|nothing)\b|\bnone\s+(?:is|are|was|were|remain\w*|ha[sd]|have|left)\b"
    r"|[:?.!]\s+(?:none|nothing)\s*(?=[.!:;,]|$)|\b(?:all|customers?|everyone)\s+(?:is|are)\s+gone\b"
    r"|\b(?:virtually|practically|hardly|barely|scarcely|almost|nearly|next\s+to)\s+(?:no|none|nil|nobody|any)\b"
    rf"|\bno\s+{_THING}\s+(?:remain|exist|survive|stay)(?:s|ed)?\b|\bnon-?existent\b"
    rf"|\bno\s+{_THING}\s+(?:at\s+all|(?:was|were|is|are|has|have|had)\b(?!\s+(?:left|missing|changed)))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    joined: bool  # to the word before, by nothing but a blank or a hyphen


def spelled_figures(text: str) -> Iterator[Figure]:
    """Find every number that is written in words, "none" too, in a text whose numbers in digits are left out."""
    for match in _NONE.finditer(text):
        yield Figure(match.group(), match.start(), match.end(), ((Reading(Decimal(0), Decimal(0)),),))
    words = list(_words(text))
    at = 0
    while at < len(words):
        taken = _figure_at(text, words, at)
        if taken is None:
            at += 1
            continue
        figure, at = taken
        if figure is not None:
            yield figure


def _words(text: str) -> Iterator[_Word]:
    last = 0
    for match in _WORD.finditer(text):
        between = text[last : match.start()]
        yield _Word(match.group().lower(), match.start(), match.end(), joined=between in {" ", "-", " - "})
        last = match.end()


def _figure_at(text: str, words: Sequence[_Word], at: int) -> tuple[Figure | None, int] | None:
    """Read the number that begins at a word; None where none does, no figure where it is no number here."""
    word = words[at].text
    if word in _TIMES:
        return _ratio(text, words, at, Decimal(_TIMES[word])), at + 1
    if word.endswith("fold") and word.removesuffix("fold") in _UNITS | _TENS | SCALES:
        return _ratio(text, words, at, (_UNITS | _TENS | SCALES)[word.removesuffix("fold")]), at + 1
    if word == "one" and _is_pronoun(words, at):
        return None, at + 1
    value, end = _cardinal(words, at)
    if value is None:
        return _other(text, words, at)
    part = _part_after(words, end, value)
    if part is not None:
        return _fraction(text, words, at, *part), part[1]
    return _cardinal_figure(text, words, at, end, value), end


def _is_pronoun(words: Sequence[_Word], at: int) -> bool:
    before = words[at - 1].text if at and words[at].joined else ""
    after = words[at + 1].text if at + 1 < len(words) and words[at + 1].joined else ""
    return before in _NO_NUMBER_BEFORE_ONE or after in _NO_NUMBER_AFTER_ONE


def _cardinal(words: Sequence[_Word], at: int) -> tuple[Decimal | None, int]:
    """Read "nine hundred and eighty-seven million", "two and a half crore", "ninety point five", "nine eight seven"."""
    total, current, begun, previous = Decimal(0), Decimal(0), False, ""
    here = at
    while here < len(words) and (here == at or words[here].joined):
        word = words[here].text
        scale = scale_of(word) if word.removesuffix("s") in _LONG_SCALES else None
        if word in _UNITS:
            current = _append(current, _UNITS[word], previous)
        elif word in _TENS:
            current = _append(current, _TENS[word], previous)
        elif word in {"a", "an"} and not begun and _begins_scale(words, here + 1):
            current = Decimal(1)
        elif scale is not None and begun:
            total, current = _scaled(total, current, scale)
        elif word == "point" and begun:
            current, here = _decimals(words, here, current)
        elif word == "and" and begun and (half := _and_a_half(words, here)):
            current, here = current + half[0], half[1]
        elif not (word == "and" and begun and here + 1 < len(words) and _goes_on(words[here + 1].text, previous)):
            break
        begun, previous, here = True, word, here + 1
    return (total + current if begun else None), here


def _append(current: Decimal, value: Decimal, previous: str) -> Decimal:
    """Add what goes on in place ("twenty five", "hundred five"); digits told one by one stand beside each other."""
    if previous in _TENS and value < 10:
        return current + value
    if previous in _UNITS or previous in _TENS:
        return current.scaleb(len(str(value))) + value
    return current + value


def _begins_scale(words: Sequence[_Word], at: int) -> bool:
    return at < len(words) and words[at].joined and words[at].text in _LONG_SCALES


def _scaled(total: Decimal, current: Decimal, scale: Decimal) -> tuple[Decimal, Decimal]:
    if scale <= 100:
        return total, (current or Decimal(1)) * scale
    if current == 0 and total:
        return total * scale, current
    return total + (current or Decimal(1)) * scale, Decimal(0)


def _decimals(words: Sequence[_Word], here: int, current: Decimal) -> tuple[Decimal, int]:
    places = 0
    while here + 1 < len(words) and words[here + 1].text in _UNITS:
        here, places = here + 1, places + 1
        current += _UNITS[words[here].text].scaleb(-places)
    return current, here


def _and_a_half(words: Sequence[_Word], here: int) -> tuple[Decimal, int] | None:
    said = [word.text for word in words[here + 1 : here + 3]]
    if said == ["a", "half"]:
        return Decimal("0.5"), here + 2
    if said in (["a", "quarter"], ["one", "quarter"]):
        return Decimal("0.25"), here + 2
    return (Decimal("0.75"), here + 2) if said == ["three", "quarters"] else None


def _goes_on(word: str, previous: str) -> bool:
    """Whether "and" stands within one number, as in "hundred and five"."""
    return (word in _UNITS or word in _TENS) and scale_of(previous) is not None


def _part_after(words: Sequence[_Word], end: int, count: Decimal) -> tuple[Decimal, int] | None:
    """Read "three quarters of", "two thirds", "one fifth": `count` parts."""
    if end >= len(words) or not words[end].joined:
        return None
    word = words[end].text
    name = "half" if word == "halves" else word.removesuffix("s")
    if name not in _PARTS:
        return None
    if name == "quarter" and not (end + 1 < len(words) and words[end + 1].text in _AFTER_A_QUARTER):
        return None
    return count / _PARTS[name], end + 1


def _other(text: str, words: Sequence[_Word], at: int) -> tuple[Figure | None, int] | None:
    word = words[at].text
    after = words[at + 1].text if at + 1 < len(words) and words[at + 1].joined else ""
    before = words[at - 1].text if at and words[at].joined else ""
    if word == "half":
        return _half(text, words, at, before, after)
    if word in {"a", "an"} and after in _PARTS and after != "half":
        is_part = after != "quarter" or (at + 2 < len(words) and words[at + 2].text in _AFTER_A_QUARTER)
        return (_fraction(text, words, at, Decimal(1) / _PARTS[after], at + 2), at + 2) if is_part else None
    if word in _ORDINALS and after not in _TIME_UNITS and after != "party":
        rank = Reading(_ORDINALS[word], Decimal(0), "rank")
        return Figure(word, words[at].start, words[at].end, ((rank,),)), at + 1
    if word in _DECADES:
        return Figure(word, words[at].start, words[at].end), at + 1
    if word.removesuffix("s") in _LONG_SCALES:
        is_unit = before in _UNITS_OF_AMOUNTS or text[: words[at].start].rstrip().endswith(
            ("(", "₹", "$", "€", "£", "Rs.")
        )
        return (None if is_unit else Figure(word, words[at].start, words[at].end)), at + 1
    return None


def _half(text: str, words: Sequence[_Word], at: int, before: str, after: str) -> tuple[Figure | None, int]:
    if before == "other" and after == "of":
        return _fraction(text, words, at, Decimal("0.5"), at + 1), at + 1
    if before in {"first", "second", "latter", "other"} or after in {"year", "yearly", "years"}:
        return None, at + 1
    end, value = at + 1, Decimal("0.5")
    if after in {"a", "an"}:
        end += 1
    while end < len(words) and words[end].joined and words[end].text.removesuffix("s") in _LONG_SCALES:
        value *= scale_of(words[end].text) or 1
        end += 1
    if value == Decimal("0.5"):
        return _fraction(text, words, at, value, at + 1), at + 1
    return _cardinal_figure(text, words, at, end, value), end


def _fraction(text: str, words: Sequence[_Word], at: int, value: Decimal, end: int) -> Figure:
    start, stop = words[at].start, words[end - 1].end
    return Figure(text[start:stop], start, stop, ((Reading(value, min(_PART_SLACK, value / 10), "fraction"),),))


def _ratio(text: str, words: Sequence[_Word], at: int, value: Decimal) -> Figure:
    start, stop = words[at].start, words[at].end
    return Figure(text[start:stop], start, stop, ((Reading(value, value * LARGEST_ROUNDING, "ratio"),),))


def _cardinal_figure(text: str, words: Sequence[_Word], at: int, end: int, value: Decimal) -> Figure:
    start, stop = words[at].start, words[end - 1].end
    percent = _PERCENT.match(text, stop)
    after = words[end].text if end < len(words) and words[end].joined else ""
    kind: Kind = "percent" if percent else "ratio" if after in {"times", "fold"} else "plain"
    exponent = value.as_tuple().exponent
    half = Decimal("0.5").scaleb(min(exponent, 0) if isinstance(exponent, int) else 0)
    slack = min(value * LARGEST_ROUNDING, half) if value < 1_000 else value * LARGEST_ROUNDING / 10
    stop = percent.end() if percent else stop
    return Figure(text[start:stop], start, stop, ((Reading(value, slack, kind),),))

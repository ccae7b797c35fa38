"""The terse hand of a busy analyst written out: "w/o", "o/s", "3+", "31-90 dpd", "custs", "SRs", "savings/current"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Figure, Meaning, Stored, Thing
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.built_in.rewording.signs import CONTRACTED, QUESTION_WORDS, SIGNS
from ai_engine.built_in.spelling import is_english, with_letters_swapped
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.schema_words import ABBREVIATIONS
from ai_engine.semantics.words import words

_QUOTED = re.compile(r"((?<!\w)['\"`‘“][^'\"`‘’“”]*['\"`’”](?!\w))")
_PLAIN_WORD = re.compile(r"(?<![\w'’/.-])[a-z]{2,7}(?![\w'’]|[-/.]\w)")
_PERCENT_OF = re.compile(r"(?P<said>\b[A-Za-z]+(?: [A-Za-z]+){0,2})\s*(?:%|\bpct\b)(?!\w)")
_PERCENTAGES = ("percentage", "percent", "ratio", "rate", "share")
_SCALE = r"(?:k|l|lakhs?|lacs?|cr|crs|crores?|mn|m|bn|million|billion|thousand)"
_AMOUNT = r"\d[\d,]*(?:\.\d+)?"
_OR_MORE = re.compile(
    rf"(?P<said>\b(?:at least|over|above|more than|minimum|>=?)\s*)?"
    rf"(?<![\w.+-])(?P<number>{_AMOUNT}(?:\s?{_SCALE}\b)?)\+(?![\w+]|\s*\d)",
    re.I,
)
_RANGE = re.compile(
    rf"(?P<said>\b(?:between|from|aged|in|with|having|have|has|had)\s+)?(?<![\w./+#-])(?P<low>{_AMOUNT})(?P<lower>\s?{_SCALE})?"
    rf"(?P<link>\s?-\s?|\s+(?:to|and|or)\s+)(?P<high>{_AMOUNT})(?P<scale>\s?{_SCALE}\b|\s?%|\s?(?:pct|percent)\b)?(?=\s+(?P<noun>[a-z]+)|\s*[,;.)?]|\s*$)(?![-/]\w)",
    re.I,
)
_HAVING = frozenset({"with", "having", "have", "has", "had"})
_EARLIEST_YEAR, _LATEST_YEAR = 1900, 2100
_CAPITALS = re.compile(r"(?<![\w'’/.-])([A-Z]{2,6})(s?)(?![\w'’]|[-/.]\w)")
_CLIPPED = re.compile(
    r"(?<![\w'\"`“‘./-])([a-z]{3,5})(?:(s)(?![\w'’]|[-/.]\w)|(?= (?:ids?|numbers?|no|dates?|status)\b))"
)
_ABBREVIATED = re.compile(r"(?<![\w'\"`“‘./-])([A-Za-z]{2,8})s(?![\w'\"`”’]|[-/.]\w)")
_SLASHED = re.compile(r"(?<![\w/.-])([A-Za-z]\w*(?: [A-Za-z]\w*)?)\s*/\s*([A-Za-z]\w*(?: [A-Za-z]\w*)?)(?![\w/.-])")
_DEFINED = re.compile(r"\b(?P<said>[a-z]+)\s+(?P<noun>[a-z]+(?: [a-z]+)?)\s*\((?P<values>[^()]+)\)", re.IGNORECASE)
_FIRST_LAST = re.compile(r"(?<=[(,:;])\s*first\s*(?:,|/|&|and|n)\s*last(?=\s*(?:[,;:)+]|$))", re.IGNORECASE)
_DEFINED_BEFORE = re.compile(r"\b(?P<said>[a-z]+)\s*\((?P<values>[^()]+)\)\s+(?P<noun>[a-z]+)\b", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:,|/|\bor\b|\band\b)\s*", re.IGNORECASE)
_SHORTEST_INITIALS = 2
_Change = Callable[[str, Knowledge, list[str]], str]


def in_full(question: str, knowledge: Knowledge) -> WrittenOut:
    """Write a question out, and say what was taken for what; texts in quotation marks stay."""
    return _changed(question, _CHANGES, knowledge)


def without_slashes(question: str, knowledge: Knowledge) -> WrittenOut:
    """Write lists with slashes out, once every word in them is one of the vocabulary."""
    return _changed(question, (_slashes, _defined_in_brackets), knowledge)


def _changed(question: str, changes: tuple[_Change, ...], knowledge: Knowledge) -> WrittenOut:
    notes: list[str] = []
    parts = _QUOTED.split(question)
    for place in range(0, len(parts), 2):
        for change in changes:
            parts[place] = change(parts[place], knowledge, notes)
    return WrittenOut("".join(parts), tuple(dict.fromkeys(notes)))


def _signs(text: str, knowledge: Knowledge, notes: list[str]) -> str:  # noqa: ARG001
    for sign, meaning in SIGNS:
        text = sign.sub(meaning, text)
    return text


def _question_words(text: str, knowledge: Knowledge, notes: list[str]) -> str:
    """ "whats", "hw mny", "shwo": the words that questions begin with, written in a hurry."""

    def meant(found: re.Match[str]) -> str:
        word = found.group()
        if word in QUESTION_WORDS or is_english(word) or knowledge.lexicon.knows(word) or word in ABBREVIATIONS:
            return word
        slips = {*with_letters_swapped(word)}
        like = [one for one in QUESTION_WORDS if one in slips or word in _with_a_letter_less(one)]
        if len(like) != 1:
            return word
        notes.append(f"“{word}” was read as {like[0]}")
        return like[0]

    text = CONTRACTED.sub(r"\1 is", text)
    return _PLAIN_WORD.sub(meant, text)


def _with_a_letter_less(word: str) -> frozenset[str]:
    return frozenset(word[:at] + word[at + 1 :] for at in range(1, len(word)))


def _percentages(text: str, knowledge: Knowledge, notes: list[str]) -> str:  # noqa: ARG001
    """ "NPA % by branch": the figure of that name, if it is a ratio, a rate or a percentage there."""

    def spelled(found: re.Match[str]) -> str:
        said = words(found["said"])
        for start in range(len(said)):
            for kind in _PERCENTAGES:
                named = knowledge.lexicon.names((*said[start:], kind))
                if any(isinstance(candidate.meaning, Figure) for candidate in named):
                    return f"{found['said']} {kind}"
        return found.group()

    return _PERCENT_OF.sub(spelled, text)


def _or_more(text: str, knowledge: Knowledge, notes: list[str]) -> str:  # noqa: ARG001
    """ "3+ overdue instalments", "90+ dpd", "10L+": the number itself is meant too."""

    def at_least(found: re.Match[str]) -> str:
        if found["said"]:
            return f"{found['said']}{found['number']}"
        notes.append(f"“{found.group()}” was read as at least {found['number']}")
        return f"at least {found['number']}"

    return _OR_MORE.sub(at_least, text)


def _ranges(text: str, knowledge: Knowledge, notes: list[str]) -> str:  # noqa: ARG001
    """ "31-90 dpd", "10-20 lakh", "between 10 and 20 lakh": what is said of the upper end holds for the lower one."""

    def between(found: re.Match[str]) -> str:
        said, scale = (found["said"] or "").strip().lower(), found["scale"] or ""
        low, high = (Decimal(found[end].replace(",", "")) for end in ("low", "high"))
        dashed, link = "-" in found["link"], found["link"].strip().lower()
        few = said in _HAVING and found["noun"] and low < high
        if few and (link == "to" or (link == "or" and not scale and high == low + 1)):
            return f"{found['said']}between {found['low']}{found['lower'] or scale} and {found['high']}{scale}"
        years = all(_EARLIEST_YEAR <= end <= _LATEST_YEAR for end in (low, high)) or len(found["low"]) == len("2024")
        if (low >= high and not found["lower"]) or (years and not scale) or not (dashed or scale):
            return found.group()
        if not dashed and (link == "or" or said not in {"between", "from"}):
            return found.group()
        if dashed and not said and not (scale or found["noun"]):
            return found.group()  # "order 12-40" is a name
        return f"between {found['low']}{found['lower'] or scale} and {found['high']}{scale}"

    return _RANGE.sub(between, text)


def _abbreviated_nouns(text: str, knowledge: Knowledge, notes: list[str]) -> str:
    """ "custs", "accts": the plural of an abbreviation."""

    def many(found: re.Match[str]) -> str:
        word = found.group()
        meaning = ABBREVIATIONS.get(found[1].lower(), "").replace("+", " ")
        known = knowledge.lexicon
        if not meaning or word.lower() in cue_table().words or known.knows(word.lower()):
            return word
        if not all(map(known.knows, meaning.split())):
            return word
        notes.append(f"“{word}” was read as {plural(meaning)}")
        return plural(meaning)

    return _ABBREVIATED.sub(many, text)


def _clipped_nouns(text: str, knowledge: Knowledge, notes: list[str]) -> str:
    """ "apps", "app id": the beginning of the noun for some rows, where no other noun begins so."""

    def whole(found: re.Match[str]) -> str:
        word, letters = found.group(), found[1]
        known = knowledge.lexicon
        if known.knows(word) or known.knows(letters) or letters in ABBREVIATIONS or is_english(word):
            return word
        nouns = {label for item in knowledge.model.datasets if (label := item.label).startswith(letters)}
        if len(nouns) != 1 or (noun := nouns.pop()).startswith(f"{letters}s") or len(noun) < 2 * len(letters):
            return word
        meaning = plural(noun) if found[2] else noun
        notes.append(f"“{word}” was read as {meaning}")
        return meaning

    return _CLIPPED.sub(whole, text)


def _capitals(text: str, knowledge: Knowledge, notes: list[str]) -> str:
    """ "FDs" are what is stored as FD; "SRs" are the service requests, by their initials."""
    known = knowledge.lexicon

    def spelled(found: re.Match[str]) -> str:
        letters = found[1].lower()
        if found[2] and not known.knows(f"{letters}s") and known.knows(letters):
            return found[1]
        if known.knows(letters) or known.knows(f"{letters}s") or letters in ABBREVIATIONS:
            return found.group()
        labels = [item.label for item in knowledge.model.datasets if _initials(item.label) == letters]
        if len(labels) != 1:
            return found.group()
        meaning = plural(labels[0]) if found[2] else labels[0]
        notes.append(f"“{found.group()}” was read as {meaning}")
        return meaning

    return text if text.isupper() else _CAPITALS.sub(spelled, text)


def _initials(label: str) -> str:
    said = words(label)
    return "".join(word[0] for word in said) if len(said) >= _SHORTEST_INITIALS else ""


def _slashes(text: str, knowledge: Knowledge, notes: list[str]) -> str:  # noqa: ARG001
    """ "savings/current" are two values of which either will do, "city/state" two fields."""

    def parted(found: re.Match[str]) -> str:
        for cut in _cuts(found[1], found[2]):
            before, left, right, after = cut
            if knowledge.lexicon.names(words(f"{left} {right}")):
                return found.group()  # "buy/sell ratio" is one name
            head = right.rsplit(maxsplit=1)[-1]
            if head != right and _are_fields(knowledge, f"{left} {head}", right):
                return f"{before} {left} {head}, {right} {after}".strip()  # "first/last name"
            link = _link(left, right, knowledge)
            if link:
                return f"{before} {left}{link}{right} {after}".strip()
        return found.group()

    while (apart := _SLASHED.sub(parted, text)) != text:
        text = apart  # "savings / current / fixed": a word between two slashes stands beside both
    return text


def _defined_in_brackets(text: str, knowledge: Knowledge, notes: list[str]) -> str:
    """ "pending requests (open or in progress)": the brackets say what the word before the noun stands for."""

    def defined(found: re.Match[str]) -> str:
        things = {
            c.meaning.dataset for c in knowledge.lexicon.names(words(found["noun"])) if isinstance(c.meaning, Thing)
        }
        own = [
            {place for place in _places(part, knowledge.lexicon.stored(words(part))) if place[0] in things}
            for part in _LISTED.split(found["values"].strip())
        ]
        held = _places(found["said"], knowledge.lexicon.stored(words(found["said"])))
        places = set.intersection(*own)
        if not places or held & places or found["said"].lower() in cue_table().words:
            return found.group()
        notes.append(f"“{found['said']}” was read as {found['values'].strip()}")
        return f"{found['values'].strip()} {found['noun']}"

    return _DEFINED_BEFORE.sub(defined, _DEFINED.sub(defined, text))


def _are_fields(knowledge: Knowledge, *names: str) -> bool:
    found = (knowledge.lexicon.names(words(name)) for name in names)
    return all(any(isinstance(item.meaning, Attribute) for item in meant) for meant in found)


def _parts_of_names(text: str, knowledge: Knowledge, notes: list[str]) -> str:  # noqa: ARG001
    """ "(first, last, city)": in a list of columns these are the names, where they are kept apart."""
    return _FIRST_LAST.sub("first name, last name", text) if _are_fields(knowledge, "first name", "last name") else text


def _cuts(left: str, right: str) -> Iterator[tuple[str, str, str, str]]:
    """The phrases beside a slash, one or two words long, with what stands before and after them."""
    for first in range(len(left.split())):
        for last in range(len(right.split()), 0, -1):
            lefts, rights = left.split(), right.split()
            yield " ".join(lefts[:first]), " ".join(lefts[first:]), " ".join(rights[:last]), " ".join(rights[last:])


def _link(left: str, right: str, knowledge: Knowledge) -> str:
    known = knowledge.lexicon
    first, second = (_places(side, known.stored(words(side))) for side in (left, right))
    if first & second:
        return " or "
    first, second = (_places(side, known.names(words(side))) for side in (left, right))
    return ", " if first and second else ""


def _places(side: str, found: object) -> set[tuple[str, str]]:
    meant: list[Meaning] = [candidate.meaning for candidate in found] if isinstance(found, tuple) else []
    return {(item.dataset, item.field) for item in meant if isinstance(item, Stored | Attribute)} if side else set()


_CHANGES: tuple[_Change, ...] = (
    _signs,
    _question_words,
    _percentages,
    _parts_of_names,
    _or_more,
    _ranges,
    _abbreviated_nouns,
    _clipped_nouns,
    _capitals,
)

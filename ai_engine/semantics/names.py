"""Human names out of identifiers: `acct_no` is an account number, `sbTxDateTime` a date time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from ai_engine.semantics.schema_words import (
    ABBREVIATIONS,
    DETAIL_SUFFIXES,
    KEY_WORDS,
    SHORT_PIECES,
    TABLE_AFFIXES,
    WORDS,
    pairs,
    word_set,
)
from ai_engine.semantics.short_words import meaning_beside

_LONGEST_GLUED = 40
_SHORTEST_BEGINNING = 3
_SHORTEST_WITHOUT_VOWELS = 4  # three letters may be too many words
_GLUED_ENDINGS = ("mst", "mstr", "hdr", "dtl", "rec", "ref", "tbl", "lkp")
_ENTITY_NOUNS = KEY_WORDS | {"name", "type", "status", "date", "address", "city", "phone", "email"}
_OF_POWER = re.compile(r"(?:(?<![a-z])k|[KMG])Wh?(?![A-Za-z])")  # "ConsumptionKWh" ends in one word
_LEAD_IN = re.compile(
    r"^(?:(?:this|the)\s+(?:column|field|attribute)\s+)?"
    r"(?:(?:contains?|holds?|stores?|records?|shows?|gives?|is|are|represents?|indicates?|describes?|denotes?)\s+)?"
    r"(?:(?:the|a|an)\s+)?(?:(?:data|information|records?)\s+(?:of|about|on)\s+)?(?:(?:the|a|an)\s+)?",
    re.IGNORECASE,
)
_PHRASE_END = re.compile(r"[;:,(\[\n\r]|\.(?:\s|$)|\s[-–—]\s|\s=\s|\b(?:which|that|where|when|whose)\b", re.IGNORECASE)
_IRREGULAR_SINGULARS = pairs("""
    people:person children:child men:man women:woman indices:index criteria:criterion analyses:analysis bases:base
    leaves:leave movies:movie cookies:cookie
    """)
FREQUENCIES = word_set("daily weekly monthly quarterly yearly annual")
_UNCHANGING = word_set("series news species sms gps pos sales savings details remarks notes status bonus")


@lru_cache(maxsize=65_536)
def split_identifier(identifier: str) -> tuple[str, ...]:
    """Return the lower-case words of an identifier in order: snake, camel and glued words and numbers are parted.

    Abbreviations stay as written (`acct`, `no`); a short letter with a number (`A11`) stays one word.
    """
    pieces: list[str] = []
    for chunk in re.findall(r"[^\W_]+", _OF_POWER.sub(lambda unit: unit.group().capitalize(), identifier)):
        start = len(pieces)
        for piece in _runs(chunk):
            if piece.isdigit() and len(pieces) > start and len(pieces[-1]) <= 2 and not _is_known(pieces[-1].lower()):
                pieces[-1] += piece
            else:
                pieces.append(piece)
    return tuple(word for piece in pieces for word in _unglue(piece.lower()))


def _runs(chunk: str) -> list[str]:
    """Part a chunk where digits meet letters and where a capital begins a word."""
    runs, start = [], 0
    for at in range(1, len(chunk)):
        before, here, after = chunk[at - 1], chunk[at], chunk[at + 1 : at + 2]
        digit_edge = before.isdigit() != here.isdigit()
        camel_edge = here.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if digit_edge or camel_edge:
            runs.append(chunk[start:at])
            start = at
    return [*runs, chunk[start:]]


def _is_known(word: str) -> bool:
    return word in SHORT_PIECES or _is_word(word)


def _is_piece(word: str) -> bool:
    return word in SHORT_PIECES or (len(word) >= 3 and (_is_word(word) or word in TABLE_AFFIXES | DETAIL_SUFFIXES))


def _is_word(word: str) -> bool:
    return word in WORDS or word in ABBREVIATIONS or singular(word) in WORDS or _with_its_vowels(word) != word


@lru_cache(maxsize=65_536)
def _unglue(token: str) -> tuple[str, ...]:
    """Part a token of lower-case words written without a gap, when known words cover all of it."""
    if _is_known(token) or len(token) > _LONGEST_GLUED or not token.isalpha():
        return (token,)
    best: list[tuple[str, ...] | None] = [()] + [None] * len(token)
    for end in range(1, len(token) + 1):
        for begin in range(end):
            head = best[begin]
            if head is None or not _is_piece(token[begin:end]):
                continue
            found = best[end]
            if found is None or len(head) + 1 < len(found):
                best[end] = (*head, token[begin:end])
    words = best[len(token)]
    if not words or all(word in SHORT_PIECES for word in words):
        return (token,)
    return words


def expand(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words with abbreviations written out, where their place among the others decides the meaning."""
    expanded: list[str] = []
    for before, word, after in zip(("", *words), words, (*words[1:], ""), strict=False):
        meaning = _meaning(word, before, after).split("+")
        if meaning != [_opening_of(before)]:  # `dob_dt` is the date of birth
            expanded += meaning
    if len(expanded) > 1 and expanded[0] == "number" and singular(expanded[1]) != expanded[1]:
        expanded.insert(1, "of")
    return tuple(expanded)


def _opening_of(word: str) -> str:
    """Return the noun that an abbreviation of several words begins with: the date of `dob`, the days of `dpd`."""
    head, _, rest = ABBREVIATIONS.get(word, "").partition("+")
    return head if rest else ""


def _meaning(word: str, preceding: str, following: str) -> str:
    return meaning_beside(word, preceding, following) or ABBREVIATIONS.get(word) or _with_its_vowels(word)


def _with_its_vowels(token: str) -> str:
    """Return the only word that a token is without its vowels, `mthd` a method; the token itself where it is none."""
    if token in WORDS:
        return token
    by_consonants = _by_consonants()
    if token not in by_consonants and token.endswith("s") and token[:-1] in by_consonants:
        return f"{by_consonants[token[:-1]]}s"
    return by_consonants.get(token, token)


@cache
def _by_consonants() -> dict[str, str]:
    """Return words by what they are without vowels, doubled letters once or twice; what may be two words is none."""
    found: dict[str, set[str]] = {}
    for word in WORDS:
        bare = word[0] + re.sub("[aeiou]", "", word[1:])
        for spelled in {bare, re.sub(r"(.)\1", r"\1", bare)} - WORDS:
            if len(spelled) >= _SHORTEST_WITHOUT_VOWELS:
                found.setdefault(spelled, set()).add(word)
    return {spelled: words.pop() for spelled, words in found.items() if len(words) == 1}


def shared_prefix(identifiers: Sequence[str]) -> int:
    """Return how many leading words all identifiers share; 0 for fewer than three, and each keeps at least one word."""
    if len(identifiers) < 3:
        return 0
    split = [split_identifier(identifier) for identifier in identifiers]
    shared = 0
    for column in zip(*split, strict=False):
        if len(set(column)) > 1:
            break
        shared += 1
    return min(shared, *(max(len(words) - 1, 0) for words in split))


def column_words(identifier: str, *, dropped: int = 0, entities: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the written-out words of a column.

    Args:
        identifier: the column's name.
        dropped: leading words that every column of the table shares.
        entities: nouns that the table is about, likeliest first; `bname` is the branch's name where one is "branch".
    """
    first, *others = split_identifier(identifier)[dropped:] or ("",)
    told = meaning_beside(first, "", others[0] if others else "")
    return expand((*((first,) if told else _initial(first, entities)), *others) if first else ())


def _initial(token: str, entities: Sequence[str]) -> tuple[str, ...]:
    """Part `bname` into "branch name" when an entity begins so; `disp` is a dispute and `ch` a card holder."""
    entity = next((entity for entity in entities if _shortens(token, entity)), None)
    if entity is not None:
        return tuple(entity.split())
    if _is_known(token):
        return (token,)
    for cut in range(1, min(4, len(token))):
        noun = token[cut:]
        if noun in _ENTITY_NOUNS or ABBREVIATIONS.get(noun, "") in _ENTITY_NOUNS:
            for entity in entities:
                if entity.startswith(token[:cut]):
                    return (*entity.split(), noun)
    return (token,)


def _shortens(token: str, entity: str) -> bool:
    """Tell whether a token that is no word of its own is how a noun begins, or the initials of several."""
    if token in WORDS or token in SHORT_PIECES or token == entity:
        return False
    nouns = entity.split()
    if len(nouns) > 1 and token == "".join(noun[0] for noun in nouns):
        return token not in ABBREVIATIONS
    return len(nouns) == 1 and len(token) >= _SHORTEST_BEGINNING and entity.startswith(token)


def human_name(identifier: str, *, dropped: int = 0, entities: Sequence[str] = (), description: str = "") -> str:
    """Return what a person calls a column; the description's noun phrase when the identifier says nothing.

    Arguments as in `column_words`.
    """
    words = column_words(identifier, dropped=dropped, entities=entities)
    if description and is_opaque(words):
        phrase = noun_phrase(description)
        if phrase:
            return phrase
    return " ".join(words) or identifier


def is_opaque(words: Sequence[str]) -> bool:
    """Tell whether the words are a mere number of a column, such as `a11` or `col 3`."""
    return all(re.fullmatch(r"[a-z]{0,2}\d+|[a-z]|col|column|field|attr|attribute|var|x", word) for word in words)


def noun_phrase(description: str) -> str:
    """Return the first noun phrase of a description in lower case, "" when it is longer than eight words."""
    text = re.sub(r"\bno\.?\s+of\b", "number of", description.strip(), flags=re.IGNORECASE)
    text = text.replace("_", " ")
    text = _PHRASE_END.split(_LEAD_IN.sub("", text), maxsplit=1)[0].strip(" .\"'")
    words = text.split()
    return " ".join(words).lower() if 0 < len(words) <= 8 else ""


@lru_cache(maxsize=65_536)
def singular(noun: str) -> str:
    """Return the singular of a lower-case English noun; a singular stays as it is."""
    if noun in _IRREGULAR_SINGULARS:
        return _IRREGULAR_SINGULARS[noun]
    if noun in _UNCHANGING or len(noun) < 4 or not noun.endswith("s") or noun.endswith(("ss", "us", "is")):
        return noun
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("sses", "shes", "ches", "xes", "zzes", "uses")) and noun not in {"houses", "causes", "uses"}:
        return noun[:-2]
    return noun[:-1]


def table_label(table: str, *, dropped: int = 0, keep_details: bool = False) -> str:
    """Return the singular noun for one row of a table: `tblLoanAccounts` is a "loan account".

    `dropped` counts the leading words that all tables share. "details" and the like at the end are left out unless
    `keep_details`, which tells two tables of one noun apart.
    """
    *before, last = split_identifier(table)[dropped:] or (table.lower(),)
    words = [*before, *_without_ending(last)]
    while len(words) > 1 and (words[0] in TABLE_AFFIXES or len(words[0]) == 1):  # `m_branch`, `t_claim`
        words = words[1:]
    endings = TABLE_AFFIXES if keep_details else TABLE_AFFIXES | DETAIL_SUFFIXES
    while len(words) > 1 and words[-1] in endings:
        words = words[:-1]
    words[1:] = ["register" if word == "reg" else word for word in words[1:]]
    full = list(expand(words)) or [table.lower()]
    if len(full) > 1 and full[-1] in FREQUENCIES:
        full = [full[-1], *full[:-1]]
    full[-1] = singular(full[-1])
    return " ".join(full)


def _without_ending(word: str) -> tuple[str, ...]:
    """`ctxrec` keeps records of what is short as `ctx`, where nothing else is known of the word."""
    endings = (end for end in _GLUED_ENDINGS if word.endswith(end) and len(word) >= len(end) + _SHORTEST_BEGINNING)
    end = next(endings, "") if not _is_known(word) else ""
    return _unglue(word.removesuffix(end))


def with_article(noun: str) -> str:
    """Return "an account" of "account"; "yes or no" takes none."""
    return noun if noun == "yes or no" else f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

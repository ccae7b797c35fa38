"""Tables described in a sentence each: "`loan` is the loan: `amt` its amount, `st` its state ('P' paid, 'R' open)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ai_engine.catalogue import Catalogue, Table
from ai_engine.semantics.names import singular

_TABLE = re.compile(
    r"(?:^|(?<=[.;\n]))\s*(?:the\s+)?(?:table\s+)?`(?P<table>\w+)`\s+"
    r"(?P<verb>is|are|holds?|lists?|contains?|keeps?|records?|stores?|says?|tells?|shows?|has|describes?)\s+",
    re.IGNORECASE,
)
_END = re.compile(r"\.(?=\s|$)|\n\s*\n")
_ENTRY = re.compile(
    r"(?P<before>[:,;]\s*(?:and\s+)?(?:with\s+)?|\s+(?:and|with)\s+|\bhas\s+)`(?P<column>\w+)`\s+"
    r"(?!(?:is|are|was|has|refers?|stands?|means?|contains?|holds?|in|of|and|or|gives?|shows?|stores?|equals?)\b)"
    r"(?:being\s+)?"
)
_NOUN = re.compile(
    r"^(?:(?:the|an?|all|our)\s+)?(?P<noun>[a-z][a-z-]*(?:\s[a-z-]+){0,2}?)(?:\s+\((?P<alias>[a-z -]+)\))?"
    r"(?=\s*[:,.;]|\s+(?:in|on|of|for|at|by|with|from|to|that|which|who|whose)\b|\s*$)"
)
_ABOUT_ROWS = frozenset("say says tell tells has".split())
_RESTRICTED = re.compile(r"^[^:,;`]*\b(?:that|which|who|whose)\b")
_CODE = r"'[^']+'"
_CODED = re.compile(
    rf"(?P<code>{_CODE})\s+(?:(?:is|for|means?|=)\s+)?(?P<words>[^',;()]+?)(?=\s*(?:,|;|\)|$|\s(?:and|or)\s+{_CODE}))"
)
_EMPTY = re.compile(r"(?:null|empty|blank)\s+(?:while|when|if|for|means?|where|=)\s+(?P<words>[^,;()]+)", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*\((?P<text>[^()]*)\)")
_OWNED = re.compile(r"^its\s+(?P<rest>.+)$")
_WHERE = re.compile(
    r"^(?P<head>.+?)\s+(?:(?:that|which|who|where|whose)\s.+|(?:it|they)\s+\w+\s+(?:in|on|at|to|from|for|with))$"
)
_SAME = re.compile(r"^(?:the\s+)?same\s+(?P<end>(?:for|of|in|at)\s+\S+)$")
_END_OF = re.compile(r"\s+(?:for|of|in|at)\s+\S+$")
_UNIT = re.compile(r"\s+in\s+(?:percent|per\s+cent|%)(?=\s|$)")
_YEAR = re.compile(r"^(?P<head>.+?)\s+(?:for|of|in)\s+(?P<year>(?:19|20)\d\d)$")
_EVENT = re.compile(r"^(?P<when>date|day|time|year)\s+(?:it|he|she|they)\s")
_HOW_OFTEN = re.compile(r"^how\s+often\b")
_BARE_OWNERS = re.compile(r"^the\s+(?P<noun>[\w -]+)\s+(?:is|are|was)\s+(?P<state>\w+)$")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One column of a table's sentence, what is said of it, and its codes."""

    column: str
    phrase: str
    codes: tuple[tuple[str, str], ...]
    empty: str
    remark: str


def in_entries(text: str, catalogue: Catalogue) -> str:
    """Return the text with each sentence that describes a table by its columns as one short sentence per column.

    Table and columns must stand in backticks and the columns be the table's own; any other sentence stays as it is.
    """
    said, at = "", 0
    heads = [head for head in _TABLE.finditer(text) if _table(head["table"], catalogue)]
    limits = [*(head.start() for head in heads[1:]), len(text)]
    for head, limit in zip(heads, limits, strict=False):
        end = closing.start() if (closing := _END.search(text, head.end(), limit)) else limit
        table = _table(head["table"], catalogue)
        sentences = list(_sentences(head, text[head.end() : end], table)) if table else []
        if sentences:
            said += text[at : head.start()] + "\n" + "\n".join(sentences) + "\n"
            at = end + 1
    return said + text[at:]


def _table(name: str, catalogue: Catalogue) -> Table | None:
    return next((table for table in catalogue.tables if table.name.lower() == name.lower()), None)


def _sentences(head: re.Match[str], text: str, table: Table) -> Iterator[str]:
    entries = [found for found in _ENTRY.finditer(text) if table.column(found["column"])]
    if not entries:
        return
    noun = ""
    for noun_said in _nouns(head["verb"], text[: entries[0].start()] + entries[0]["before"].strip()[:1]):
        noun = noun or noun_said
        yield f"table {table.name} means {noun_said}"
    before = ""
    for found, following in zip(entries, [*entries[1:], None], strict=True):
        said = text[found.end() : following.start() if following else len(text)]
        entry = _entry(found["column"], said, before)
        before = entry.phrase or before
        yield from _of_entry(entry, table.name, noun)


def _nouns(verb: str, text: str) -> Iterator[str]:
    """Yield what the rows are called; "lists the members who ..." tells of whom they are, and is no name of theirs."""
    found = _NOUN.match(text) if verb.lower() not in _ABOUT_ROWS else None
    if found is None or (verb.lower() not in {"is", "are"} and _RESTRICTED.match(text)):
        return
    for noun in filter(None, (found["noun"], found["alias"])):
        head, _, last = noun.rpartition(" ")
        yield f"{head} {singular(last)}".strip()


def _entry(column: str, text: str, before: str) -> _Entry:
    text = " ".join(text.split()).strip(" ,;")
    codes = tuple((found["code"].strip("'"), _plain(found["words"])) for found in _CODED.finditer(text))
    empty = _EMPTY.search(text)
    phrase, _, remark = _BRACKETS.sub("", text).partition(",")
    same = _SAME.match(phrase.strip())
    if same and before:
        phrase = f"{_END_OF.sub('', before)} {same['end']}"
    if phrase.lstrip().startswith("'"):
        phrase = ""
    return _Entry(column, phrase.strip(), codes, empty["words"].strip() if empty else "", remark.strip())


def _plain(words: str) -> str:
    return re.sub(r"^(?:its|an?|the)\s+", "", words.strip())


def _of_entry(entry: _Entry, table: str, noun: str) -> Iterator[str]:
    place = f"{table}.{entry.column}"
    often = _HOW_OFTEN.match(entry.phrase)
    if entry.codes:
        listed = ", ".join(f"'{code}' = {words}" for code, words in entry.codes)
        yield f"{place}{f' {entry.phrase}' if often else ''}: {listed}"
    if entry.empty:
        state = _BARE_OWNERS.sub(r"\g<state> \g<noun>", entry.empty)
        yield f"{place} IS NULL means {state}"
    for phrase in _phrases(entry.phrase, noun) if entry.phrase and not often else ():
        yield f"{place} means {phrase}"
    if entry.remark and not entry.remark.startswith("'"):
        yield f"{place} is {entry.remark}"


def _phrases(phrase: str, noun: str) -> Iterator[str]:
    """Yield the ways to call a column: "its state" of loans is a state and a loan state."""
    phrase = _UNIT.sub("", phrase)
    owned = _OWNED.match(phrase)
    if owned:
        yield owned["rest"]
        if noun:
            yield f"{noun} {owned['rest']}"
        return
    plain = re.sub(r"^(?:the|an?)\s+", "", phrase)
    dated = _YEAR.match(plain)
    if dated:
        yield f"{dated['head']} {dated['year']}"
        yield f"{dated['year']} {dated['head']}"
    elif _EVENT.match(plain):
        yield _EVENT.sub(lambda found: f"{found['when']} the {noun or 'row'} ", plain)
    else:
        where = _WHERE.match(plain)
        yield where["head"] if where else plain

"""Evidence beside a question, read into what it says of columns, values, words and figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.clauses import Statement, clauses, clean, quoted, statements
from ai_engine.semantics.hints.code_groups import code_groups
from ai_engine.semantics.hints.coded import code_lists
from ai_engine.semantics.hints.defined import defined_in
from ai_engine.semantics.hints.dictionary import written_out
from ai_engine.semantics.hints.formulas import Operation, Phrase, parse_formula
from ai_engine.semantics.hints.groups import GroupHint, group_of
from ai_engine.semantics.hints.kinds import (
    ColumnHint,
    ColumnsHint,
    ConditionHint,
    DaysHint,
    FormulaHint,
    Hint,
    Hints,
    LinkHint,
    PhraseHint,
    TableHint,
    ValueHint,
)
from ai_engine.semantics.hints.links import link_of
from ai_engine.semantics.hints.notes import in_sentences
from ai_engine.semantics.hints.prose import in_entries
from ai_engine.semantics.hints.segments import segments
from ai_engine.semantics.hints.several import columns_listed, columns_said
from ai_engine.semantics.hints.spoken import said_in_signs, says_how_taken
from ai_engine.semantics.infer.roles import AMOUNTS_AND_KINDS
from ai_engine.semantics.names import singular

_EQUATION = re.compile(
    r"^(?:(?:when|if|where|by|using|for)\s+)?(?P<left>[\w.`\"\s]+?)\s*(?:==?|\bis\b|\bequals\b)\s*"
    r"(?P<value>'[^']*'|\"[^\"]*\"|‘[^’]*’|“[^”]*”|-?\d+(?:\.\d+)?)$",
    re.IGNORECASE,
)
_MEMBERS = re.compile(r"^(?P<left>[\w.`\"\s]+?)\s+in\s*\((?P<values>[^()]+)\)$", re.IGNORECASE)
_COLUMN = re.compile(
    r"^(?:the\s+)?(?:(?:columns?|fields?|attributes?)\s+)?(?P<name>[\w.`\"\s]+?)(?:\s+(?:column|field|attribute))?$",
    re.IGNORECASE,
)
_TABLE = re.compile(r"^(?:the\s+)?(?:table\s+)?[`\"]?(?P<name>\w+)[`\"]?(?:\s+table)?$", re.IGNORECASE)
_HEAD_NOUN = re.compile(r"\s+(?:of|for|in|with|by|that|which|who)\s+|,")
_ONE_ROW_PER = re.compile(r"^(?:has |holds |keeps )?(?:one|a|1) (?:row|record|line) (?:per|for each|for every) ")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*")
_UNIT = re.compile(r"\s+in (?:percent|per cent|months|years|days|[a-z]*(?:euros?|dollars?|rupees|pounds))$")
_TIME_UNIT = re.compile(r" in (?:months|years|days)$")
_OF_EACH = re.compile(r"\s+of\s+(?:an?|each|one|every)\s+(?P<noun>[\w ]+?)\s*$", re.IGNORECASE)
_ACRONYM = re.compile(r"^(?P<short>[^()]+?)\s*\((?P<long>[^()]+)\)$")
_CONDITION = re.compile(r"[<>]|!=|\blike\b", re.IGNORECASE)
_NEXT_DEFINITION = re.compile(
    r",\s+(?:and\s+)?(?=(?:column\s+)?(?P<name>\w+)\s+(?:is|are|refers?|stands?|means?|contains?)\b)", re.IGNORECASE
)
_FOR_SOME = re.compile(
    r"^for\s+[\w ]{1,30}?,?\s+(?=[\w.]+\s+(?:holds|contains|is|gives|shows|stores)\s)", re.IGNORECASE
)
_REMARK = re.compile(r",\s+(?:an?|the|some|all|characters|always|never|only|not|it|they|which|this)\b", re.IGNORECASE)
_PROPER_NAME = re.compile(r"(?:[A-Z][a-z]+\s+)+[A-Z][a-z]+")
_LONGEST_PHRASE_WORDS = 12
_LONGEST_NOUN_WORDS = 4
_Kind = TypeVar("_Kind", bound=Hint)


def read_hints(text: str, catalogue: Catalogue) -> Hints:
    """Read plain-English definitions; the catalogue tells which words are columns."""
    kinds, text = code_groups(text, catalogue)
    found, text = code_lists(in_entries(in_sentences(text, catalogue), catalogue), catalogue)
    unread: list[str] = []
    for clause in _definitions(text, catalogue):
        hints = _read(clause, catalogue)
        found += hints
        if not hints:
            unread.append(clause)
    return Hints(
        tables=_of_kind(TableHint, found),
        columns=_of_kind(ColumnHint, found),
        several=_of_kind(ColumnsHint, found),
        days=_of_kind(DaysHint, found),
        values=_of_kind(ValueHint, found),
        codes=tuple(dict.fromkeys(kinds)),
        conditions=_of_kind(ConditionHint, found),
        links=_of_kind(LinkHint, found),
        phrases=_of_kind(PhraseHint, found),
        groups=_of_kind(GroupHint, found),
        formulas=_of_kind(FormulaHint, found),
        unread=tuple(unread),
    )


def _of_kind(kind: type[_Kind], found: Sequence[Hint]) -> tuple[_Kind, ...]:
    return tuple(dict.fromkeys(hint for hint in found if isinstance(hint, kind)))


def _definitions(text: str, catalogue: Catalogue) -> Iterator[str]:
    for clause in clauses(written_out(text, catalogue)):
        signs = said_in_signs(clause)
        if signs != (clause,):
            yield from signs
            continue
        for part in _listed(clause, catalogue):
            yield from segments(part, catalogue)


def _read(clause: str, catalogue: Catalogue) -> Sequence[Hint]:
    link = link_of(clause, catalogue)
    if link is not None:
        return [link]
    group = group_of(clause, catalogue)
    if group is not None:
        return [group]
    found = defined_in(clause, catalogue)
    if found:
        return found
    listed = columns_listed(clause, catalogue)
    if listed is not None:
        return listed
    plain = _FOR_SOME.sub("", clause)
    return [hint for statement in statements(plain) for hint in _hints(statement, catalogue)]


def _listed(clause: str, catalogue: Catalogue) -> list[str]:
    """Part a clause at commas behind which a column is defined: "..., A3 is the region name"."""
    cuts = [
        found
        for found in _NEXT_DEFINITION.finditer(clause)
        if _column(found["name"], catalogue)
        and clause.count("(", 0, found.start()) == clause.count(")", 0, found.start())
    ]
    starts = [0, *(found.end() for found in cuts)]
    ends = [*(found.start() for found in cuts), len(clause)]
    return [clause[start:end] for start, end in zip(starts, ends, strict=True)]


def _hints(statement: Statement, catalogue: Catalogue) -> Sequence[Hint]:
    left, right = statement.left, statement.right
    named = _rows(left, right, catalogue)
    if named is not None:
        return [named] if statement.kind != "holds" or named.phrase.split()[-1] not in AMOUNTS_AND_KINDS else []
    spread = columns_said(left, right, catalogue)
    if spread is not None:
        return spread
    if statement.kind in {"holds", "is"}:
        column = _column(left, catalogue)
        if _PROPER_NAME.fullmatch(right):
            return []
        return [ColumnHint(*column, phrase) for phrase in _phrases(_without_values(_first(right)))] if column else []
    for side, other in ((left, right), (right, left)):
        values = _equation(side, catalogue)
        if values:
            return [ValueHint(*values[0], value, phrase) for value in values[1] for phrase in _phrases(other)]
    if statement.kind == "equals":
        return _definition(left, right, catalogue)
    for side, other in ((left, right), (right, left)):
        column = _column(side, catalogue)
        if column:
            return [ColumnHint(*column, phrase) for phrase in _phrases(_without_values(other))]
    return _meaning(left, right)


def _rows(left: str, right: str, catalogue: Catalogue) -> TableHint | None:
    """Read what the rows of a table are called: "dunning letter refers to mahnung", "table vertrag means contracts"."""
    for side, other in ((left, right), (right, left)):
        found = _TABLE.match(side.strip(" .,"))
        named = [table.name for table in catalogue.tables if found and table.name.lower() == found["name"].lower()]
        noun = _HEAD_NOUN.split(_ONE_ROW_PER.sub("", clean(other)), maxsplit=1)[0]
        if named and noun and len(noun.split()) <= _LONGEST_NOUN_WORDS and re.fullmatch(r"[a-z -]+", noun):
            return TableHint(named[0], noun)
    return None


def _meaning(left: str, right: str) -> Sequence[Hint]:
    for side, other in ((left, right), (right, left)):
        value = quoted(side)
        if value is not None:
            return [ValueHint(None, None, value, phrase) for phrase in _phrases(other)]
    if _CONDITION.search(right) or _CONDITION.search(left):
        return []
    return [PhraseHint(words, clean(right)) for words in _phrases(left) if clean(right) != words]


def _definition(left: str, right: str, catalogue: Catalogue) -> Sequence[Hint]:
    """Read `name = ...`: arithmetic is a figure, words are what an abbreviation stands for, a value says nothing."""
    owned = _OF_EACH.search(left)
    names = _names(_OF_EACH.sub("", left))
    if _CONDITION.search(left) or not names:
        return []
    *between, last = re.split(r"\s+=\s+", right)
    formula = parse_formula(re.split(r"\s+for\s+each\s+", last, maxsplit=1)[0])
    figure = isinstance(formula, Operation) or (isinstance(formula, Phrase) and says_how_taken(formula.words))
    if formula is not None and figure and (between or len(names[0].split()) + isinstance(formula, Operation) > 1):
        each = owned["noun"] if owned else ""
        return [FormulaHint(tuple(sorted({*names, *map(clean, between)}, key=len)), formula, each)]
    value = quoted(left)
    if value is not None and (quoted(right) is not None or not re.search(r"['\"]", right)):
        return [ValueHint(None, None, value, phrase) for phrase in _phrases(right)]
    if quoted(right) is not None or re.search(r"[()'\"|<>]|!=|^[-\d.]+$", right):
        return []
    column = _column(left, catalogue)
    if column:
        return [ColumnHint(*column, phrase) for phrase in _phrases(right)]
    return [PhraseHint(name, clean(right)) for name in names if name != clean(right)]


def _names(text: str) -> list[str]:
    """Return both names of "AR (Activity Ratio)"."""
    found = _ACRONYM.match(text.strip())
    names = [clean(found["short"]), clean(found["long"])] if found else [clean(text)]
    return [name for name in names if name and len(name.split()) <= _LONGEST_PHRASE_WORDS]


def _equation(text: str, catalogue: Catalogue) -> tuple[tuple[str | None, str], list[str]] | None:
    """Return the column and values of `type = 'OWNER'` or `type in ('a', 'b')`."""
    text = text.strip(" .,")
    found = _EQUATION.match(text)
    values = [found["value"]] if found else []
    if found is None:
        found = _MEMBERS.match(text)
        values = [part.strip() for part in found["values"].split(",")] if found else []
    column = _column(found["left"], catalogue) if found else None
    return (column, [quoted(value) or value for value in values]) if column else None


def _column(text: str, catalogue: Catalogue) -> tuple[str | None, str] | None:
    """Return (table, column) of a text that names a column: `A11`, `column A11`, `disp.type`, `the account type`."""
    found = _COLUMN.match(text.strip(" .,"))
    if found is None or quoted(text) is not None:
        return None
    name = found["name"].replace("`", "").replace('"', "").strip()
    qualifier, _, last = name.rpartition(".")
    words = last.split()
    for start in range(len(words)):
        if start > 0 and len(words) - start > 3:
            continue
        for joint in (" ", "_", ""):
            column = joint.join(words[start:])
            tables = [table for table in catalogue.tables if table.column(column)]
            if tables and _may_stand_for_column(start, words, catalogue):
                named = qualifier.rpartition(".")[2].lower() or "_".join(words[:start]).lower()
                chosen = [table for table in tables if table.name.lower() == named]
                one = chosen or (tables if len(tables) == 1 else [])
                spelled = (one or tables)[0].column(column)
                return (one[0].name if one else None, spelled.name if spelled else column)
    return None


def _may_stand_for_column(start: int, words: Sequence[str], catalogue: Catalogue) -> bool:
    """Words before the column must be its table or an article, else the text is a phrase that ends like a column."""
    tables = {singular(table.name.lower()) for table in catalogue.tables}
    before = [word.lower() for word in words[:start]]
    return all(word in {"the", "a", "an", "when", "if"} or singular(word) in tables for word in before)


def _phrases(text: str) -> list[str]:
    """Return the wordings of a side: each of "man and male", the head and all of "running contract, ok so far"."""
    whole = clean(re.sub(r"\s+(?:of|in|from)\s+the\s+(?:database|table|data)$", "", text.strip(), flags=re.IGNORECASE))
    whole = re.sub(r"^column\s+|\s+(?:data|information|info)$", "", whole)
    whole = _ASIDE.sub(" ", whole).strip()
    in_unit, whole = whole, _UNIT.sub("", whole).strip()
    parts = re.split(r"\s+(?:and|or)\s+", whole)
    listed = [*parts, whole] if len(parts) > 1 and all(len(part.split()) == 1 for part in parts) else [whole]
    listed += [in_unit] * (in_unit != whole and _TIME_UNIT.search(in_unit) is not None)
    found: list[str] = []
    for phrase in listed:
        head, comma, rest = phrase.partition(",")
        found += [head, f"{head} {clean(rest)}"] if comma else [phrase]
    spelled = [variant for phrase in found for variant in _variants(phrase)]
    return [phrase for phrase in dict.fromkeys(spelled) if 0 < len(phrase.split()) <= _LONGEST_PHRASE_WORDS]


def _variants(phrase: str) -> list[str]:
    """Add the usual order of "names of districts", and "interest paid monthly" to "interest is paid monthly"."""
    found = re.fullmatch(r"(name|number|code|type|date|amount)s? of (?:the )?([a-z]+)", phrase)
    turned = [f"{singular(found[2])} {found[1]}"] if found and found[1] != "number" else []
    described = re.fullmatch(r"(.+) (?:is|are) (\S+)", phrase)
    if described:
        return [f"{described[2]} {described[1]}", described[2]]
    done = re.fullmatch(r"(\S+) (?:is|are) (\S+ed \S+)", phrase)
    return [*turned, phrase, *([f"{done[1]} {done[2]}"] if done else [])]


def _first(text: str) -> str:
    """Leave out a remark behind a name: "birth date, a later one is younger"."""
    return _REMARK.split(text, maxsplit=1)[0]


def _without_values(text: str) -> str:
    """Leave quoted examples out of "the region 'south Bohemia'"."""
    return re.sub(r"\s*(?:'[^']*'|\"[^\"]*\")\s*", " ", text).strip() or text

"""Words defined by a condition: "overdrawn means saldo < 0", "a card is dead when stat = 9 or valid_to < issued"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.clauses import clean, quoted, statements
from ai_engine.semantics.hints.conditions import WrittenCondition, conditions_in
from ai_engine.semantics.hints.kinds import ConditionHint, Hint, ValueHint

_MARK = "⟨⟩"
_LITERAL = r"(?:'[^']*'|\"[^\"]*\"|\b\d+(?:\.\d+)?)"
_GLOSSED = re.compile(rf"(?P<code>{_LITERAL})\s*\((?P<words>[^\W\d][^()'<>=]*)\)")
_SAID_OF = re.compile(
    r"^(?:an?\s+|the\s+|any\s+)?(?P<noun>[\w' -]+?)\s+(?:is|are|counts?\s+as)\s+"
    r"(?:called\s+|considered\s+|said\s+to\s+be\s+)?(?P<words>[\w'-]+(?:\s[\w'-]+)?)\s+"
    rf"(?:when|if|where|as\s+long\s+as|while)\s+(?:its\s+|their\s+|the\s+)?{_MARK}$",
    re.IGNORECASE,
)
_THOSE = re.compile(
    r"^(?P<words>.+?)\s+(?:is|are|means?|refers?\s+to)\s+"
    r"(?:(?:an?|the|those|these|all|any|ones?|rows?|records?)\s+)*(?:[\w-]+\s+)?"
    r"(?:with|where|whose|that\s+have|which\s+have|having|if|when|for\s+which)\s+"
    rf"(?:its\s+|their\s+|the\s+)?{_MARK}$",
    re.IGNORECASE,
)
_ONLY_THOSE = re.compile(
    rf"^(?:(?:the|all|any)\s+)?(?P<noun>[\w -]+?)\s+(?:is|are|counts?\s+as)\s+(?P<words>[\w-]+(?:ed|en|id))\s+"
    rf"(?:on|by|for|from|with|through|in|to)\s+[\w -]+?\s+only\s*\({_MARK}\)$",
    re.IGNORECASE,
)
_STILL = re.compile(r"^(?:(?:still|currently|already|now|only|that\s+is|it\s+is|they\s+are|is|are)\s+)+", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(r"\s+(?:on|of|in|for|to|at)\s+(?:it|them|him|her|this)$", re.IGNORECASE)
_TURN = re.compile(r"\s+but\s+", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\([^()]*\)\s*")
_STATED = re.compile(r"^(?P<noun>.+?)\s+(?:is|are|was|were|has\s+been|have\s+been)\s+(?P<state>[\w-]+)$")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_GOES_ON = re.compile(r"\s+(?:over|without|on|for|at|in|from|by|to|with|because)\s+")
_LONG = 4
_LONGEST_PHRASE_WORDS = 7


def defined_in(text: str, catalogue: Catalogue) -> list[Hint]:
    """Return what one definition says by a condition; nothing where it has none, or says nothing of it."""
    glossed = list(_GLOSSED.finditer(text))
    plain = _GLOSSED.sub(lambda found: found["code"], text)
    conditions = conditions_in(plain, catalogue)
    if len(conditions) != 1:
        return []
    only = conditions[0]
    found: list[Hint] = list(_glosses(glossed, only, plain, catalogue))
    said = _said(plain[: only.start], plain[only.end :])
    found += [hint for phrase in dict.fromkeys(said) for hint in [_hint(only, phrase)]]
    return found


def _glosses(
    glossed: Sequence[re.Match[str]], whole: WrittenCondition, plain: str, catalogue: Catalogue
) -> Iterator[ValueHint]:
    """Read "(repaid)" behind each code of a condition."""
    for one in glossed:
        before = plain[whole.start : plain.find(one["code"], whole.start)]
        column = re.findall(r"([A-Za-z_]\w*)\s*(?:=|\bin\b)", before, re.IGNORECASE)[-1:]
        code = quoted(one["code"]) or one["code"]
        tested = conditions_in(f"{column[0]} = '{code}'", catalogue) if column else ()
        for phrase in re.split(r"\s*[,/]\s*", one["words"]) if tested else ():
            yield ValueHint(_one(tested[0].tables), column[0], code, clean(phrase))


def _hint(condition: WrittenCondition, phrase: str) -> Hint:
    if condition.equals is not None:
        column, value = condition.equals
        return ValueHint(_one(condition.tables), column, value, phrase)
    return ConditionHint(condition.tables, condition.sql, phrase)


def _one(tables: Sequence[str]) -> str | None:
    return tables[0] if len(tables) == 1 else None


def _said(before: str, after: str) -> list[str]:
    """Return the words that stand for the condition between two texts."""
    before = re.sub(r"\b(?:when|if|where)\s*$", "", before, flags=re.IGNORECASE) if not before.strip(" ") else before
    written = f"{before}{_MARK}{after}".strip(" .,")
    of_noun = _SAID_OF.match(written)
    if of_noun:
        noun, words = clean(of_noun["noun"]), clean(of_noun["words"])
        return [words, f"{words} {noun}"]
    only = _ONLY_THOSE.match(written)
    if only:  # "fees are earned on settled trades only (state = 'S')"
        noun, words = clean(only["noun"]), clean(only["words"])
        return [words, f"{words} {noun}"]
    those = _THOSE.match(written)
    if those:
        return list(_wordings(those["words"]))
    opening = re.match(rf"^(?:when|if|where)\s+{_MARK},?\s*(?:then\s+)?(?P<rest>.+)$", written, re.IGNORECASE)
    if opening:
        rest = re.sub(r"^(?:this|it|that)\s+(?:is|means)\s+", "", opening["rest"], flags=re.IGNORECASE)
        return list(_wordings(rest))
    for statement in statements(written):
        sides = [side.strip() for side in (statement.left, statement.right)]
        if sides.count(_MARK) == 1:
            return list(_wordings(sides[1 - sides.index(_MARK)]))
    return []


def _wordings(text: str) -> Iterator[str]:
    """Yield each way to say it: both sides of a stroke, what follows "but", the state and the noun in it."""
    whole = clean(_ASIDE.sub(" ", text))
    listed = re.split(r"\s+(?:and|or)\s+", whole)
    alone = len(listed) > 1 and all(len(part.split()) == 1 for part in listed)
    for part in [*listed, whole] if alone else re.split(r"\s*/\s*", whole):
        phrase = _AFTERTHOUGHT.sub("", part).strip()
        if _STILL.match(phrase):
            yield from _wordings(_STILL.sub("", phrase))
        if _YEAR.search(phrase):
            continue  # a period needs no name
        phrase = phrase if len(phrase.split()) <= _LONG else _GOES_ON.split(phrase, maxsplit=1)[0]
        head, comma, rest = phrase.partition(",")
        *before, last = _TURN.split(head)
        stated = _STATED.match(head)
        wordings = [f"{stated['state']} {clean(stated['noun'])}", stated["state"]] if stated else [head]
        wordings += [f"{head} {clean(rest)}"] if comma else []
        wordings += [last, re.sub(r"^in\s+", "", last)] if before else []
        yield from (wording for wording in wordings if 0 < len(wording.split()) <= _LONGEST_PHRASE_WORDS)

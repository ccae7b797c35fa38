"""Everyday turns whose parts stand apart, said plainly: "from 5000 to 10000", "more loans than any other".

Each turn is a closed form with an open place or two; phrases that stand together are cues of `cues.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, Thing
from ai_engine.built_in.rewording.glossary import WrittenOut
from ai_engine.semantics.names import singular
from ai_engine.semantics.restatement import plural
from ai_engine.semantics.words import words

_Said: TypeAlias = str | Callable[[re.Match[str]], str]

_NUMBER = (
    r"(?:[₹$€£]\s?)?\d[\d,]*(?:\.\d+)?(?![\d/-])(?:\s?(?:k|m|bn|lakhs?|crores?|cr|thousand|million|billion|%|percent"
    r"|days|weeks|months|years)\b)?"
)
_SCALE = r"(?:k|m|mn|bn|lakhs?|lacs?|crores?|crs?|thousand|million|billion|percent|days|weeks|months|years)"
_NO_YEAR = r"(?!(?:19|20)\d\d\b)"
_NO_DATE = r"(?!\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))(?![\d/-])"
_HIGH = (
    "most (?:frequent|common|popular|active|often)|most valuable|busiest|highest|largest|biggest|greatest"
    "|most expensive|longest"
    "|most(?! recent)"
    "|top"
)
_LOW = (
    "least (?:frequent|common|popular|active|often)|least valuable|rarest|lowest|smallest|least|cheapest|shortest"
    "|fewest"
)
_LATE = "newest|latest|most recent|youngest"
_EARLY = "oldest|earliest|longest[- ]serving|longest[- ]standing|longest[- ]established"
_WAYS = {_EARLY: "oldest first", _HIGH: "highest first", _LOW: "lowest first", _LATE: "newest first"}
_ANY_WAY = "|".join(_WAYS)
_ONE = r"(?:one|ones|count|counts|number|numbers|total|totals|amount first|value|values|figure|figures)"
_NOT_A_NAME = r"(?!(?:and|or|with|by|first|on|at|the|to|in|of|then)\b)"
_FEW_WORDS = rf"(?:\s+{_NOT_A_NAME}[a-z]+){{1,3}}?"
_BEGIN = r"(?:^|(?<=[,;:.?(–-])\s*|(?<=\s))"
_OWN_NAME = 0.2
_PLACES = "second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\\d{1,3}(?:st|nd|rd|th)"
_NOT_ADDED = re.compile(r"\b(?:averages?|mean|median|ratios?|rates?|percent\w*|shares?|highest|lowest|ages?)\b|%", re.I)
_OTHER = r"(?:(?:that|which) (?:is|was) )?(?:not|other than|different from)"
_OFTEN = frozenset({"frequent", "common", "popular", "active", "often"})
_DATED = frozenset("date dates day days time year".split())


def _in_that_order(found: re.Match[str]) -> str:
    """ "the highest balance first", "with the newest on top"."""
    way = next(said for words_of, said in _WAYS.items() if re.fullmatch(words_of, found["way"], re.IGNORECASE))
    named = (found["named"] or "").strip()
    own = words(named)
    if own and own[-1] != singular(own[-1]) and re.fullmatch("most|fewest|least", found["way"], re.IGNORECASE):
        return f", sorted by number of {named} {'descending' if found['way'].lower() == 'most' else 'ascending'}"
    by_number = found["way"].lower().split()[0] in {"busiest", "rarest"} or words(found["way"])[-1] in _OFTEN
    if (*words(found["way"]), *own, "first") in cue_table().by_phrase and found.group().endswith("first"):
        return found.group()
    told = not own or by_number or re.fullmatch(_ONE, named, re.IGNORECASE)
    if told or (way in {"newest first", "oldest first"} and not _DATED.intersection(own)):
        return f", {way}"
    return f", sorted by {named} {'descending' if way in {'highest first', 'newest first'} else 'ascending'}"


def _of_that_place(found: re.Match[str]) -> str:
    """ "comes second by deposits": "has the second highest deposits"."""
    place = found["place"].lower()
    way = "lowest" if place in {"last", "bottom"} else "highest"
    return f"has the {way}" if place in {"first", "top", "last", "bottom"} else f"has the {place} {way}"


def _without_total(found: re.Match[str]) -> str:
    """A total below is that of the sentence above; what does not add up has none, which stays unread."""
    return " with the total" if _NOT_ADDED.search(found.string) else ""


_ZEROS = r"(?:zero(?:e?s)?(?: (?:values|counts|rows|ones|groups))?|0s?|nils?)"
_NONE = r"(?:none|nothing|nil|zero(?:e?s)?|0)"
_ZEROS_INCLUDED = (
    r"[,(]?\s*\b(?:(?:also |and )?(?:including|include|incl\.?|even|counting)(?: also| even| the| all)?"
    rf" (?:{_ZEROS}|(?:those |ones )?(?:(?:that |which |who )?(?:with|having|have|has) {_NONE}|without(?: any)?))"
    rf"|(?:with|showing|show|keeping|keep|also) (?:the )?{_ZEROS}(?: included| too| as well)?"
    rf"|{_ZEROS} (?:included|too|as well)"
    rf"|even (?:if|when|where) (?:(?:it is|they are|there is|there are|it has|they have) )?{_NONE})"
    r"\)?(?=\s*(?:[,.?;)]|$))"
)

_TURNS: tuple[tuple[re.Pattern[str], _Said], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        # numbers
        (rf"({_NUMBER}),? at (?:the )?(?:very )?(least|most)\b", r"at \2 \1"),
        (rf"\b(?:from|of) ({_NO_YEAR}{_NUMBER})\s+(?:up|upwards?|onwards?)\b(?!\s+to\b)", r"of at least \1"),
        (rf"({_NO_YEAR}{_NUMBER})\s+upwards?\b", r"at least \1"),
        (
            rf"\b(?:anywhere |ranging )?(?:from|(?<!range )of|(?:with)?in (?:the|a) range(?: of| from)?)"
            rf"\s+({_NO_YEAR}{_NUMBER})\s*(?:(?:up )?to(?: and including)?|through|-|–)"
            rf"\s*({_NO_YEAR}{_NUMBER}){_NO_DATE}"
            rf"(?:\s+inclusive(?:ly)?\b)?",
            r"between \1 and \2",
        ),
        (rf"\bin the ({_NO_YEAR}\d[\d,.]*)\s*(?:to|-|–)\s*(\d[\d,.]*) range\b", r"between \1 and \2"),
        (r"\(?\b(?:both|end ?points|limits|edges|bounds)(?: ends| sides| values)? (?:included|inclusive)\b\)?", " "),
        (r"\b((?:one|two|three|four|five|six|seven|eight|nine|ten|\d+) )"
         rf"(?!{_SCALE}\b)([a-z]+(?: [a-z]+)?) or (more|fewer|less)\b",
         r"\1or \3 \2"),
        (_ZEROS_INCLUDED, " zeros included"),
        # order
        (rf"{_BEGIN}(?:,\s*)?(?:put |with )?(?:the )?(?P<way>{_ANY_WAY})(?P<named>{_FEW_WORDS})?"
         r" (?:first|on top|at the top|coming first|to come first)\b", _in_that_order),
        (rf"(?:,\s*)?\b(?:starting|beginning) (?:with|from) (?:the )?(?P<way>{_ANY_WAY})(?P<named>{_FEW_WORDS})?"
         r"(?=\s*(?:[,.?)]|$))", _in_that_order),
        (r"\b(?:from )?a to z\b", "in alphabetical order"),
        (r"\b(?:from )?z to a\b", "in reverse alphabetical order"),
        # time
        (r"\bup (?:to|until) (?:and including )?(today|yesterday)\b", r"until \1"),
        (r"\b((?:aged (?:over |under |above |below |at least )?\d+|years old)"
         r"(?: (?:or|and) (?:over|older|more|above|under|younger|less|below)| (?:to|and) \d+)?) (?:today|now)\b",
         r"\1"),
        (r"\b((?!(?:whose|the|their|its)\b)[a-z]+ dates?) (?:has|have) (?:already )?(?:passed|gone by)\b",
         r"\1 before today"),
        (r"\b(?:the )?same (?:period|stretch|days|dates|part|span|time|months|weeks|point) (?:of|in|from) "
         r"(?:the )?(last|previous|prior) year\b", r"the same period \1 year"),
        # a total below the rows
        (r",?\s+(?:with|and|plus) (?:the |an? )?(?:(?:grand|overall) )?totals?(?: row| line)?(?: (?:at|in|on) the"
         r" (?:bottom|end|foot|last (?:row|line))| below| underneath)(?=\s*(?:[.?!]|$))", _without_total),
        # averages and verbs
        (r"^\s*(?:the )?distribution of\b", "what is the distribution of"),
        (r"\bhow many ([a-z]+) (?:does|do|did|has) (?:the|an) average ([a-z]+) (?:have|has|make|made|hold|own)\b",
         r"average number of \1 per \2"),
        (r"(\b(?:in|at) (?:which|whose)\b[^.?!,;]*?)\s+(?:live|reside)\b(?=\s*(?:[?.!,;]|$))", r"\1"),
        (r"(\b(?:do|does|did)\b[^.?!,;]*?)\s+(?:live|reside)\b(?=\s*(?:[?.!,;]|$))", r"\1"),
        # superlatives
        (r"\bmore ([a-z]+(?: [a-z]+)?) than (?:any (?:other|of the other)s?(?: \w+)?|all (?:of )?(?:the )?others"
         r"(?: \w+)?|any(?:one|body) else|every(?:one|body) else)\b", r"the most \1"),
        (r"\ba? ?(?:higher|larger|bigger|greater) ([a-z]+(?: [a-z]+)?) than (?:any (?:other|of the other)s?(?: \w+)?"
         r"|all (?:of )?(?:the )?others(?: \w+)?|any(?:one|body) else|every(?:one|body) else)\b", r"the highest \1"),
        (rf"\b(?:comes?|came|ranks?|ranked|stands?|is placed) (?P<place>first|top|last|bottom|{_PLACES})(?: place)?"
         r" (?:by|in|for|on|in terms of)(?: the)?\b", _of_that_place),
        (r"\b(?:leads?|tops)(?: the (?:list|table|ranking|field|pack))? (?:by|in|for|in terms of)\b",
         "has the highest"),
        (r"\b(?:has|have) been (?:(?:with|at|in|on|working|employed|a|an|our|the|us|here|open|around|for)\b\s*"
         r"(?:\w+ )?)+?(?:for )?(?:the )?longest\b", "is the longest established"),
        (r"\bthat of the average \w+\b", "average"),
        (r"(?:,| and)(?: also)? (?:that|this|the resulting) (?:average|total|sum|count|number|figure|percentage|share)"
         r"(?=\s*(?:[.?!]|$))", ""),
        (r"\bfor (how many|which|what) ([a-z]+(?: [a-z]+)?) (?:is|are|was|were) (?:the |their |its )?"
         r"([a-z]+(?: [a-z]+){0,2}) (missing|unknown|empty|blank|null|not (?:known|recorded|on file|available))\b",
         r"\1 \2 with \3 \4"),
        (r"\b(has|have|having|holds?|holding|keeps?|keeping) the (most|least) in\b", r"\1 the \2 money in"),
        (r"\b(?:the )?most money\b(?:,? (?:in total|overall|altogether))?", "the highest total amount"),
        (r"\b(?:the )?least money\b(?:,? (?:in total|overall|altogether))?", "the lowest total amount"),
        (r"\b(?:(?:sorted|ordered|ranked|arranged),? )?from (?:the )?(?:highest|largest) ([a-z]+(?: [a-z]+)?) to "
         r"(?:the )?(?:lowest|smallest)\b", r"sorted by \1, highest first"),
        (r"\b(?:(?:sorted|ordered|ranked|arranged),? )?from (?:the )?(?:lowest|smallest) ([a-z]+(?: [a-z]+)?) to "
         r"(?:the )?(?:highest|largest)\b", r"sorted by \1, lowest first"),
        # what is known, and what is not
        (r"\b(?:but )?(?:leaving out|leave out|excluding|exclude|except(?: for)?|omitting|omit|ignoring|skipping"
         r"|not counting|not including) (?:(?:any|all) )?(?:those|the ones|rows|records) "
         r"(?:(?:that|who|which) (?:have|has) no|with no|without(?: any)?|lacking(?: any)?)\b(?: an?\b)?"
         r"(?![^.?!;,]*\b(?:and|or)\b)", "only those with a"),
        (r"\b(?:(?:that|which|whom) )?we (?:have|hold|keep|know) no ([a-z][a-z -]*?) (?:for|of|about)"
         r"(?=\s*(?:[?.!,;]|$))", r"without \1"),
        (r"\b(an?(?: [a-z-]+){1,3}?) (?:that|which) (?:we know(?: of)?|is known(?: to us)?)\b", r"\1"),
        (r"\bin ((?:19|20)\d\d) or (?:earlier|before)\b", r"until the end of \1"),
        (r"\bin ((?:19|20)\d\d) or (?:later|after)\b", r"since \1"),
        (r"\bnot (?:even )?(?:a single|one)\b", "no"),
        # two of a kind
        (rf"\ban? ([a-z]+) {_OTHER} (?:the one|that|the \1) of\b", r"a different \1 from"),
        (rf"\bwhose ([a-z]+) (?:is|was) {_OTHER} (?:the one|that|the \1) of\b", r"whose \1 differs from the \1 of"),
        # figures
        (r"\b((?:by|per|(?:for|of) each) (?:[a-z]+ )?([a-z]+),? (?:and|with)) (?:each|every) (?:[a-z]+ )?\2['’]s "
         r"(?=(?:share|percentage|proportion)\b)", r"\1 its "),
        (r"\b((?:monthly |annual )?(?:salary|wage|payroll)) bill\b", r"total \1"),
        (r"\b(?:volumes?|values?|business|size) \((amount|value|count|number)\)", r"\1"),
        # what is asked in the same breath
        (r"\band how many such [a-z]+(?: were there| are there| have there been)?\b", "and how many"),
        (r"([:,;–-]\s*)(?:just|only) (the|their|its)\b", r"\1\2"),
        (r"^\s*rank (?:all )?(?:the |our )?((?:[a-z]+ ){1,3}?by\b"
         r"(?!.*\b(?:first|ascending|descending|lowest|smallest)\b)[^.?!;]*)", r"\1, highest first"),
        (r"^\s*rank (?:all )?(?:the |our )?((?:[a-z]+ ){1,3}?by)\b", r"\1"),
        # verbs that only link
        (r"\b(?:sits?|lies?|rests?|is tied up) in\b", "is in"),
        (r"\b(?:fall|falls|falling) due\b", "due"),
        (r"\bfell due\b", "were due"),
        (r"\bpaid back\b", "repaid"),
        (r"\bpay(s|ing)? back\b", r"repay\1"),
        (r"\blet['’]s (?:see|look at|have a look at)\b", "show"),
        (r"^\s*(?:well|right|so|now then),\s*", ""),
        (r"^\s*(?:could|can|would|will) (?:somebody|someone|anybody|anyone) (?:please )?(?=(?:tell|give|show)\b)", ""),
        (r"\b(?:ended|ends|wound|winds) up with\b", "have"),
        (r"\b(?:ended|ends|end|wound|winds|wind) up(?: as| being)?\b", "are"),
        # what is said again
        (r"\(([^()]{1,60}(?:included|count too|counts too|counted too|too|as well))\)", r", \1"),
        (r"(?<=[,;:.?(–-])\s*\(?each (?:\w+ )?(?:only |just )?once\b\)?", ", without duplicates"),
        (r"\bno ([a-z]+(?: [a-z]+)?) whatsoever\b", r"no \1"),
        (r"\bgroup (?:the |all |all the |our )?([a-z]+(?: [a-z]+)?) by\b", r"\1 by"),
        (r"\bhow (?:do|does|are|is) (?:the |our )?((?:number of )?[a-z]+(?: [a-z]+)?) "
         r"(?:break down|split|spread|distributed|vary|varies|differ|differs|distribute)"
         r" (?:by|over|across|between|among|with|from)(?: the)?\b", r"number of \1 by"),
        (r"\bnumber of number of\b", "number of"),
        (r"^\s*compare (?:the |our )?((?:(?!(?:and|with|to|against|between)\b)[a-z]+ )+?)(?:between|across|among) "
         r"(?:(?:all|the|our|different|various) )*((?:(?!and\b)[a-z]+ ){0,2}[a-z]+s)(?=\s*(?:[.?!]|$))", r"\1by \2"),
        (r"\bhow (?:long|many days) (?:do|does|did|is|are|have|has) (.+?) (?:take|taken)"
         r"(?: (?:on average|usually|typically))?,? ((?:from|between) [a-z ]+?)(?=\s*(?:[.?!,]|$))",
         r"average days \2 of \1"),
        (r"\b(month|quarter|year|week|day) (?:after|for) \1\b", r"\1 by \1"),
    )
)  # fmt: skip
_LITERALS = re.compile(r"(?<!\\)[a-z]+")
_LIVING = re.compile(
    r"\bwhat (?:he|she|they|each(?: of them| one)?|people|everyone|every \w+) (?:do|does) for a living\b"
    r"|\bhow (?:they|he|she|people) (?:earn|earns|make|makes) (?:their|his|her|a) living\b",
    re.IGNORECASE,
)
_KINDS_OF = re.compile(r"\b(?P<asks>what|which) (?:kinds|types|sorts) of (?P<noun>[a-z]+)\b", re.IGNORECASE)
_BEING = r"(?:(?:that|which) )?(?:(?:is|was|has been|being) )?"
_ONE_OF_EACH = re.compile(
    rf"\b(?:at least )?one (?P<first>[a-z]+) {_BEING}(?P<second>[a-z]+),? (?:and|plus|as well as) (?:also )?"
    rf"(?:another|(?:at least )?one)(?: one)? {_BEING}(?P<third>[a-z]+)(?P<again> [a-z]+)?(?=\s*(?:[.?!,;]|$))",
    re.IGNORECASE,
)
_KEPT_MONEY = re.compile(
    r"\b(?P<keeps>has|have|having|with|holds?|holding|owns?|owning|keeps?|keeping) (?:the )?(?P<way>most|least) money\b"
    r"(?:,? (?:in total|overall|altogether|with us))?(?! (?:in|on|from|at|to|for)\b)",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(r"\b(?P<first>[a-z]+) (?P<last>[a-z]+),? \(?in (?:plain )?words\)?", re.IGNORECASE)
_NOT_KEPT = re.compile(
    r"\bno (?P<name>[a-z]+(?: [a-z]+){0,2}?) (?:on file|on record|recorded|captured|kept|given|known)\b", re.IGNORECASE
)
_DUE_BY_NOW = re.compile(r"\b(?:already|now) due\b(?! (?:to|in|on|for|from|by (?:the|end|\d))\b)", re.IGNORECASE)
_TRADES = ("occupation", "profession", "job", "job title", "employment", "work")
_QUOTED = re.compile(r"(?<!\w)[‘'\"“`][^‘’'\"“”`]{1,80}[’'\"”`](?!\w)")
_THAT_IS = re.compile(r"\b(?P<word>[a-z]{4,}),? \(?(?:i\.\s?e\.?|that is|meaning|in other words),? ", re.IGNORECASE)


def in_plain_words(question: str, knowledge: Knowledge) -> WrittenOut:
    """Say the turns of phrase of a question plainly; quoted texts stay as they are."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"\x01{len(kept) - 1}\x01"

    text = " ".join(_QUOTED.sub(keep, question.replace("\x01", " ")).split())
    assumptions: list[str] = []

    def explained(found: re.Match[str]) -> str:
        word = found["word"].lower()
        if knowledge.lexicon.knows(word) or knowledge.lexicon.corrections(word):
            return found.group()
        before = words(text[: found.start()])[-1:]
        if not all(map(knowledge.lexicon.knows, before)):
            return found.group()  # the words explain one of the two, and which is not said
        assumptions.append(f"“{found['word']}” was read as the words that explain it")
        return ""

    trade = next((name for name in _TRADES if _is_column(name, knowledge)), None)
    if trade is not None:
        text = _LIVING.sub(trade, text)
    if _is_column("due date", knowledge):
        text = _DUE_BY_NOW.sub("due until today", text)
    text = _THAT_IS.sub(explained, text)
    text = _KINDS_OF.sub(partial(_kinds, knowledge), text)
    text = _ONE_OF_EACH.sub(partial(_one_of_each, knowledge), text)
    text = _KEPT_MONEY.sub(partial(_kept_money, knowledge), text)
    text = _NOT_KEPT.sub(partial(_missing, knowledge), text)
    text = _IN_WORDS.sub(partial(_called, knowledge), text)
    for pattern, said in _TURNS:
        text = pattern.sub(partial(_in_known_words, knowledge, said), text)
    for place, quoted in enumerate(kept):
        text = text.replace(f"\x01{place}\x01", quoted)
    return WrittenOut(text, tuple(assumptions))


def _in_known_words(knowledge: Knowledge, said: _Said, found: re.Match[str]) -> str:
    """Say one turn plainly, unless a word that nobody knows would be lost in an open place of it."""
    plain = found.expand(said) if isinstance(said, str) else said(found)
    fixed = _LITERALS.findall(found.re.pattern)
    lost = set(words(found.group())).difference(words(plain), fixed)
    return plain if all(map(knowledge.lexicon.knows, lost)) else found.group()


def _kinds(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "what kinds of loans do we offer": their types, where that is a column."""
    noun = singular(found["noun"].lower())
    kind = next((kind for kind in ("type", "kind", "category") if _is_column(f"{noun} {kind}", knowledge)), None)
    return f"{found['asks']} {noun} {plural(kind)}" if kind is not None else found.group()


def _one_of_each(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "one order approved and another one declined", "one gold card and one silver card": two rows, one of each."""
    first, second, third = (found[part].lower() for part in ("first", "second", "third"))
    again = (found["again"] or "").strip().lower()
    noun, value = (first, second) if _is_thing(first, knowledge) else (second, first)
    if not _is_thing(noun, knowledge) or again not in {"", "one", noun}:
        return found.group()
    if any(_is_verb(said) or not knowledge.lexicon.stored((said,)) for said in (value, third)):
        return found.group()
    return f"both {value} and {third} {plural(noun)}"


def _kept_money(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "who has the most money": what they have is their balance, not what they paid or borrowed."""
    way = "highest" if found["way"].lower() == "most" else "lowest"
    named = any(c.cost < _OWN_NAME for c in knowledge.lexicon.names(("balance",)) if isinstance(c.meaning, Attribute))
    return f"{found['keeps']} the {way} total balance" if named else found.group()  # points are no money


def _is_verb(word: str) -> bool:
    return any(isinstance(cue, Cue) and cue.kind == "have" for cue in cue_table().by_phrase.get((word,), ()))


def _is_thing(noun: str, knowledge: Knowledge) -> bool:
    return any(isinstance(found.meaning, Thing) for found in knowledge.lexicon.names((noun,)))


def _called(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "each claim status (in words)": what the code is called, where a column says so."""
    said = f"{found['first']} {found['last']} description"
    return said if _is_column(said.lower(), knowledge) else found.group()


def _missing(knowledge: Knowledge, found: re.Match[str]) -> str:
    """ "with no income on file": of a column, what is not kept is missing."""
    return f"missing {found['name']}" if _is_column(found["name"].lower(), knowledge) else found.group()


def _is_column(name: str, knowledge: Knowledge) -> bool:
    return any(isinstance(found.meaning, Attribute) for found in knowledge.lexicon.names(tuple(name.split())))

"""The turns of phrase themselves: what is typed, as a pattern, and how it is said plainly."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from ai_engine.built_in.cues import cue_table
from ai_engine.built_in.scales import SUPERLATIVES
from ai_engine.semantics.names import singular
from ai_engine.semantics.words import words

Said: TypeAlias = str | Callable[[re.Match[str]], str]

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
    if not own and found["way"].lower() in SUPERLATIVES:
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

TURNS: tuple[tuple[re.Pattern[str], Said], ...] = tuple(
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
        (r"\b((?:(?:first|second|third|fourth|last) (?:half|quarter)|h[12]|q[1-4])(?: of)?) ((?:19|20)\d\d)"
         r" (and|vs|versus|next to|against|with|or) (?:of |in |that of )?((?:19|20)\d\d)\b", r"\1 \2 \3 \1 \4"),
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
        (r"\b(?:but )?(?:leaving out|leave out|excluding|exclude|except(?: for)?|omitting|omit|ignoring|ignore|skipping"
         r"|skip|not counting|not including) (?:(?:any|all) )?(?:those|the ones|rows|records) "
         r"(?:(?:that|who|which) (?:have|has) no|with no|without(?: any)?|lacking(?: any)?)\b(?: an?\b)?"
         r"(?![^.?!;,]*\b(?:and|or)\b)", "only those with a"),
        (r"\b(?:(?:that|which|whom) )?we (?:have|hold|keep|know) no ([a-z][a-z -]*?) (?:for|of|about)"
         r"(?=\s*(?:[?.!,;]|$))", r"without \1"),
        (r"\b(an?(?: [a-z-]+){1,3}?) (?:that|which) (?:we know(?: of)?|is known(?: to us)?)\b", r"\1"),
        (r"\bin ((?:19|20)\d\d) or (?:earlier|before)\b", r"until the end of \1"),
        (r"\bin ((?:19|20)\d\d) or (?:later|after)\b", r"since \1"),
        (r"(?<!^)(?<!^and )\b(?:no|without(?: any)?|not (?:even )?(?:a single|one)) ([a-z]+)"
         r" (?:ones?(?: among them)?|among them)(?=\s*(?:[.?!,;)]|$))", r"none of them \1"),
        (r"\b(?:where |of which |of whom )?not (?:even )?(?:a single one|one)(?: of (?:them|which|whom|these|those))?"
         r"(?: (?:is|was|are|were|has been|have been|ever|got|became))+(?= )", "none of them"),
        (r"\bnot (?:even )?(?:a single one|one) of (?:which|whom|them|these|those)\b", "none of them"),
        (r"\bnot (?:even )?(?:a single|one)\b", "no"),
        (r"\((skip|without|excluding|ignoring|leave out|no) ([a-z ]{1,40})\)", r", \1 \2"),
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

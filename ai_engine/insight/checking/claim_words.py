"""The closed list of words that claim something of a result, and what may stand around them."""

from __future__ import annotations

import re

_NAMES: dict[str, str] = {
    "total": "total totals totalled totaled totalling totaling sum sums summed overall altogether combined aggregate "
    "together jointly",
    "average": "average averages averaged averaging mean",
    "median": "median",
    "highest": "highest largest biggest greatest maximum max most top tops topped leads leading led leader peak "
    "peaks peaked high highs",
    "lowest": "lowest smallest fewest minimum min least bottom low lows trough",
    "first": "first earliest",
    "last": "last latest",
    "all": "all every each both everyone everybody",
    "only": "only solely alone",
    "none": "no not",
    "same": "same equal equals equally identical alike tied tie ties level unchanged flat",
    "more": "above ahead beyond bigger exceed exceeded exceeding exceeds greater higher larger more over surpass "
    "surpassed surpasses outnumber outnumbers outnumbered outstrip outstrips outstripped outpace outpaces outpaced "
    "outrank outranks outranked outperform outperforms outperformed outweigh outweighs outweighed overtake overtakes "
    "overtook overtaken dwarf dwarfs dwarfed eclipse eclipses eclipsed beat beats beaten",
    "less": "behind below fewer lag lagged lags less lower smaller trail trailed trails under",
    "moves": "change changed changes changing fluctuated fluctuates fluctuation fluctuations move moved movement "
    "movements moves moving swing swings trend trends varied varies vary variation",
    "order": "rank ranked ranking ranks order ordered sorted",
    "per": "per",
    "as": "as",
    "time": "began begin beginning begins begun start started starting starts end ended ending ends after "
    "before since until till earlier later prior preceding subsequent subsequently succeeding thereafter",
    "between": "between",
    "on": "on",
    "other": "other others",
    "steady": "steady steadily gradual gradually continue continued continues consistently",
}
TOGETHER = frozenset("together combined altogether jointly sum sums summed".split())
CLAIMS = {word: kind for kind, words in _NAMES.items() for word in words.split()}
WORD = re.compile(r"[^\W\d_]+")
BETWEEN_LEFT = re.compile(
    r"[\s,(\u25a1]*(?:\b(?:is|was|are|were|as|in|on|the|a|an|its|their|being|which)\b[\s,]*)*[\s,(]*",
    re.IGNORECASE,
)
BY = re.compile(r"\b(?:by|than|over)\s+\W*(?:rs\.?\s*)?$", re.IGNORECASE)
SIDE = re.compile(
    r"\b(?:(?P<above>above|over|exceeds?|exceeded|exceeding|beyond|(?:higher|more|larger|greater|bigger)\s+than)"
    r"|(?P<below>below|under|(?:lower|less|fewer|smaller)\s+than)|(?P<other>to|from|at|near|than|behind|after|next\s+to))"
    r"\s+(?:the\s+|its\s+|an\s+|overall\s+)*$",
    re.IGNORECASE,
)
PERIOD_AFTER = re.compile(
    r"[\s-]+(?:\u25a1|of\s+(?:the|these|those|\u25a1)|(?:financial|fiscal|calendar)\s+(?:year|quarter|half)|(?:few\s+)?"
    r"(?:day|week|month|quarter|half|year|period|date|time|row|line|point|figure|value)s?\b|to\s+(?:the\s+)?last\b|and\s+(?:the\s+)?last\b"
    r"|available\b|recorded\b|shown\b|listed\b)",
    re.IGNORECASE,
)
PLACED = re.compile(
    r"\b(?:ranks?|ranked|ranking|comes?|came|is|are|stands?|stood|placed|finishes|finished|in)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
BOUND = re.compile(r"\bat\s+(?:the\s+)?$", re.IGNORECASE)
BOUND_AFTER = re.compile(r"\s+(?:rs\.?\s*|inr\s+)?\u25a1", re.IGNORECASE)
ALL_OF = re.compile(
    r"\b(?:of|for|across|among|amongst|over|in|by|per|from|between|with|than|to|as|on|about|covers?|includes?)\s+(?:the\s+|their\s+)?$",
    re.IGNORECASE,
)
OF_ALL_OF_THEM = re.compile(
    r"\b(?:are|is|were|was|have|has|had)\s+(?:all|each|both)$|\beverybody$|\beveryone$", re.IGNORECASE
)
HAS_AFTER = re.compile(r"\s+(?:has|have|had|holds?|held)\b", re.IGNORECASE)
OF_WHOM = re.compile(r"\s+of\s+(?:whom|which|them)\b", re.IGNORECASE)
PASSIVE = re.compile(r"\s+by\b", re.IGNORECASE)
THING_AFTER = re.compile(
    r"\s+(?:of\s+)?(?:(?:the|its|these|those|our|their)\s+)?(?:\u25a1+\s+)?(?P<thing>[a-z]+)", re.IGNORECASE
)
ALSO = re.compile(r"\s+(?:has|have|had|is|are|was|were)\b", re.IGNORECASE)
LISTED = re.compile(
    r"\b(?:these|those|listed|shown|among|of\s+(?:the|them)|displayed|here)\b|\btop\b|\bbottom\b", re.IGNORECASE
)
LEADING = 10
ENDS = frozenset({"total", "average", "median", "highest", "lowest", "first", "last"})
FROM = re.compile(r"\b(?:from|between)\s+\W*(?:rs\.?\s*|inr\s*)?$", re.IGNORECASE)
SEVERAL = re.compile(r"\s+[a-z]+s\b", re.IGNORECASE)
OF_THEM = re.compile(r"\s+of\s+(?:the\s+)?\W", re.IGNORECASE)
SAME_TIME = re.compile(r"\s+(?:period|day|week|month|quarter|half|year|time|date)s?\b", re.IGNORECASE)
_WITH_A_FIGURE = r"\W*(?:(?:with|at)\b)?[^\w\u25a1]*(?:\u25a1+[^\u25a1.;]{0,30}?)?\W*"
FOLLOWED = re.compile(
    rf"{_WITH_A_FIGURE}(?:\b(?:is|are)\s+)?(?:closely\s+)?\b(?:followed\s+by|ahead\s+of|comes?\s+before|then|and\s+then)\s+",
    re.IGNORECASE,
)
FOLLOWS = re.compile(
    rf"{_WITH_A_FIGURE}\b(?:closely\s+)?(?:follow(?:s|ed|ing)?|trails|is\s+behind|comes\s+after)\s+", re.IGNORECASE
)
FOLLOWING = re.compile(r"\b(?:following|after|behind|next\s+to)\s+(?:the\s+)?$", re.IGNORECASE)
THEN_IS = re.compile(rf"{_WITH_A_FIGURE}\b(?:is|are|comes?|came|stands?|ranks?|was|were)\s+", re.IGNORECASE)
AT_LEAST = re.compile(
    r"\b(?:at\s+least|(?:more|higher|greater|larger)\s+than|above|over|exceeds?|minimum\s+of)\b", re.IGNORECASE
)
A_STEP = re.compile(
    r"\b(?:from|since|between|until|before|after|to|by|compared|than|over|through|and)\b", re.IGNORECASE
)
A_CHANGE = re.compile(
    r"\b(?:the|an?|its)\s+(?:[a-z]+\s+)?(?P<change>rise|increase|growth|jump|surge|gain|uptick|improvement|fall|drop|decline"
    r"|decrease|dip|slump|plunge|reduction)\b",
    re.IGNORECASE,
)
A_GAP = re.compile(
    r"(?:^|\W|\b(?:and|in|is|by|gap|gaps|differences?|ranges?|ranged|ranging|ratio|changed?|moved?|varied|varies|fluctuated|swing|split"
    r"|distributed|divided))\s*$",
    re.IGNORECASE,
)
STANDS = re.compile(r"\b(?:is|are|was|were)\s*$", re.IGNORECASE)
OF_AN_END = re.compile(r"\b(?:to|from|at)\s+\W*(?:rs\.?\s*)?$", re.IGNORECASE)
A_RANGE = re.compile(r"\b(?:from|between|range[sd]?|ranging)\b", re.IGNORECASE)
AS_MANY = re.compile(r"\s+as\s+(?:many|much|large|high)\b", re.IGNORECASE)


def claims_an_end(words: str) -> bool:
    """Tell whether any word claims a total, an average, the highest or the lowest."""
    return not ENDS.isdisjoint(CLAIMS.get(word, "") for word in WORD.findall(words.lower()))

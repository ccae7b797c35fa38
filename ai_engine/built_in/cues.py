"""The closed class: words and phrases that say how the names, values and numbers of a question hang together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ai_engine.built_in.meanings import Cue, CueKind, Step
from ai_engine.semantics.intent import Grain

# kind, value, phrases separated by bars
_TABLE: Final[tuple[tuple[CueKind, str | bool | None, str], ...]] = (
    ("aggregate", "count", "how many|number of|count of|count|no of|total number of|total count of|total no of|#|# of|numbers of|how often"),
    ("aggregate", "sum", "total|sum of|sum|combined|overall|total amount of|how much|aggregate|cumulative total of|sum total of|in total"),
    ("aggregate", "avg", "average|avg|mean|typical|on average|averages"),
    ("aggregate", "max", "maximum|max"),
    ("aggregate", "min", "minimum|min"),
    ("aggregate", "median", "median|middle"),
    ("aggregate", "stddev", "standard deviation of|standard deviation|std dev of|std dev"),
    ("superlative", "high", "highest|largest|biggest|greatest|richest|most valuable|most expensive|top most|maximal|longest|heaviest|wealthiest|best|strongest"),
    ("superlative", "low", "lowest|smallest|cheapest|poorest|least valuable|least expensive|minimal|shortest|worst|tiniest|weakest"),
    ("superlative", "old", "oldest|earliest|first|eldest|very first|least recent"),
    ("superlative", "new", "newest|latest|most recent|youngest|most recently|very last|recent most"),
    ("superlative", "many", "most|the most|busiest|most often|the most often|most common|most frequent|most popular|most often|most frequently|most active|maximum number of|max number of|most number of|highest number of|largest number of|greatest number of"),
    ("superlative", "few", "fewest|least|least often|the least often|least common|least frequent|least popular|rarest|least active|minimum number of|min number of|least number of|lowest number of|smallest number of|fewest number of"),
    ("limit", "high", "top"),
    ("limit", "low", "bottom"),
    ("compare", ">", "over|above|more than|greater than|larger than|higher than|bigger than|exceeding|exceeds|exceed|in excess of|north of|>|beyond|is more|longer than|bought after"),
    ("compare", ">=", "at least|no less than|not less than|minimum of|a minimum of|>=|or more|or above|and above|greater than or equal to|more than or equal to|not below|starting at|not under|or higher|and over|or over"),
    ("compare", "<", "under|below|less than|fewer than|smaller than|lower than|<|shorter than|south of"),
    ("compare", "<=", "at most|no more than|not more than|maximum of|a maximum of|up to|upto|<=|or less|or below|or fewer|less than or equal to|not above|not exceeding|not over|or lower|and below|and under|or under"),
    ("compare", "=", "equal to|equals|equal|exactly|="),
    ("compare", "!=", "not equal to|!=|<>|different from|differs from"),
    ("compare", "between", "between|ranging from|in the range of|in the range"),
    ("compare", "contains", "containing|contains|contain|includes|including the letter|includes the letter|contains the letter|including the word|includes the word|contains the word|like|matching|with the substring|includes the substring|contains the substring|has the letter"),
    ("compare", "starts with", "starting with|starts with|start with|begins with|beginning with|begin with|starting with the letter|starts with the letter|begins with the letter|that start with"),
    ("compare", "ends with", "ending with|ends with|end with|ending in|ends in|end in|ending with the letter|ends with the letter"),
    ("older", ">", "older than|aged over|aged above|over the age of|above the age of"),
    ("older", "<", "younger than|aged under|aged below|under the age of|below the age of"),
    ("older", "between", "aged between|aged|between the ages of"),
    ("group", None, "by|per|for each|for every|in each|of each|across|broken down by|grouped by|group by|split by|by each|for all the different|according to|in terms of|segmented by|for the different|distributed by|sliced by|breakdown by|break down by|break it down by|with each|at each|to each|from each|on each|for the various|breakup by|distribution by|over each|in every|for various|within each|distribution across|breakdown across|distribution of"),
    ("each", None, "each|every|individual"),
    ("wise", None, "wise"),
    ("order", None, "sorted by|ordered by|order by|sort by|ranked by|in order of|in the order of|sorted on|ordered on|arranged by|order of|sort them by|order them by|rank by|sorted|ordered|arranged|sort|ordered in|sorted in"),
    ("direction", True, "descending|desc|in descending order|in descending order of|highest first|largest first|decreasing|from highest to lowest|high to low|from high to low|in decreasing order of|in decreasing order|from most to least|reverse alphabetical order|biggest first|newest first|latest first|most recent first|descending order|from largest to smallest|from the highest to the lowest"),
    ("direction", False, "ascending|asc|in ascending order|in ascending order of|lowest first|smallest first|increasing|from lowest to highest|low to high|from low to high|in increasing order of|in increasing order|alphabetically|in alphabetical order|alphabetical order|in alphabetical order of|alphabetical order of|in lexicographical order|lexicographically|lexicographic order|oldest first|earliest first|ascending order|from smallest to largest|chronologically|in chronological order|from the lowest to the highest"),
    ("not", None, "not|no|never|without|excluding|exclude|except|except for|other than|but not|apart from|besides|without any|lacking|non|cannot|neither|nor|excludes|leaving out|ignoring|barring|minus"),
    ("have", None, "with|having|have|has|had|holding|hold|holds|held|own|owns|owned|owning|possess|possesses|made|make|makes|making|took|take|taken|takes|got|get|filed|file|files|receive|received|receives|offer|offers|offered|provide|provides|provided|gave|give out|placed|place|done|did|do|does|perform|performed|bought|buy|use|used|using|uses|contain|carry|carries|carried|maintain|maintains|maintaining|maintained|includes|included|include|involved in|associated with|linked to|related to|attached to|experienced|conducted|processed|originated|recorded|generated|submitted|enrolled in|subscribed to|signed up for|applied for|availed|avail|granted|disbursed to|initiated|earned|earn|serve|serves|manage|manages|handle|handles|handled|house|sell|sells|sold|incurred|incur|caused|cause|led to|lead to|leads to|resulted in|chose|chosen|choose|chooses|selected|picked|lent|lend|lends|lended|loaned|opened|open|opening|registered|signed|joined with|join"),
    ("relative", None, "who|whose|whom|which|that|where|when|such that|in which|for which|of which|to which|from which|at which"),
    ("and", None, "and|as well as|along with|together with|also|plus|&|and also|and then|but|yet"),
    ("or", None, "or|either"),
    ("both", None, "both"),
    ("list", None, "show|list|give|display|find|get|return|tell|list out|list down|show me|give me|tell me|find out|fetch|retrieve|provide|report|let me see|pull|pull up|print|bring up|name|state|identify|enumerate|see|view|i want|i need|i want to see|i would like to see|i would like to know|could you show me|can you show me|please list|describe|what are all|want to know|provide me with|list all|show all|extract|select|output|present|give the|select the|can you list|can you tell me|can you give me|could you give me|could you tell me|do you know|i want to know"),
    ("what", None, "what|which|who|what is|what are|what was|what were|which is|which are|who is|who are|what kind of|what kinds of|who was|which one|which ones|what s"),
    ("distinct", None, "distinct|different|unique|various|distinctive"),
    ("share", None, "percentage of|percent of|percentage|percent|proportion of|share of|fraction of|% of|proportion|share|contribution of|contribution|what percent of|as a percentage of|as a share of|mix of|mix|composition of"),
    ("change", "change", "change in|change|increase in|decrease in|difference in|variation in|movement in"),
    ("change", "change_percent", "growth in|growth of|growth|growth rate of|growth rate|percentage change in|percent change in|month over month growth|year over year growth|mom growth|yoy growth|percentage growth in|percentage growth of|rate of growth of"),
    ("running", None, "running total of|running total|cumulative|cumulative total|cumulative sum of|running sum of|running"),
    ("ratio", None, "ratio of|ratio between|ratio"),
    ("versus", "previous_period", "compared to the previous period|versus the previous period|against the previous period|compared with the previous period|compared to previous period|vs previous period|compared to last month|vs last month|versus last month|compared with last month"),
    ("versus", "same_period_last_year", "compared to the same period last year|versus the same period last year|against the same period last year|compared with the same period last year|year on year|year over year|yoy|compared to last year|vs last year|versus last year|compared with last year"),
    ("empty", None, "missing|blank|empty|null|unknown|unspecified|unassigned|not available|not recorded|not specified"),
    ("stop", None, ",|;|.|?|:"),
    (
        "filler", None,
        "the|a|an|of|in|on|at|to|for|from|into|onto|is|are|was|were|be|been|being|am|it|its|their|his|her|our|my|your|they|them|there|these|those|"
        "this|i|we|us|me|you|he|she|please|kindly|can|could|would|should|will|shall|may|might|must|do|does|did|as|so|then|just|only|"
        "currently|now|today s|all|any|some|value|values|level|wide|data|info|information|overall|present|presently|"
        "s|ve|re|ll|d|if|than|also|actually|exactly what|about|regarding|concerning|hello|hi|hey|thanks|thank you|quick question|"
        "located|located in|located at|based in|based|living|live|lives|living in|stay|staying|stayed|stays|reside|residing|residing in|belong|belonging|belongs|belong to|belonging to|belongs to|"
        "called|named|titled|existing|exist|exists|in our bank|in the bank|at our bank|at the bank|of the bank|in the database|in our database|on record|on file|"
        "come|comes|came|go|goes|went|respective|respectively|corresponding|particular|given|specific|certain|"
        "do we have|we have|are there|is there|were there|have there been|has there been|there were|do we|did we|have we|we had|have been|has been|had been|"
        "up|out|over time|ever|been made|occurred|occur|happened|happen|took place|taken place|involving|involved|when it comes to|among|amongst|of all|out of|within|"
        "grand|entire|whole|money|case|cases|corresponds|correspond|correspond to|corresponding to|breakdown|distribution|split|figure|figures|amounting to|worth|valued at|having a value of|"
        "across all|for all|by all|record|records|entries|entry|list of|made by|done by|held by|owned by|offered by|provided by|placed by|performed by|opened by|taken by|given by|issued by|filed by|"
        "processed by|handled by|managed by|served by|generated by|submitted by|sold by|bought by|associated|available|results|result|show their|along|their own|people|those who|"
        "the following|such|same|type of|kind of|kinds of|types of|sort of|per cent|how|why|because|like to|going|what s the|and their|each other|through|via|using the"
    ),
)  # fmt: skip
_STEPS: Final[dict[Grain, tuple[str, str]]] = {
    # grain: nouns, adverbs
    "hour": ("", "hourly"),
    "day": ("day|days|calendar day", "daily|day by day|day wise|date wise"),
    "week": ("week|weeks|calendar week", "weekly|week by week|week wise"),
    "month": ("month|months|calendar month|mth", "monthly|month by month|month on month|month over month|mom|month wise"),
    "quarter": ("quarter|quarters|calendar quarter", "quarterly|quarter by quarter|quarter on quarter|quarter over quarter|qoq|quarter wise"),
    "year": ("year|years|calendar year|yr", "yearly|annual|annually|year by year|year wise|per annum"),
    "fiscal_year": ("fiscal year|financial year|fiscal years|financial years|fy", ""),
    "fiscal_quarter": ("fiscal quarter|financial quarter|fiscal quarters", ""),
    "weekday": ("weekday|weekdays|day of week|day of the week|days of the week", ""),
    "hour_of_day": ("hour|hours|hour of day|hour of the day|time of day", ""),
    "month_of_year": ("month of year|month of the year|calendar month of the year", ""),
    "day_of_month": ("day of month|day of the month", ""),
}  # fmt: skip


def _entries() -> Iterator[tuple[tuple[str, ...], Cue | Step]]:
    for kind, value, phrases in _TABLE:
        for phrase in phrases.split("|"):
            yield tuple(phrase.split()), Cue(kind, value)
    for grain, (nouns, adverbs) in _STEPS.items():
        for phrase in filter(None, nouns.split("|")):
            yield tuple(phrase.split()), Step(grain)
        for phrase in filter(None, adverbs.split("|")):
            yield tuple(phrase.split()), Step(grain, adverb=True)


def _by_phrase() -> dict[tuple[str, ...], tuple[Cue | Step, ...]]:
    found: dict[tuple[str, ...], list[Cue | Step]] = {}
    for phrase, cue in _entries():
        same = found.setdefault(phrase, [])
        if cue not in same:
            same.append(cue)
    return {phrase: tuple(cues) for phrase, cues in found.items()}


CUES: Final = _by_phrase()
CUE_WORDS: Final = frozenset(word for phrase in CUES for word in phrase)
LONGEST_CUE: Final = max(map(len, CUES))

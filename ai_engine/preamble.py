"""What people write around their question: a greeting, thanks for the last answer, how many things will follow."""

from __future__ import annotations

import re

_GREETING = (
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))"
    r"(?: (?:team|all|everyone|everybody|folks|guys|there)\b)?"
)
_MUSING = r"(?:(?:h+m+|oh|ah|um+|uh|er|ok|okay|alright|well)\b(?:\s*[,.!…–—-]+)?\s+(?:and\s+)?)"
_ASKS = r"(?:what|how|which|who|when|where|show|list|give|tell|can|could)\b"
_THANKED = r"(?:thanks|thank you|thx|cheers|got it|i see|understood|noted|good to know|makes sense)"
_HEARD = (
    rf"(?:{_THANKED}|ok|okay|fine|great|good|very good|perfect|nice|cool|right|al?l ?right|excellent|awesome|super"
    r"|lovely|brilliant|wonderful|interesting|sure|yes|yep|yeah|fair enough)"
)
_GOES_ON = r"(?:and|now|then|so|but|only|just|also|next|please|in|for|by|is|are|do|does)\b"
_SAID_OF_THE_LAST = (  # "Fine. How many", "great, and by region"; not "fine, penalty and fee", which are kinds
    rf"(?:{_HEARD}(?:,? (?:{_HEARD}|then|a lot|so much|very much|for that))*\s*"
    rf"(?:[.!;:…]+\s+|(?:,|\s[–—-]+)\s+(?={_ASKS}|{_GOES_ON})|(?<=thanks)\s+|(?<=thank you)\s+|(?<=got it)\s+))"
)
_COUNTED = (
    r"(?:one|two|three|four|five)(?= (?:(?:quick|short|small|brief) )?(?:ones?|things?|questions?|points?|figures)\b)"
)
_WORD = (
    rf"(?:i|we|me|my|our|you|a|an|the|some|couple|few|of|{_COUNTED}|for|with|in|on|please|pls|kindly|need|"
    r"needs|want|have|got|help|here|these|quick|short|small|brief|ones?|things?|questions?|queries|items?|points?|"
    r"figures|numbers|asks?|note|memo|deck|report|review|meeting|board|boss|slide|slides|presentation|today)"
)
_ANEW = r"(?:(?:new|next|another|different|other) (?:topic|question|subject)\s*[:,–—-]+\s*)"
_PREAMBLE = re.compile(
    rf"^\s*{_SAID_OF_THE_LAST}?{_ANEW}?{_MUSING}*(?:{_GREETING}\s*(?:(?:[,!.:]+|[–—-]+(?=\s))\s*|\s(?={_ASKS})))?"
    rf"(?:{_WORD}(?:,?\s+{_WORD})+\s*(?::|[–—-](?=\s))\s*)?",
    re.IGNORECASE,
)

_PLEASE = r"(?:please|pls|plz|kindly)"
_COURTESY = re.compile(rf"^\s*{_PLEASE},?\s+|[,.;]?\s+(?:{_PLEASE}|thanks|thank you)\s*[.!]*$", re.IGNORECASE)


def without_preamble(question: str) -> str:
    """Leave out how a question is introduced: "Hi team, two quick things - ", "Fine. ", "New topic: ", "Please".

    Only words that ask for nothing go, those that greet or name only with the sign that ends them. A question that is
    nothing else stays.
    """
    rest = _COURTESY.sub("", question[_PREAMBLE.match(question).end() :])  # type: ignore[union-attr]
    return rest if rest.strip() else question

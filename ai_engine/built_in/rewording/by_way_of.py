"""Who or what rows came by: "applications that came through a broker" are those with one."""

from __future__ import annotations

import re

_CAME = r"(?:have |has |had )?(?:came|come|comes|coming|went|go|goes|gone|going)(?: in| to us)?"
_BROUGHT = r"(?:(?:have|has) been |were |was |are |is )?brought(?: in| to us)?"
_ENDS = r"(?=\s*(?:$|[?.!,;)]|\b(?:in|during|last|this|since|and)\b))"
_BY_WAY_OF = re.compile(
    rf"\b(?:{_CAME}|{_BROUGHT}) (?:through|via|by way of|from|by) (?P<one>an? [a-z]+){_ENDS}", re.IGNORECASE
)


def as_having(question: str) -> str:
    """Say the way as something that the rows have."""
    return _BY_WAY_OF.sub(r"with \g<one>", question)

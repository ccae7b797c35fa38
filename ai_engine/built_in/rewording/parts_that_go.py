"""Which part of some rows goes where: "what share of the fees comes from each branch" asks for each branch's share."""

from __future__ import annotations

import re

_SHARE = r"(?:share|percentage|proportion|fraction|part|portion|percent|%)"
_GOES = (
    r"(?:go|goes|went|come|comes|came|flow|flows|run|runs|fall|falls|fell|belong|belongs|happen|happens|happened"
    r"|(?:is|are|was|were|gets?|got)(?:\s+(?:made|done|held|kept|routed|carried out|parked))?|(?:made|held|routed))"
)
_WHERE = r"(?:through|via|from|to|in|into|under|with|within|at|by|on|over|across)"
_ENDS = r"(?=\s*(?:$|[?.!,;(]|\b(?:in|for|during|last|this|as|since|on)\b))"
_PART_OF_EACH = re.compile(
    rf"\b(?P<share>(?:what|which)\s+{_SHARE}|{_SHARE})\s+of\s+(?:the\s+|all\s+|our\s+)*(?P<rows>[^?.!,;]+?)\s+{_GOES}"
    rf"\s+{_WHERE}\s+(?:each|every)\s+(?P<group>[a-z]+(?:\s+[a-z]+){{0,2}}?){_ENDS}",
    re.IGNORECASE,
)
_BY_NUMBER = re.compile(r"\s*\(?\bby (?:number|count)\)?\s*$", re.IGNORECASE)
_BY_VALUE = re.compile(r"\s*\(?\bby (?:value|amount)\)?\s*$", re.IGNORECASE)


def as_shares_of_groups(question: str) -> str:
    """Say it as the share of each group in the rows, which add up to all of them."""

    def of_each(found: re.Match[str]) -> str:
        rows = _BY_NUMBER.sub("", found["rows"])
        by_value = _BY_VALUE.sub("", rows)
        whole = rows if by_value == rows else f"the value of {by_value}"
        return f"{found['share']} of each {found['group']} in {whole}"

    return _PART_OF_EACH.sub(of_each, question)

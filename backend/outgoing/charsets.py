"""Which charsets of a service's reply are read: those whose decoders take a moment and raise nothing."""

from __future__ import annotations

import contextlib
import re

_NAMED = re.compile(r"[;\s]charset\s*=\s*[\"']?([\w-]{1,20})", re.IGNORECASE)
_READ = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|(?:us-)?ascii|latin-?1|iso-?8859-\d{1,2}|(?:windows-|cp)125\d|koi8-[ru]"
    r"|shift_jis|euc-(?:jp|kr)|gbk|gb2312|gb18030|big5",
    re.IGNORECASE,
)


def decoded(body: bytes, content_type: str) -> str:
    """Return a body's text in the charset that its content type names, as UTF-8 where it names none that is read.

    Python has decoders for more: one takes a minute, some are no charsets and raise.
    """
    named = _NAMED.search(content_type)
    if named and _READ.fullmatch(named[1]):
        with contextlib.suppress(LookupError):  # a number that the family does not have
            return body.decode(named[1], "replace")
    return body.decode("utf-8", "replace")

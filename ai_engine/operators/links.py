"""Links, pictures, HTML and addresses in Markdown that others wrote: found as any reader would, and taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ai_engine.seen_text import seen

_LINK = re.compile(r"!?\[([^\[\]]*)\]\s?(?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_LIKE_A_LINK = re.compile(r"(?<!\\)\]\s?[(\[]|^[^\w\[\n]*\[[^\[\]\n]+\]:", re.MULTILINE)
_BRACKET = re.compile(r"\\*([\[\]])")
_MAY_BE_FOLLOWED = re.compile(r"(?<!\\)(?:\\\\)*\]\s*[(\[:]")
_FOLLOWED = {"link_open", "image", "html_inline", "html_block"}
_MOST_BRACKETS = 200
"""More than these, and reading a text takes the square of its length or worse; it is taken to lead somewhere."""
_LONGEST_READ_CHARS = 4_000
"""Reading more of a stranger's Markdown takes more than a moment: a longer text is taken to lead somewhere."""
_MOST_WITHIN = 8
_SIGNS = re.compile(r"[*_`&\\~#>|\[\]]")
_BREAKS = {"softbreak", "hardbreak"}
_BETWEEN_BLOCKS = " | "

_HOST = r"(?<![\w.@-])[^\W_](?:[^\W_]|-)*(?:\.(?:[^\W_]|-)+)*"
_ENDINGS = (
    "com|net|org|edu|gov|mil|int|info|biz|name|pro|app|dev|xyz|site|online|shop|store|club|live|link|click|page|cloud|"
    "bank|finance|money|example|test|invalid|local|localhost|onion|(?:co|com|net|org|gov|ac)\\.[a-z]{2}"
)
_ADDRESS = re.compile(
    r"(?:"
    r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://\S+"  # any scheme with a host
    r"|\b(?:javascript|vbscript|data|mailto|tel|sms|file|blob|about|intent|view-source|ms-[a-z]+):\S+"
    r"|(?<![\w:/])//[^\s/]+\.\S+"
    r"|\bwww\.\S+"
    r"|(?<![^\s@()<>])[^\s@()<>]+@[^\s@()<>]+\.[^\s@()<>]+"
    rf"|{_HOST}\.(?:[^\W\d_]{{2,24}}|xn--[a-z0-9-]+)(?::\d+)?[/?#]\S+"
    rf"|{_HOST}\.(?:{_ENDINGS})(?![\w-])"
    r")",
    re.IGNORECASE,
)


def defused(text: str) -> str:
    """Return a text without links, pictures and HTML: their words stay."""
    if not any(sign in text for sign in "[<"):
        return text
    cured = seen(text)
    for _ in range(_MOST_WITHIN):  # a label may hold a link
        cured, found = _LINK.subn(r"\1", cured)
        if not found:
            break
    cured = _TAG.sub("‹", cured)
    return _BRACKET.sub(r"\\\1", cured) if _follows(cured) else cured


def fetches_or_links(text: str, known: str) -> bool:
    """Tell whether a text, as it is shown, has a link, a picture, HTML, or an address that is not known."""
    text = seen(text)
    return (
        _TAG.search(text) is not None
        or _LIKE_A_LINK.search(text) is not None
        or _follows(text)
        or any(address.rstrip(".,;:!?)") not in known for address in _ADDRESS.findall(text))
    )


def as_address(url: str) -> str:
    """Write an address so that no Markdown around it ends or begins within it."""
    return re.sub(r"[\s()\[\]<>\\`*_|]", lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), url)


@cache
def page_reader() -> MarkdownIt:
    """Return the reader of headings, lists, tables, emphasis and code; everything else stays the letters that it is."""
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    return reader.disable(["image", "link", "autolink", "reference", "html_inline", "html_block"])


def drawn_text(text: str) -> str:
    """Return the words that a page shows of Markdown: without its signs, entities as the characters they are."""
    if not _SIGNS.search(text):
        return text
    return _BETWEEN_BLOCKS.join(_blocks(page_reader().parse(seen(text))))


def _blocks(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield seen("".join(" " if one.type in _BREAKS else one.content for one in token.children or ()))
        elif token.content:
            yield token.content


def _follows(text: str) -> bool:
    """Tell whether a reader of Markdown finds anything in a text that leads or loads."""
    brackets = text.count("[") + text.count("<")
    if not 0 < brackets <= _MOST_BRACKETS:
        return brackets > 0
    if not _TAG.search(text) and not _MAY_BE_FOLLOWED.search(text):
        return False
    if len(text) > _LONGEST_READ_CHARS:
        return True
    found: dict[str, object] = {}
    return _any(_reader().parse(text, found)) or bool(found.get("references"))


def _any(tokens: list[Token]) -> bool:
    return any(token.type in _FOLLOWED or _any(token.children or []) for token in tokens)


class _Reader(MarkdownIt):
    """Takes every address for one: a reader elsewhere may know no schemes that are bad."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the library's name
        return True


@cache
def _reader() -> MarkdownIt:
    return _Reader("commonmark", {"html": True}).enable(["table", "strikethrough"])

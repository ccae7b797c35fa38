"""What a reader of Markdown would follow, load or run is found in every spelling, and words of the trade are not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ai_engine.operators.links import as_address, defused, fetches_or_links
from tests.patience import allowed_s

LINKS = [
    "![a]\n\n[a]: //evil.example/p.png", "[hello]\n\n[hello]: javascript:alert()", "[x](javascript:alert())",
    "![x](//evil.example/a(b).png)", r"[a\]b](//evil.example/x)", "[x](mailto:a@evil.example?body=(x))",
    "[x](ftp://evil.example/(x))", "[x](<a b>)", '[x](a "t)")', "[x][]\n\n[x]: y", "[![a](b)](c)", "<ftp://evil.example>",
    "<a@evil.example>", "<b>x</b>", "<!-- x -->", "> [a]: b\n\n[a]", "- [x](y)", "| [x](y) |\n|---|", "[a]: <b>\n[a]",
    "[x]\n(y)[z](w)",
]  # fmt: skip
ADDRESSES = [
    "ftp://evil.example/x", "see https://evil.example", "evil.example/x", "evil.com", "www.evil.example", "evil.co.in",
    "data:text/html,x", "javascript:alert(1)", "//evil.example/x", "a@evil.example", "evil.in/pay?x=1",
    "evil.xn--p1ai/x", "ёvil.рф/x", "Evil.Example", "mailto:x", "tel:555", "http://127.0.0.1:80", "EVIL.COM:8080", "custom+x://y",
]  # fmt: skip
PLAIN = [
    "Deposits: Rs. 4,200 (Pune)", "12:30", "e.g. and/or", "No.of accounts", "S.No. 5", "npa_policy.md, paragraph 2",
    "a [1] and (2)", "2 < 3 and 5 > 4", "5 <6", "ratio 3:4", "**Total:** 5", "- one\n- two", "`x[0]`", "U.S.A.", "p.a.",
    "total:5", "3/4 of it", "branch.The rest", "| a | b |\n|---|---|\n| 1 | 2 |", "[Pune]", "2024/25", "1.5x/2",
]  # fmt: skip


def leads(text: str) -> bool:
    """Whether readers of several kinds find a link, a picture or HTML."""
    kinds = [MarkdownIt("commonmark"), MarkdownIt("js-default", {"html": True}), MarkdownIt("zero").enable(["link"])]
    for reader in kinds:
        reader.validateLink = lambda _: True  # type: ignore[method-assign]
        html = reader.render(text)
        if any(f"<{name}" in html for name in ("a ", "img", "b>", "script", "!--")):
            return True
    return False


@pytest.mark.parametrize(
    "text", ["https:/\u200b/evil\u200b.example/x", "evil.exam\u0001ple/x", "[a]\u200b(b)", "<\u200bb>x"]
)
def test_marks_that_nobody_sees_hide_no_link(text: str):
    assert fetches_or_links(text, "")


@pytest.mark.parametrize("text", LINKS)
def test_every_link_is_found_and_taken_out(text: str):
    assert fetches_or_links(text, "")
    assert not leads(defused(text))
    assert not leads(defused(f"Before {text} after\n\n{text}"))


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_found_unless_it_is_known(text: str):
    assert fetches_or_links(text, "")
    assert fetches_or_links(f"Pay at {text}.", "deposits")
    assert not fetches_or_links(text, f"it was found: {text}")


@pytest.mark.parametrize("text", PLAIN)
def test_words_of_the_trade_are_no_addresses(text: str):
    assert not fetches_or_links(text, "")
    assert defused(text) == text


_PIECES = st.sampled_from([*'[]()!<>:\\\n a`"', "\n\n", "//e.x", "javascript:", "- ", "> "])


@settings(max_examples=400, deadline=None)
@given(st.lists(_PIECES, max_size=24).map("".join))
def test_nothing_leads_anywhere_once_it_is_defused(text: str):
    assert not leads(defused(text))


def test_an_address_of_a_hit_ends_no_link_around_it():
    url = as_address("https://evil.example/x)](javascript:alert(2))")
    assert url == "https://evil.example/x%29%5D%28javascript:alert%282%29%29"
    assert not leads(f"- x ({url})")


@pytest.mark.parametrize(
    "piece", ["[", "[a", "a.", "a", "(", "[x](", "![", "](", "[a]: ", "@", "//", "<", "> ", "\n", "[[x](y)"]
)
def test_a_long_text_of_one_piece_takes_no_time(piece: str):
    text = piece * (40_000 // len(piece))
    began = time.monotonic()
    fetches_or_links(text, "")
    defused(text)
    assert time.monotonic() - began < allowed_s(5)


@pytest.mark.parametrize("piece", ["- a\n", "a|b\n|-|-\n", "*a **b ", "&#", "> ", "[x](a", "[[x](y)", "\\[a\\]("])
@pytest.mark.parametrize("end", ["", "\n\n[a]: b"])
def test_nor_does_one_as_long_as_an_item_of_a_server(piece: str, end: str):
    text = "[" + piece * (400_000 // len(piece)) + end
    began = time.monotonic()
    cured = defused(text)
    assert time.monotonic() - began < allowed_s(1)
    assert not end or not cured.endswith(end)

from __future__ import annotations

import html
import re

from hypothesis import example, given
from hypothesis import strategies as st

from ai_engine.seen_text import seen
from pages.drawing.escaping import as_html, as_label, as_prose
from pages.drawing.markdown import markdown_html
from tests.ai_engine.test_seen_text import UNSEEN, unseen_texts

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
NASTY = "<b>x</b> ![i](https://a.b/c.png) $x$ :smile: :red[x] www.a.b a@b.c -> `c` &lt;"


@given(st.text(max_size=80))
@example(NASTY)
def test_html_text_has_no_tag_quote_or_entity_of_its_own(text):
    shown = as_html(text)
    assert not set("<>\"'") & set(shown)
    assert re.sub(r"&(amp|lt|gt|quot|#x27);", "", shown).count("&") == 0


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=80))
def test_html_text_reads_as_it_was_written(text):
    assert html.unescape(as_html(text)) == text


@given(st.text(max_size=80))
@example(NASTY)
def test_every_punctuation_mark_of_a_label_is_escaped(text):
    unescaped = re.sub(r"\\[" + re.escape(PUNCTUATION) + "]", "", as_label(text))
    assert not set(PUNCTUATION) & set(unescaped)


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=80))
@example(NASTY.replace(" ", ""))
def test_a_label_reads_as_it_was_written(text):
    visible = as_label(text).replace("\u2060", "")
    assert re.sub(r"\\(.)", r"\1", visible) == text


@given(st.text(alphabet=":abz@.w>-=~<+/ ", max_size=40))
@example(":smile:")
@example("www.evil.example")
def test_nothing_that_streamlit_replaces_is_left_in_a_label(text):
    visible = re.sub(r"\\(.)", r"\1", as_label(text))
    assert not re.search(r":[\w+-]+:|https?://\w|\w@\w|www\.\w|->|<-|--|>=|<=|~=", visible)


@given(unseen_texts())
def test_what_nobody_sees_does_not_reach_the_page(text):
    for drawn in (as_html(text), as_prose(text), markdown_html(text)):
        assert not UNSEEN.intersection(drawn)
    assert as_label(text) == as_label(seen(text))


def test_a_long_label_is_cut():
    assert len(as_label("a" * 500)) == 200


def test_a_sign_stays_on_the_line_of_its_figure_and_other_hyphens_are_left():
    assert as_prose("from -Rs.5 (-3%) in co-op, 2026-01-02 - <b>") == (
        "from \N{MINUS SIGN}Rs.5 (\N{MINUS SIGN}3%) in co-op, 2026-01-02 - &lt;b&gt;"
    )

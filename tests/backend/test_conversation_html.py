"""A conversation as one file: nothing runs in it, nothing is fetched, and its charts are drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from ai_engine.formats import Formats
from backend.answers.conversation_html import conversation_html
from backend.charts import figure_of
from backend.charts.static import svg_of
from tests.ai_engine.insight.results import vocabulary
from tests.pages import scripted

INDIAN = Formats("INR")
QUESTIONS = ("Total deposits by branch", "Deposits by month", "Transactions by month and segment")


class Tags(HTMLParser):
    """Collects every tag and attribute of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def written(*questions: str, formats: Formats = INDIAN) -> str:
    answers = [scripted.ANSWERS[question](question) for question in questions]
    known = replace(vocabulary(), as_of=date(2025, 9, 30))
    return conversation_html(answers, known, formats, "bank")


def test_nothing_from_outside_becomes_markup():
    tags = Tags()
    tags.feed(written(*QUESTIONS, "hostile", "List customers", "fail"))
    assert not tags.names & {"script", "img", "a", "iframe", "link", "object", "form", "b"}
    assert not {name for name in tags.attributes if name.startswith("on")} | (
        tags.attributes & {"src", "href", "style"}
    )


def test_every_question_has_its_answer_rows_and_statement():
    text = written(*QUESTIONS)
    assert text.count("<article>") == text.count("<svg") == text.count("<details>") == 3
    assert "Rs.91,23,456.70" in text
    assert "From bank<" in text
    assert text.count("as of 30 September 2025, by scripted") == 3


def test_a_reader_gets_it_in_their_own_formats():
    text = written(*QUESTIONS, formats=Formats("INR", "million", "iso"))
    assert "Rs.9,123,456.70" in text
    assert "as of 2025-09-30" in text
    assert not re.search(r"lakh|crore|\d,\d\d,\d", text)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("kind", ["bar", "horizontal_bar", "line", "area", "pie", "heatmap", "scatter"])
def test_a_drawing_has_every_bar_or_point_inside_its_frame(question: str, kind: str):
    answer = scripted.ANSWERS[question](question)
    svg = svg_of(figure_of(answer, INDIAN, kind))
    if svg is None:
        assert kind in {"pie", "heatmap", "scatter"}
        return
    root = ElementTree.fromstring(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    points = " ".join(line.attrib["points"] for line in root.iter("polyline"))
    numbers = [(float(x), float(y)) for x, y in re.findall(r"([\d.-]+),([\d.-]+)", points)]
    numbers += [(float(bar.attrib["x"]), float(bar.attrib["y"])) for bar in root.iter("rect")]
    assert len(numbers) >= answer.result.row_count
    assert all(0 <= x <= width and 0 <= y <= height for x, y in numbers)

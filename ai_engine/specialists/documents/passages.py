"""Documents cut into passages and numbered paragraphs, by which they are cited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")


@dataclass(frozen=True, slots=True)
class Document:
    """One document: `name` is how it is cited, `text` is Markdown."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One block of text between empty lines; `number` counts those of its document from 1, headings aside."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """What stands under one heading of a document."""

    document: str
    title: str
    heading: str
    paragraphs: tuple[Paragraph, ...]

    @property
    def text(self) -> str:
        """All its paragraphs, on one line."""
        return " ".join(paragraph.text for paragraph in self.paragraphs)

    @property
    def said(self) -> str:
        """All that it says, its title and heading too."""
        return f"{self.title}. {self.heading}. {self.text}"

    @property
    def cited(self) -> str:
        """Name the place: "NPA and provisioning policy, Provisioning"."""
        return f"{self.title}, {self.heading}" if self.heading else self.title


def passages_of(document: Document) -> list[Passage]:
    """Cut a document at its headings; the first heading is its title, what stands before a second one is no passage."""
    title, heading = "", ""
    number = 0
    found: list[Passage] = []
    waiting: list[Paragraph] = []

    def end() -> None:
        if waiting and (heading or not title):
            found.append(Passage(document.name, title or document.name, heading, tuple(waiting)))
        waiting.clear()

    for block in _blocks(document.text):
        match = _HEADING.match(block)
        if match is None:
            number += 1
            waiting.append(Paragraph(number, " ".join(block.split())))
            continue
        end()
        if not title:
            title = match[2]
        else:
            heading = match[2]
    end()
    return found or [
        Passage(document.name, title or document.name, "", (Paragraph(1, " ".join(document.text.split())),))
    ]


def _blocks(text: str) -> Iterator[str]:
    """Yield headings and paragraphs; a heading ends at its line."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        is_heading = _HEADING.match(line) is not None
        if (is_heading or not line.strip()) and lines:
            yield "\n".join(lines)
            lines = []
        if is_heading:
            yield line
        elif line.strip():
            lines.append(line)

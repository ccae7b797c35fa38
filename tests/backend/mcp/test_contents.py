"""Every kind of item that a result may hold, and how much of it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from ai_engine.tools import ToolContent
from backend.mcp.client.contents import Block, contents_of
from backend.mcp.client.limits import ClientLimits, limits_of
from backend.mcp.client.markup import safe_html, safe_svg
from backend.settings import Settings

SMALL = {"mcp_max_item_kb": 2, "mcp_max_result_kb": 5, "mcp_max_items": 4}


def limits(**settings: Any) -> ClientLimits:
    return limits_of(Settings(**settings))


def read(block: Block, **settings: Any) -> ToolContent:
    (item,) = contents_of([block], limits(**settings))
    return item


def resource(mime: str | None, text: str) -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri="made://up", mime_type=mime, text=text))


def blob(mime: str, content: bytes) -> EmbeddedResource:
    data = base64.b64encode(content).decode()
    return EmbeddedResource(type="resource", resource=BlobResourceContents(uri="made://up", mime_type=mime, blob=data))


def picture(mime: str, content: bytes) -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(content).decode(), mime_type=mime)


@pytest.mark.parametrize(
    ("block", "kind", "data"),
    [
        (TextContent(type="text", text="plain"), "text/plain", "plain"),
        (resource(None, "plain"), "text/plain", "plain"),
        (resource("text/markdown", "# Head"), "text/markdown", "# Head"),
        (resource("text/html", "<b>bold</b><script>x</script>"), "text/html", "<b>bold</b>"),
        (resource("application/json", '{"a": [1, "b"]}'), "application/json", {"a": [1, "b"]}),
        (resource("application/json", "{broken"), "text/plain", "{broken"),
        (resource("text/css", "a{}"), "text/plain", "a{}"),
        (resource("image/svg+xml", "no picture"), "text/plain", "no picture"),
        (blob("text/html", b"<i>a</i><iframe>"), "text/html", "<i>a</i>"),
        (blob("image/svg+xml", b"<svg><path d='M0 0'/></svg>"), "image/svg+xml",
         '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"></path></svg>'),
    ],
)  # fmt: skip
def test_text_is_kept_by_its_kind(block: Block, kind: str, data: Any):
    item = read(block)
    assert (item.content_type, item.data, item.encoding) == (kind, data, None)


@pytest.mark.parametrize(
    ("mime", "content", "kind"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\n...", "image/png"),
        ("image/jpeg", b"\xff\xd8\xff...", "image/jpeg"),
        ("image/gif", b"GIF89a...", "image/gif"),
        ("image/webp", b"RIFF....WEBP", "image/webp"),
        ("application/pdf", b"%PDF-1.7", "application/pdf"),
        ("audio/mpeg", b"ID3...", "audio/mpeg"),
        ("audio/wav", b"RIFF....WAVE", "audio/wav"),
        ("video/mp4", b"\x00\x00\x00\x18ftypisom", "video/mp4"),
        ("image/png", b"MZ\x90", "application/octet-stream"),
        ("image/webp", b"RIFF....WAVE", "application/octet-stream"),
        ("video/mp4", b"#!/bin/sh", "application/octet-stream"),
        ("application/x-sh", b"#!/bin/sh", "application/octet-stream"),
        ("application/vnd.ms-excel", b"PK\x03\x04", "application/octet-stream"),
    ],
)
def test_bytes_are_of_the_kind_that_they_begin_as_and_else_a_file(mime: str, content: bytes, kind: str):
    for block in (blob(mime, content), picture(mime, content)):
        item = read(block)
        assert (item.content_type, item.encoding) == (kind, "base64")
        assert base64.b64decode(item.data) == content
        assert kind == mime or item.metadata["declared_type"] == mime


def test_audio_is_audio():
    block = AudioContent(type="audio", data=base64.b64encode(b"RIFF....WAVE").decode(), mime_type="audio/wav")
    assert read(block).content_type == "audio/wav"


def test_a_link_keeps_its_name_and_address():
    block = ResourceLink(type="resource_link", uri="https://host/a b\u202e", name="Note\n1", mime_type="text/html")
    item = read(block)
    assert (item.content_type, item.data) == ("text/uri-list", "https://host/a b")
    assert item.metadata == {"title": "Note 1", "declared_type": "text/html"}


def test_a_widget_is_one_when_it_has_the_shape_and_else_json():
    kind = "application/vnd.mcp.widget+json"
    table = {"widget_type": "data_table", "title": "T\u202e", "data": {"columns": ["a"], "rows": [[1]]}}
    item = read(resource(kind, json.dumps(table)))
    assert item.is_widget and item.data == {**table, "title": "T", "actions": []}
    assert read(resource(kind, '{"widget": 1}')).content_type == "application/json"
    assert read(resource(kind, "nothing")).content_type == "text/plain"


def test_long_text_is_cut_and_says_so_and_markup_is_then_plain():
    item = read(TextContent(type="text", text="é" * 4_000), **SMALL)
    assert len(item.data.encode()) == 2_048 and item.metadata["cut_from_bytes"] == 8_000
    assert read(resource("text/html", "<b>" * 4_000), **SMALL).content_type == "text/plain"


def test_a_large_file_is_left_out_and_said():
    item = read(blob("image/png", b"\x89PNG\r\n\x1a\n" + b"x" * 4_096), **SMALL)
    assert item.data == "[a file of 4 KB was left out]"
    assert item.metadata == {"uri": "made://up", "declared_type": "image/png", "left_out": True}


def test_a_result_ends_at_its_bounds():
    long = TextContent(type="text", text="x" * 2_000)
    kept = list(contents_of([long, long, long, long], limits(**SMALL)))
    assert [item.data[:8] for item in kept] == ["xxxxxxxx", "xxxxxxxx", "[2 items"]
    short = TextContent(type="text", text="x")
    kept = list(contents_of([short] * 9, limits(**SMALL)))
    assert len(kept) == 5 and kept[-1].data == "[5 further items were left out]"


@pytest.mark.parametrize(
    "markup",
    [
        "<a href='javascript:alert(1)'>x</a>",
        "<a href=' java\tscript:alert(1)'>x</a>",
        "<a href='data:text/html,x'>x</a>",
        "<p style='background:url(http://evil)'>x</p>",
        "<svg><script>x</script></svg>x",
        "<math><mtext><script>x</script></mtext></math>x",
        "<form action=http://evil><input></form>x",
        "<meta http-equiv=refresh content='0;url=http://evil'>x",
        "<link rel=stylesheet href=http://evil>x",
        "<img src=http://evil onerror=x>x",
        "<base href=http://evil>x",
        "<video src=http://evil></video>x",
    ],
)
def test_html_runs_nothing_and_fetches_nothing(markup: str):
    cleaned = safe_html(markup)
    for bad in ("script", "evil", "data:", "src", "style", "onerror"):
        assert bad not in cleaned
    assert "x" in cleaned


def test_a_link_is_its_text_with_its_address_and_leads_nowhere():
    markup = "<a href='https://bank.example@evil.example/x?a=1&b=2' title=t><b>Your bank</b></a>"
    markup += " <a href='/chat'>y</a> <a>z</a>"
    cleaned = safe_html(markup)
    assert cleaned == "<b>Your bank</b> (https://bank.example@evil.example/x?a=1&amp;b=2) y z"


@pytest.mark.parametrize(
    "inner",
    [
        "<use href='http://evil#a'/>",
        "<image xlink:href='http://evil'/>",
        "<a xlink:href='javascript:x'><path d='M0 0'/></a>",
        "<style>@import 'http://evil'</style>",
        "<rect fill='url(http://evil#a)'/>",
        "<rect fill='URL( \"//evil\" )'/>",
        "<rect fill='u\\72l(//evil)'/>",
        "<rect style='fill:url(//evil)'/>",
        "<animate attributeName='href' values='javascript:x'/>",
        "<set attributeName='onload' to='x'/>",
        "<foreignObject><img src=http://evil></foreignObject>",
        "<filter id='f'><feImage href='http://evil'/></filter>",
        "<rect onclick='script' />",
    ],
)
def test_svg_runs_nothing_and_fetches_nothing(inner: str):
    cleaned = safe_svg(f"<svg>{inner}<path d='M1 1'/></svg>")
    for bad in ("script", "evil", "href", "style", "url", "on", "set", "72"):
        assert bad not in cleaned.lower().replace("http://www.w3.org/2000/svg", "")
    assert '<path d="M1 1">' in cleaned


def test_markdown_of_a_length_that_takes_time_to_read_is_plain_text():
    assert read(resource("text/markdown", "# a\n" * 10_000)).content_type == "text/markdown"
    long = "# a\n" * 20_000
    item = read(resource("text/markdown", long))
    assert (item.content_type, item.data) == ("text/plain", long)

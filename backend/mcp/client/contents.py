"""The items of a result, as the rest of the app may hold them: bounded, cleaned, of a known kind or a file."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import ValidationError

from ai_engine.tools import ContentType, ToolContent, WidgetSpec
from backend.mcp.client.cleaning import clean_json, clean_line, clean_text
from backend.mcp.client.limits import ClientLimits
from backend.mcp.client.markup import safe_html, safe_svg

LINK_TYPE = "text/uri-list"
"""RFC 2483's name for a list of addresses, here of one; shown, never fetched."""
Block: TypeAlias = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
_MAX_NAME_CHARS = 200
_MAX_ADDRESS_CHARS = 2_000
_MAX_MARKDOWN_CHARS = 64_000
"""Links are taken out of Markdown where it is told, while others wait; a longer text is shown letter by letter."""
_MAGIC: dict[str, tuple[bytes, ...]] = {  # a dot stands for any byte
    ContentType.IMAGE_PNG: (b"\x89PNG\r\n\x1a\n",),
    ContentType.IMAGE_JPEG: (b"\xff\xd8\xff",),
    ContentType.IMAGE_GIF: (b"GIF87a", b"GIF89a"),
    ContentType.IMAGE_WEBP: (b"RIFF....WEBP",),
    ContentType.PDF: (b"%PDF-",),
    ContentType.AUDIO_MPEG: (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"),
    ContentType.AUDIO_WAV: (b"RIFF....WAVE",),
    ContentType.VIDEO_MP4: (b"....ftyp",),
}
"""How the bytes of each kind begin; a file that begins otherwise is not of the kind that it claims."""


def contents_of(blocks: Sequence[Block], limits: ClientLimits) -> Iterator[ToolContent]:
    """Yield an item per block, with a last one that says how many were left out."""
    left_bytes = limits.max_result_kb * 1024
    for place, block in enumerate(blocks):
        if place >= limits.max_items:
            yield left_out(f"{len(blocks) - place} further items were left out", {})
            return
        item = _item(block, limits)
        left_bytes -= _size(item)
        if left_bytes < 0:
            yield left_out(f"{len(blocks) - place} items were left out, as the result is too large", {})
            return
        yield item


def structured_of(value: Any, limits: ClientLimits) -> Any:
    """Clean a structured value; None where it is larger than an item may be."""
    try:
        if len(json.dumps(value)) > limits.max_item_kb * 1024:
            return None
    except (ValueError, RecursionError):
        return None
    return clean_json(value)


def _item(block: Block, limits: ClientLimits) -> ToolContent:
    if isinstance(block, TextContent):
        return _text(block.text, _said_type(block.meta) or ContentType.TEXT, {}, limits)
    if isinstance(block, ImageContent | AudioContent):
        about = {"alt_text": clean_line(str((block.meta or {}).get("alt_text", "")), _MAX_NAME_CHARS)}
        return _binary(block.data, block.mime_type, about, limits)
    if isinstance(block, ResourceLink):
        title = clean_line(block.title or block.name, _MAX_NAME_CHARS)
        return ToolContent(
            content_type=LINK_TYPE,
            data=clean_line(str(block.uri), _MAX_ADDRESS_CHARS),
            metadata={"title": title, "declared_type": _plain_type(block.mime_type)},
        )
    return _resource(block.resource, limits)


def _resource(resource: TextResourceContents | BlobResourceContents, limits: ClientLimits) -> ToolContent:
    about = {"uri": clean_line(str(resource.uri), _MAX_ADDRESS_CHARS)}
    if isinstance(resource, TextResourceContents):
        return _text(resource.text, _plain_type(resource.mime_type) or ContentType.TEXT, about, limits)
    return _binary(resource.blob, resource.mime_type or "", about, limits)


def _text(text: str, kind: str, about: dict[str, Any], limits: ClientLimits) -> ToolContent:
    most = limits.max_item_kb * 1024
    readable = clean_text(text)
    size = len(readable.encode("utf-8", "ignore"))
    if size > most:
        cut = readable.encode("utf-8", "ignore")[:most].decode("utf-8", "ignore")
        is_short = kind == ContentType.MARKDOWN and len(cut) <= _MAX_MARKDOWN_CHARS
        shown = kind if is_short else ContentType.TEXT
        return ToolContent(content_type=shown, data=cut, metadata={**about, "cut_from_bytes": size})
    if kind == ContentType.HTML:
        return ToolContent(content_type=kind, data=safe_html(readable), metadata=about)
    if kind == ContentType.IMAGE_SVG:
        return _svg(readable, about)
    if kind == ContentType.WIDGET:
        return _widget(readable, about)
    if kind == ContentType.JSON:
        value = _json(readable)
        if value is not None:
            return ToolContent(content_type=kind, data=value, metadata=about)
    if kind == ContentType.MARKDOWN and len(readable) > _MAX_MARKDOWN_CHARS:
        kind = ContentType.TEXT
    if kind in {ContentType.TEXT, ContentType.MARKDOWN}:
        return ToolContent(content_type=kind, data=readable, metadata=about)
    return ToolContent(content_type=ContentType.TEXT, data=readable, metadata={**about, "declared_type": kind})


def _svg(text: str, about: dict[str, Any]) -> ToolContent:
    picture = safe_svg(text)
    if not picture:
        declared = {**about, "declared_type": ContentType.IMAGE_SVG.value}
        return ToolContent(content_type=ContentType.TEXT, data=text, metadata=declared)
    return ToolContent(content_type=ContentType.IMAGE_SVG, data=picture, metadata=about)


def _widget(text: str, about: dict[str, Any]) -> ToolContent:
    value = _json(text)
    try:
        widget = WidgetSpec.model_validate(value)
    except ValidationError:
        if value is None:
            return ToolContent(content_type=ContentType.TEXT, data=text, metadata=about)
        return ToolContent(content_type=ContentType.JSON, data=value, metadata=about)
    return ToolContent(content_type=ContentType.WIDGET, data=widget.model_dump(mode="json"), metadata=about)


def _json(text: str) -> Any:
    try:
        return clean_json(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _binary(data: str, declared: str, about: dict[str, Any], limits: ClientLimits) -> ToolContent:
    kind = _plain_type(declared) or ContentType.BINARY
    if len(data) * 3 // 4 > limits.max_item_kb * 1024:
        words = f"a file of {len(data) * 3 // 4 // 1024:,} KB was left out"
        return left_out(words, {**about, "declared_type": kind})
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return left_out("a file that could not be read was left out", {**about, "declared_type": kind})
    if kind.startswith("text/") or kind in {ContentType.IMAGE_SVG, ContentType.JSON, ContentType.WIDGET}:
        return _text(content.decode("utf-8", "replace"), kind, about, limits)
    if any(_begins(content, form) for form in _MAGIC.get(kind, ())):
        return ToolContent(content_type=kind, data=data, encoding="base64", metadata=about)
    declared_as = {**about, "declared_type": kind}
    return ToolContent(content_type=ContentType.BINARY, data=data, encoding="base64", metadata=declared_as)


def _begins(content: bytes, form: bytes) -> bool:
    any_byte = ord(".")
    return len(content) >= len(form) and all(
        wanted in (any_byte, found) for wanted, found in zip(form, content, strict=False)
    )


def _said_type(meta: Any) -> str:
    """A text block has no type of its own; servers that know better say it beside."""
    return _plain_type(meta.get("mimeType")) if isinstance(meta, dict) else ""


def _plain_type(declared: Any) -> str:
    return clean_line(declared.partition(";")[0], _MAX_NAME_CHARS).lower() if isinstance(declared, str) else ""


def left_out(words: str, about: dict[str, Any]) -> ToolContent:
    """Say in our own words what is not there."""
    return ToolContent(content_type=ContentType.TEXT, data=f"[{words}]", metadata={**about, "left_out": True})


def _size(item: ToolContent) -> int:
    return len(item.data) if isinstance(item.data, str) else len(json.dumps(item.data))

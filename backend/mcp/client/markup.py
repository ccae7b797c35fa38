"""HTML and SVG of other programs, reduced to what can neither run nor fetch."""

from __future__ import annotations

import re

import nh3

_HTML_TAGS = set(
    "b blockquote br caption code col colgroup dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre "
    "q s samp small span strong sub sup table tbody td tfoot th thead tr u ul var".split()
)
_SVG_TAGS = set(
    "svg g rect circle ellipse line polyline polygon path text tspan title desc defs linearGradient radialGradient "
    "stop clipPath".split()
)
_SVG_ATTRIBUTES = set(
    "id viewBox width height x y x1 y1 x2 y2 cx cy r rx ry d points transform fill fill-opacity fill-rule stroke "
    "stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-dasharray opacity offset stop-color "
    "stop-opacity font-size font-family font-weight text-anchor dominant-baseline dx dy gradientUnits "
    "gradientTransform clip-path clip-rule preserveAspectRatio".split()
)
_GONE = {"script", "style", "foreignObject", "iframe", "object", "embed", "template", "noscript", "math"}
_CELLS = {"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
_LINK = re.compile(r'<a\b[^>]*?\shref="(https?://[^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_LOCAL_REFERENCE = re.compile(r"\s*url\(#[\w-]+\)\s*")


def safe_html(markup: str) -> str:
    """Keep text and tables; images, styles and scripts go, and a link is its text with the address beside it."""
    with_links = nh3.clean(
        markup,
        tags=_HTML_TAGS | {"a"},
        clean_content_tags=_GONE | {"svg"},
        attributes={"a": {"href"}, **_CELLS},
        url_schemes={"http", "https"},
        link_rel=None,
    )
    told = _LINK.sub(r"\2 (\1)", with_links)
    return nh3.clean(told, tags=_HTML_TAGS, clean_content_tags=_GONE, attributes=_CELLS)


def safe_svg(markup: str) -> str:
    """Keep shapes and text; what refers to anything outside the picture goes. Empty when nothing is left of it."""
    cleaned = nh3.clean(
        markup,
        tags=_SVG_TAGS,
        clean_content_tags=_GONE,
        attributes={"*": _SVG_ATTRIBUTES},
        attribute_filter=lambda _tag, _name, value: value if _stays_inside(value) else None,
        link_rel=None,
    )
    begin = cleaned.find("<svg")
    if begin < 0:
        return ""
    return f'<svg xmlns="http://www.w3.org/2000/svg"{cleaned[begin + 4 :]}'


def _stays_inside(value: str) -> bool:
    lowered = value.lower()
    if "url" not in lowered and "\\" not in lowered and "//" not in lowered and "&" not in lowered:
        return True
    return _LOCAL_REFERENCE.fullmatch(value) is not None

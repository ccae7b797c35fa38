"""Adjectives of what is measured: long and short, heavy and light, and the columns that each is said of."""

from __future__ import annotations

from dataclasses import dataclass

from ai_engine.semantics.words import stem

LENGTH = "length distance span duration minutes hours time wait term tenure"
"""What is long or short."""
PRICE = "price cost fee fare rent rate premium charge"
"""What is dear or cheap."""
_SCALES = (
    (LENGTH, "long", "short"),
    ("distance km kms mile", "far", ""),
    ("weight mass kg kgs g gram tonnage", "heavy", "light"),
    ("width beam breadth", "wide broad", "narrow"),
    ("depth", "deep", "shallow"),
    ("height rise", "tall", ""),
    (PRICE, "dear pricy costly expensive", "cheap inexpensive"),
    ("temperature", "hot warm", "cold cool"),
)
_VERBS = {
    "weight mass kg kgs g gram tonnage": "weigh weighs weighing weighed", PRICE: "cost costs costing",
    LENGTH: "lasting lasted lasts taking took takes",
    "salary wage pay income rate": "earning earns earn earned paid",
}  # fmt: skip
_DOUBLED = frozenset({"hot"})


@dataclass(frozen=True, slots=True)
class Adjective:
    """Which end of which scale a word is said of; `scale` are words of columns on it, the plainest first."""

    scale: str
    high: bool


def _er(word: str, ending: str) -> str:
    if word.endswith("y"):
        return f"{word[:-1]}i{ending}"
    if word.endswith("e"):
        return word + ending[1:]
    return f"{word}{word[-1] if word in _DOUBLED else ''}{ending}"


_PLAIN = {
    word: Adjective(scale, is_high)
    for scale, high, low in _SCALES
    for is_high, said in ((True, high), (False, low))
    for word in said.split()
}
BASES = {word: found for word, found in _PLAIN.items() if found.high} | {"dear": _PLAIN["dear"]}
"""What is said of any such figure: "22 metres long", "how heavy"."""
COMPARATIVES = {_er(word, "er"): found for word, found in _PLAIN.items()} | {
    verb: Adjective(scale, high=True) for scale, verbs in _VERBS.items() for verb in verbs.split()
}
"""What stands before a comparison: "longer than", "weighing over"."""
SUPERLATIVES = {_er(word, "est"): found for word, found in _PLAIN.items()} | {
    f"{way} {word}": Adjective(found.scale, found.high is (way == "most"))
    for word, found in _PLAIN.items()
    for way in ("most", "least")
    if word in {"expensive", "costly"}
}


def is_on(kind: str, label: tuple[str, ...]) -> bool:
    """Tell whether a column so called is of a kind: a "length m" is a length, a "wait minutes" are minutes."""
    return stem(kind) in map(stem, label) and "per" not in label

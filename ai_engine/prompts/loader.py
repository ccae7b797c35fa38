"""Reads the prompts, one Markdown file each, and fills in what comes from outside as fenced data."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

_SECTIONS = re.compile(r"\A# System\n(?P<system>.*?)\n# User\n(?P<user>.*)\Z", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_TILDES = re.compile(r"~+")
_SHORTEST_FENCE = 3


@dataclass(frozen=True, slots=True)
class Messages:
    """One request to a language model.

    Attributes:
        system: ours alone.
        user: carries everything from outside.
        repairs: how often a reply that cannot be used is sent back with what is wrong with it.
    """

    system: str
    user: str
    repairs: int = 1


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file; only its user part has placeholders, written `{{name}}`."""

    name: str
    system: str
    user: str

    @property
    def placeholders(self) -> frozenset[str]:
        """Names of the values that `fill` must be given."""
        return frozenset(_PLACEHOLDER.findall(self.user))

    def fill(self, **values: str) -> Messages:
        """Put each value, fenced as data, where its name stands.

        The fence is longer than any run of tildes in the values, so that no value can end it; a value that looks like
        a placeholder stays as it is.

        Raises:
            ValueError: a placeholder has no value, or a value has no placeholder.
        """
        missing, unused = self.placeholders - values.keys(), values.keys() - self.placeholders
        if missing or unused:
            raise ValueError(f"prompt {self.name}: missing {sorted(missing)}, unused {sorted(unused)}")
        longest = max((len(run) for text in values.values() for run in _TILDES.findall(text)), default=0)
        fence = "~" * max(_SHORTEST_FENCE, longest + 1)
        return Messages(
            self.system,
            _PLACEHOLDER.sub(lambda match: f"{fence}{match[1]}\n{values[match[1]]}\n{fence}", self.user),
        )


@cache
def load_prompt(name: str) -> Prompt:
    """Read `<name>.md` from this package, once.

    Raises:
        ValueError: the file lacks its two sections, or the system section has a placeholder.
    """
    return parse_prompt(name, resources.files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8"))


def prompt_versions() -> dict[str, str]:
    """Return for each prompt what changes with its text: the beginning of its SHA-256."""
    files = [file for file in resources.files(__package__).iterdir() if file.name.endswith(".md")]
    return {
        file.name.removesuffix(".md"): hashlib.sha256(file.read_bytes()).hexdigest()[:12]
        for file in sorted(files, key=lambda file: file.name)
    }


def parse_prompt(name: str, text: str) -> Prompt:
    """Split a prompt file into its system and its user part."""
    found = _SECTIONS.match(text)
    if found is None:
        raise ValueError(f"prompt {name}: expected '# System' and '# User'")
    if _PLACEHOLDER.search(found["system"]):
        raise ValueError(f"prompt {name}: the system part is fixed and takes no placeholder")
    return Prompt(name, found["system"].strip(), found["user"].strip())

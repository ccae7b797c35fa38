"""The door to other programs: what a request that has read something may hand to servers' tools and HTTP services.

It judges what is sent, whoever put it there: a decision, a template, the name of a step, a statement, a planned call.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from ai_engine.agent import in_thread
from ai_engine.errors import ApiCallRefused
from ai_engine.insight import WrittenFigures
from ai_engine.operators.base import MAY_NOT_LEAVE, BaseOperator, OperatorFailed
from ai_engine.ports import Services
from ai_engine.specialists.api_docs.catalogue import PLACEHOLDER
from ai_engine.specialists.api_docs.outside import ApiServices, HttpCalls, HttpRequest, HttpResponse
from ai_engine.types import Answer

_REFUSED = "{} is another program, and is given no figures that you have not written once something was looked up."
_NAME = re.compile(r"[^\W\d]\w*")
_OURS = "authorization"
_NO_FIGURE = "one"
"""A word that is hardly ever a number where it stands alone."""


_DIGITS_BESIDE_LETTERS = re.compile(r"(?<=[^\W\d])\d+|\d+(?=[^\W\d])")
_PERIODS = re.compile(r"(?:half|halve|quarter|week|fortnight|month|year|decade|centur)\w*", re.IGNORECASE)


class MayNotLeave(Exception):
    """What is to be sent has a figure that the person has not written; the text quotes none."""


class Door:
    """Lets through what has no figure but those of `written`."""

    def __init__(self, written: Sequence[str]) -> None:
        self._written = tuple(written)
        self._lock = threading.Lock()
        self._figures: tuple[WrittenFigures, WrittenFigures] | None = None
        self._numbers = frozenset(found.lstrip("0") for text in written for found in re.findall(r"\d+", text))

    def check(self, sent: Any, known: Iterable[str] = ()) -> None:
        """Refuse what may not leave; reading the figures of all of it takes a while.

        Args:
            sent: texts, numbers, and what holds them, names of fields included.
            known: texts that whoever gets it has said itself, and names among them.

        Raises:
            MayNotLeave: it has such a figure.
        """
        said, (figures, without_periods) = frozenset(known), self._read()
        for text in _texts(sent):
            if text in said:
                continue
            plain = _NAME.sub(lambda name: " " if name[0] in said else name[0], text)
            if not self._numbers.issuperset(one.lstrip("0") for one in _DIGITS_BESIDE_LETTERS.findall(plain)):
                raise MayNotLeave  # W37, Q3: whatever it numbers
            missing = (*figures.missing(plain), *without_periods.missing(_without_periods(plain)))
            if any(one.lower() != _NO_FIGURE for one in missing):
                raise MayNotLeave

    def _read(self) -> tuple[WrittenFigures, WrittenFigures]:
        """Return the figures that were written, read once, as they stand and as if they were of no period."""
        with self._lock:
            if self._figures is None:
                bare = map(_without_periods, self._written)
                self._figures = (WrittenFigures(self._written), WrittenFigures(bare))
            return self._figures


class Outgoing:
    """What one request hands out: what it likes until it has read something, then only what the door lets through.

    Args:
        written: what the person wrote, in this message and before.
        has_read: whether whoever decides was told figures of an earlier turn that the person did not write.
    """

    def __init__(self, written: Sequence[str], *, has_read: bool = False) -> None:
        self.written = tuple(written)
        self._door = Door(self.written)
        self._read = threading.Event()
        if has_read:
            self._read.set()

    @property
    def has_read(self) -> bool:
        """Whether anything was read in this turn, or told of an earlier one."""
        return self._read.is_set()

    def note(self, operator: type[BaseOperator] | BaseOperator) -> None:
        """Note that an operator was at work: what has services of ours may have read with them."""
        if operator.needs_services:
            self._read.set()

    def note_read(self) -> None:
        """Note that something was read otherwise."""
        self._read.set()

    def door(self) -> Door | None:
        """Return the door as it is for what begins now; None where all may pass."""
        return self._door if self.has_read else None

    def behind(self, services: Mapping[type[Any], Any]) -> Mapping[type[Any], Any]:
        """Put the door before the HTTP services, as it is at each call, and note when the database gives rows.

        An operator may have several agents at work, of which one reads and another one sends.
        """
        placed = dict(services)
        if (found := services.get(ApiServices)) is not None:
            placed[ApiServices] = replace(found, calls=_CallsBehind(found, self))
        if (database := services.get(Services)) is not None:
            placed[Services] = replace(database, count=partial(self._counted, database.count))
        return placed

    def _counted(self, count: Callable[[Answer], None] | None, answer: Answer) -> None:
        if answer.result is not None:
            self._read.set()
        if count is not None:
            count(answer)

    def also(self, texts: Iterable[str]) -> Outgoing:
        """Return the same, for somebody whose own words these are, too."""
        other = Outgoing((*self.written, *texts))
        other._read = self._read
        return other


def _without_periods(text: str) -> str:
    """Return a text in which what is said to be the second half or quarter is any second thing."""
    return _PERIODS.sub("thing", text)


def refusal(server: str) -> OperatorFailed:
    """Say that something was not sent."""
    return OperatorFailed(_REFUSED.format(server or "This"), MAY_NOT_LEAVE)


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text of a value, without names of fields."""
    if isinstance(value, Mapping):
        value = value.values()
    elif isinstance(value, str):
        yield value
        return
    elif not isinstance(value, (list, tuple)):
        return
    for item in value:
        yield from texts_of(item)


class _CallsBehind(HttpCalls):
    """Calls of HTTP services, all of which pass the door but our token; what the catalogue says may be sent."""

    def __init__(self, services: ApiServices, outgoing: Outgoing) -> None:
        self._calls = services.calls
        self._outgoing = outgoing
        catalogue = services.catalogue
        parts = [PLACEHOLDER.sub(" ", one.path) for one in catalogue.endpoints]
        parts += [urlsplit(url).path for url in (services.base_url, catalogue.base_url) if url]
        given = [item for one in catalogue.endpoints for item in one.parameters]
        self._known = {piece for path in parts for piece in re.split(r"[/\s]", path)}
        self._known |= {str(value) for item in given for value in (item.default, *item.values) if value is not None}

    async def send(self, request: HttpRequest, *, stop: threading.Event, deadline: float) -> HttpResponse:
        """See `HttpCalls.send`."""
        path = [unquote(part) for part in urlsplit(request.url).path.split("/")]
        headers = [value for name, value in request.headers.items() if name.lower() != _OURS]
        door = self._outgoing.door()
        try:
            if door is not None:
                sent = [path, [list(pair) for pair in request.query], headers, request.json_body]
                await in_thread(door.check, sent, self._known)
        except MayNotLeave:
            place = urlsplit(request.url).netloc
            raise ApiCallRefused("a figure that the person has not written", _REFUSED.format(place)) from None
        return await self._calls.send(request, stop=stop, deadline=deadline)


def _texts(value: Any) -> Iterator[str]:
    """Yield every text and number of a value, names of fields included; what is true or false says nothing."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield str(name)
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)

"""Where requests of other programs meet the assistant, over HTTP or MCP: how many are let in, and for how long."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Any, TypeAlias

from ai_engine.errors import AssistantError, DatabaseBusy, UnknownSource
from ai_engine.formats import Formats
from ai_engine.model_use import LOCAL
from ai_engine.types import Answer
from backend.api.models import AskRequest, AskResponse, Health, failed_response, response_of
from backend.api.verified import who_asks
from backend.metrics import Metrics
from backend.service import Assistant, Listener
from backend.store.audit_trail import Door

_log = logging.getLogger(__name__)


_YOURS = "{} requests of yours are being answered or wait already. Wait for one of them, or hang up on it."
NamedFactory: TypeAlias = Callable[[str, Mapping[str, str]], Assistant]
"""Opens a data source by its name, for the person of the headers."""


def no_named(source: str, _headers: Mapping[str, str]) -> Assistant:
    """Know no data source but the one that has no name."""
    raise UnknownSource(source)


class Places:
    """Places for so many at once; only the event loop counts.

    Args:
        most: how many there are.
        user_message: what is told to who comes in vain.
        each: how many of them one person may take; where nobody says who asks, all are one and may take all.

    Attributes:
        taken: how many are.
        turned_away: how many have come in vain, since the start.
    """

    def __init__(self, most: int, user_message: str = DatabaseBusy.user_message, each: int | None = None) -> None:
        self._most = most
        self._user_message = user_message
        self._each = most if each is None else each
        self._of_person: Counter[str] = Counter()
        self.taken = 0
        self.turned_away = 0

    @contextmanager
    def one(self, person: str = LOCAL) -> Iterator[None]:
        """Take a place.

        Raises:
            DatabaseBusy: none is free, or this person has as many as one may have.
        """
        mine = self._of_person[person]
        is_greedy = person != LOCAL and mine >= self._each
        if is_greedy or self.taken >= self._most:
            self.turned_away += 1
            told = _YOURS.format(mine) if is_greedy else self._user_message
            raise DatabaseBusy("every place is taken", told)
        self.taken += 1
        self._of_person[person] += 1
        try:
            yield
        finally:
            self.taken -= 1
            self._of_person[person] -= 1
            if not self._of_person[person]:
                del self._of_person[person]


class Desk:
    """Where requests meet the assistant; its methods block, so they are called in threads.

    Attributes:
        threads: those that answer questions; what is beyond them waits.
        timeout_s: for one question, from when it is let in.
        places: of those that are let in, answered and waiting; who comes beyond them is told that it is busy.
        over: set when the time is over that a server which ends had for them.
    """

    def __init__(
        self,
        assistant_factory: Callable[[], Assistant],
        threads: ThreadPoolExecutor,
        places: int,
        timeout_s: float,
        named_factory: NamedFactory = no_named,
        each: int | None = None,
    ) -> None:
        self.threads = threads
        self.places = Places(places, each=each)
        self.timeout_s = timeout_s
        self.over = asyncio.Event()
        self._assistant_factory = assistant_factory
        self._named_factory = named_factory
        self._opening = threading.Lock()

    def place(self, person: str = LOCAL) -> AbstractContextManager[None]:
        """Take one of the places for questions, for as long as it is answered; DatabaseBusy where none is free."""
        return self.places.one(person)

    @property
    def running(self) -> int:
        """Nothing besides the requests, which are counted as such."""
        return 0

    async def tell_stopping(self) -> None:
        """Do nothing: new questions are refused where they come in."""

    async def close(self) -> None:
        """Have every question that is still being answered stopped, and whoever waits for it told why."""
        self.over.set()

    def answer(
        self,
        asked: AskRequest,
        stop: threading.Event,
        heard: Listener | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
        door: Door = "API",
    ) -> AskResponse:
        """Answer until `stop` is set, and tell each step to `heard`; `headers` say who asks. Never raises."""
        question = asked.query
        try:
            assistant = self.assistant(asked.source, headers)
        except UnknownSource as fault:
            return failed_response(question, fault.user_message, type(fault).__name__)
        except AssistantError as fault:
            return failed_response(question, type(fault).user_message, type(fault).__name__)
        who = who_asks(headers, assistant.settings)
        answer = assistant.at(door).ask(question, stop=stop, heard=heard, who=who, anew=asked.anew)
        return response_of(answer, _figure(answer, asked, Formats(assistant.vocabulary.model.currency)))

    def health(self) -> Health:
        """Tell whether there is an assistant; never raises."""
        try:
            self.assistant()
        except AssistantError as fault:
            return Health(status="unavailable", error=type(fault).user_message)
        return Health(status="ok")

    def metrics(self) -> Metrics:
        """Return the assistant's counts, with how many questions are let in now; AssistantError when there is none."""
        metrics = self.assistant().metrics
        metrics.set_crowd(self.places.taken, self.places.turned_away)
        return metrics

    def assistant(self, source: str | None = None, headers: Mapping[str, str] = MappingProxyType({})) -> Assistant:
        """Get that of a data source, which the person of `headers` may ask; of the first without a name.

        Why that failed may name files, so it goes to the log, not the wire.
        """
        with contextlib.nullcontext() if source else self._opening:  # else slow sources would keep others waiting
            try:
                return self._named_factory(source, headers) if source else self._assistant_factory()
            except UnknownSource:
                raise  # whoever asks may name anything
            except AssistantError as fault:
                _log.error("the assistant cannot be opened: %s", fault)
                raise
            except Exception as fault:
                _log.exception("the assistant cannot be opened")
                raise AssistantError(str(fault)) from fault


def _figure(answer: Answer, asked: AskRequest, formats: Formats) -> dict[str, Any] | None:
    if asked.figure is None or answer.result is None or not answer.result.rows:
        return None
    from backend.charts import figure_json, figure_of  # Plotly takes its time to load, and few ask for it

    return figure_json(figure_of(answer, formats, None if asked.figure == "suggested" else asked.figure))

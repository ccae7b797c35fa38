"""Settings that those in `BANK_ADMINISTRATORS` change while the app runs: kept in the store, in effect at once."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from ai_engine.errors import AssistantError, BadConfiguration, NotPermitted
from backend.configuration.people import is_among, people_in
from backend.settings import Settings
from backend.store import setting_changes as rows
from backend.store.opening import Store

_log = logging.getLogger(__name__)
_LOOK_AGAIN_S = 2.0
CHANGEABLE = (
    "currency", "fiscal_year_start_month", "plain_year", "as_of", "query_timeout_s", "max_rows", "max_groups",
    "default_limit_rows", "max_question_chars", "allow_union", "model", "strong_model", "model_timeout_s",
    "model_total_timeout_s", "model_max_tokens_per_day", "send_rows", "readers",
)  # fmt: skip
"""By field of `Settings`. Nothing that says where data is, who may do what, or a secret."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One setting as it is now; `by` is empty where it is the environment's."""

    name: str
    value: str
    by: str


class ChangedSettings:
    """Looks in the store every two seconds at most; a store that is away changes nothing.

    Args:
        store: opens the app's store, or gives it where it is open.
        clock: seconds, never going back.
    """

    def __init__(self, store: Callable[[], Store], clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._looked_at: float | None = None
        self._found: Mapping[str, tuple[str, str]] = {}

    def over(self, settings: Settings) -> Settings:
        """Return the settings with what was changed; one that no longer fits is left out and logged."""
        values: dict[str, Any] = {}
        for name, (text, _) in self._look().items():
            try:
                values[name] = _read(name, text)
            except BadConfiguration as fault:
                _log.warning("a changed setting is left out: %s", fault)
        return settings.model_copy(update=values) if values else settings

    def listed(self, settings: Settings) -> tuple[Changed, ...]:
        """Return what can be changed, as it is now."""
        found, now = self._look(), self.over(settings)
        return tuple(Changed(name, _written(getattr(now, name)), found.get(name, ("", ""))[1]) for name in CHANGEABLE)

    def change(self, settings: Settings, name: str, text: str | None, who: str) -> None:
        """Set a setting for everybody, or with None give it back to the environment.

        Raises:
            NotPermitted: this person is not among `administrators`, or it is none that can be changed.
            BadConfiguration: the value is none of this setting; says why.
            StoreUnavailable: it could not be kept.
        """
        if not is_administrator(settings, who) or name not in CHANGEABLE:
            raise NotPermitted(f"{who} may not change {name}")
        if text is not None:
            _read(name, text)
        with self._store().writing() as connection:
            rows.change(connection, name, text, who)
        with self._lock:
            self._looked_at = None

    def _look(self) -> Mapping[str, tuple[str, str]]:
        with self._lock:
            now = self._clock()
            if self._looked_at is None or now - self._looked_at > _LOOK_AGAIN_S:
                self._looked_at = now
                try:
                    with self._store().reading() as connection:
                        self._found = {k: v for k, v in rows.changed(connection).items() if k in CHANGEABLE}
                except AssistantError as fault:
                    _log.warning("changed settings cannot be looked up: %s", fault)
            return self._found


def choices_of(name: str) -> tuple[str, ...]:
    """Return what a setting may be, where that is one of a few words; nothing where it is any text or number."""
    kind = Settings.model_fields[name].annotation
    if kind is bool:
        return "false", "true"
    kinds = (kind, *get_args(kind))
    return next((get_args(one) for one in kinds if get_origin(one) is Literal), ())


def is_administrator(settings: Settings, who: str) -> bool:
    """Tell whether this person may change settings."""
    return is_among(people_in(settings.administrators), who)


def _read(name: str, text: str) -> Any:
    field = Settings.model_fields[name]
    kind: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    told: Any = text.strip() or None
    try:
        return TypeAdapter(kind).validate_python(told)
    except ValidationError as faults:
        raise BadConfiguration(f"BANK_{name.upper()}: {faults.errors()[0]['msg']}") from None


def _written(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, bool) else str(value)

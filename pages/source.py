"""Which data source this visitor's conversation is about; it stands in the page's address."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from ai_engine.errors import AssistantError
from backend.configuration.about import shown_address
from backend.sources.source import OWN

if TYPE_CHECKING:
    from backend.answers.withheld import Judge
    from backend.configuration.changed_settings import Changed
    from backend.configuration.person_formats import PersonFormats
    from backend.service import Assistant
    from backend.settings import Settings
    from backend.sources.reaching import Tested
    from backend.sources.source import Source
    from backend.sources.sources import Sources

_PARAMETER = "source"


def chosen() -> str | None:
    """Return the name of the source, by the address or what was chosen before; None for the first."""
    named: str | None = st.query_params.get(_PARAMETER) or st.session_state.get(_PARAMETER)
    return named


def choose(name: str) -> None:
    """Ask another source from now on."""
    st.session_state[_PARAMETER] = name
    st.query_params[_PARAMETER] = name


def permitted() -> tuple[Source, ...]:
    """Return what this visitor may ask, the environment's first; AssistantError where settings are wrong."""
    return _shared().of(visitor())


def current() -> Source:
    """Return what is asked now; UnknownSource where the address names none for this visitor."""
    return _shared().named(chosen(), visitor())


def choose_first() -> None:
    """Ask the environment's database again."""
    st.session_state.pop(_PARAMETER, None)
    st.query_params.pop(_PARAMETER, None)


def own_assistant() -> Assistant:
    """Open what this visitor has brought; UnknownSource where that is nothing."""
    return _shared().assistant(OWN, visitor())


def forget_own() -> None:
    """Close it, before it is changed or removed."""
    _shared().close_one(OWN, visitor())


def forget_answers() -> None:
    """Drop what this visitor has said of columns of their own data, before that is removed."""
    _shared().forget_answers(OWN, visitor())


def reopen(one: Source) -> None:
    """Have a source opened anew by who asks it next, as its answers have changed."""
    _shared().close_one(one.name, visitor())


def assistant_of(one: Source) -> Assistant:
    """Open a source that this visitor may ask."""
    return _shared().assistant(one.name, visitor())


def settings() -> Settings:
    """Return the settings, without opening any database."""
    return _shared().settings


def base_settings() -> Settings:
    """Return them as the environment has them, whatever was changed since."""
    return _shared().base_settings


def changed_settings() -> tuple[Changed, ...]:
    """Return the settings that can be changed while the app runs, as they are now."""
    return _shared().changes.listed(_shared().base_settings)


def change_setting(name: str, text: str | None) -> None:
    """Set a setting for everybody; raises what `ChangedSettings.change` does."""
    _shared().changes.change(settings(), name, text, visitor())


def person_formats() -> PersonFormats:
    """Return how each person wants figures and days written."""
    return _shared().formats


def opener() -> Callable[[], Assistant]:
    """Return what opens the current source for this visitor under the rules of the moment, in any thread.

    A file is written after the run of the page that offers it, where nobody knows whose session it is.
    """
    return partial(_shared().assistant, chosen(), visitor())


def judges() -> Callable[[str], Judge | None]:
    """Return what tells, in any thread, who judges statements of a database.

    That is None where this visitor may not ask it, or it is away. A database is named as an entry of the history has
    it, an earlier one with the role that asked.
    """
    sources, who = _shared(), visitor()

    def judge_of(address: str) -> Judge | None:
        place = shown_address(address) or address
        try:
            found = next(
                (one for one in sources.of(who) if one.folder is None and shown_address(one.url) == place), None
            )
            return None if found is None else sources.assistant(found.name, who)
        except AssistantError:
            return None

    return judge_of


def judge_of_kept(name: str) -> Judge | None:
    """Return who judges what is kept of a source, the first without a name; None where it may not be asked.

    So it is where it is not open: whoever looks for something waits for no database.
    """
    sources, who = _shared(), visitor()
    try:
        return sources.assistant(name or None, who) if sources.is_open(name or None, who) else None
    except AssistantError:
        return None


def tested(one: Source) -> Tested:
    """Go the way to a source's database step by step, and say where it ends."""
    from backend.sources.reaching import try_source

    return try_source(settings(), one.url)


def opened_assistant() -> Assistant:
    """Return the assistant of the current source; a failure is not kept, so that a repaired database is found."""
    sources, name, who = _shared(), chosen(), visitor()
    if sources.is_open(name, who):
        return sources.assistant(name, who)
    place = st.empty()
    try:
        with place.container():
            shown = st.status("Opening the data …")
        return sources.assistant(name, who, lambda step: shown.update(label=f"{step} …"))
    finally:
        place.empty()


def _shared() -> Sources:
    from backend.opening import shared_sources  # takes seconds, so the page is drawn before

    return shared_sources


def visitor() -> str:
    """Name who sits before this page, without opening any database for it."""
    from backend.api.verified import who_asks

    return who_asks(st.context.headers, _shared().settings)

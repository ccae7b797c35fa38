"""This visitor's conversation in the store: which one it is, opened by its address, left, edited and taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING
from uuid import uuid4

import streamlit as st

from ai_engine.errors import NotKept
from ai_engine.types import Answer
from backend.answers.withheld import as_may_be_shown
from backend.sources.source import OWN
from backend.store.conversations import Conversation, KeptTurn
from pages import keeping, session, source
from pages.session import Exchange

if TYPE_CHECKING:
    from backend.service import Assistant

PAGE_LENGTH = 20
_NO_ANSWER = (
    "This question has no answer yet: it is worked on in another window, or the process that worked on it has ended. "
    "Ask it again if no answer comes."
)
_CURRENT = "conversation"
_ASKED = "conversation_asks"
"""The source that the answers of the open conversation are of."""
_WHOLE_TURNS = 10
"""As many as a follow-up question may refer to; of earlier ones the words are enough."""
_NOT_KNOWN = "?"
"""Of what was not fetched: a question that may be a click's, an answer that may be of columns which were closed."""


def current() -> str:
    """Return the id of the conversation before this visitor."""
    kept: str = st.session_state.setdefault(_CURRENT, uuid4().hex)
    return kept


def follow_address() -> None:
    """Open the conversation that the address names; raises NotKept."""
    named = st.query_params.get("c")
    if named and named != st.session_state.get(_CURRENT):
        try:
            open_conversation(named)
        except NotKept:
            st.query_params.pop("c", None)
            raise


def name_in_address() -> None:
    """Put the conversation into the page's address, so that it is found again."""
    if "a" not in st.query_params and st.query_params.get("c") != current():
        st.query_params["c"] = current()


def open_conversation(conversation: str, whole_turns: int = _WHOLE_TURNS) -> None:
    """Put a kept conversation before the visitor; raises NotKept."""
    found = keeping.attempt(lambda: keeping.store().turns(conversation, session.visitor(), whole_turns))
    if found is None:
        return
    kept, turns = found
    _ask_source(kept.source)
    session.stop_telling(session.exchanges())
    st.session_state["exchanges"] = [_exchange(turn) for turn in turns]
    st.session_state[_ASKED] = kept.source or source.permitted()[0].name
    st.session_state["shared"] = {turn.id: turn.is_shared for turn in turns}
    st.session_state["kept"] = {exchange.id: exchange.answer for exchange in session.exchanges()}
    st.session_state["all_whole"] = whole_turns > _WHOLE_TURNS
    st.session_state[_CURRENT] = conversation
    st.session_state.pop("replaced", None)
    st.query_params.pop("a", None)
    st.query_params["c"] = conversation


def choose(conversation: str) -> None:
    """Open one of the list."""
    st.session_state.pop("left", None)
    try:
        open_conversation(conversation)
    except NotKept as fault:
        st.toast(fault.user_message)


def show_all_whole() -> None:
    """Show every turn of this conversation whole, those too of which only the words were fetched."""
    session.show_all_whole()
    if any(exchange.answer.model == "" for exchange in session.exchanges()):
        open_conversation(current(), whole_turns=1_000_000)


def withhold(assistant: Assistant) -> None:
    """Take out of the open conversation what may be shown no more; what was judged under these rules is not again.

    One that is of another source than the address names now is left: rules of this one say nothing of its answers.
    """
    now = source.chosen() or source.permitted()[0].name
    asked = st.session_state.get(_ASKED, now)
    if asked != now and session.exchanges():
        left = current(), session.exchanges(), asked
        session.stop_telling(left[1])
        _keep(left[1], [], asked).end()
        end()
        st.session_state["left"] = left
        source.choose(now)
    st.session_state[_ASKED] = now
    rules, judged = st.session_state.get("judged", (None, {}))
    if rules is not assistant.policy:
        judged = {}
    past, kept = session.exchanges(), st.session_state.setdefault("kept", {})
    for place, item in enumerate(past):
        if judged.get(item.id) is not item.answer:
            shown = as_may_be_shown(item.answer, assistant.check, assistant.policy)
            if not shown.is_whole:
                past[place] = Exchange(shown.answer, id=item.id)
                kept[item.id] = shown.answer  # in the store it stays as it is
            judged[item.id] = shown.answer
    st.session_state["judged"] = (assistant.policy, judged)


def begin_keeping(past: Sequence[Exchange]) -> keeping.Writing:
    """Keep every turn that is not kept as it is now, those too that the store could not take before."""
    return _keep(past, [], source.chosen() or "")


def note_begun(past: Sequence[Exchange]) -> None:
    """Keep the last question while it is worked on, so that it is not lost with this process.

    Its answer takes its place; turns that the store could not take before come first, as turns stand by when they came.
    """
    *before, begun = past
    waiting = replace(begun.answer, error=_NO_ANSWER)
    _keep(before, [replace(begun, answer=waiting)], source.chosen() or "", wait_s=0)
    name_in_address()


def _keep(past: Sequence[Exchange], begun: Sequence[Exchange], asked: str, **waits: float) -> keeping.Writing:
    kept: dict[str, Answer] = st.session_state.setdefault("kept", {})
    new = [exchange for exchange in past if kept.get(exchange.id) is not exchange.answer]
    conversation, who, store = current(), session.visitor(), keeping.store()

    def write() -> None:
        for exchange in new:
            store.keep(conversation, exchange.id, who, exchange.answer, tuple(exchange.steps), source=asked)
            kept[exchange.id] = exchange.answer
        for exchange in begun:
            store.keep(conversation, exchange.id, who, exchange.answer, source=asked, is_begun=True)

    return keeping.Writing(write if new or begun else None, **waits)


def listed(search: str, pages: int) -> list[Conversation] | None:
    """Return the conversations of the list and one more where there are more; None while the store is away."""
    if keeping.is_resting():
        return None
    most = pages * PAGE_LENGTH + 1
    return keeping.attempt(lambda: keeping.store().listed(session.visitor(), search, most=most, is_told=_is_told()))


def _is_told() -> Callable[[str, Answer], bool]:
    """Return what says whether an answer may be shown today; of a source that is not open nobody can tell."""
    judge_of = lru_cache(source.judge_of_kept)

    def is_told(kept: str, answer: Answer) -> bool:
        judge = judge_of(kept)
        return judge is not None and not as_may_be_shown(answer, judge.check, judge.policy).why

    return is_told


def leave(for_source: str | None = None) -> None:
    """Begin a new conversation, about another source where one is named; the one before can be taken back."""
    left = current(), session.exchanges(), source.chosen()
    end()
    if for_source is not None:
        source.choose(for_source)
    if left[1]:
        st.session_state["left"] = left


def end() -> None:
    """Begin a new conversation, and offer no way back to the one before but the list."""
    session.forget()
    st.session_state[_CURRENT] = uuid4().hex
    for key in ("replaced", "left"):
        st.session_state.pop(key, None)


def go_back() -> None:
    """Take back the conversation that was left."""
    conversation, exchanges, asked = st.session_state.pop("left")
    if asked is not None:
        source.choose(asked)
    else:
        source.choose_first()
    st.session_state[_CURRENT] = conversation
    st.session_state["exchanges"] = exchanges
    st.session_state[_ASKED] = asked or source.permitted()[0].name
    st.query_params["c"] = conversation


def rename(conversation: str, key: str) -> None:
    """Call a conversation as a widget says."""
    title = str(st.session_state[key])
    keeping.attempt(lambda: keeping.store().rename(conversation, session.visitor(), title))


def delete(conversation: Conversation) -> None:
    """Put a conversation out of sight, to be undone for a while."""
    keeping.attempt(lambda: keeping.store().delete(conversation.id, session.visitor()))
    if keeping.fault():
        return
    if conversation.id == current():
        end()
    st.session_state.pop("left", None)
    st.session_state["deleted"] = conversation


def undelete() -> None:
    """Undo the last `delete`."""
    conversation: Conversation = st.session_state.pop("deleted")
    keeping.attempt(lambda: keeping.store().restore(conversation.id, session.visitor()))
    choose(conversation.id)


def edit(place: int, key: str) -> None:
    """Ask another question in the place of an earlier one; what followed is put away, to be taken back."""
    question = str(st.session_state[key]).strip()
    past = session.exchanges()
    if not question or place >= len(past):
        return
    session.stop_telling(past)
    conversation, first = current(), past[place].id
    ids = keeping.attempt(lambda: keeping.store().drop_from(conversation, first, session.visitor())) or ()
    st.session_state["replaced"] = (place, past[place:], ids)
    del past[place:]
    session.ask_next(question)


def take_back_edit() -> None:
    """Put the turns back that an edited question replaced, in the place of those that followed it."""
    place, exchanges, ids = st.session_state.pop("replaced")
    past = session.exchanges()
    session.stop_telling(past)
    past[place:] = exchanges
    if ids:
        keeping.attempt(lambda: keeping.store().put_back(current(), ids, session.visitor()))


def share(turn_id: str, key: str) -> None:
    """Let others open one answer, or no longer, as a widget says."""
    is_shared = bool(st.session_state[key])
    st.session_state.setdefault("shared", {})[turn_id] = is_shared
    keeping.attempt(lambda: keeping.store().share(turn_id, session.visitor(), is_shared=is_shared))


def is_shared(turn_id: str) -> bool:
    """Tell whether an answer of this visitor's open conversation may be opened by others."""
    return bool(st.session_state.get("shared", {}).get(turn_id))


def named_answer(assistant: Assistant) -> KeptTurn | None:
    """Return the answer that the address names, as it may be shown; None where it names none or the store is away.

    Raises:
        NotKept: it is another person's, or of data that this visitor may not ask.
    """
    named = st.query_params.get("a")
    if not named:
        return None
    turn = keeping.attempt(lambda: keeping.store().turn(named, session.visitor()))
    if turn is not None:
        if turn.source == OWN and not turn.is_own:
            raise NotKept  # the viewer's own data bears the same name
        _ask_source(turn.source)
    if turn is None or turn.answer is None:
        return turn
    shown = as_may_be_shown(turn.answer, assistant.check, assistant.policy)
    return replace(turn, answer=shown.answer, steps=turn.steps if shown.is_whole else ())


def _ask_source(kept: str) -> None:
    """Ask what a kept conversation was about; raises NotKept where this visitor may not, or it is gone."""
    permitted = [one.name for one in source.permitted()]
    wanted = kept or permitted[0]  # nothing is kept of a choice where there was none
    if wanted not in permitted:
        raise NotKept
    if wanted != (source.chosen() or permitted[0]):
        source.choose(wanted)


def close_answer() -> None:
    """Leave the answer that the address names."""
    st.query_params.pop("a", None)


def run_again(answer: Answer) -> None:
    """Answer from the same reading once more, in this visitor's own conversation."""
    close_answer()
    reading = answer.intent or answer.sql
    if reading is None:
        session.ask_next(answer.question)
    else:
        session.ask_settled(answer.question, reading, answer.assumptions)


def replaced() -> Sequence[Exchange]:
    """Return the turns that an edited question replaced and that can be taken back."""
    kept: tuple[int, list[Exchange], Sequence[str]] = st.session_state.get("replaced", (0, [], ()))
    return kept[1]


def _exchange(turn: KeptTurn) -> Exchange:
    """Return a turn as the page has it; of one without its whole answer, what it said."""
    if turn.answer is not None:
        return Exchange(turn.answer, turn.steps, id=turn.id)
    is_answered = turn.status == "answered"
    words = {"summary": turn.words} if is_answered else {"error": turn.words}
    unknown = {"derived_from": _NOT_KNOWN, "closed": _NOT_KNOWN}
    return Exchange(Answer(turn.question, turn.status, "", sql=turn.sql, **words, **unknown), id=turn.id)  # type: ignore[arg-type]

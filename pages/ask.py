"""The conversation: a question, its steps as they happen, its answer; earlier turns stay above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ai_engine.errors import AssistantError, NotKept, QueryStopped
from ai_engine.formats import Formats
from ai_engine.types import Answer, Event, ResultReady, StepFinished
from backend.answers.withheld import with_mark
from backend.http.life_cycle import shared_page_work
from backend.store.conversations import KeptTurn
from pages import conversations, keeping, session, source
from pages.drawing.answer import draw_answer, draw_earlier
from pages.drawing.conversations.sidebar import draw_conversations
from pages.drawing.conversations.turn import draw_kept_answer, draw_left, draw_replaced, draw_turn_menu
from pages.drawing.escaping import as_html
from pages.drawing.progress import follow
from pages.drawing.question import draw_question
from pages.drawing.question_box import attend_question_box
from pages.drawing.states import draw_failed
from pages.drawing.style import apply_style, scroll_to_turn
from pages.drawing.welcome import draw_examples, draw_heading, draw_notes, offer_fresh_start, opened
from pages.formats import visitor_formats
from pages.session import Exchange
from pages.telling import Telling

if TYPE_CHECKING:
    from backend.service import Assistant


def show() -> None:
    """Draw the whole screen; the list of conversations comes last, as nobody waits for it."""
    apply_style()
    attend_question_box()
    heading = draw_heading()
    welcome = st.empty()
    turns = st.container(key="turns")
    with st.container(key="ask"):
        told = st.container(key="told")
        typed = st.chat_input("Ask about the bank's data", key="question")
    assistant = opened(session.get_assistant, "the assistant", welcome)
    if assistant is None:
        return
    question = session.take_question(typed)
    if question is not None:
        conversations.close_answer()
    kept = _follow_address(assistant, turns)
    conversations.withhold(assistant)
    past = session.exchanges()
    if question is not None:
        session.stop_telling(past)
    if past or question is not None or kept is not None:
        welcome.empty()
        with heading:
            offer_fresh_start(conversations.leave)
    else:
        with welcome.container():
            draw_left()
            draw_examples(assistant.examples)
            draw_notes(assistant.notes)
    with turns:
        if kept is not None:
            with _turn(0):
                draw_kept_answer(kept, visitor_formats())
        else:
            _draw_turns(assistant, question, past)
    with told:
        _tell(past)
    draw_conversations()


def _follow_address(assistant: Assistant, place: DeltaGenerator) -> KeptTurn | None:
    """Open what the address names; where that may not be, say so in `place`."""
    asked = source.chosen()
    try:
        conversations.follow_address()
        kept = conversations.named_answer(assistant)
        if source.chosen() != asked:
            st.rerun()  # heading and assistant are those of another source
        return kept
    except NotKept as fault:
        with place:
            draw_failed(fault.user_message)
        return None


def _draw_turns(assistant: Assistant, question: str | None, past: list[Exchange]) -> None:
    """Draw the conversation: the new turn first, as somebody waits for it."""
    here = visitor_formats()
    earlier = st.container()
    first = session.first_whole_turn(len(past) + (question is not None))
    places = [_turn(place) if place >= first else st.empty() for place in range(len(past))]
    if question is not None:
        with _turn(len(past)):
            _run(assistant, question, past, here)
    with earlier:
        draw_earlier([exchange.answer for exchange in past[:first]], conversations.show_all_whole)
    for place in range(first, len(places)):
        with places[place]:
            _draw_past(past[place], place, here)


def _tell(past: list[Exchange]) -> None:
    """Keep what is not kept yet, and say what can be taken back and what the store cannot do."""
    conversations.begin_keeping(past).end()
    if past:
        conversations.name_in_address()
    draw_replaced()
    if past and keeping.fault():
        st.html(f'<p class="ba-note" role="status">{as_html(keeping.fault())} {as_html(keeping.NOT_KEPT)}</p>')


def _turn(place: int) -> DeltaGenerator:
    """Make room for one exchange; earlier ones show what they did until they are drawn again, which is done last."""
    return st.container(key=f"turn_{place}")


def _draw_past(exchange: Exchange, place: int, formats: Formats) -> None:
    draw_question(exchange.answer.question)
    st.empty()  # where scrolling
    st.empty()  # and progress were
    draw_answer(exchange, place, formats)
    draw_turn_menu(exchange, place)


def _run(assistant: Assistant, question: str, past: list[Exchange], formats: Formats) -> None:
    """Answer one question in sight of the person who asked.

    Stop and other clicks begin a new run of this page at once, while this one still winds up; so the turn is kept as
    stopped from the start. Progress and answer have places of their own, as Streamlit mixes up what is drawn twice in
    one place within one run. A language model's summary goes on after the run, and the tie-out once all is drawn.
    """
    place = len(past)
    draw_question(question)
    stopped = Answer(question=question, status="failed", model=assistant.model.name, error=QueryStopped.user_message)
    stopped = with_mark(stopped, assistant.policy)
    steps: list[StepFinished] = []
    events_of = _stream(assistant, question, past)
    past.append(Exchange(stopped, steps))
    try:
        events = shared_page_work.during(events_of)
    except AssistantError as fault:
        past[place] = replace(past[place], answer=replace(stopped, error=fault.user_message), steps=())
        draw_answer(past[place], place, formats)
        return
    conversations.note_begun(past)
    scroll_to_turn(place)
    progress = st.empty()
    try:
        with progress.container():
            last = follow(events, steps)
    except BaseException:
        events.close()
        raise
    if isinstance(last, ResultReady):
        past[place] = replace(past[place], answer=last.answer, telling=Telling(events, last, steps))
    else:
        events.close()
        past[place] = replace(past[place], answer=last or stopped)
    writing = conversations.begin_keeping(past)
    progress.empty()
    draw_answer(past[place], place, formats)
    draw_turn_menu(past[place], place)
    writing.end()


def _stream(assistant: Assistant, question: str, past: list[Exchange]) -> Iterator[Event]:
    """Answer a question as it stands in the conversation, or from the reading that a click has settled."""
    settled = session.take_reading()
    if settled is not None:
        return assistant.stream_again(
            settled.reading, question=question, assumptions=settled.assumptions, derived_from=settled.derived_from,
            who=session.visitor(), anew=settled.anew,
        )  # fmt: skip
    history, above = session.history(past), session.last_rows(past)
    return assistant.stream(question, history, above=above, who=session.visitor())


show()

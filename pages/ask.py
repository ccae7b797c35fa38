"""The conversation: a question, its steps as they happen, its answer; earlier turns stay above."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ai_engine.errors import AssistantError, QueryStopped
from ai_engine.types import Answer, ResultReady, StepFinished
from backend.life_cycle import shared_page_work
from pages import session
from pages.drawing.answer import draw_answer, draw_earlier
from pages.drawing.progress import follow
from pages.drawing.question import draw_question
from pages.drawing.style import apply_style, scroll_to_turn
from pages.drawing.welcome import draw_examples, draw_heading, draw_notes, offer_fresh_start, opened
from pages.session import Exchange
from pages.telling import Telling

if TYPE_CHECKING:
    from backend.service import Assistant


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    heading = draw_heading()
    welcome = st.empty()
    turns = st.container(key="turns")
    with st.container(key="ask"):
        typed = st.chat_input("Ask about the bank's data", key="question", submit_mode="disable")
    assistant = opened(session.get_assistant, "the assistant", welcome)
    if assistant is None:
        return
    past = session.exchanges()
    question = session.take_question(typed)
    if question is not None:
        session.stop_telling(past)
    if past or question is not None:
        welcome.empty()
        with heading:
            offer_fresh_start()
    else:
        with welcome.container():
            draw_examples(assistant.examples)
            draw_notes(assistant.notes)
    currency = assistant.vocabulary.model.currency
    with turns:
        earlier = st.container()
        first = session.first_whole_turn(len(past) + (question is not None))
        places = [_turn(place) if place >= first else st.empty() for place in range(len(past))]
        if question is not None:
            with _turn(len(past)):
                _run(assistant, question, past, currency)
    with earlier:
        draw_earlier([exchange.answer for exchange in past[:first]])
    for place in range(first, len(places)):
        with places[place]:
            _draw_past(past[place], place, currency)


def _turn(place: int) -> DeltaGenerator:
    """Make room for one exchange; earlier ones show what they did until they are drawn again, which is done last."""
    return st.container(key=f"turn_{place}")


def _draw_past(exchange: Exchange, place: int, currency: str | None) -> None:
    draw_question(exchange.answer.question)
    st.empty()  # where scrolling
    st.empty()  # and progress were
    draw_answer(exchange, place, currency)


def _run(assistant: Assistant, question: str, past: list[Exchange], currency: str | None) -> None:
    """Answer one question in sight of the person who asked.

    Stop and other clicks begin a new run of this page at once, while this one still winds up; so the turn is kept as
    stopped from the start. Progress and answer have places of their own, as Streamlit mixes up what is drawn twice in
    one place within one run. A language model's summary goes on after the run.
    """
    place = len(past)
    draw_question(question)
    stopped = Answer(question=question, status="failed", model=assistant.model.name, error=QueryStopped.user_message)
    steps: list[StepFinished] = []
    told = session.history(past), session.last_rows(past)
    past.append(Exchange(stopped, steps))
    try:
        events = shared_page_work.during(assistant.stream(question, told[0], above=told[1], who=session.visitor()))
    except AssistantError as fault:
        past[place] = Exchange(replace(stopped, error=fault.user_message))
        draw_answer(past[place], place, currency)
        return
    scroll_to_turn(place)
    progress = st.empty()
    try:
        with progress.container():
            last = follow(events, steps)
    except BaseException:
        events.close()
        raise
    if isinstance(last, ResultReady):
        past[place] = Exchange(last.answer, steps, Telling(events, last.answer, steps))
    else:
        events.close()
        past[place] = Exchange(last or stopped, steps)
    progress.empty()
    draw_answer(past[place], place, currency)


show()

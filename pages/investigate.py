"""One question to several agents: the plan, their work as it happens, and one answer made of what they found."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ai_engine.agent import AgentExecutionStatus, AgentRequest, AgentResult, OrchestratorResponse
from ai_engine.errors import AssistantError, QueryStopped
from backend.answers.withheld import Basis
from backend.http.life_cycle import shared_page_work
from pages import session
from pages.drawing.agents import draw_trace, draw_work, strip_html
from pages.drawing.answer import draw_result, said_html
from pages.drawing.escaping import as_html, as_prose
from pages.drawing.investigating import follow_agents
from pages.drawing.question import draw_question
from pages.drawing.style import apply_style, scroll_to_turn
from pages.drawing.welcome import draw_heading, draw_questions, offer_fresh_start, opened
from pages.formats import visitor_formats
from pages.session import Investigation
from pages.withheld import statements_of, withhold_investigations

if TYPE_CHECKING:
    from backend.orchestration import Orchestrator

_MOST_EXAMPLES = 5


def show() -> None:
    """Draw the whole screen."""
    apply_style()
    heading = draw_heading()
    welcome = st.empty()
    choosing = st.container(key="choosing")
    turns = st.container(key="turns")
    with st.container(key="ask"):
        typed = st.chat_input("Ask what needs more than one source", key="question", submit_mode="disable")
    found = opened(session.get_orchestrator, "the agents", welcome)
    if found is None:
        return
    with choosing:
        wanted = {**_choose_agents(found), "context": session.take_context()}
    past = session.investigations()
    withhold_investigations(past, found.assistant)
    question = session.take_question(typed)
    if past or question is not None:
        welcome.empty()
        with heading:
            offer_fresh_start()
    else:
        with welcome.container():
            _draw_examples(found)
    with turns:
        for place, investigation in enumerate(past):
            with _turn(place, investigation.question):
                st.empty()  # where scrolling
                st.empty()  # and progress were
                _draw(found, investigation, place)
        if question is not None:
            with _turn(len(past), question):
                _run(found, question, wanted, past)


def _choose_agents(found: Orchestrator) -> dict[str, Any]:
    """Offer who may work and who works first; returns the fields of a request."""
    names = [agent.name for agent in found.setting.available]
    with st.container(horizontal=True, gap="medium"):
        on = st.pills("Agents that may work", names, selection_mode="multi", default=names, key="agents_on")
        first = st.pills("Work first", names, selection_mode="multi", key="agents_first")
    return {
        "disable_agents": tuple(name for name in names if name not in on),
        "prefer_agents": tuple(name for name in first if name in on),
    }


def _draw_examples(found: Orchestrator) -> None:
    st.html(
        '<h2 class="ba-lead">What would you like to find out?</h2>'
        '<p class="ba-muted">Ask what takes several sources: the bank\'s data, a calculation, another service. '
        "You see who works on what, and get one answer that names what is missing.</p>"
    )
    agents = [agent.capabilities.examples for agent in found.setting.available]
    draw_questions(tuple(example for examples in agents for example in examples[:2])[:_MOST_EXAMPLES], key="example")


def _turn(place: int, question: str) -> DeltaGenerator:
    """Begin one investigation with its question."""
    turn = st.container(key=f"turn_{place}")
    with turn:
        draw_question(question)
    return turn


def _run(found: Orchestrator, question: str, wanted: dict[str, Any], past: list[Investigation]) -> None:
    """Investigate one question in sight of the person who asked; kept as stopped from the start, as on the Ask page."""
    place = len(past)
    stopped, basis = OrchestratorResponse(answer=QueryStopped.user_message), Basis.of(found.assistant)
    past.append(Investigation(question, stopped, basis))
    scroll_to_turn(place)
    progress = st.empty()
    happenings: Generator[Any] | None = None
    try:
        request = AgentRequest(question=question, trace=True, **wanted)
        happenings = shared_page_work.during(found.stream(request, who=session.visitor()))
        with progress.container():
            response = follow_agents(happenings)
    except AssistantError as fault:
        response = OrchestratorResponse(answer=fault.user_message)
    finally:
        if happenings is not None:
            happenings.close()
    response = response or stopped
    past[place] = Investigation(question, response, replace(basis, statements=statements_of(response, found)))
    progress.empty()
    _draw(found, past[place], place)


def _draw(found: Orchestrator, investigation: Investigation, place: int) -> None:
    """Draw what came of a question: the answer, its table, then who did what and when."""
    response, key = investigation.response, f"i{place}"
    succeeded = any(one.status is AgentExecutionStatus.succeeded for one in response.agent_results)
    notes = [f'<p class="ba-note">Assumed: {as_html(text)}</p>' for text in response.metadata.get("assumptions", ())]
    problem = f'<p class="ba-problem">{as_prose(response.answer)}</p>'
    st.html((said_html(response.answer, _headline(response)) if succeeded else problem) + "".join(notes))
    chosen = next((one for one in response.agent_results if one.tabular and one.tabular == response.data), None)
    if chosen is not None:
        _draw_table(found, investigation.question, chosen, key)
    for number, result in enumerate(response.agent_results):
        _offer(investigation.question, result, f"{key}_{number}")
    if response.planner is not None:
        ended = [(one.agent, one.status.value) for one in response.agent_results]
        st.html(strip_html(ended, response.planner.rationale, response.planner.confidence))
    for number, result in enumerate(response.agent_results):
        with draw_work(result, _part(response, number), f"{key}_{number}"):
            if result is not chosen and result.tabular is not None:
                _draw_table(found, investigation.question, result, f"{key}_{number}")
    draw_trace(response.trace, key)


def _headline(response: OrchestratorResponse) -> str:
    """Return the sentence with which the answer of a single agent begins; what several found is told as one."""
    if len(response.agent_results) != 1:
        return ""
    told = [str(event.data.get("headline", "")) for event in response.agent_results[0].trace]
    return next((headline for headline in told if headline and response.answer.startswith(headline)), "")


def _offer(question: str, result: AgentResult, key: str) -> None:
    """Offer what an agent asks back: questions to pick from, or a call that is made once it is confirmed."""
    details = result.error.details if result.error else {}
    if details.get("choices"):
        draw_questions(tuple(details["choices"]), key=f"choice_{key}")
    if details.get("context") and result.error is not None:
        st.html(f'<p class="ba-problem">{as_html(result.error.message)}</p>')
        st.button(
            "Confirm and run", key=f"confirm_{key}", icon=":material/check:", type="primary",
            on_click=session.ask_next, args=(question, details["context"]),
        )  # fmt: skip


def _part(response: OrchestratorResponse, number: int) -> str:
    """Return what one agent was asked, as the plan's event tells it."""
    parts: list[dict[str, Any]] = next((event.data["parts"] for event in response.trace if "parts" in event.data), [])
    return str(parts[number]["question"]) if number < len(parts) else ""


def _draw_table(found: Orchestrator, question: str, result: AgentResult, key: str) -> None:
    from backend.answers.result_answers import answer_of  # the engine behind it takes seconds to load

    vocabulary = found.assistant.vocabulary
    draw_result(answer_of(question, result, vocabulary), visitor_formats(), key)


show()

"""Whether words of a decision say only what was found or said, lead nowhere and ask no secret."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ai_engine.asked_secrets import asks_for_secret
from ai_engine.insight import unretold_figures, unsaid_figures
from ai_engine.operators.links import fetches_or_links
from ai_engine.operators.outgoing import texts_of
from ai_engine.supervisor.decision import SupervisorDecision
from ai_engine.supervisor.observation import may_leave
from ai_engine.supervisor.outward import TEMPLATE
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState
from ai_engine.supervisor.told_conversation import as_told
from ai_engine.types import Scalar

_LEADS = "has a link, a picture, HTML or an address; write plain Markdown without them"
_LONGEST_GOAL_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Known:
    """What a model was told of what was said and found, and what the calling program gave as context.

    What it was not told bears nothing out: by what is let through and what is sent back, a model could find it.
    """

    texts: Sequence[str]
    tables: Sequence[Sequence[Sequence[Scalar]]]
    given: str = ""

    def fault(self, text: str) -> str:
        """Say what is wrong with a text of a model; empty where nothing is."""
        unfounded = unretold_figures(text, [*self.texts, self.given], self.tables)
        if unfounded:
            return f"has figures that were found nowhere: {', '.join(unfounded)}"
        return _LEADS if fetches_or_links(text, " ".join(self.texts)) else ""


def known_texts(state: ChatState, run: SupervisorRun) -> Known:
    """Gather what a decision may say."""
    results = [entry.result for entry in state["results"] if may_leave(entry.result)]
    messages = [as_told(message, run.setting.registry) for message in state["memory"].messages]
    documents = [one.document for result in results for one in result.citations]
    said = [run.message, state["memory"].summary, *(message.content for message in messages), *documents]
    tables = [
        [[row.get(name) for name in one.table.columns] for row in one.table.rows]
        for one in results
        if one.table is not None
    ]
    return Known([*said, *(one.text for one in results)], tables, json.dumps(dict(run.given), ensure_ascii=False))


def check_words(decision: SupervisorDecision, known: Known, *, has_results: bool) -> None:
    """Refuse an answer or a question that says more, leads somewhere, or asks for a secret.

    Raises:
        ValueError: with what is wrong, in words that a model can act on.
    """
    if decision.action == "ANSWER":
        response = decision.response or ""
        if not response.strip() and not has_results:
            raise ValueError("ANSWER needs a response, as nothing was found yet")
        if fault := known.fault(response):
            raise ValueError(f"response {fault}")
    elif decision.action == "CLARIFY":
        asked = "\n".join([decision.question or "", *decision.choices])
        if fault := known.fault(asked):
            raise ValueError(f"question or choices: it {fault}")
        if asks_for_secret(asked):
            raise ValueError("question or choices ask for a password, a code or another secret, which nobody is asked")


def check_handed_on(decision: SupervisorDecision, known: Known) -> None:
    """Refuse figures that operators are to work with and that nobody said or found.

    Raises:
        ValueError: with what is wrong, in words that a model can act on.
    """
    given = [decision.params or {}, *(step.get("input_mapping") or {} for step in decision.steps or ())]
    for text in texts_of(given):
        if unsaid := unsaid_figures(TEMPLATE.sub(" ", text), [*known.texts, known.given], known.tables):
            raise ValueError(f"parameters have figures that nobody said and nothing found has: {', '.join(unsaid)}")


def in_known_words(decision: SupervisorDecision, known: Known, message: str) -> SupervisorDecision:
    """Put the person's own words, or none, for reasoning, goal and names of steps that say more or lead somewhere."""

    def is_good(text: object) -> bool:
        return not isinstance(text, str) or not (known.fault(text) or asks_for_secret(text))

    better: dict[str, object] = {}
    if not is_good(decision.reasoning):
        better["reasoning"] = ""
    if not is_good(decision.goal):
        better["goal"] = message[:_LONGEST_GOAL_CHARS]
    if decision.steps and not all(is_good(step.get("name")) for step in decision.steps):
        better["steps"] = [
            step if is_good(step.get("name")) else {**step, "name": str(step.get("id", ""))} for step in decision.steps
        ]
    return decision.model_copy(update=better) if better else decision

"""Third step: may this statement run?"""

from __future__ import annotations

import re
from dataclasses import replace

from langgraph.runtime import Runtime

from ai_engine import guard
from ai_engine.errors import SqlRejected
from ai_engine.guard.tables import readable_names
from ai_engine.insight.checking.spelling import plain_digits
from ai_engine.insight.figures import figures_in
from ai_engine.llm.free_text import carries_markup
from ai_engine.ports import Services
from ai_engine.state import BankingAssistantState, note_failure
from ai_engine.types import FailedDraft

_MAY_NOT_RUN = "The query was not run: it may not run here as the language model wrote it. Ask it another way."
_WORD = re.compile(r"\w+")


def validation_agent(state: BankingAssistantState, runtime: Runtime[Services]) -> BankingAssistantState:
    """Replace the draft by its canonical form, or note why it may not run."""
    services = runtime.context
    sql, each = state["generated_sql"] or "", state["first_of_each"]
    try:
        statement = guard.check(
            sql, services.vocabulary.catalogue, services.policy, for_answer=True, ranked_by=state["ranked_by"]
        )
        if each is not None:
            looking = guard.check(each.sql, services.vocabulary.catalogue, services.policy, for_answer=True)
            statement = replace(statement, first_of_each=replace(each, sql=looking.run_sql))
    except SqlRejected as refusal:
        is_own = not state["read_by"] or state["compiled"]  # a person's statement, or the compiler's
        told = refusal.user_message if is_own or _names_only(str(refusal), services) else _MAY_NOT_RUN
        failure = FailedDraft(
            sql, str(refusal), told, stage="validation", error_kind=type(refusal).__name__,
            part=refusal.part, place=refusal.place,
        )  # fmt: skip
        return note_failure(state, failure)
    return {"validated_sql": statement.sql, "statement": statement, "error_message": None}


def _names_only(reason: str, services: Services) -> bool:
    """Tell whether a refusal has no figure and no address, which a model may have put into a name of its statement.

    What the database itself calls so is a name.
    """
    known = {name.lower() for name in readable_names(services.vocabulary.catalogue, services.policy)}
    strange = _WORD.sub(lambda word: "" if word[0].lower() in known else word[0].replace("_", " "), reason)
    return not figures_in(plain_digits(strange)) and not carries_markup(reason)

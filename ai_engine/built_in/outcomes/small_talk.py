"""Greetings, thanks, goodbyes and questions about the assistant, where nothing else is said."""

from __future__ import annotations

import re

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.suggestions import example_questions
from ai_engine.semantics.words import words
from ai_engine.types import Interpretation


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ADDRESSED = _set("there all everyone everybody assistant bot team sir madam dear friend again you u and so ok okay oh")
_GREETING = _set("hi hello hey hiya howdy greetings namaste namaskar morning afternoon evening yo")
_WITH_GREETING = _ADDRESSED | _set("good day a very")
_THANKS = _set("thanks thank thx thankyou ty cheers appreciated great nice perfect awesome excellent cool wonderful")
_WITH_THANKS = _ADDRESSED | _set(
    "a lot lots much many very very for the your help answer answers that this it is was s really i appreciate works"
    " job work well done good ok okay now bye"
)
_GOODBYE = _set("bye goodbye cya farewell")
_WITH_GOODBYE = _ADDRESSED | _THANKS | _set("good bye see later soon tomorrow for now have a nice day night the")
_ASSENT = _set("ok okay yes no yep nope sure alright fine right hmm")
_WHO = re.compile(
    r"(and )?((who|what) (exactly )?(are|r) (you|u)|who (made|built|created) you|what (is|s) your name|your name"
    r"|are you (a |an )?(real |actual )?(human|robot|bot|ai|person|machine|program|model|chatbot))( please)?"
)
_HOW = re.compile(r"(hi |hello |hey )?how (are|r) (you|u)( doing)?( today)?|what s up|how do you do")
_HELP = re.compile(
    r"(please |i need |can you |could you )*help( me| us)*( please|"
    r" out)*|how (do|can|should) (i|we) (use|start|begin|get started)"
    r"( (this|it|you|the assistant|this (tool|app|page)|with this))?|instructions|manual|get started"
)

_OFFER = "Ask a question about the bank's data, or pick one of these."


def small_talk(question: str, knowledge: Knowledge) -> Interpretation | None:
    """Reply to what is only talk; None when anything is asked of the data."""
    said = words(question)
    reply = _reply(frozenset(said), " ".join(said)) if said else None
    if reply is None:
        return None
    return Interpretation(outcome="about", restatement="", reply=reply, suggestions=example_questions(knowledge))


def _reply(said: frozenset[str], text: str) -> str | None:
    if _WHO.fullmatch(text):
        return (
            "I am the banking assistant: a program that turns questions in plain English into database queries "
            f"and shows how it got each figure. {_OFFER}"
        )
    if _HOW.fullmatch(text):
        return f"Ready to work, thank you. {_OFFER}"
    if _HELP.fullmatch(text):
        return (
            "Type what you would like to know in plain English: a figure, a list, a comparison or a trend; then go on "
            "from there (“only in …”, “by month”, “and last year?”). You can also ask which tables exist or what a "
            "word means."
        )
    if (said & _GOODBYE and said <= _GOODBYE | _WITH_GOODBYE) or text in {"see you", "see you later", "good night"}:
        return "Goodbye. Your conversation starts fresh next time."
    if said & _THANKS and said <= _THANKS | _WITH_THANKS | _GREETING:
        return "You are welcome. Is there anything else you would like to know?"
    if (said & _GREETING and said <= _GREETING | _WITH_GREETING) or text in {"good day"}:
        return f"Hello! {_OFFER}"
    if said <= _ASSENT:
        return f"All right. {_OFFER}"
    return None

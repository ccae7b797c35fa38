"""What to do with a message without a language model: by the words of desks, and by what agents claim to answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ai_engine.agent import in_thread
from ai_engine.chat_history import ChatMessage
from ai_engine.orchestrator.parts import Share, is_sure, share_out
from ai_engine.orchestrator.referents import claim_with_stand_ins
from ai_engine.ports import Services
from ai_engine.routing.messages import ClassifierResult
from ai_engine.routing.word_classifier import WordClassifier, is_follow_up, last_speaker
from ai_engine.semantics.words import words
from ai_engine.supervisor.decision import SupervisorDecision, undecided
from ai_engine.supervisor.desks import CALCULATIONS, GREETER, POLICY, REPORTS, Desks, open_desks
from ai_engine.supervisor.earlier_answers import with_figures_before
from ai_engine.supervisor.setting import SupervisorRun
from ai_engine.supervisor.state import ChatState, Choice
from ai_engine.supervisor.template_choice import choice_of, template_asked
from ai_engine.supervisor.wishes import declined_choice
from ai_engine.workflows.filling import VocabularyValues

_SURE = 0.75
"""A claim from here on is worth a try where somebody else had no answer."""
_LIKELY = 0.25
_OURS = re.compile(r"\b(?:our|ours|us)\b", re.IGNORECASE)
_SHORT_WORDS = 8
_LONGEST_NAME = 200
_SHARED_BY_ORCHESTRATOR = frozenset({"figures", "services", CALCULATIONS})


async def choose_by_rule(state: ChatState, run: SupervisorRun) -> tuple[Choice, ...]:
    """Return the choice, and after it what is to be tried when that gives nothing."""
    message, before = run.message, state["memory"].messages
    template = await in_thread(_template, message, before, run)
    if template is not None:
        return (template,)
    declined = await in_thread(declined_choice, run, before)
    if declined is not None:
        return (declined,)
    setting = run.setting
    desks = open_desks(setting.registry, state["available"], setting.services, setting.templates)
    answered = _desk_that_asked(message, before, desks)
    if answered is not None:
        return (_call(answered, message, f"It answers what {desks.choices[answered].name} asked.", desks),)
    asking = _Asking(message, before, desks, await in_thread(desks.claims, message), run)
    chosen = asking.chosen()
    if chosen.key == GREETER:
        return (Choice(await _greeting(message, desks)),)
    together = _together(await in_thread(_shares, message, desks), message, desks, state["available"])
    if together is not None:
        return (Choice(together),)
    if chosen.key is None or asking.cannot_be_told(chosen.key):
        return (Choice(_clarifying(chosen.result)),)
    if chosen.key == REPORTS:
        return (Choice(_which_report(run)),)
    return (
        asking.call_of(chosen),
        *(_call(one, message, f"{desks.choices[one].name} may know it.", desks) for one in asking.others(chosen.key)),
    )


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What the classifier chose, with the key of the desk."""

    key: str | None
    result: ClassifierResult


@dataclass(frozen=True, slots=True)
class _Asking:
    """A message that is for one desk, and what the desks claim of it."""

    message: str
    before: Sequence[ChatMessage]
    desks: Desks
    claims: Mapping[str, float]
    run: SupervisorRun

    @property
    def may_calculate(self) -> bool:
        """Whether it is one of the calculations that are known, and not a figure that the data has under that name."""
        claim = self.claims.get(CALCULATIONS)
        if claim is None or is_follow_up(self.message):
            return True
        return claim > max(0.0, self.claims.get("figures", 0.0) - _SURE + _LIKELY)

    def chosen(self, *, follows: bool = True) -> _Chosen:
        """Choose a desk, in the light of the messages before or as if there were none."""
        classifier = WordClassifier(threshold=self.run.setting.limits.rule_threshold)
        turns = self.desks.turns(self.before) if follows else []
        choices = {key: one for key, one in self.desks.choices.items() if key != CALCULATIONS or self.may_calculate}
        claims = {key: claim for key, claim in self.claims.items() if key in choices}
        result = classifier.choose(self.message, turns, choices, claims)
        found = (key for key, one in choices.items() if one is result.selected_agent)
        return _Chosen(next(found, None), result)

    def cannot_be_told(self, key: str) -> bool:
        """Whether a desk that reads on where it left off would give its last answer again for unknown words."""
        if key != POLICY or is_follow_up(self.message) or self.claims.get(key) != 0:
            return False
        return last_speaker(self.desks.turns(self.before), self.desks.choices) == key

    def call_of(self, chosen: _Chosen) -> Choice:
        """Ask the desk the question that was left open, or the message with figures of the last answer in it."""
        assert chosen.key is not None, "it was looked at before"  # noqa: S101
        message, reason = chosen.result.user_input or self.message, chosen.result.reason
        if chosen.key != CALCULATIONS:
            return _call(chosen.key, message, reason, self.desks)
        alone = with_figures_before(message, self.before)
        return replace(_call(chosen.key, alone.question, reason, self.desks), withheld=bool(alone.taken))

    def others(self, key: str) -> tuple[str, ...]:
        """Return who may know it where the chosen one does not: who would be asked first, then who claims it."""
        fresh = self.chosen(follows=False).key
        claiming = sorted(self.claims, key=lambda one: -self.claims[one])
        likely = [fresh, *(one for one in claiming if self.claims[one] >= _SURE)]
        return tuple(dict.fromkeys(one for one in likely if one and one in self.desks.operators and one != key))


def _template(message: str, before: Sequence[ChatMessage], run: SupervisorRun) -> Choice | None:
    """Choose a template of ours that the message asks for; blocks."""
    given: Services | None = run.setting.services.get(Services)
    if given is None:
        return None
    asked = template_asked(message, before, run.setting.templates, VocabularyValues(given.vocabulary), run.given)
    if asked is None:
        return None
    return choice_of(asked, f"It asks for the template “{asked.template.title}”.")


def _which_report(run: SupervisorRun) -> SupervisorDecision:
    """Ask which report is meant."""
    titles = tuple(template.title for template in run.setting.templates)
    reason = "It asks for a report, and no template fits."
    return SupervisorDecision(
        action="CLARIFY", reasoning=reason, question="Which of these reports do you mean?", choices=titles
    )


def _call(key: str, message: str, reason: str, desks: Desks) -> Choice:
    operator = desks.operators[key].name
    return Choice(
        SupervisorDecision(action="CALL_TOOL", reasoning=reason, operator=operator, params={"query": message})
    )


def _desk_that_asked(message: str, before: Sequence[ChatMessage], desks: Desks) -> str | None:
    """Return the desk whose own question a short message answers."""
    last = before[-1] if before else None
    if last is None or last.role != "assistant" or last.status != "clarify" or not last.tools:
        return None
    said = " ".join(words(message))
    offered = said in " ".join(words(last.content))
    return desks.key_of(last.tools[-1]) if offered or len(said.split()) <= _SHORT_WORDS else None


async def _greeting(message: str, desks: Desks) -> SupervisorDecision:
    reply = await desks.choices[GREETER].process_request(message, "", "", ())
    text = getattr(reply, "text", "")
    return SupervisorDecision(action="ANSWER", reasoning="It is a greeting, or asks what can be asked.", response=text)


def _clarifying(chosen: ClassifierResult) -> SupervisorDecision:
    """Ask which of the nearest is meant, or for more words."""
    names = tuple(candidate.name for candidate in chosen.candidates)
    if len(names) > 1:
        question = f"Is this a question for {', '.join(names[:-1])} or {names[-1]}? Name one, or say it in more words."
        return SupervisorDecision(action="CLARIFY", reasoning=chosen.reason, question=question, choices=names)
    return undecided(chosen.reason)


def _shares(message: str, desks: Desks) -> tuple[Share, ...]:
    """Share a message out among the desks; blocks."""

    def claim(key: str, part: str) -> float | None:
        if key == POLICY and _OURS.search(part) and is_sure(desks.claim("figures", part)):
            return 0.0  # "our CASA ratio" is what it is here, and not what the word means
        return claim_with_stand_ins(part, lambda text: desks.claim(key, text), looks_up=key == "figures")

    keys = sorted(desks.operators, key=lambda key: key == "figures")
    return share_out(message, keys, claim)


def _together(
    shares: Sequence[Share], message: str, desks: Desks, available: Sequence[str]
) -> SupervisorDecision | None:
    """Have several share a message of several parts: the agents of the orchestrator among them, else step by step."""
    keys = [share.agent for share in shares if share.agent is not None]
    if len(keys) < 2 or len(keys) < len(shares):
        return None
    reason = f"It asks several things: {'; '.join(f'“{share.part}”' for share in shares)}."
    if set(keys) <= _SHARED_BY_ORCHESTRATOR and "orchestrator" in available:
        return SupervisorDecision(action="CALL_TOOL", reasoning=reason, operator="orchestrator")
    steps = [
        {
            "id": f"part_{place}",
            "name": f"{share.part[:1].upper()}{share.part[1:_LONGEST_NAME]}",
            "operator": desks.operators[key].name,
            "input_mapping": {"query": share.part},
        }
        for place, (share, key) in enumerate(zip(shares, keys, strict=True), start=1)
    ]
    return SupervisorDecision(action="CREATE_WORKFLOW", reasoning=reason, goal=message, steps=steps)

"""Which call answers a question: by rule, or by a language model that is shown the best endpoints."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ai_engine.insight import unsaid_figures
from ai_engine.insight.retold import figures_of_text
from ai_engine.operators.links import fetches_or_links
from ai_engine.ports import ChatModel
from ai_engine.prompts.loader import load_prompt
from ai_engine.specialists.api_docs.call_plan import ApiCallPlan, as_documented
from ai_engine.specialists.api_docs.catalogue import ApiCatalogue, Endpoint, Parameter, Snippet
from ai_engine.specialists.api_docs.scoring import SPEAKS_OF_APIS, WRITTEN_PATH, Scored, ranked_endpoints, tokens
from ai_engine.specialists.api_docs.values import ENDS, STARTS, said_values
from ai_engine.specialists.computation.program_figures import CONVERSIONS, known_figures

TOP_ENDPOINTS = 6
_LEAST_SCORE = 2.0
_MOST_VALUES = 20
_LEAST_COVERED = 0.6
_NEAR = 0.75
_VALUE = 4.0
"""What a value that is said is worth, as much as a word of a keyword."""
_TOLD_KEYS = ("current_datetime_utc", "current_date", "current_date_start_hour", "current_date_end_hour", "data_as_of")


def plan_by_rule(question: str, catalogue: ApiCatalogue, context: Mapping[str, Any]) -> ApiCallPlan:
    """Choose the endpoint that shares most with the question; of those near the best, one whose values are all said."""
    written = written_call(question, catalogue)
    if written is not None:
        return _plan(*written)
    best = _best(question, catalogue, context)
    if best is None:
        known = ", ".join(endpoint.summary for endpoint in catalogue.endpoints[:TOP_ENDPOINTS])
        return ApiCallPlan(
            make_request=False,
            failure_reason=f"None of the services of {catalogue.name} does that. They do, among others: {known}.",
        )
    return _plan(best.scored.endpoint, best.values)


def written_call(question: str, catalogue: ApiCatalogue) -> tuple[Endpoint, dict[str, Any]] | None:
    """Return the endpoint whose path a question writes out ("GET /rates/gold_loan"), with the values in that path."""
    found = WRITTEN_PATH.search(question)
    if found is None or any(sign in found[2] for sign in "{:"):
        return None
    path = found[2].rstrip(".,;?!")
    endpoint = catalogue.endpoint(found[1] or "GET", path)
    return (endpoint, endpoint.values_in(path)) if endpoint is not None else None


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An endpoint with the values that the question gives it; `weight` counts those that are said beside its words."""

    scored: Scored
    values: dict[str, Any]
    weight: float

    @property
    def complete(self) -> bool:
        return all(item.name in self.values for item in self.scored.endpoint.parameters if _is_needed(item))


def _best(question: str, catalogue: ApiCatalogue, context: Mapping[str, Any]) -> _Weighed | None:
    """The endpoint that shares most with the question; of those near it, one whose values are all said."""
    weighed = []
    for item in ranked_endpoints(question, catalogue)[: 2 * TOP_ENDPOINTS]:
        values = said_values(question, item.endpoint, context)
        defaults = {parameter.name: parameter.default for parameter in item.endpoint.parameters}
        said = sum(value != defaults[name] for name, value in values.items())
        weighed.append(_Weighed(item, values, item.score + _VALUE * said))
    if not weighed:
        return None
    most = max(item.weight for item in weighed)
    best = max((item for item in weighed if item.weight >= _NEAR * most), key=lambda item: (item.complete, item.weight))
    return best if _is_about(question, best.scored) else None


def plan_by_model(
    model: ChatModel,
    question: str,
    catalogue: ApiCatalogue,
    candidates: Sequence[Scored],
    snippets: Sequence[Snippet],
    context: Mapping[str, Any],
    stop: threading.Event,
) -> ApiCallPlan:
    """Have a model choose among the candidates and fill in the call.

    Raises:
        ModelFailed, QueryStopped: as `ChatModel.ask`.
    """

    told_context = {key: context[key] for key in _TOLD_KEYS if key in context}

    def make(plan: ApiCallPlan) -> ApiCallPlan:
        if plan.make_request and catalogue.endpoint(plan.method, plan.path) is None:
            raise ValueError(f"{plan.method} {plan.path} is no endpoint; choose one that is listed, as it is written")
        if plan.make_request and (made_up := _made_up(plan, question, catalogue, told_context)):
            raise ValueError(f"the question does not say {', '.join(made_up)[:200]}; leave out what it does not say")
        known = [question, *(described(item.endpoint) for item in candidates), *(item.text for item in snippets)]
        told = {"reason": plan.reason, "failure_reason": plan.failure_reason or ""}
        strange = {name: "" for name, text in told.items() if _says_more(text, known)}
        return plan.model_copy(update=strange) if strange else plan

    messages = load_prompt("api_plan").fill(
        question=question,
        endpoints="\n\n".join(f"{place}. {described(item.endpoint)}" for place, item in enumerate(candidates, 1)),
        documentation="\n\n".join(f"{item.title}: {item.text}" for item in snippets) or "none",
        context=json.dumps(told_context, default=str),
    )
    return model.ask(messages, ApiCallPlan, make, stop=stop)


def _made_up(plan: ApiCallPlan, question: str, catalogue: ApiCatalogue, context: Mapping[str, Any]) -> list[str]:
    """Return the values of a model's call with a figure that nobody said, nor follows from one by a unit such as 12.

    A service's answer to an amount that was made up would be told as if it had been asked. Days are periods.
    """
    endpoint = catalogue.endpoint(plan.method, plan.path)
    assert endpoint is not None, "it is one of the catalogue's"  # noqa: S101
    listed = [str(value) for one in endpoint.parameters for value in (one.default, *one.values) if value is not None]
    known, figures = [question, *listed, *map(str, context.values())], known_figures(question)
    converted = {made for one in figures for unit in CONVERSIONS if unit for made in (one * unit, one / unit)}
    sent = as_documented(plan, endpoint)
    parts = (sent.path_params, sent.query_params, sent.json_body or {}, sent.headers)
    texts = dict.fromkeys(
        json.dumps(value, default=str, ensure_ascii=False) for part in parts for value in part.values()
    )
    return [text for text in texts if unsaid_figures(text, known) and not figures_of_text(text) <= converted]


def _says_more(text: str, known: Sequence[str]) -> bool:
    """Tell whether a model's reason has a figure or an address that neither question nor services have."""
    return bool(unsaid_figures(text, known)) or fetches_or_links(text, " ".join(known))


def described(endpoint: Endpoint) -> str:
    """Write an endpoint down with all that a call of it needs."""
    lines = [f"{endpoint.name}: {endpoint.summary}"]
    lines += [endpoint.description] if endpoint.description else []
    lines += [f"- {described_parameter(parameter)}" for parameter in endpoint.parameters]
    lines += ["- needs a token"] if endpoint.needs_token else []
    if not endpoint.reads_only:
        lines.append("- changes something: " + ("to be confirmed" if endpoint.writable else "never run from here"))
    return "\n".join(lines)


def described_parameter(parameter: Parameter) -> str:
    """Write a parameter down in one line."""
    parts = [
        f"{parameter.name} ({parameter.place}, {parameter.type}, {'required' if parameter.required else 'optional'})"
    ]
    parts += [parameter.description] if parameter.description else []
    shown = list(parameter.values)[:_MOST_VALUES]
    more = ", ..." if len(parameter.values) > _MOST_VALUES else ""
    parts += [f"one of {', '.join(shown)}{more}"] if shown else []
    parts += [f"such as {parameter.example}"] if parameter.example is not None else []
    return "; ".join(parts)


def with_period(plan: ApiCallPlan, context: Mapping[str, Any]) -> ApiCallPlan | None:
    """Add the bounds of today that a service asked for; None where nothing is missing, or nothing is known."""
    starts, ends = context.get("current_date_start_hour"), context.get("current_date_end_hour")
    bounds = {STARTS: _as_moment(starts, "00:00"), ENDS: _as_moment(ends, "59:59")}
    missing = {name: value for name, value in bounds.items() if name not in plan.query_params and value}
    return plan.model_copy(update={"query_params": {**plan.query_params, **missing}}) if missing else None


def _as_moment(hour: object, rest: str) -> str | None:
    """ "2026-11-22 23" and "59:59" make "2026-11-22T23:59:59"."""
    return f"{hour.replace(' ', 'T')}:{rest}" if isinstance(hour, str) and hour else None


def _is_about(question: str, best: Scored) -> bool:
    """Whether the question says the endpoint's keyword, or hardly anything that the endpoint does not."""
    asked = [word for word in tokens(question) if not word.isdigit() and word not in SPEAKS_OF_APIS]
    if best.keyword or not asked:
        return best.keyword
    covered = sum(word in best.words for word in asked) / len(asked)
    return covered == 1 or (best.score >= _LEAST_SCORE and covered >= _LEAST_COVERED)


def _is_needed(parameter: Parameter) -> bool:
    """The bounds of a period are what the service may have added for it."""
    return parameter.required and parameter.name not in {STARTS, ENDS}


def _plan(endpoint: Endpoint, values: dict[str, Any]) -> ApiCallPlan:
    placed = {place: _placed(endpoint, values, place) for place in ("path", "query", "body")}
    missing = [item for item in endpoint.parameters if _is_needed(item) and item.name not in values]
    common: dict[str, Any] = {
        "method": endpoint.method,
        "path": endpoint.path,
        "path_params": placed["path"],
        "query_params": placed["query"],
        "json_body": placed["body"] or None,
    }
    if missing:
        named = "; ".join(described_parameter(item) for item in missing)
        return ApiCallPlan(
            make_request=False, failure_reason=f"{endpoint.summary} needs {named}. Say it in the question.", **common
        )
    return ApiCallPlan(make_request=True, reason=f"{endpoint.summary}.", **common)


def _placed(endpoint: Endpoint, values: Mapping[str, Any], place: str) -> dict[str, Any]:
    return {item.name: values[item.name] for item in endpoint.parameters if item.place == place and item.name in values}

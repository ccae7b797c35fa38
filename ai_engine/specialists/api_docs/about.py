"""Questions about the API itself, answered from its catalogue without a call."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ai_engine.agent import TabularResult
from ai_engine.specialists.api_docs.catalogue import ApiCatalogue, Endpoint, Snippet
from ai_engine.specialists.api_docs.planning import described
from ai_engine.specialists.api_docs.scoring import WRITTEN_PATH, chosen_snippets, ranked_endpoints, tokens

_PLURAL = (
    r"(?:end\s?points?|api\s+(?:points?|calls?|routes?|services?|methods?|operations?)|apis|routes|web\s+services)"
)
_LISTS = re.compile(
    rf"\b(?:list|show|which|what|name|give|display|all|every|available|how\s+many)\b.*\b{_PLURAL}"
    rf"|^\W*(?:api|{_PLURAL})\W*$",
    re.IGNORECASE,
)
_ASKS_OF_ONE = re.compile(
    r"\b(?:what|which)\b.*\b(?:parameters?|arguments?|inputs?|fields?|body|headers?|status\s+codes?)\b"
    r"|\bwhat\s+(?:does|do|must|should|will)\b.*\b(?:need|require|expect|take|accept|return|give\s+back|respond)"
    r"|\b(?:how\s+(?:do|can|to|would|should)\b.*\b(?:call|use|invoke|authenticate|query|token|sign\s+in|log\s+in)\b)"
    r"|\bstatus\s+codes?\b"
    r"|\b(?:describe|document|explain|documentation)\b"
    r"|\bis\s+there\s+an?\s+(?:api|end\s?point|route|service)\b"
    r"|\b(?:request|response)\s+(?:body|format|schema)\b"
    r"|\bdoes\b.*\bneed\s+(?:a\s+)?(?:token|login|auth\w*)",
    re.IGNORECASE,
)
_ASKS_WHICH = re.compile(r"\b(?:which|what)\s+(?:api|end\s?point|route|web\s+service)\b(?!s)", re.IGNORECASE)
_ASKS_ANEW = re.compile(r"[,;?]\s+(?:and\s+|also\s+|then\s+)*(?=(?:how|what|which|when|where|who)\b)", re.IGNORECASE)
_REFERS_BACK = re.compile(r"\b(?:it|its|they|them|their|that|those|these)\b", re.IGNORECASE)
_WITH_TOKEN = re.compile(r"\b(?:need|require|with)s?\s+(?:a\s+)?(?:token|login|auth\w*)", re.IGNORECASE)
_COLUMNS = ("method", "path", "what it does", "needs", "token")
_LEAST_SCORE = 2.0
_NEAR = 0.8


@dataclass(frozen=True, slots=True)
class FromCatalogue:
    """An answer that needed no call, and what it was taken from."""

    answer: str
    table: TabularResult | None = None
    used: tuple[str, ...] = ()


def told_from_catalogue(question: str, catalogue: ApiCatalogue) -> FromCatalogue | None:
    """Answer a question about the API; None where it asks for what a service knows."""
    named = _named(question, catalogue)
    asks_of_one = _ASKS_OF_ONE.search(question) is not None
    if named and (asks_of_one or not _has_values(question)):
        return _of(named)
    ranked = [item for item in ranked_endpoints(question, catalogue) if item.score >= _LEAST_SCORE]
    asks_which = _ASKS_WHICH.search(question) is not None
    if ranked and (asks_which or (asks_of_one and ranked[0].keyword)):
        return _of([item.endpoint for item in ranked if item.score >= _NEAR * ranked[0].score][:2])
    if asks_of_one and not asks_which and (snippet := _snippet(question, catalogue)) is not None:
        return FromCatalogue(snippet.text, used=(snippet.title,))
    return _listed(question, catalogue) if _LISTS.search(question) else None


def asks_something_else(question: str, catalogue: ApiCatalogue) -> bool:
    """Whether a further clause of the question asks anew, and not about the API."""
    clauses = [clause.strip() for clause in _ASKS_ANEW.split(question)[1:]]
    return any(not _REFERS_BACK.search(one) and told_from_catalogue(one, catalogue) is None for one in clauses)


def _snippet(question: str, catalogue: ApiCatalogue) -> Snippet | None:
    """The text that shares most with the question, where its title shares something."""
    asked = set(tokens(question))
    found = chosen_snippets(question, catalogue.snippets, 2)
    return next((item for item in found if asked & set(tokens(item.title))), None)


def _named(question: str, catalogue: ApiCatalogue) -> list[Endpoint]:
    """Endpoints whose path is written in the question; of every method where none is."""
    found = WRITTEN_PATH.search(question)
    if found is None:
        return []
    methods = [found[1].upper()] if found[1] else ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]
    paths = [catalogue.endpoint(method, found[2].rstrip(".,;:?")) for method in methods]
    return [endpoint for endpoint in paths if endpoint is not None]


def _has_values(question: str) -> bool:
    """ "GET /rates/home" is to be called; "GET /rates/{product}?" asks what it is."""
    found = WRITTEN_PATH.search(question)
    return found is not None and not any(sign in found[2] for sign in "{:")


def _of(endpoints: list[Endpoint]) -> FromCatalogue:
    texts = [described(item) for item in endpoints]
    texts = [
        f"{text}\n- returns {item.returns.description}" if item.returns.description else text
        for text, item in zip(texts, endpoints, strict=True)
    ]
    return FromCatalogue("\n\n".join(texts), used=tuple(item.name for item in endpoints))


def _listed(question: str, catalogue: ApiCatalogue) -> FromCatalogue:
    """All endpoints, or those of the method or the subject that the question names."""
    methods = set(re.findall(r"\b(GET|POST|PUT|PATCH|DELETE|HEAD)\b", question))
    chosen = [item for item in catalogue.endpoints if not methods or item.method in methods]
    if _WITH_TOKEN.search(question):
        chosen = [item for item in chosen if item.needs_token]
    subject = [item for item in ranked_endpoints(question, catalogue) if item.keyword and item.endpoint in chosen]
    chosen = [item.endpoint for item in subject] or chosen
    rows = [
        (item.method, item.path, item.summary, _needs(item), "yes" if item.needs_token else "no") for item in chosen
    ]
    count = f"{len(rows)} endpoint{'s' * (len(rows) != 1)}"
    named = "; ".join(f"{item.name} ({item.summary})" for item in chosen)
    return FromCatalogue(
        f"{catalogue.name} has {count}: {named}.",
        TabularResult.of_rows(_COLUMNS, rows),
        tuple(item.name for item in chosen),
    )


def _needs(endpoint: Endpoint) -> str:
    return ", ".join(item.name for item in endpoint.parameters if item.required)

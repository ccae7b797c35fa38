"""Asks the language model for a text about sources, and takes none whose figures or citations they do not bear out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.events import EventType
from ai_engine.insight import unretold_figures
from ai_engine.operators.base import Citation, OperatorContext, OperatorFailed
from ai_engine.operators.links import fetches_or_links
from ai_engine.operators.sources import Source, all_citations
from ai_engine.orchestrator.model_call import ask_model
from ai_engine.orchestrator.telling import with_rupees
from ai_engine.ports import Services
from ai_engine.prompts.loader import load_prompt

_MODEL_SHARE = 0.7
"""Part of the time left that the model may take, so that a rule can still write when it does not answer."""
_LONGEST_TEXT_CHARS = 12_000
_LONGEST_SOURCE_CHARS = 6_000


class CitedPlace(BaseModel):
    """A paragraph that the model says a text rests on."""

    model_config = ConfigDict(extra="ignore")

    document: str
    paragraph: int


class TextReply(BaseModel):
    """What the model replies."""

    model_config = ConfigDict(extra="ignore")

    text: str
    citations: list[CitedPlace] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FoundedText:
    """A text that was checked, and what it cites."""

    text: str
    citations: tuple[Citation, ...]


async def founded_text(
    context: OperatorContext, prompt: str, sources: Sequence[Source], **values: str
) -> FoundedText | None:
    """Return the model's text; None where there is no model, it may not see the sources, or it gave nothing usable.

    Args:
        context: of the call.
        prompt: name of the prompt file, which has the places `question` and `sources`.
        sources: what the text may say.
        values: for further places of the prompt.

    Raises:
        OperatorFailed: the person wants no more.
    """
    if context.model is None or not context.may_leave():
        return None
    messages = load_prompt(prompt).fill(question=context.query, sources=told_to_model(sources), **values)
    known: dict[tuple[str, int], list[Citation]] = {}
    for one in all_citations(sources):
        known.setdefault((one.document, one.paragraph), []).append(one)
    currency = currency_of(context)

    def make(reply: TextReply) -> FoundedText:
        text = with_rupees(reply.text.strip(), currency)[:_LONGEST_TEXT_CHARS]
        check_text(text, sources)
        cited = [(one.document, one.paragraph) for one in reply.citations]
        unknown = [f"{document} {paragraph}" for document, paragraph in cited if (document, paragraph) not in known]
        if unknown:
            raise ValueError(f"no source has these citations: {', '.join(unknown)}")
        return FoundedText(text, tuple(dict.fromkeys(one for place in cited for one in known[place])))

    left_s = max(context.deadline - time.monotonic(), 0.0)
    try:
        return await ask_model(
            context.model, messages, TextReply, make, stop=context.stop, timeout_s=left_s * _MODEL_SHARE
        )
    except QueryStopped as stopped:
        raise OperatorFailed(stopped.user_message, type(stopped).__name__) from None
    except ModelFailed:
        told = "The language model gave no usable text, so it is put together by rule."
        context.emit(EventType.TOOL_PROGRESS, {"progress": None, "message": told})
        return None


def check_text(text: str, sources: Sequence[Source]) -> None:
    """Judge a text of the model's.

    Raises:
        ValueError: it is empty, has a link, or has figures that no source bears out; the model is told which.
    """
    if not text:
        raise ValueError("text is empty")
    answers = [source.text for source in sources]
    if fetches_or_links(text, " ".join(answers)):
        raise ValueError("text has a link, a picture, HTML or an address; write plain Markdown without them")
    unfounded = unretold_figures(text, answers, [source.rows for source in sources if source.rows])
    if unfounded:
        raise ValueError(f"these figures stand in no source: {', '.join(unfounded)}")


def told_to_model(sources: Sequence[Source]) -> str:
    """Write the sources as the model reads them: texts and places, no rows."""
    return "\n\n".join(
        f"[{number}] {source.title or 'untitled'}\n{source.text[:_LONGEST_SOURCE_CHARS] or '(no text)'}\n"
        f"Places: {'; '.join(f'{one.document} {one.paragraph}' for one in source.citations) or '(none)'}\n"
        f"Missing: {' '.join(source.missing) or '(nothing)'}"
        for number, source in enumerate(sources, start=1)
    )


def currency_of(context: OperatorContext) -> str | None:
    """The bank's currency, which decides how amounts are written; None where there is no database."""
    services = context.services.get(Services)
    return services.vocabulary.model.currency if services is not None else None

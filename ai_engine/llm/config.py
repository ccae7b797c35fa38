"""How to reach a language model; apart from the client, so that settings need not load its library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from ai_engine.types import SendRows

_MILLION = 1_000_000

DEFAULT_BASE_URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class LlmConfig:
    """How to reach a language model.

    Attributes:
        api_key: may be empty for a service of one's own that asks for none.
        base_url: up to and including the version, "http://localhost:11434/v1".
        model: reads questions and tells results.
        strong_model: writes SQL and makes repairs; empty for the same one.
        timeout_s: for one question put to the model, with all retries and the repair of a malformed reply.
        max_reply_kb: longest body of a response that is read.
        shown_rows: rows of a result that it may see to sum it up.
        send_rows: which cells of them; what is sensitive never.
        seed: sent where given, for services that honour it.
        prices_usd: by model, what a million tokens of requests and of replies cost.
        strict_schema: the service is to enforce the reply's schema, for which each key must be there, null or not.
    """

    api_key: str = field(repr=False)
    base_url: str = DEFAULT_BASE_URL
    model: str = "gpt-4o-mini"
    timeout_s: float = 30.0
    max_tokens: int = 2_000
    max_reply_kb: int = 1_024
    shown_rows: int = 20
    send_rows: SendRows = "aggregates"
    temperature: float = 0.0
    seed: int | None = 7
    strict_schema: bool = False
    strong_model: str = ""
    prices_usd: Mapping[str, tuple[Decimal, Decimal]] = field(default_factory=dict)

    def model_for(self, *, strong: bool) -> str:
        """Name the model for a request."""
        return self.strong_model if strong and self.strong_model else self.model

    def cost_usd(self, model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Return what a call cost; None where the model has no price, or the service did not count."""
        prices = self.prices_usd.get(model)
        if prices is None or not input_tokens:
            return None
        return (input_tokens * prices[0] + output_tokens * prices[1]) / _MILLION

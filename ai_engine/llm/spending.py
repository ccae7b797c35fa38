"""What calls to a language model take: noted for whoever operates it, for the question, and for the person who asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ai_engine.context.tokens import estimated_tokens
from ai_engine.conversation import ModelReply
from ai_engine.errors import ModelBudgetSpent, ModelFailed
from ai_engine.llm.config import LlmConfig
from ai_engine.llm.conversing import written_turns
from ai_engine.llm.repairing import Turns
from ai_engine.model_use import Allowance, ModelCall, asker, model_use


class Spending:
    """Counts the calls of one client.

    Args:
        config: what tokens cost.
        count_tokens: told of each reply that the service counted.
        allowance: how many tokens each person may take.
    """

    def __init__(
        self, config: LlmConfig, count_tokens: Callable[[int, int], None] | None, allowance: Allowance
    ) -> None:
        self._config = config
        self._count_tokens = count_tokens
        self._allowance = allowance

    def count(self, replied: ModelReply, turns: Turns, model: str, shape: str, elapsed_s: float) -> None:
        """Note a reply for whoever operates the assistant, and for the question that it belongs to."""
        if self._count_tokens is not None and replied.input_tokens:
            self._count_tokens(replied.input_tokens, replied.output_tokens)
        tokens = (replied.input_tokens, replied.output_tokens)
        # a service that counts nothing, of the request or of the reply, costs too
        spent = (tokens[0] or estimated_tokens(written_turns(turns))) + (tokens[1] or estimated_tokens(replied.text))
        self._allowance.spend(asker().person, spent)
        use = model_use.get()
        if use is not None:
            texts = (written_turns(turns), replied.text) if use.keeps_texts else ()
            cost = self._config.cost_usd(model, *tokens)
            use.note(ModelCall(model, shape, *tokens, elapsed_s * 1_000, cost, *texts))

    def check(self) -> None:
        """Raise ModelBudgetSpent where the person who asks may not use the model today any more."""
        try:
            self._allowance.check(asker().person)
        except ModelBudgetSpent:
            asker().refused = True
            raise

    @contextmanager
    def left_halfway(self, turns: Turns) -> Iterator[None]:
        """Count the request of a call that somebody leaves before the service has told what it took."""
        try:
            yield
        except ModelFailed:
            raise
        except BaseException:
            self._allowance.spend(asker().person, estimated_tokens(written_turns(turns)))
            raise

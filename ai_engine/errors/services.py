"""What a language model's service, or another one, may fail with."""

from __future__ import annotations

from ai_engine.errors.root import AssistantError


class ModelFailed(AssistantError):
    """The language model gave no usable reply."""

    user_message = "The language model gave no usable reply. Please ask again, or rephrase the question."


class ModelNotConfigured(ModelFailed):
    """The language model's key, address or name is missing or was refused."""

    user_message = "The language model is not set up correctly. Check OPENAI_API_KEY, OPENAI_BASE_URL and BANK_MODEL."


class ModelUnavailable(ModelFailed):
    """The language model cannot be reached, is overloaded or did not answer in time."""

    user_message = "The language model cannot be reached right now. Please try again in a moment."


class ModelBudgetSpent(ModelUnavailable):
    """A person has used what the language model may be used for on one day."""

    user_message = "Your budget for the language model is used up for today."

    def __init__(self, max_tokens: int) -> None:
        super().__init__(f"the day's budget of {max_tokens:,} tokens is used up")
        self.max_tokens = max_tokens


class NoFurtherDraft(ModelFailed):
    """A statement failed, and the model knows no other way of writing it; carries the failure's own message."""


class ApiCallFailed(AssistantError):
    """An HTTP service gave no usable answer."""

    user_message = "The service could not be reached, or took too long. Please try again."


class ApiCallRefused(ApiCallFailed):
    """A call was not made, because its address is not permitted."""

    user_message = (
        "This address may not be called from here. Whoever runs the assistant can list it in BANK_SERVICES_HOSTS."
    )

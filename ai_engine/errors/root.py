"""The root of the error tree."""

from __future__ import annotations


class AssistantError(Exception):
    """Root of everything the assistant raises on purpose."""

    user_message = "Something went wrong while answering. Please try again."

    def __init__(self, detail: str, user_message: str | None = None) -> None:
        super().__init__(detail)
        if user_message is not None:
            self.user_message = user_message

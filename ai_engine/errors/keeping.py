"""What people bring and want kept, changed or sent may be refused for."""

from __future__ import annotations

from ai_engine.errors.root import AssistantError


class WorkflowInvalid(AssistantError):
    """A workflow, or a template of one, cannot run as it is written.

    Attributes:
        faults: all that is wrong, a sentence each; for people, and for a model that is to write it better.
    """

    def __init__(self, faults: tuple[str, ...]) -> None:
        text = " ".join(faults)
        super().__init__(text, f"This workflow cannot run. {text}")
        self.faults = faults


class UploadRefused(AssistantError):
    """A file that somebody brought cannot become a table; the text says why, and quotes at most a few cells of it."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class NotPermitted(AssistantError):
    """Somebody asks for what only others may do."""

    user_message = "You may not do this here. Whoever runs the assistant can permit it."


class NotKept(NotPermitted):
    """What a link names was deleted, never was, or belongs to somebody else: the same words for all."""

    user_message = "This was deleted, or it is not yours to open. Whoever asked it can share it."

    def __init__(self) -> None:
        super().__init__("nothing is kept under this name for this person")


class CannotVerify(AssistantError):
    """What is to be verified, confirmed or retracted is no answer from the data, or not in that state."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class CannotKeep(AssistantError):
    """What a person wants kept (a dashboard, a schedule, a set of questions) is more than fits, or cannot be read."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)


class DeliveryFailed(AssistantError):
    """Scheduled files reached neither folder nor mail server."""

    user_message = "What was scheduled could not be delivered."


class CannotChangeVocabulary(AssistantError):
    """A change of the vocabulary that cannot be kept, published or undone as things stand."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, detail)

"""What can be set about a squad, with the defaults that its users know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

CLASSIFICATION_FAILED = "I could not work out who should answer this. Please try again in a moment."
ROUTING_FAILED = "Something went wrong while answering. Please try again."


@dataclass(frozen=True)
class AgentSquadConfig:
    """Options of a squad.

    Attributes:
        LOG_AGENT_CHAT: log what agents are asked and answer, content included; the other LOG_* likewise.
        MAX_RETRIES: attempts at a classification whose language model fails, 1 at least.
        USE_DEFAULT_AGENT_IF_NONE_IDENTIFIED: ask the default agent, with confidence 0, where nobody is chosen.
        CLASSIFICATION_ERROR_MESSAGE: told when choosing fails; a plain sentence where None.
        NO_SELECTED_AGENT_MESSAGE: told when nobody is chosen and there is no default.
        GENERAL_ROUTING_ERROR_MSG_MESSAGE: told when an agent fails; a plain sentence where None.
        MAX_MESSAGE_PAIRS_PER_AGENT: questions with their answers that are kept per user, session and agent.
    """

    LOG_AGENT_CHAT: bool = False
    LOG_CLASSIFIER_CHAT: bool = False
    LOG_CLASSIFIER_RAW_OUTPUT: bool = False
    LOG_CLASSIFIER_OUTPUT: bool = False
    LOG_EXECUTION_TIMES: bool = False
    MAX_RETRIES: int = 3
    USE_DEFAULT_AGENT_IF_NONE_IDENTIFIED: bool = True
    CLASSIFICATION_ERROR_MESSAGE: str | None = None
    NO_SELECTED_AGENT_MESSAGE: str = (
        "I'm sorry, I couldn't determine how to handle your request. Could you please rephrase it?"
    )
    GENERAL_ROUTING_ERROR_MSG_MESSAGE: str | None = None
    MAX_MESSAGE_PAIRS_PER_AGENT: int = 100

    def __post_init__(self) -> None:
        for name in ("MAX_RETRIES", "MAX_MESSAGE_PAIRS_PER_AGENT"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more.")

    @classmethod
    def of(cls, options: AgentSquadConfig | Mapping[str, Any] | None) -> AgentSquadConfig:
        """Take options in any of their forms.

        Raises:
            ValueError: an option that there is not; names the nearest one.
        """
        if isinstance(options, AgentSquadConfig):
            return options
        known = [option.name for option in fields(cls)]
        for name in options or {}:
            if name not in known:
                nearest = get_close_matches(str(name).upper(), known, 1, 0.0)[0]
                raise ValueError(f"There is no option {name!r}. The nearest is {nearest!r}.")
        return cls(**(options or {}))

"""A link of a chain that lets a message through, or stops it because of what it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ai_engine.routing.agent import RoutedAgent
from ai_engine.routing.messages import ConversationMessage, ParticipantRole, StoppedMessage

_CARD = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])")
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("an e-mail address", re.compile(r"[\w.+-]+@[\w-]+\.[A-Za-z]{2,}")),
    ("a phone number", re.compile(r"(?<!\w)(?:\+91[ -]?|0)?[6-9]\d{4}[ -]?\d{5}(?!\w)")),
    ("an Aadhaar number", re.compile(r"(?<!\d)[2-9]\d{3} \d{4} \d{4}(?!\d)")),
    ("a PAN", re.compile(r"(?<!\w)[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?!\w)")),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("an access key", re.compile(r"(?<!\w)(?:sk-[\w-]{16,}|gh[pousr]_\w{30,}|AKIA[0-9A-Z]{16}|xox[abp]-[\w-]{10,})")),
    ("a token", re.compile(r"(?i)(?<!\w)(?:bearer\s+)?eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+")),
    (
        "a password or PIN",
        re.compile(
            r"(?i)\b(?:password|passwort|passcode|pin|otp|cvv|secret)\b\s*(?:is|are|[:=])\s*(?!what|it\b|not\b|the\b|too\b)\S{3,}"
        ),
    ),
)
STOPPED = "Your message holds {found}, so it was not passed on and is not kept. Please send it again without that."


class FilterAgent(RoutedAgent):
    """Passes a message on as it is, unless a rule finds something in it.

    Args:
        name: see RoutedAgent.
        description: what it keeps out.
        rules: functions from a message to a name for what they found, None for nothing; those for personal data and
            secrets where None.
        told: what the person is told, with `{found}`.
    """

    def __init__(
        self,
        name: str = "Filter",
        description: str = "Stops messages with personal data or secrets.",
        *,
        rules: Sequence[Callable[[str], str | None]] | None = None,
        told: str = STOPPED,
        **described: Any,
    ) -> None:
        super().__init__(name, description, **described)
        self._rules = (personal_or_secret,) if rules is None else tuple(rules)
        self._told = told

    async def process_request(
        self,
        input_text: str,
        user_id: str,  # noqa: ARG002 - the same for everybody
        session_id: str,  # noqa: ARG002 - and everywhere
        chat_history: Sequence[ConversationMessage],  # noqa: ARG002 - earlier messages have passed
        additional_params: dict[str, Any] | None = None,  # noqa: ARG002 - not text of a person
    ) -> ConversationMessage:
        """Return the message itself, or one that says why it was stopped."""
        found = next((name for rule in self._rules if (name := rule(input_text)) is not None), None)
        if found is None:
            return ConversationMessage.of(ParticipantRole.ASSISTANT, input_text)
        return StoppedMessage(role=ParticipantRole.ASSISTANT, content=[{"text": self._told.format(found=found)}])


def personal_or_secret(message: str) -> str | None:
    """Name the first thing in a message that is personal data or a secret, None where there is nothing."""
    if any(_is_card_number(found[0]) for found in _CARD.finditer(message)):
        return "a card number"
    return next((name for name, pattern in _RULES if pattern.search(message)), None)


def _is_card_number(text: str) -> bool:
    """Check the last digit as cards have it (ISO/IEC 7812-1, Luhn)."""
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and digits[0] != 0

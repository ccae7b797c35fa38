"""Where scheduled files go: a folder of the server, or mail to addresses of allowed domains."""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from tempfile import NamedTemporaryFile

from ai_engine.errors import CannotKeep, DeliveryFailed
from backend.settings import Settings

MOST_RECIPIENTS = 20
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*)")


@dataclass(frozen=True, slots=True)
class SentFile:
    """One file: a name of letters, digits, dots and hyphens, and what is in it."""

    name: str
    mime_type: str
    content: bytes


def recipients_of(text: str, settings: Settings) -> tuple[str, ...]:
    """Read addresses, parted by commas, semicolons or blanks.

    Raises:
        CannotKeep: mail is not set up, an address cannot be read, or its domain is not allowed.
    """
    if settings.smtp_host is None or settings.smtp_domains is None:
        raise CannotKeep("Mail is not set up here. Whoever runs the assistant can set BANK_SMTP_HOST and its domains.")
    allowed = {domain.strip().lower() for domain in settings.smtp_domains.split(",")}
    found = tuple(dict.fromkeys(part for part in re.split(r"[\s,;]+", text) if part))
    if not 1 <= len(found) <= MOST_RECIPIENTS:
        raise CannotKeep(f"Give 1 to {MOST_RECIPIENTS} addresses.")
    for address in found:
        read = _ADDRESS.fullmatch(address)
        if read is None:
            raise CannotKeep(f"“{address}” is no address.")
        if read[1].lower() not in allowed:
            raise CannotKeep(f"Mail may not be sent to {read[1]}, only to {', '.join(sorted(allowed))}.")
    return found


def send(files: Sequence[SentFile], subject: str, text: str, recipients: Sequence[str], settings: Settings) -> None:
    """Send one message with all files.

    Raises:
        DeliveryFailed: the server cannot be reached or took nothing; the text holds no password.
        CannotKeep: what the settings allow has changed.
    """
    to = recipients_of(",".join(recipients), settings)
    message = EmailMessage()
    message["Subject"], message["To"] = subject, ", ".join(to)
    message["From"] = settings.smtp_sender or settings.smtp_user or "banking-assistant@localhost"
    message.set_content(text)
    for file in files:
        main, _, kind = file.mime_type.partition("/")
        message.add_attachment(file.content, maintype=main, subtype=kind, filename=file.name)
    try:
        with _connected(settings) as server:
            if settings.smtp_user and settings.smtp_password:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            refused = server.send_message(message)
    except (OSError, smtplib.SMTPException, ValueError) as fault:
        raise DeliveryFailed(f"mail by {settings.smtp_host}: {type(fault).__name__}", _said_of(fault)) from None
    if refused:
        raise DeliveryFailed("some recipients were refused", f"The mail server refused {', '.join(sorted(refused))}.")


def put(files: Sequence[SentFile], schedule_id: str, settings: Settings) -> None:
    """Write files into the folder, each whole or not at all, and take away the oldest of this schedule.

    Raises:
        DeliveryFailed: there is no folder, or it cannot be written.
    """
    folder = settings.schedules_dir
    if folder is None:
        raise DeliveryFailed("no folder", "There is no folder for scheduled files: BANK_SCHEDULES_DIR is unset.")
    mark = f"-{schedule_id[:8]}."
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            stem, _, suffix = Path(file.name).name.rpartition(".")
            with NamedTemporaryFile(dir=folder, prefix=".writing-", delete=False) as begun:
                begun.write(file.content)
            Path(begun.name).replace(folder / f"{stem}{mark}{suffix}")
        own = sorted((one for one in folder.iterdir() if mark in one.name), key=lambda one: one.stat().st_mtime)
        for old in own[: -settings.schedule_keep_files]:
            with suppress(OSError):
                old.unlink()
    except OSError as fault:
        raise DeliveryFailed(f"{folder}: {fault}", f"The folder cannot be written: {fault.strerror}.") from None


def _connected(settings: Settings) -> smtplib.SMTP:
    host, port, timeout_s = str(settings.smtp_host), settings.smtp_port, settings.smtp_timeout_s
    if settings.smtp_tls == "tls":
        return smtplib.SMTP_SSL(host, port, timeout=timeout_s, context=ssl.create_default_context())
    server = smtplib.SMTP(host, port, timeout=timeout_s)
    if settings.smtp_tls == "starttls":
        try:
            server.starttls(context=ssl.create_default_context())
        except BaseException:
            server.close()
            raise
    return server


def _said_of(fault: Exception) -> str:
    if isinstance(fault, smtplib.SMTPAuthenticationError):
        return "The mail server refused user or password."
    if isinstance(fault, smtplib.SMTPNotSupportedError):
        return "The mail server does not offer what BANK_SMTP_TLS or BANK_SMTP_USER ask for."
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        return f"The mail server refused {', '.join(sorted(fault.recipients))}."
    if isinstance(fault, smtplib.SMTPResponseException):
        return f"The mail server answered {fault.smtp_code}."
    if isinstance(fault, ssl.SSLError):
        return "The mail server's certificate or encryption was not accepted."
    return "The mail server cannot be reached."

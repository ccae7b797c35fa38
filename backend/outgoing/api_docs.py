"""What the API agent is given: the services of the settings, how they are called, and their tokens."""

from __future__ import annotations

from urllib.parse import urlsplit

from ai_engine.errors import BadConfiguration
from ai_engine.specialists.api_docs.catalogue import ApiCatalogue, Identity, read_catalogue
from ai_engine.specialists.api_docs.outside import ApiServices
from backend.outgoing.api_tokens import ApiTokenStore
from backend.outgoing.http_calls import HttpxCalls, Origin, Resolver, origins_of, resolve
from backend.settings import EXAMPLE_SERVICES_FILE, Settings


def open_api_services(settings: Settings, *, resolver: Resolver = resolve) -> ApiServices | None:
    """Read what may be called; None for a bank's own database without a description of its services.

    Raises:
        BadConfiguration: the file cannot be read or understood, or an address in it or in the settings is none.
    """
    catalogue = _catalogue(settings)
    if catalogue is None:
        return None
    base_url = settings.services_base_url or catalogue.base_url
    own = origins_of([base_url]) if base_url else frozenset[Origin]()
    listed = origins_of(entry.strip() for entry in (settings.services_hosts or "").split(",") if entry.strip())
    calls = _calls(settings, own | listed, resolver)
    return ApiServices(
        catalogue=catalogue,
        calls=calls,
        tokens=_tokens(settings, catalogue, own, resolver),
        base_url=settings.services_base_url,
        timeout_s=settings.services_timeout_s,
    )


def _catalogue(settings: Settings) -> ApiCatalogue | None:
    file = settings.services_file
    if file is None:
        on_sample_bank = settings.database_url == Settings.model_fields["database_url"].default
        if not on_sample_bank:
            return None
        file = EXAMPLE_SERVICES_FILE
    try:
        if file.stat().st_size > settings.services_max_file_kb * 1_024:
            raise BadConfiguration(f"The description of services {file} is larger than BANK_SERVICES_MAX_FILE_KB.")
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfiguration(f"The description of services {file} cannot be read: {error}") from error
    return read_catalogue(text, file.name)


def _tokens(settings: Settings, catalogue: ApiCatalogue, own: frozenset[Origin], resolver: Resolver) -> ApiTokenStore:
    """Give the identity service a permission of its own: what may be asked for a token is not thereby an API."""
    given = Identity(
        url=settings.services_identity_url or "",
        email=settings.services_email or "",
        password=settings.services_password.get_secret_value() if settings.services_password else "",
    )
    identity = given if settings.services_identity_url else _moved(catalogue, settings.services_base_url)
    return ApiTokenStore(
        _calls(settings, origins_of([identity.url]) if identity else frozenset(), resolver),
        own,
        identity_url=identity.url if identity else None,
        email=identity.email if identity else None,
        password=identity.password if identity else None,
        web_key=settings.services_web_key.get_secret_value() if settings.services_web_key else None,
        token_file=settings.services_token_file,
    )


def _moved(catalogue: ApiCatalogue, base_url: str | None) -> Identity | None:
    """Ask for tokens where the services live now, if they gave them out themselves where the file says."""
    identity = catalogue.identity
    if identity is None or base_url is None or catalogue.base_url is None:
        return identity
    if origins_of([identity.url]) != origins_of([catalogue.base_url]):
        return identity
    place = urlsplit(base_url)
    return identity.model_copy(
        update={"url": urlsplit(identity.url)._replace(scheme=place.scheme, netloc=place.netloc).geturl()}
    )


def _calls(settings: Settings, permitted: frozenset[Origin], resolver: Resolver) -> HttpxCalls:
    return HttpxCalls(
        permitted,
        timeout_s=settings.services_timeout_s,
        max_response_kb=settings.services_max_response_kb,
        resolver=resolver,
    )

"""The errors of `databricks.sql`."""


class Error(Exception):
    """What this client raises."""


class InterfaceError(Error):
    """The client is used wrongly."""


class RequestError(Error):
    """The server does not answer."""


class ServerOperationError(Error):
    """The server said no."""

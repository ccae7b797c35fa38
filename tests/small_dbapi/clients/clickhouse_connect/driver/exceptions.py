"""The errors of `clickhouse_connect`."""


class Error(Exception):
    """What this client raises."""

    def __init__(self, said: str, code: int | None = None) -> None:
        super().__init__(said)
        self.code = code

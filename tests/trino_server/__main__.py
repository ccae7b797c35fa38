"""Serve a DuckDB file over Trino's protocol until Ctrl-C: `python -m tests.trino_server [FILE] [PORT]`."""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

from tests.trino_server import Behaviour, Coordinator, url_of
from tests.trino_server.protocol import application


def main() -> None:
    """Serve the sample bank where no file is named."""
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "data/sample_bank.duckdb")
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 8088
    print(f"BANK_DATABASE_URL={url_of(f'http://127.0.0.1:{port}')}", flush=True)
    uvicorn.run(application(Coordinator(file, Behaviour(), {})), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()

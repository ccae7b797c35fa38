"""The scripted page, sent as the real one is: `python -m tests.pages.scripted_server PORT [--workers N]`."""

import argparse
import sys
from pathlib import Path

from backend.http.behind import Behind
from backend.http.connections import serve
from backend.http.life_cycle import LifeCycle
from backend.http.several import serve_by_several
from backend.logs import set_up_logging
from backend.settings import read_settings
from server import page

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--behind", type=Path)
    asked = parser.parse_args()
    settings = read_settings()
    if asked.workers > 1:
        set_up_logging(settings)
        command = ["-m", "tests.pages.scripted_server", str(asked.port)]
        sys.exit(serve_by_several(command, asked.workers, ("127.0.0.1", asked.port), settings))
    script = Path(__file__).with_name("scripted_app.py")
    life = LifeCycle()
    behind = None if asked.behind is None else Behind.of(asked.behind)
    serve(page(settings, "127.0.0.1", life, script), "127.0.0.1", asked.port, settings, life, behind)

"""The scripted page, sent as the real one is: `python -m tests.pages.scripted_server PORT`."""

import sys
from pathlib import Path

from backend.http.connections import serve
from backend.http.life_cycle import LifeCycle
from backend.settings import read_settings
from server import page

if __name__ == "__main__":
    settings = read_settings()
    script = Path(__file__).with_name("scripted_app.py")
    life = LifeCycle()
    serve(page(settings, "127.0.0.1", life, script), "127.0.0.1", int(sys.argv[1]), settings, life)

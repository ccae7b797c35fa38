"""The real page on a scripted assistant; `scripted_server.py` serves it."""

import runpy
from pathlib import Path

from pages import session
from tests.pages.scripted import ScriptedAssistant

if not hasattr(session, "scripted"):
    session.scripted = ScriptedAssistant()
session.get_assistant = lambda: session.scripted
runpy.run_path(str(Path(__file__).parents[2] / "app.py"))

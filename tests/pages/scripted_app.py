"""The real page on a scripted assistant; `scripted_server.py` serves it."""

import runpy
from pathlib import Path

from pages import session, source
from tests.pages.scripted import ScriptedAssistant
from tests.pages.scripted_talk import desk_of, scripted_chats

if not hasattr(session, "scripted"):
    session.scripted = ScriptedAssistant()
    session.scripted_desk = desk_of()
    session.scripted_chats = scripted_chats()
session.get_assistant = lambda: session.scripted
session.get_front_desk = lambda: session.scripted_desk
session.get_chats = lambda: session.scripted_chats
source.opener = lambda: session.get_assistant
runpy.run_path(str(Path(__file__).parents[2] / "app.py"))

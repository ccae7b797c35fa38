"""A scripted chat behind the real server: `python -m tests.backend.chat.scripted_chat_server PORT`."""

import sys

from backend.http.connections import serve
from backend.http.life_cycle import LifeCycle
from backend.logs import set_up_logging
from backend.main import create_app
from backend.settings import read_settings
from tests.backend.canned_assistant import CannedAssistant
from tests.backend.chat.scripted_chat import DONE, HELLO, ScriptedChat, chunk

SCRIPTS = {"Hello": HELLO, "Two seconds": [chunk("a"), 2.0, chunk("b"), DONE], "Work": [chunk("a"), 60.0, DONE]}

if __name__ == "__main__":
    settings = read_settings()
    set_up_logging(settings)
    chat, life = ScriptedChat(SCRIPTS), LifeCycle()
    app = create_app(lambda: CannedAssistant({}), chat_factory=lambda: chat, settings=settings, life=life)
    serve(app, "127.0.0.1", int(sys.argv[1]), settings, life)

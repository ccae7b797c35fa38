"""A session of the page without a browser: it speaks the page's own protocol, and draws nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

_PATIENCE_S = 60


@dataclass
class PageSession:
    """One person's connection to a running page. Close it with `close`."""

    socket: ClientConnection
    box: str = ""
    query: str = ""
    page: str = ""
    widgets: dict[str, WidgetState] = field(default_factory=dict)

    @classmethod
    def at(cls, url: str) -> PageSession:
        """Open the page at an address `http://host:port`, and wait until it is drawn."""
        socket = connect(
            f"{url.replace('http', 'ws', 1)}/_stcore/stream", subprotocols=["streamlit"], max_size=None, origin=url
        )  # type: ignore[arg-type]
        session = cls(socket)
        session._run()
        return session

    def ask(self, question: str) -> dict[str, float]:
        """Ask, and return milliseconds until the first step, the answer and the chart had come whole, and all."""
        typed = WidgetState(id=self.box)
        typed.chat_input_value.data = question
        return self._run(typed)

    def close(self) -> None:
        """End the session."""
        self.socket.close()

    def _run(self, *widgets: WidgetState) -> dict[str, float]:
        """Have the script run once, and note when what people look for came."""
        state = ClientState(query_string=self.query, page_script_hash=self.page)
        state.widget_states.widgets.extend(widgets)
        seen: dict[str, float] = {}
        started = time.perf_counter()
        self.socket.send(BackMsg(rerun_script=state).SerializeToString())
        while "ready" not in seen:
            message = ForwardMsg()
            message.ParseFromString(self.socket.recv(timeout=_PATIENCE_S, decode=False))
            what = self._noted(message)
            if what is not None:
                seen.setdefault(what, (time.perf_counter() - started) * 1_000)
        return seen

    def _noted(self, message: ForwardMsg) -> str | None:
        """Return what has come for a person to see; what the next question needs is remembered."""
        kind = message.WhichOneof("type")
        if kind == "script_finished":
            return "ready"
        if kind == "new_session":
            self.page = message.new_session.page_script_hash
        if kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        if kind != "delta":
            return None
        if message.delta.add_block.HasField("expandable"):
            return "step"
        element = message.delta.new_element
        if element.HasField("chat_input"):
            self.box = element.chat_input.id
        if element.HasField("html") and "ba-answer" in element.html.body:
            return "answer"
        return "chart" if element.HasField("plotly_chart") else None

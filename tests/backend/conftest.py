from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from backend.main import create_app
from backend.opening import open_assistant
from backend.service import Assistant
from backend.settings import Settings, read_settings
from backend.store import Store, open_store
from tests.ai_engine.llm.server import Scripted
from tests.backend.canned_assistant import CannedAssistant
from tests.backend.chat.scripted_chat import HELLO, LONG, ScriptedChat, Step
from tests.backend.databases.servers.small_bank import own_postgres
from tests.loopback_server import serving

Served = Callable[..., tuple[str, ScriptedChat]]
OpenScripted = Callable[..., Assistant]


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.server)])
def kept_at(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a store for all tests of a module, once of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path_factory.mktemp('kept') / 'store.sqlite'}"
        return
    server = request.getfixturevalue("postgres_url")
    with own_postgres(server, "kept") as name:
        yield f"{server}/{name}"


@pytest.fixture
def scripted_model() -> Iterator[Scripted]:
    with Scripted() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def open_scripted(scripted_model: Scripted, tmp_path: Path) -> Iterator[OpenScripted]:
    """Opens a bank made by statements, with a language model that says what `scripted_model` is told to."""
    with ExitStack() as closes:

        def opened(made: Sequence[str], **given: Any) -> Assistant:
            with duckdb.connect(tmp_path / "bank.duckdb") as bank:
                for statement in made:
                    bank.execute(statement)
            settings = Settings(
                database_url=str(tmp_path / "bank.duckdb"), cache_dir=tmp_path / "cache", database_workers=1,
                store_url=f"sqlite:///{tmp_path}/store.sqlite", openai_base_url=scripted_model.base_url, max_retries=0,
                **given,
            )  # fmt: skip
            return closes.enter_context(closing(open_assistant(settings)))

        yield opened


@pytest.fixture
def store_file(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'store.sqlite'}"


@pytest.fixture
def served_chat(store_file: str) -> Iterator[Served]:
    """Serves a scripted chat; all servers of a test share one store."""
    with ExitStack() as closing:

        def serve(scripts: dict[str, Sequence[Step]] | None = None, **given: Any) -> tuple[str, ScriptedChat]:
            settings = read_settings(store_url=store_file, **given)
            store: Store = open_store(settings)
            closing.callback(store.close)
            chat = ScriptedChat({"Hello": HELLO, "Work": LONG, **(scripts or {})})
            app = create_app(
                lambda: CannedAssistant({}),  # type: ignore[arg-type,return-value]
                chat_factory=lambda: chat,
                store_factory=lambda: store,
                settings=settings,
            )
            return closing.enter_context(serving(app, lifespan="on")), chat

        yield serve

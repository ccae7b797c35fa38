"""An interrupted workflow goes on in another process; what is read back is data, whoever wrote it."""

from __future__ import annotations

import asyncio
import json
import pickle
import sqlite3
import stat
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from ai_engine.errors import BadConfiguration, StoreUnavailable, WorkflowInvalid
from ai_engine.operators.base import OperatorFailed, OperatorResult
from ai_engine.workflows.checkpoint_text import CheckpointText, UnreadableCheckpoint
from ai_engine.workflows.definition import read_definition
from ai_engine.workflows.running import UnknownRun, resume_workflow, run_workflow
from backend.checkpoints import open_checkpoints
from backend.settings import PROJECT_ROOT, Settings
from tests.ai_engine.workflows.bench import INPUTS, Bench, gives, in_a_loop, step
from tests.backend.databases.servers.small_bank import administer_postgres


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[str]:
    name = f"flow_{uuid.uuid4().hex[:12]}"
    administer_postgres(postgres_url, f"CREATE DATABASE {name}")
    yield f"{postgres_url}/{name}"
    administer_postgres(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def sqlite_store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'kept' / 'store.sqlite'}"


def process(store_url: str, how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.backend.long_workflow", store_url, how]
    return subprocess.Popen(command, cwd=PROJECT_ROOT, stdout=subprocess.PIPE, text=True)


def killed_in_the_middle(store_url: str) -> list[dict[str, Any]]:
    """Begin the workflow in a process of its own, and kill that once the quick step is told to be done."""
    told = []
    with process(store_url, "begin") as running:
        assert running.stdout is not None
        for line in running.stdout:
            told.append(json.loads(line))
            runs = {one["runs"] for one in told if "runs" in one}
            ended = {one["id"] for one in told if one.get("type") == "workflow.step.complete"}
            if "slow" in runs and "quick" in ended:
                threading.Event().wait(0.2)  # the result is written right after it is told
                break
        running.kill()
    return told


def resumed(store_url: str) -> list[dict[str, Any]]:
    with process(store_url, "resume") as running:
        assert running.stdout is not None
        return [json.loads(line) for line in running.stdout]


def goes_on_where_it_was(store_url: str) -> None:
    before = killed_in_the_middle(store_url)
    assert sorted(one["runs"] for one in before if "runs" in one) == ["first", "quick", "slow"]
    after = resumed(store_url)
    assert [one["runs"] for one in after if "runs" in one] == ["slow", "last"]
    ends = [one["id"] for one in after if one.get("type") == "workflow.step.complete"]
    assert ends[:2] == ["first", "quick"] or ends[:1] == ["first"]
    assert sorted(ends) == ["first", "last", "quick", "slow"]
    assert after[-1]["status"] == "completed"
    assert after[-1]["texts"] == ["first by begin", "quick by begin", "slow by resume", "last by resume"]
    assert after[-1]["left"] == []


def test_a_killed_workflow_goes_on_in_a_second_process(sqlite_store: str):
    goes_on_where_it_was(sqlite_store)


@pytest.mark.server
def test_a_killed_workflow_goes_on_in_a_second_process_of_a_postgresql_store(postgres_store: str):
    goes_on_where_it_was(postgres_store)


def bench_with(store_url: str, **work: Any) -> Bench:
    bench = Bench(**work)
    bench.checkpoints = open_checkpoints(Settings(store_url=store_url))
    return bench


async def stopped_run(store_url: str) -> None:
    async def stopped() -> OperatorResult:
        await asyncio.sleep(0.05)
        raise OperatorFailed("Stopped.", "QueryStopped")

    bench = bench_with(store_url, b=stopped)
    result = await bench.run(step("a"), step("b", "a", query="{{a.output}} of {{param.branch}}"))
    assert result.status == "stopped"


@in_a_loop
async def test_a_stopped_workflow_goes_on_and_does_nothing_twice(sqlite_store: str):
    await stopped_run(sqlite_store)
    bench = bench_with(sqlite_store)
    result = await resume_workflow("r1", bench.engine())
    assert result.status == "completed"
    assert bench.inputs == {"b": {"query": "a of Pune"}}
    with pytest.raises(UnknownRun):
        await resume_workflow("r1", bench.engine())


@in_a_loop
async def test_a_step_that_ended_beside_the_one_that_was_stopped_is_not_done_again(sqlite_store: str):
    async def stopped() -> OperatorResult:
        await asyncio.sleep(0.05)
        raise OperatorFailed("Stopped.", "QueryStopped")

    first = bench_with(sqlite_store, b=stopped)
    assert [one.id for one in (await first.run(step("a"), step("b"))).steps] == ["a"]
    second = bench_with(sqlite_store)
    result = await resume_workflow("r1", second.engine())
    assert [one.id for one in result.steps] == ["a", "b"]
    assert list(second.inputs) == ["b"]


@in_a_loop
async def test_a_workflow_within_another_graph_keeps_its_own_state(sqlite_store: str):
    """The chat's graph has checkpoints or none of its own; a workflow's are under its own id either way."""

    async def node(state: dict[str, Any]) -> dict[str, Any]:
        await stopped_run(sqlite_store)
        return state

    graph = StateGraph(dict)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    checkpoints = open_checkpoints(Settings(store_url=sqlite_store))
    async with checkpoints.open() as saver:
        outer = graph.compile(checkpointer=saver)
        await outer.ainvoke({"x": 1}, {"configurable": {"thread_id": "outer"}})
    assert set(await checkpoints.interrupted("")) == {"outer", "r1"}
    assert (await resume_workflow("r1", bench_with(sqlite_store).engine())).status == "completed"


@in_a_loop
async def test_runs_are_named_by_how_their_ids_begin(sqlite_store: str):
    bench = bench_with(sqlite_store)
    checkpoints = open_checkpoints(Settings(store_url=sqlite_store))
    definition = read_definition({"goal": "g", "steps": [step("a")]})
    await run_workflow(definition, bench.engine(), run_id="talk-1.a", inputs=INPUTS)
    await stopped_run(sqlite_store)
    assert await checkpoints.interrupted("r") == ("r1",)
    assert await checkpoints.interrupted("talk") == ()
    await checkpoints.forget("r1")
    assert await checkpoints.interrupted("") == ()


@in_a_loop
async def test_what_is_kept_too_long_is_dropped(sqlite_store: str):
    await stopped_run(sqlite_store)
    hour = 1 / 24
    assert await open_checkpoints(Settings(store_url=sqlite_store, checkpoint_days=hour)).interrupted("") == ("r1",)
    instant = 1e-9
    assert await open_checkpoints(Settings(store_url=sqlite_store, checkpoint_days=instant)).interrupted("") == ()


def file_of(store_url: str) -> Path:
    return Path(store_url.removeprefix("sqlite:///")).with_name("store_workflows.sqlite")


@in_a_loop
async def test_the_file_is_nobody_elses(sqlite_store: str):
    await stopped_run(sqlite_store)
    assert stat.S_IMODE(file_of(sqlite_store).stat().st_mode) == 0o600


class Dangerous:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("pickle-ran"),))


@pytest.mark.parametrize(
    ("kind", "blob"),
    [
        ("pickle", pickle.dumps(Dangerous())),
        ("msgpack", b"\xc7\x05\x05hello"),
        ("json", b"{"),
        ("json", b"[" * 100_000),
        ("json", b'{"~":"exec","of":"x"}'),
        ("json", b'{"~":"send","of":"x"}'),
        ("json", b'{"lc":2,"type":"constructor","id":["pathlib","Path"],"kwargs":{}}'),
        ("json", b"{}"),
        ("json", b"[]"),
        ("json", b"null"),
    ],
)
@in_a_loop
async def test_a_checkpoint_that_somebody_else_wrote_is_refused(
    sqlite_store: str, kind: str, blob: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    await stopped_run(sqlite_store)
    change(sqlite_store, "UPDATE checkpoints SET type = ?, checkpoint = ?", kind, blob)
    bench = bench_with(sqlite_store)
    with pytest.raises((WorkflowInvalid, UnknownRun)):
        await resume_workflow("r1", bench.engine())
    assert not bench.inputs and not (tmp_path / "pickle-ran").exists()


def change(store_url: str, statement: str, *values: object) -> None:
    with sqlite3.connect(file_of(store_url)) as connection:
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"operator":"sql"', '"operator":"shell"'),
        ("{{a.output}}", "{{c.output}}"),
        ('"depends_on":["a"]', '"depends_on":["b"]'),
        ('"goal":"A review"', '"gaol":"A review"'),
        ('"status":"succeeded"', '"status":"trusted"'),
        ('"id":"a","status"', '"id":"z","status"'),
    ],
)
@in_a_loop
async def test_a_kept_workflow_is_checked_again_before_it_goes_on(sqlite_store: str, old: str, new: str):
    await stopped_run(sqlite_store)
    change(
        sqlite_store,
        "UPDATE checkpoints SET checkpoint = CAST(replace(CAST(checkpoint AS TEXT), ?, ?) AS BLOB)",
        old,
        new,
    )
    bench = bench_with(sqlite_store)
    with pytest.raises(WorkflowInvalid):
        await resume_workflow("r1", bench.engine())
    assert not bench.inputs


@pytest.mark.parametrize(("old", "new"), [('"step_id":"b"', '"step_id":"z"'), ('"step_id":"b"', '"step":"b"')])
@in_a_loop
async def test_a_step_that_was_not_planned_is_not_run(sqlite_store: str, old: str, new: str):
    await stopped_run(sqlite_store)
    for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
        replaced = f"CAST(replace(CAST({column} AS TEXT), ?, ?) AS BLOB)"
        change(sqlite_store, f"UPDATE {table} SET {column} = {replaced}", old, new)
    bench = bench_with(sqlite_store)
    with pytest.raises(WorkflowInvalid):
        await resume_workflow("r1", bench.engine())
    assert not bench.inputs


def test_somebody_who_hangs_up_while_a_result_is_written_leaves_no_lock(sqlite_store: str):
    """What was cancelled is remembered here, as the frames of an error are."""
    remembered: list[asyncio.Task[Any]] = []

    async def hung_up(after_s: float) -> None:
        bench = bench_with(sqlite_store, **{name: gives(name, 0.01) for name in "abcdef"})
        steps = [step("a"), *(step(name, before) for before, name in zip("abcde", "bcdef", strict=True))]
        running = asyncio.ensure_future(bench.run(*steps))
        remembered.append(running)  # type: ignore[arg-type]
        await asyncio.sleep(after_s)
        running.cancel()
        await asyncio.sleep(0)

    for number in range(12):
        asyncio.run(hung_up(0.05 + number / 100))
        with sqlite3.connect(file_of(sqlite_store), timeout=0.1) as connection:
            connection.execute("BEGIN IMMEDIATE")
        connection.close()


@in_a_loop
async def test_a_new_file_that_another_process_writes_already_is_waited_for(tmp_path: Path):
    writer = sqlite3.connect(tmp_path / "store_workflows.sqlite", isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    ending = threading.Timer(0.3, writer.rollback)
    ending.start()
    assert await open_checkpoints(Settings(store_url=f"sqlite:///{tmp_path / 'store.sqlite'}")).interrupted("") == ()
    ending.join()
    writer.close()


@in_a_loop
async def test_a_damaged_file_is_said_in_our_words(sqlite_store: str):
    await stopped_run(sqlite_store)
    file_of(sqlite_store).write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreUnavailable):
        await bench_with(sqlite_store).run(step("a"))


@in_a_loop
async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadConfiguration, match="cannot be made"):
        await bench_with(f"sqlite:///{tmp_path / 'file' / 'store.sqlite'}").run(step("a"))


@in_a_loop
async def test_many_workflows_run_at_once_on_one_file(sqlite_store: str):
    async def one(number: int) -> str:
        bench = bench_with(sqlite_store, a=gives(number, 0.02))
        definition = read_definition({"goal": "g", "steps": [step("a"), step("b", "a", query="{{a.output}}!")]})
        result = await run_workflow(definition, bench.engine(), run_id=f"r{number}", inputs=INPUTS)
        assert bench.inputs["b"] == {"query": f"{number}!"}
        return result.status

    assert set(await asyncio.gather(*map(one, range(12)))) == {"completed"}


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("~"), inner) | st.tuples(inner, inner),
)


@given(PLAIN)
def test_plain_values_come_back_as_they_were(value: Any):
    kept = CheckpointText()
    assert kept.loads_typed(kept.dumps_typed(value)) == value


def test_only_plain_values_and_the_sending_out_of_steps_are_written():
    kept = CheckpointText()
    sent = Send("execute_step", {"step_id": "a", "known": {}, "withheld": False})
    assert kept.loads_typed(kept.dumps_typed([sent])) == [sent]
    assert kept.loads_typed(kept.dumps_typed(KeyError("secret"))) == "KeyError"
    for value in (object(), Path("x"), {1, 2}, b"x"):
        with pytest.raises(TypeError):
            kept.dumps_typed(value)
    with pytest.raises(UnreadableCheckpoint):
        kept.loads_typed(("json", b'{"~":"tuple"}'))

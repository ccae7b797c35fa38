"""The house has one direction: pages → backend → ai_engine. Read off the imports, without running anything."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT_ROOT = Path(__file__).resolve().parent.parent
ENGINE_LIBRARIES = {"pydantic", "langgraph", "sqlglot", "yaml", "rapidfuzz", "snowballstemmer", "spellchecker"}
LIBRARIES_OF_ONE_MODULE = {
    "ai_engine/llm/client.py": {"openai"},
    "ai_engine/llm/reply_bound.py": {"openai", "httpx2"},  # the HTTP client that openai brings
    "ai_engine/operators/links.py": {"markdown_it"},  # to find what a reader of Markdown would follow
    "ai_engine/untraced.py": {"langsmith"},  # to switch it off
}
CONNECTING_LIBRARIES = {
    "sqlalchemy", "duckdb", "duckdb_sqlalchemy", "sqlite3", "psycopg", "pymysql", "sqlglot",
    "openai", "langgraph", "httpx",
}  # fmt: skip


def modules(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((PROJECT_ROOT / folder).rglob("*.py"))]


def name_of(path: Path) -> str:
    return str(path.relative_to(PROJECT_ROOT))


def imported(path: Path) -> Iterator[str]:
    """Every dotted name a module imports, inside functions too; `from a import b` gives `a.b`."""
    package = path.relative_to(PROJECT_ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            prefix = ".".join((*base, *filter(None, [node.module])))
            yield from (f"{prefix}.{alias.name}" for alias in node.names)


def roots(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize("folder", ["ai_engine", "backend", "pages", "data"])
def test_every_part_of_the_house_is_looked_at(folder: str):
    assert modules(folder)


@pytest.mark.parametrize("path", modules("ai_engine"), ids=name_of)
def test_the_engine_imports_nothing_of_ours_and_few_libraries(path: Path):
    allowed = set(sys.stdlib_module_names) | ENGINE_LIBRARIES | {"ai_engine"}
    allowed |= LIBRARIES_OF_ONE_MODULE.get(name_of(path), set())
    assert roots(path) <= allowed


@pytest.mark.parametrize("path", modules("ai_engine"), ids=name_of)
def test_the_engine_reads_neither_environment_nor_clock_at_import(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not attributes & {"os.environ", "os.getenv", "os.environb"}
    assert not {name for name in imported(path) if name in {"os.environ", "os.getenv"}}
    at_import = {ast.unparse(call.func) for call in calls_at_import(tree)}
    assert not at_import & {"date.today", "datetime.now", "datetime.date.today", "time.time", "open"}


def calls_at_import(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that run when a module is imported: all but those inside functions."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            waiting.extend(node.decorator_list)
        elif not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize("path", modules("backend"), ids=name_of)
def test_the_backend_knows_no_page(path: Path):
    assert not roots(path) & {"streamlit", "pages", "app", "tests", "benchmarks"}


@pytest.mark.parametrize("path", [*modules("pages"), PROJECT_ROOT / "app.py", PROJECT_ROOT / "server.py"], ids=name_of)
def test_a_page_holds_no_database_client_and_no_model(path: Path):
    assert not roots(path) & CONNECTING_LIBRARIES
    engine = {name for name in imported(path) if name.startswith("ai_engine.")}
    assert not {
        name for name in engine if name.split(".")[1] in {"llm", "built_in", "guard", "graph", "agents", "main"}
    }
    backend = {name for name in imported(path) if name.startswith("backend.")}
    assert not {name for name in backend if name.startswith("backend.databases")}


@pytest.mark.parametrize("path", modules("data"), ids=name_of)
def test_the_sample_bank_stands_beside_the_house(path: Path):
    assert not roots(path) & {"ai_engine", "pages", "app", "streamlit", "tests"}


def test_the_entry_starts_fast_because_it_imports_no_graph():
    assert not roots(PROJECT_ROOT / "app.py") & {"langgraph", "ai_engine", "plotly", "pandas"}


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for path in modules("ai_engine", "backend", "data", "tests") if path.name != "conftest.py"}
    missing = {name_of(folder) for folder in folders if not (folder / "__init__.py").exists()}
    assert not missing


def test_the_revisions_of_the_store_are_one_chain_in_the_order_of_their_names():
    chain = {}
    for path in (PROJECT_ROOT / "backend" / "store" / "migrations" / "versions").glob("r*.py"):
        nodes = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.Assign)]
        told = {ast.unparse(node.targets[0]): ast.unparse(node.value).strip("'") for node in nodes}
        assert path.name.startswith(f"r{told['revision']}_"), path.name
        chain[told["revision"]] = told["down_revision"]
    assert list(zip(sorted(chain)[1:], sorted(chain), strict=False)) == sorted(chain.items())[1:]
    assert chain[min(chain)] == "None"

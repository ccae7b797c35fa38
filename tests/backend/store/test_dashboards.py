from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import select

from ai_engine.errors import CannotKeep, NotPermitted
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure, Period
from ai_engine.types import Answer, QueryResult
from backend.dashboards.book import DashboardBook, tile_of
from backend.settings import Settings
from backend.store import Store, open_store
from backend.store import dashboards as rows
from backend.store.dashboards import KeptResult, Tile
from tests.ai_engine.built_in.bank import AS_OF, vocabulary

PAID = Intent(measures=(Measure(aggregate="count", dataset="transactions"),))
LAST_MONTH = Period(start=date(2026, 10, 1), end=date(2026, 11, 1), label="last month")
WEST = Condition(field=FieldRef(dataset="branches", field="region"), operator="in", values=("West",))


def answer_of(intent: Intent | None = PAID, **more: object) -> Answer:
    result = QueryResult(("n",), ("integer",), ((7,),))
    return Answer("How many payments?", "answered", "rules", sql="SELECT 7 AS n", result=result, intent=intent, **more)


def tile(title: str = "Payments", **more: object) -> Tile:
    return tile_of(answer_of(**more), vocabulary(), "duckdb:///bank", "bar", title)


@pytest.fixture
def book(store: Store) -> DashboardBook:
    return DashboardBook(lambda: store, max_dashboards=2, max_tiles=3)


def titles(book: DashboardBook, dashboard_id: str, who: str = "asha") -> list[str]:
    return [one.title for one in book.view(dashboard_id, who).tiles]


def test_what_is_pinned_comes_back_as_it_was(book: DashboardBook):
    board = book.create("  Monday \n meeting ", "asha")
    assert board.name == "Monday meeting"
    asked = PAID.model_copy(update={"period": LAST_MONTH, "filters": (WEST,)})
    kept = tile(intent=asked, assumptions=("Branch is that of the account.",))
    book.pin(board.id, kept, "asha")
    scoped = replace(board, scope=Intent(filters=(WEST,), period=LAST_MONTH), refresh_minutes=5)
    book.change(scoped, "asha")
    view = book.view(board.id, "asha")
    assert view.tiles == (kept,)
    assert view.dashboard == scoped
    assert kept.moves_on
    assert kept.pinned_on == AS_OF


def test_a_private_dashboard_is_not_there_for_others_and_a_shared_one_is_read_only(book: DashboardBook):
    board = book.create("Mine", "asha")
    with pytest.raises(NotPermitted) as hidden:
        book.view(board.id, "vikram")
    with pytest.raises(NotPermitted) as missing:
        book.view("no such", "vikram")
    assert hidden.value.user_message == missing.value.user_message
    book.change(replace(board, is_shared=True), "asha")
    assert not book.view(board.id, "vikram").is_mine
    for change in (
        lambda: book.change(replace(board, owner="vikram"), "vikram"),
        lambda: book.pin(board.id, tile(), "vikram"),
        lambda: book.remove(board.id, "vikram"),
        lambda: book.remove_tile(board.id, "x", "vikram"),
        lambda: book.move_tile(board.id, "x", 1, "vikram"),
    ):
        with pytest.raises(NotPermitted):
            change()
    assert book.mine("vikram") == []


def test_tiles_are_moved_renamed_and_removed_with_undo(book: DashboardBook):
    board = book.create("Board", "asha")
    kept = [tile(name) for name in ("one", "two", "three")]
    for one in kept:
        book.pin(board.id, one, "asha")
    book.move_tile(board.id, kept[2].id, -1, "asha")
    book.move_tile(board.id, kept[0].id, -1, "asha")
    assert titles(book, board.id) == ["one", "three", "two"]
    book.change_tile(board.id, replace(kept[2], title="3rd", columns=9), "asha")
    assert book.view(board.id, "asha").tiles[1].columns == 3
    before = [one.id for one in book.view(board.id, "asha").tiles]
    book.remove_tile(board.id, kept[2].id, "asha")
    assert titles(book, board.id) == ["one", "two"]
    book.restore_tile(board.id, kept[2], before, "asha")
    assert titles(book, board.id) == ["one", "three", "two"]


def test_a_dashboard_is_removed_with_all_of_it_and_brought_back(book: DashboardBook, store: Store):
    board = book.create("Board", "asha")
    kept = tile()
    book.pin(board.id, kept, "asha")
    removed = book.remove(board.id, "asha")
    with store.reading() as connection:
        assert rows.tiles_of(connection, board.id) == []
    with pytest.raises(NotPermitted):
        book.restore(removed, "vikram")
    book.restore(removed, "asha")
    assert book.view(board.id, "asha") == removed.view


def test_nobody_reaches_a_tile_through_a_dashboard_of_their_own(book: DashboardBook):
    hers, his = book.create("Hers", "asha"), book.create("His", "vikram")
    kept = tile()
    book.pin(hers.id, kept, "asha")
    book.change_tile(his.id, replace(kept, title="taken"), "vikram")
    book.remove_tile(his.id, kept.id, "vikram")
    assert titles(book, hers.id) == ["Payments"]


def test_dashboards_and_tiles_are_bounded_and_named(book: DashboardBook):
    board = book.create("1", "asha")
    book.create("2", "asha")
    for name, who in (("3", "asha"), (" ", "vikram"), ("x" * 121, "vikram")):
        with pytest.raises(CannotKeep):
            book.create(name, who)
    for name in "abc":
        book.pin(board.id, tile(name), "asha")
    with pytest.raises(CannotKeep):
        book.pin(board.id, tile("d"), "asha")
    with pytest.raises(CannotKeep):
        tile_of(Answer("?", "refused", "rules"), vocabulary(), "", "bar", "x")


def test_two_servers_that_pin_at_once_lose_no_tile_and_keep_the_bound(store: Store, store_settings: Settings):
    with closing(open_store(store_settings)) as other:
        books = [DashboardBook(lambda kept=kept: kept, 2, max_tiles=10) for kept in (store, other)]
        board = books[0].create("Board", "asha")

        def pinned(number: int) -> bool:
            try:
                books[number % 2].pin(board.id, tile(f"{number}"), "asha")
            except CannotKeep:
                return False
            return True

        with ThreadPoolExecutor(8) as people:
            kept = [str(number) for number, is_kept in enumerate(people.map(pinned, range(24))) if is_kept]
        assert len(kept) == 10
        assert sorted(titles(books[1], board.id)) == sorted(kept)
        with store.reading() as connection:
            assert sorted(connection.scalars(select(rows.TILES.c.place))) == list(range(10))


def test_two_servers_that_keep_the_result_of_one_tile_at_once_both_go_on(book, store: Store, store_settings: Settings):
    board = book.create("Board", "asha")
    kept = tile()
    book.pin(board.id, kept, "asha")
    with closing(open_store(store_settings)) as other, ThreadPoolExecutor(8) as people:

        def keep(number: int) -> None:
            with (store, other)[number % 2].writing() as connection:
                rows.keep_result(connection, kept.id, KeptResult("key", f"{{{number}}}", AS_OF, board.made_at))

        list(people.map(keep, range(40)))
    with store.reading() as connection:
        assert rows.result_of(connection, kept.id) is not None


def test_the_last_good_result_goes_with_its_tile(book: DashboardBook, store: Store):
    board = book.create("Board", "asha")
    kept = tile()
    book.pin(board.id, kept, "asha")
    for text in ("{1}", "{2}"):
        with store.writing() as connection:
            rows.keep_result(connection, kept.id, KeptResult("key", text, AS_OF, board.made_at))
    with store.reading() as connection:
        assert rows.result_of(connection, kept.id) == KeptResult("key", "{2}", AS_OF, board.made_at)
    book.remove_tile(board.id, kept.id, "asha")
    with store.writing() as connection:
        rows.keep_result(connection, kept.id, KeptResult("key", "late", AS_OF, board.made_at))
        assert rows.result_of(connection, kept.id) is None


def test_a_statement_that_a_model_wrote_is_pinned_as_the_statement():
    kept = tile(trust="free SQL")
    assert kept.intent is None
    assert kept.reading == "SELECT 7 AS n"
    assert not kept.moves_on

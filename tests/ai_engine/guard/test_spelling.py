"""What is written plainly means to the engine what was written."""

from __future__ import annotations

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.guard import check
from tests.ai_engine.guard.bank import POLICY
from tests.ai_engine.guard.twins import reachable_twins

OF_ORDERS = "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, shop_id INTEGER, note TEXT)"
OF_SHOPS = "CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, name TEXT)"


def test_sqlite_may_read_tables_that_a_comma_joins_in_any_order():
    sql = "SELECT o.note FROM orders o, shops s WHERE o.shop_id = s.shop_id AND s.name = 'x'"
    made = (OF_ORDERS, OF_SHOPS, "CREATE INDEX by_shop ON orders (shop_id)", "CREATE INDEX by_name ON shops (name)")
    ran = check(sql, catalogue_from_ddl(";".join(made[:2]) + ";", "sqlite"), POLICY).run_sql
    with reachable_twins("sqlite") as pair:
        for statement in made:
            pair.first.execute(statement)
        written, run = (pair.first.answer(f"EXPLAIN QUERY PLAN {one}")[2] for one in (sql, ran))
    assert ["by_name" in written[0][-1], "by_shop" in written[1][-1]] == [True, True]
    assert ["by_name" in run[0][-1], "by_shop" in run[1][-1]] == [True, True]
